// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/instance.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <cleave/error.hpp>

#include "tests/apps/flowshop/examples.hpp"

namespace cleave::flowshop {
namespace {

using examples::draw;

TEST(Makespan, IsTheLongestOfAllPathsThroughTheSchedule) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const Instance instance =
        examples::random_instance(random, draw(random, 1, 7), draw(random, 1, 5), 99);
    Permutation permutation(static_cast<std::size_t>(instance.jobs));
    std::iota(permutation.begin(), permutation.end(), 0);
    std::shuffle(permutation.begin(), permutation.end(), random);
    ASSERT_EQ(makespan(instance, permutation),
              examples::longest_path(instance, permutation, 0, instance.machines - 1));
  }
}

TEST(Permutation, IsCompleteWithEveryJobOnce) {
  const Instance instance{.name = "three", .jobs = 3, .machines = 1, .times = {1, 1, 1}};
  EXPECT_TRUE(is_complete(instance, Permutation{2, 0, 1}));
  for (const Permutation& other :
       {Permutation{2, 0}, {2, 0, 2}, {2, 0, 3}, {2, 0, -1}, {2, 0, 1, 1}}) {
    EXPECT_FALSE(is_complete(instance, other));
  }
}

constexpr const char* kBlock =
    "number of jobs, number of machines, initial seed, upper bound and lower bound :\r\n"
    "           3           2   873654221         170          11\r\n"
    "processing times :\r\n"
    " 54 83 15\r\n"
    " 79  3 11\r\n";

TEST(InstanceFile, IsABlockOfTaillardsOrJobsMachinesAndTimes) {
  for (const std::string text : {kBlock, "3 2\n54 83 15\n79 3 11", "3 2\n54 83 15\n79 3 11\n\n"}) {
    const Instance instance = parse_instance(text, "dir/tai.txt");
    EXPECT_EQ(instance.name, "tai");
    EXPECT_EQ(std::tuple(instance.jobs, instance.machines), std::tuple(3, 2));
    EXPECT_EQ(instance.times, (std::vector<int>{54, 83, 15, 79, 3, 11}));
    EXPECT_EQ(instance.best_known, text == kBlock ? std::optional(170) : std::nullopt);
  }
}

// The sums come from a separate program that draws the numbers by Schrage's method, as published.
TEST(Taillard, InstancesAreAsPublished) {
  using Row = std::tuple<const char*, int, int, int, int>;
  for (const auto& [name, jobs, machines, best_known, expected] :
       {Row{"ta001", 20, 5, 1278, 5153}, Row{"ta021", 20, 20, 2297, 20273},
        Row{"ta056", 50, 20, 3679, 49030}, Row{"ta110", 200, 20, 11284, 199666},
        Row{"ta120", 500, 20, 26457, 499516}}) {
    const Instance instance = taillard_instance(name);
    EXPECT_EQ(std::tuple(instance.jobs, instance.machines), std::tuple(jobs, machines));
    EXPECT_EQ(instance.best_known, best_known) << name;
    EXPECT_EQ(std::accumulate(instance.times.begin(), instance.times.end(), 0), expected);
  }
  int total = 0;
  for (int i = 1; i <= 120; ++i) {
    const Instance instance = taillard_instance(fmt::format("ta{:03}", i));
    total += std::accumulate(instance.times.begin(), instance.times.end(), 0);
    EXPECT_EQ(std::ssize(instance.times), instance.jobs * instance.machines);
    EXPECT_TRUE(std::ranges::all_of(instance.times, [](int t) { return t >= 1 && t <= 99; }));
  }
  EXPECT_EQ(total, 10'961'254);
  const std::vector<int> first = taillard_instance("ta001").times;
  EXPECT_EQ(std::vector(first.begin(), first.begin() + 8),
            (std::vector{54, 83, 15, 71, 77, 36, 53, 38}));
  for (const char* name : {"ta000", "ta121", "ta1", "ta0001", "TA001", "", "ta00x"}) {
    EXPECT_THROW(taillard_instance(name), UsageError) << name;
  }
}

}  // namespace
}  // namespace cleave::flowshop
