// SPDX-License-Identifier: Apache-2.0
// cleave-uts on ranks x threads, against the counts that the UTS benchmark publishes.
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/run_program.hpp"

namespace cleave {
namespace {

struct Published {
  std::string tree;
  std::int64_t nodes;
  std::int64_t max_depth;
  std::int64_t leaves;
};

const std::vector<Published> kSmall = {{"T1", 4'130'071, 10, 3'305'118},
                                       {"T2", 4'117'769, 81, 2'342'762},
                                       {"T3", 4'112'897, 1572, 3'599'034},
                                       {"T4", 4'132'453, 134, 3'108'986},
                                       {"T5", 4'147'582, 20, 2'181'318}};
const std::vector<Published> kLarge = {{"T1L", 102'181'082, 13, 81'746'377},
                                       {"T2L", 96'793'510, 67, 53'791'152},
                                       {"T3L", 111'345'631, 17844, 89'076'904}};

void expect_published(const Published& published, int ranks, int threads) {
  SCOPED_TRACE(published.tree + " on " + std::to_string(ranks) + " x " + std::to_string(threads));
  const auto finished = testing::run_program(
      {CLEAVE_MPIEXEC, "-n", std::to_string(ranks), std::string(CLEAVE_PROGRAMS) + "/cleave-uts",
       "--tree", published.tree, "--threads", std::to_string(threads), "--json"},
      {}, std::chrono::seconds(200));
  const auto json = nlohmann::json::parse(finished.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << finished.err;
  EXPECT_EQ(json["nodes"], published.nodes);
  EXPECT_EQ(json["max_depth"], published.max_depth);
  EXPECT_EQ(json["leaves"], published.leaves);
}

class OnRanks : public ::testing::TestWithParam<int> {};

TEST_P(OnRanks, AllNamedTreesAreCountedExactly) {
  for (const auto* trees : {&kSmall, &kLarge}) {
    for (const Published& published : *trees) {
      for (const int threads : {1, 2, 3}) {
        expect_published(published, GetParam(), threads);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(NamedTrees, OnRanks, ::testing::Values(1, 2, 3, 4, 5, 8));

}  // namespace
}  // namespace cleave
