// SPDX-License-Identifier: Apache-2.0
// How the applications end when something is wrong, as a person runs them under mpiexec.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include <cleave/file.hpp>

#include "tests/apps/cli.hpp"

namespace cleave {

using namespace cleave::testing;
namespace {

TEST(Help, IsPrintedOnceAndEndsWell) {
  for (const char* option : {"--help", "--version"}) {
    for (const char* program : {"quicksort", "components", "uts", "flowshop"}) {
      const Finished finished = run(2, program, {option});
      EXPECT_EQ(finished.status, 0);
      EXPECT_EQ(finished.err, "");
      const bool is_help = std::string(option) == "--help";
      const std::string name = std::string(is_help ? "Usage: cleave-" : "cleave-") + program;
      EXPECT_NE(finished.out.find(name), std::string::npos) << finished.out;
      EXPECT_EQ(finished.out.find(name), finished.out.rfind(name)) << finished.out;
      EXPECT_EQ(finished.out.find("Examples:") != std::string::npos, is_help);
    }
  }
}

/// Those of users that are built.
Arguments all_programs() {
  Arguments programs;
  for (const auto& entry : std::filesystem::directory_iterator(kPrograms)) {
    const std::string name = entry.path().filename().string();
    const bool is_test = name.ends_with("_test") || name.find('.') != std::string::npos;
    if (!is_test && (name == "cleave" || name.starts_with("cleave-") ||
                     name.starts_with("example-") || name.starts_with("gallery-"))) {
      programs.push_back(entry.path().string());
    }
  }
  EXPECT_GE(programs.size(), 8U);
  return programs;
}

/// Expects one line of `command`, a program and what comes after it, where standard output is full.
void expect_told_that_output_is_full(const std::string& command) {
  const Finished finished = run_program({"sh", "-c", "exec " + command + " >/dev/full"});
  EXPECT_EQ(finished.status, 1) << command;
  const Arguments lines = lines_of(finished.err);
  EXPECT_TRUE(lines.size() == 1 && lines[0].ends_with("cannot write to standard output"))
      << command << ": " << finished.err;
}

TEST(Output, ThatIsFullIsAFailureOfEveryProgram) {
  for (const std::string& program : all_programs()) {
    expect_told_that_output_is_full(program + " --help");
    if (!program.ends_with("example-sliding-puzzle")) {  // has no versions
      expect_told_that_output_is_full(program + " --version");
    }
  }
  for (const char* const answer :
       {"components --size N=100,M=200", "uts -t 0 -b 20 -q 0.1 -m 8 -r 42", "flowshop --describe",
        "spacetree plan --tree random:max=3,p=0.65 --processors 3",
        "spacetree plan --tree random:max=3,p=0.65 --processors 3 --json"}) {
    expect_told_that_output_is_full(kPrograms + "/cleave-" + answer);
  }
}

TEST(Instruments, AreInProgramsForTestsAlone) {
  for (const std::string name : {"quicksort", "components", "uts", "flowshop"}) {
    for (const char* const option : {"--inject", "--dilate"}) {
      const Finished refused = run_program({kPrograms + "/cleave-" + name, option});
      EXPECT_EQ(refused.status, 2);
      EXPECT_NE(refused.err.find(std::string("not expected: ") + option), std::string::npos)
          << refused.err;
      const Finished taken = run_program({kInstrumented + "/cleave-" + name, option, "tea"});
      EXPECT_EQ(taken.status, 2);
      EXPECT_NE(taken.err.find("'tea' is not "), std::string::npos) << taken.err;
    }
    const Finished help = run_program({kInstrumented + "/cleave-" + name, "--help"});
    EXPECT_EQ(help.out.find("--inject"), std::string::npos);
  }
}

TEST(BadCommandLine, OfSortingAndLabellingIsOneLineAndStatus2) {
  const std::string no_size = "' is not a size: NAME=COUNT, for example N=4M";
  const std::string no_count = "' is not a count: digits, then K, M or G (1024-based)";
  expect_failure(2, "quicksort", {"--size", "12x"}, 2, "--size: '12x" + no_size);
  expect_failure(1, "quicksort", {"--size", "N=0"}, 2, "--size: size 'N=0' must be at least 1");
  expect_failure(3, "quicksort", {"--size", "N=-5"}, 2, "--size: '-5" + no_count);
  expect_failure(2, "quicksort", {"--size", "N=1e30"}, 2, "--size: '1e30" + no_count);
  expect_failure(2, "quicksort", {"--size", "N=8G"}, 2,
                 "--size: 'N=8G' is too large: at most N=4G");
  expect_failure(2, "quicksort", {"--size", "M=8"}, 2,
                 "--size: 'M' is not a size of this application: N");
  expect_failure(2, "quicksort", {"--size", "N=8", "--input", "file"}, 2,
                 "--size: the keys are those of the file file, leave it out");
  expect_failure(2, "quicksort", {"--key", "int16"}, 2,
                 "--key: int16 not in {double,float,int32,int64,record,uint32,uint64}");
  expect_failure(2, "quicksort", {"--key", "float", "--placement", "replicated"}, 2,
                 "--key: placement replicated sorts int32 keys in ascending order and writes none; "
                 "take distributed");
  expect_failure(2, "uts", {"--placement", "distributed", "--tree", "prins:T1"}, 2,
                 "--placement: distributed is not for cleave-uts: its problem has no parts, which "
                 "`make_part` of a Program makes");
  expect_failure(2, "components", {"--size", "N=8"}, 2,
                 "--size: a random graph needs both, for example N=1M,M=2M");
  expect_failure(2, "components", {"--size", "N=4G,M=1"}, 2,
                 "--size: 'N=4G,M=1' is too large: at most N=4294967295");
  expect_failure(2, "components", {"--size", "M=8", "--graph", "file"}, 2,
                 "--size: the edges are those of the file file, leave out M");
}

TEST(BadCommandLine, OfOneRankOnlyIsToldByAll) {
  const std::string program = kPrograms + "/cleave-quicksort";
  const Finished finished = run_program({CLEAVE_MPIEXEC, "-n", "2", program, "--size", "N=9", ":",
                                         "-n", "1", program, "--size", "N=9", "--warm-up", "0"});
  EXPECT_FALSE(finished.timed_out);
  EXPECT_EQ(finished.status, 2);
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(without_launcher(finished.err),
            "cleave-quicksort: ranks have different command lines: rank 0: cleave-quicksort "
            "--size N=9; rank 2: cleave-quicksort --size N=9 --warm-up 0\n");
}

TEST(BadCommandLine, OfAQuestionIsToldOnce) {
  expect_failure(3, "quicksort", {"--describe", "--size", "N=x"}, 2,
                 "--size: 'x' is not a count: digits, then K, M or G (1024-based)");
}

TEST(BadCommandLine, OfSearchesIsOneLineAndStatus2) {
  expect_failure(
      2, "uts", {"--tree", "T9"}, 2,
      "--tree: 'T9' is not a tree: T1, T2, T3, T4, T5, T1L, T2L, T3L, T1XL, T2XL, T1XXL, "
      "T3XXL, T2XXL, T1WL, prins:T1, prins:T2, prins:T3 or "
      "prins:r=0x101,n=3200,q=0.234375,m=4");
  expect_failure(2, "uts", {"-t", "4"}, 2,
                 "-t: '4' is not one of 0 (BIN), 1 (GEO), 2 (HYBRID), 3 (BALANCED)");
  expect_failure(2, "uts", {"--tree", "prins:T1", "-r", "3"}, 2,
                 "-r describes a tree of UTS 1.1, it does not go with --tree prins:...");
  expect_failure(2, "uts", {"--kernel", "md5"}, 2,
                 "--kernel: 'md5' is not one of auto, openssl, sha, vectors");
  expect_failure(2, "flowshop", {"--instance", "ta121"}, 2,
                 "--instance: 'ta121' is not one of Taillard's instances, ta001 to ta120, nor a "
                 "file");
  expect_failure(2, "flowshop", {"--instance", "ta101"}, 2,
                 "ta101 has 200 jobs on 20 machines, branch-and-bound takes 1 to 100 jobs on 1 to "
                 "20 machines");
  expect_failure(2, "flowshop", {"--type", "hypercube"}, 2,
                 "--type: hypercube not in {sequential,work_stealing}");
  expect_failure(2, "flowshop", {"--bound", "lb3"}, 2, "--bound: lb3 not in {lb1,lb2,mix}");
  expect_failure(2, "flowshop", {"--branching", "back"}, 2,
                 "--branching: back not in {alternate,backward,forward,maxSum,minBranch,minMin}");
  expect_failure(2, "flowshop", {"--incumbent", "good"}, 2,
                 "--incumbent: 'good' is not optimal, heuristic or a makespan");
  const Finished unknown = run(2, "uts", {"--unknown"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(lines_of(unknown.err).size(), 1U) << unknown.err;
}

TEST(BadInputFile, IsOneLineAndStatus1) {
  const TemporaryFolder folder;
  write_file(folder / "empty", "");
  write_file(folder / "cut", "\1\2\3\4\5");
  write_file(folder / "list", "0 1\n1 -2\n");
  const std::string path = folder.path().string();
  expect_failure(2, "quicksort", {"--input", path + "/none"}, 1,
                 path + "/none: cannot read: No such file or directory");
  expect_failure(2, "quicksort", {"--input", path}, 1, path + ": cannot read: Is a directory");
  expect_failure(3, "quicksort", {"--input", path + "/cut", "--key", "record"}, 1,
                 path + "/cut: its 5 bytes are not a whole number of keys of 16 bytes");
  expect_failure(2, "quicksort", {"--input", path + "/cut"}, 1,
                 path + "/cut: its 5 bytes are not a whole number of keys of 4 bytes");
  expect_failure(2, "quicksort", {"--input", path + "/cut", "--placement", "rooted"}, 1,
                 path + "/cut: its 5 bytes are not a whole number of keys of 4 bytes");
  expect_failure(2, "components", {"--graph", path + "/list"}, 1,
                 path +
                     "/list: line 2: '-2' is not a vertex number; --size N=COUNT allows more "
                     "vertices; python -m cleave.convert FILE makes other files one that is read");
  expect_failure(2, "components", {"--graph", path + "/empty"}, 1, path + "/empty: holds no edge");

  write_file(folder / "short", "3 2\n1 2 3\n4 5\n");
  write_file(folder / "one", "1 1\n1\n");
  expect_failure(2, "flowshop", {"--instance", path + "/short"}, 1,
                 path +
                     "/short: line 3: the time is missing; a file is a line of jobs n and machines "
                     "m and m lines of n times, or a block of Taillard's");
  expect_failure(2, "flowshop", {"--instance", path + "/one", "--incumbent", "optimal"}, 2,
                 "--incumbent: no makespan of one is known");
}

TEST(LinkThatGoesRound, IsOneLineThatNamesIt) {
  const TemporaryFolder folder;
  const std::string link = folder / "link";
  std::filesystem::create_symlink("link", link);
  const std::string reason = ": Too many levels of symbolic links";
  for (const char* const option : {"--output", "--trace"}) {
    expect_failure(2, "quicksort", {"--size", "N=1K", option, link}, 1,
                   link + ": cannot write" + reason);
  }
  expect_failure(2, "quicksort", {"--input", link}, 1, link + ": cannot read" + reason);
  expect_failure(2, "components", {"--graph", link}, 1, link + ": cannot read" + reason);
}

TEST(Failure, OfAFunctorOnAnyRankIsOneLineThatNamesRankLevelAndBlock) {
  struct Place {
    int level;
    const char* block;
    const char* placement;
    int ranks_that_reach_it = 4;
  };
  int places = 0;
  for (const Place place : {Place{0, "divide", "replicated"},
                            {1, "divide", "replicated"},
                            {2, "sequential", "replicated"},
                            {1, "combine", "replicated"},
                            {0, "combine", "replicated"},
                            {0, "sample", "distributed"},
                            {0, "pivot", "distributed", 1},
                            {1, "partition", "distributed"},
                            {2, "sequential", "distributed"}}) {
    // One of the ranks, another for each place, or all.
    const int first = on_all_ranks() ? 0 : places++ % place.ranks_that_reach_it;
    const int end = on_all_ranks() ? place.ranks_that_reach_it : first + 1;
    for (int rank = first; rank < end; ++rank) {
      std::ostringstream where;
      where << "rank=" << rank << ",level=" << place.level << ",block=" << place.block;
      std::ostringstream line;
      line << "rank " << rank << ", level " << place.level << ", " << place.block
           << ": thrown by --inject";
      expect_failure(
          4, "quicksort",
          {"--inject", "throw:" + where.str(), "--size", "N=1K", "--placement", place.placement}, 1,
          line.str());
    }
  }
}

TEST(Failure, ByDeathOfOneRankEndsAll) {
  const Finished finished =
      run(4, "quicksort", {"--inject", "kill:rank=2,level=1,block=partition", "--size", "N=1K"});
  EXPECT_FALSE(finished.timed_out);
  EXPECT_NE(finished.status, 0);
}

TEST(Delay, OfOneRankDelaysTheRun) {
  const auto json = verified(2, "components",
                             {"--inject", "delay:rank=1,level=0,block=divide,ms=30", "--size",
                              "N=1K,M=1K", "--placement", "replicated"});
  for (const auto& seconds : json["seconds"]) {
    EXPECT_GE(seconds.get<double>(), 0.03);
  }
}

/// Expects the counts of a part of a tree, and one line that says why.
void expect_part(int ranks, const Arguments& tree, const std::string& reason) {
  const Finished finished = run(ranks, "uts", tree);
  EXPECT_EQ(finished.status, 1);
  EXPECT_EQ(lines_of(finished.err).back(), "cleave-uts: " + reason);
  EXPECT_NE(finished.out.find("the search was ended early"), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find("\nnodes "), std::string::npos) << finished.out;
}

TEST(EndlessTree, IsStoppedByEitherLimit) {
  const std::string endless = "prins:n=10,q=0.5,m=4";
  expect_part(2, {"--tree", endless, "--max-nodes", "100K"}, "the tree has more than 102400 nodes");
  for (const char* const type : {"sequential", "hypercube"}) {
    expect_part(2, {"--type", type, "--tree", endless, "--max-nodes", "100K"},
                "the tree has more than 102400 nodes");
    expect_part(2, {"--type", type, "--tree", endless, "--max-time", "0.3"},
                "the search takes longer than 0.3 s");
  }
}

TEST(MaxNodes, OnTheHypercubeAreThoseOfAllRanks) {
  // 50045 nodes, of which no rank has 45000.
  for (const char* const placement : {"replicated", "rooted"}) {
    expect_part(2,
                {"--type", "hypercube", "--placement", placement, "--tree", "prins:T1",
                 "--max-nodes", "45000", "--repetitions", "1"},
                "the tree has more than 45000 nodes");
  }
}

TEST(EndlessTree, WithoutALimitIsWarnedOf) {
  const Finished finished = run(2, "uts",
                                {"--inject", "throw:rank=0,level=0,block=sequential", "-t", "0",
                                 "-b", "1", "-q", "1", "-m", "1", "-r", "1"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.err.find("warning: q * m is 1 or more"), std::string::npos) << finished.err;
}

TEST(Launch, ByAnotherMpisLauncherIsWarnedOf) {
  const Finished finished = testing::run_program(
      {kPrograms + "/cleave-quicksort", "--size", "N=1K", "--json"}, {"OMPI_COMM_WORLD_SIZE=4"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(finished.err.find("OMPI_COMM_WORLD_SIZE is 4"), std::string::npos) << finished.err;
}

TEST(StandardOutput, ThatIsFullIsAFailure) {
  for (const char* const arguments :
       {"--help", "--version", "--completions", "--describe", "--size N=1K", "--size N=1K --json",
        "--size N=1K --rehearse 4"}) {
    SCOPED_TRACE(arguments);
    const auto finished = testing::run_program(
        {"sh", "-c", "exec " + kPrograms + "/cleave-quicksort " + arguments + " >/dev/full"});
    EXPECT_EQ(finished.status, 1);
    EXPECT_EQ(lines_of(finished.err),
              Arguments{"cleave-quicksort: cannot write to standard output"});
  }
}

}  // namespace
}  // namespace cleave
