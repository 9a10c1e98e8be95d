// SPDX-License-Identifier: Apache-2.0
// What memory cleave-quicksort takes, divided by the mean share of the keys. It is the most that a
// rank has resident (VmHWM, as traces keep it) less that of a rank that sorts next to nothing. For
// keys that are generated, and from a file to another.
//
//   sort_memory [KEYS] > sort_memory.json
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/random.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/trace_file.hpp>

#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

constexpr std::int64_t kKeyBytes = sizeof(std::int32_t);

class Runs {
 public:
  explicit Runs(std::int64_t keys) : keys_(keys) {}

  nlohmann::ordered_json generated(const std::string& input, int ranks) {
    const std::int64_t peak = peak_bytes(ranks, {"--size", size_of(keys_), "--input", input});
    return figures(input, ranks, peak);
  }

  nlohmann::ordered_json from_file_to_file(int ranks) {
    const std::filesystem::path input = folder_ / "keys";
    if (!std::filesystem::exists(input)) {
      write_random_keys(input);
    }
    const std::string output = folder_ / "sorted";
    return figures("file", ranks, peak_bytes(ranks, {"--input", input, "--output", output}));
  }

 private:
  static std::string size_of(std::int64_t keys) { return fmt::format("N={}", keys); }

  void write_random_keys(const std::filesystem::path& path) const {
    const CounterRandom random(1);
    std::ofstream file(path, std::ios::binary);
    for (std::int64_t i = 0; i < keys_; ++i) {
      const auto key = static_cast<std::int32_t>(random(i));
      file.write(reinterpret_cast<const char*>(&key), kKeyBytes);
    }
    if (!file.flush()) {
      throw FileError(path, "cannot write");
    }
  }

  std::int64_t peak_bytes(int ranks, const std::vector<std::string>& options) const {
    const auto trace = folder_ / "run.trace.jsonl";
    std::vector<std::string> command = {CLEAVE_MPIEXEC,   "-n",      std::to_string(ranks),
                                        CLEAVE_QUICKSORT, "--trace", trace.string()};
    command.insert(command.end(), options.begin(), options.end());
    const testing::Finished finished = testing::run_program(command, {}, std::chrono::seconds(600));
    if (finished.status != 0) {
      throw Error(finished.err);
    }
    return read_trace(trace).run.peak_memory_bytes;
  }

  nlohmann::ordered_json figures(const std::string& input, int ranks, std::int64_t peak) const {
    const std::int64_t idle = peak_bytes(ranks, {"--size", size_of(ranks)});
    const std::int64_t share = keys_ * kKeyBytes / ranks;
    return {{"input", input},
            {"ranks", ranks},
            {"peak_bytes", peak},
            {"idle_bytes", idle},
            {"mean_share_bytes", share},
            {"over_mean_share", static_cast<double>(peak - idle) / static_cast<double>(share)}};
  }

  std::int64_t keys_;
  testing::TemporaryFolder folder_;
};

void run(std::int64_t keys) {
  Runs runs(keys);
  nlohmann::ordered_json json = {{"keys", keys}, {"key_bytes", kKeyBytes}};
  for (const int ranks : {2, 4, 8}) {
    for (const char* input : {"uniform", "sorted", "few"}) {
      json["runs"].push_back(runs.generated(input, ranks));
    }
    json["runs"].push_back(runs.from_file_to_file(ranks));
  }
  fmt::print("{}\n", json.dump(2));
}

}  // namespace
}  // namespace cleave

int main(int argc, char** argv) {
  try {
    std::string keys = "64M";
    CLI::App cli("What memory cleave-quicksort takes. Run it as: sort_memory > sort_memory.json",
                 "sort_memory");
    cli.add_option("keys", keys, "How many (K, M, G: 1024-based)")->capture_default_str();
    if (cleave::detail::parse_command_line(cli, argc, argv)) {
      cleave::run(cleave::parse_count(keys));
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "sort_memory: {}\n", error.what());
    return 1;
  }
}
