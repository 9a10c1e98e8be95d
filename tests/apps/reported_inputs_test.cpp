// SPDX-License-Identifier: Apache-2.0
// Files of the kinds that people report as read wrongly elsewhere: each is read right, or refused
// in a line that names the cause. And traces of runs whose surroundings are odd.
#include <cleave/file.hpp>

#include "tests/apps/cli.hpp"

namespace cleave {

using namespace cleave::testing;
namespace {

struct Reported {
  std::string kind;
  std::string command;  ///< before the file
  std::string content;
  std::string right;  ///< a part of what is printed, or of the refusal
};
void PrintTo(const Reported& reported, std::ostream* out) { *out << reported.kind; }

const std::string kComponents = "-components --json --graph ";
const std::string kFlowshop = "-flowshop --json --instance ";
const std::string kSort = "-quicksort --json --key double --format text --input ";

const std::vector<Reported> kReported = {
    {"lines_end_in_CR", kComponents, "0 1\r1 2\r3 4\r", "'1?1' is no vertex number"},
    {"counts_first", kComponents, "6 3\n0 1\n1 2\n3 4\n", "reads like a line of counts"},
    {"adjacency_lines", kComponents, "0 1 2\n3 4 5\n", "' 2' follows the edge"},
    {"METIS_with_edges_once", kComponents, "4 3\n\n1\n1\n1\n", "the vertex number is missing"},
    {"banner_of_one_percent", kComponents, "%MatrixMarket matrix\n2 2 1\n2 1\n",
     "'%MatrixMarket' is no vertex number"},
    {"blank_before_a_banner", kComponents, " %%MatrixMarket matrix\n2 2 1\n2 1\n",
     "'%%MatrixMarket' is no vertex number"},
    {"byte_order_mark", kComponents,
     "\xef\xbb\xbf"
     "0 1\n",
     "'?0' is no vertex number"},
    {"ids_of_64_bits", kComponents, "5000000000000 1\n", "--size N=COUNT allows more vertices"},
    {"ids_from_1", kComponents, "1 2\n2 3\n", "\"components\":2"},
    {"ids_from_1_with_a_note", kComponents, "1 2\n2 3\n", "no line names vertex 0"},
    {"a_column_of_indices", kComponents, ",id_1,id_2\n0,5,6\n", "is no vertex number"},
    {"permutation_behind", kFlowshop, "3 2\n1 2 3\n4 5 6\n\n16\n1 2 3\n", "'16' is too much"},
    {"pairs_of_machine_and_time", kFlowshop, "3 2\n0 1 1 4\n0 2 1 5\n0 3 1 6\n", "is too much"},
    {"release_times", kFlowshop, "3 2\n1 2 3\n4 5 6\nRelease times\n0 4 3\n",
     "'Release times' is too much"},
    {"no_key", kSort, "", "\"N\":0"},
    {"decimal_commas", kSort, "3,14\n2,71\n", "'3,14' is not one number of this kind of key"}};

class ReportedInputs : public ::testing::TestWithParam<Reported> {};
INSTANTIATE_TEST_SUITE_P(All, ReportedInputs, ::testing::ValuesIn(kReported),
                         [](const auto& parameter) { return parameter.param.kind; });

TEST_P(ReportedInputs, AreReadRightOrRefusedWithTheCause) {
  const auto& [kind, command, content, right] = GetParam();
  const TemporaryFolder folder;
  const std::string file = folder / "file.txt";
  write_file(file, content);
  const Finished finished = run_program({"sh", "-c", kPrograms + "/cleave" + command + file});
  EXPECT_NE((finished.out + finished.err).find(right), std::string::npos)
      << finished.out << finished.err;
  const bool is_read = right.starts_with('"') || right.starts_with("no line names");
  EXPECT_EQ(finished.status == 0, is_read) << finished.err;
}

TEST(Traces, AreWrittenWhateverBytesAPathHas) {
  const TemporaryFolder folder;
  const std::string trace = folder / "caf\xe9.trace.jsonl";
  once(1, "quicksort --size N=64 --trace " + trace);
  EXPECT_NE(read_file(trace).find("\"end\":\"cleave-trace\""), std::string::npos);
}

}  // namespace
}  // namespace cleave
