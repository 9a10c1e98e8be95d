// SPDX-License-Identifier: Apache-2.0
// What people are told of a run.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <cleave/program/measure.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

TEST(RehearsalWarning, NamesTheLevelsThatAreLeftOut) {
  EXPECT_EQ(levels_left_out(5, 0, 0), "");
  EXPECT_EQ(levels_left_out(5, 3, 0),
            "rank 5: nothing is combined at levels 0 to 2, for which the other ranks' part takes "
            "more time or memory than one host has");
  EXPECT_EQ(levels_left_out(5, 3, 2).find("rank 5: nothing is rehearsed"), 0U);
}

TEST(Summary, IsReadByPeople) {
  const Summary summary{.app = "sample",
                        .seconds = {0.061, 0.0625, 0.064},
                        .sizes = {{"nodes", 300'000}},
                        .figures = {{"nodes", 300'000},
                                    {"nodes_per_second", 4.8e6},
                                    {"tree", "T1"},
                                    {"interval_95", {40979.369, 64901.7}},
                                    {"steals", {{"tried", 19}, {"success", nullptr}}},
                                    {"worker_seconds", {{"searching", 5400.0}, {"idle", 0.043}}},
                                    {"share_of_nodes", std::vector<double>(16, 0.0625)}}};
  ::testing::internal::CaptureStdout();
  RunOptions options;
  options.ranks = 2;
  print_summary(summary, {}, options);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "sample on 2 ranks, hypercube, replicated\n"
            "nodes                 300000\n"
            "time                  62.5 ms median of 3, from 61 ms to 64 ms\n"
            "rate                  4.8 M nodes/s\n"
            "tree                  T1\n"
            "interval_95           41 k, 64.9 k\n"
            "steals                tried 19, success none\n"
            "worker_seconds        searching 90 min, idle 43 ms\n"
            "share_of_nodes        0.0625, 0.0625, 0.0625, 0.0625, 0.0625, 0.0625, 0.0625,\n"
            "                      0.0625, 0.0625, 0.0625, 0.0625, 0.0625, 0.0625, 0.0625,\n"
            "                      0.0625, 0.0625\n");
}

TEST(Summary, OfASearchThatWasRehearsedAndEndedEarlySaysSo) {
  const Summary summary{.app = "sample",
                        .seconds = {2},
                        .input_s = 0.5,
                        .reads_input = true,
                        .imbalance = 1.25,
                        .figures = {{"is_tree", true}, {"is_graph", false}},
                        .verified = false,
                        .ended_early = "the tree has more than 5 nodes"};
  RunOptions options;
  options.type = DC_Type::work_stealing;
  options.rehearse = RehearsedRanks{.of = 4};
  ::testing::internal::CaptureStdout();
  print_summary(summary, {}, options);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "sample on 1 rank, work_stealing, replicated, rehearsed\n"
            "so far                the search was ended early\n"
            "time                  2 s median of 1, from 2 s to 2 s\n"
            "                      500 ms of input and output, outside of these\n"
            "imbalance             1.250 (maximum of any worker / mean)\n"
            "is_tree               yes\n"
            "is_graph              no\n"
            "verified              NO\n");
}

}  // namespace
}  // namespace cleave
