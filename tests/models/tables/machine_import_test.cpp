// SPDX-License-Identifier: Apache-2.0
#include "models/tables/machine_import.hpp"

#include <gtest/gtest.h>

#include <cleave/error.hpp>
#include <cleave/file.hpp>

#include "tests/support/mutations.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

constexpr const char* kLatency =
    "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n0                       1.10\n"
    "1                       1.20\n8                       1.21\n1024                    2.00\n"
    "65536                  20.00\n";
constexpr const char* kBandwidth =
    "# OSU MPI Bandwidth Test v5.8\n# Size      Bandwidth (MB/s)\n65536  3900.0\n1048576  5000.0\n"
    "4194304  5000.0\n";
constexpr const char* kAlltoallv =
    "\n# OSU MPI All-to-Allv Personalized Exchange Latency Test v5.8\n# Size       Avg "
    "Latency(us)\n"
    "1                       9.0\n1024                   10.0\n65536                 100.0\n"
    "1048576              1500.0\n";

class MachineImport : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    write_file(folder_ / name, text);
    return folder_ / name;
  }
  testing::TemporaryFolder folder_;
};

TEST_F(MachineImport, ReadsWhatTheBenchmarksPrint) {
  const Machine machine = import_machine({.latency = write("l", kLatency),
                                          .bandwidth = write("b", kBandwidth),
                                          .alltoallv = write("a", kAlltoallv),
                                          .ranks = 5,
                                          .name = "there"});
  ASSERT_EQ(machine.exchange.size(), 1U);
  const Communication& exchange = machine.exchange.front();
  EXPECT_EQ(exchange.samples.size(), 6U);  // bandwidth only beyond 64 KiB, nothing of 0 bytes
  EXPECT_TRUE(exchange.between_hosts);
  // An exchange takes 2 (l + K g): as long as a message of osu_latency where both cross.
  EXPECT_NEAR(2 * exchange.unit_seconds(8), 1.21e-6, 0.3e-6);
  EXPECT_NEAR(exchange.gap_s_per_byte, 1 / 5000e6 / 2, 0.4 / 5000e6);
  EXPECT_EQ(machine.alltoallv.front().ranks, 5);
  EXPECT_EQ(machine.alltoallv.front().samples[1].message_bytes, 4096);
}

TEST_F(MachineImport, HalfDuplexTakesTwiceAsLong) {
  const auto latency = write("l", kLatency);
  const Machine full = import_machine({.latency = latency, .name = "x"});
  const Machine half = import_machine({.latency = latency, .full_duplex = false, .name = "x"});
  EXPECT_NEAR(half.exchange[0].gap_s_per_byte, 2 * full.exchange[0].gap_s_per_byte, 1e-18);
}

TEST_F(MachineImport, SaysWhatIsWrong) {
  const auto refuses = [&](const std::string& text, const std::string& part) {
    try {
      read_osu_table(write("x", text));
      ADD_FAILURE() << "was read: " << text;
    } catch (const FileError& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  refuses("", "holds no sizes");
  refuses("8 1.0\n", "line 1: no line before it names osu_latency");
  refuses("# OSU MPI Latency Test\n8 one\n", "line 2: 'one' is not a time or bandwidth");
  refuses("# OSU MPI Latency Test\n8 1\n4 1\n", "line 3: 4 bytes do not follow 8 bytes");
  refuses("# OSU MPI Latency Test\n8 0\n", "line 2: the value of 8 bytes is 0");
  EXPECT_THROW(import_machine({.latency = write("b", kBandwidth)}), FileError);
  EXPECT_THROW(import_machine({.latency = write("s", "# OSU MPI Latency Test\n8 1\n")}), FileError);
  EXPECT_THROW(import_machine({}), UsageError);
  EXPECT_THROW(read_osu_table(folder_ / "missing"), FileError);
}

TEST_F(MachineImport, DamagedOutputIsReadOrRefused) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::string text = testing::damaged(trial % 2 == 0 ? kLatency : kAlltoallv, random);
    try {
      const auto file = write("x", text);
      import_machine({.latency = trial % 2 == 0 ? file : std::filesystem::path(),
                      .alltoallv = trial % 2 == 0 ? std::filesystem::path() : file,
                      .name = "x"});
    } catch (const Error& e) {
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
  }
}

TEST_F(MachineImport, AMachineMayBeWrittenByHand) {
  const auto file = write("m.machine.json", R"({"format": "cleave-machine", "version": 2,
    "name": "10 Gb/s", "exchange": [{"ranks": 2, "latency_s": 5e-6, "gap_s_per_byte": 4e-10,
    "between_hosts": true}]})");
  const Machine machine = read_machine(file);
  EXPECT_TRUE(machine.exchange.front().between_hosts);
  EXPECT_NEAR(machine.exchange.front().unit_seconds(1e6), 5e-6 + 4e-4, 1e-12);
  const auto none =
      write("n.machine.json", R"({"format": "cleave-machine", "version": 2, "name": "x"})");
  EXPECT_THROW(read_machine(none), FileError);
}

}  // namespace
}  // namespace cleave::models
