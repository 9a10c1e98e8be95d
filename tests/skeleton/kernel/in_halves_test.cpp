// SPDX-License-Identifier: Apache-2.0
// How a division of many is shared out among ranks, and what is kept of it; without ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/kernel/any_app.hpp>
#include <cleave/kernel/lists.hpp>
#include <cleave/schedule/group.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

/// A part for each weight; `after` adds a 0.
struct WeightedParts {
  using Problem = std::vector<double>;
  using Solution = std::vector<double>;

  bool trivial(const Problem& p) const { return p.size() == 1 && p[0] > 0; }
  Solution conquer(Problem p) const { return p; }
  /// A negative one is the only part of the one below it, down to -1, whose part is 1.
  std::vector<Problem> divide(const Problem& p) const {
    std::vector<Problem> parts;
    for (const double weight : p) {
      parts.push_back({weight == -1 ? 1 : weight < 0 ? weight + 1 : weight});
    }
    return parts;
  }
  Solution combine(const std::vector<Solution>& parts) const {
    Solution all;
    for (const Solution& part : parts) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }
  Solution after(const Problem& /*p*/, Solution solution) const {
    solution.push_back(0);
    return solution;
  }
  double work(const Problem& p) const { return p[0]; }
};

Values values_of(const std::vector<std::vector<double>>& problems) {
  Values list;
  for (const auto& problem : problems) {
    list.push_back(ErasedValue::of<WeightedParts::Problem>(problem));
  }
  return list;
}

std::vector<std::vector<double>> problems_of(const Values& list) {
  std::vector<std::vector<double>> problems;
  for (const ErasedValue& problem : list) {
    problems.push_back(problem.as<WeightedParts::Problem>());
  }
  return problems;
}

/// Adds to `work` what each rank of `group` gets of a list.
void share_out(const Lists& app, Values list, Group group, std::vector<double>& work) {
  if (group.size == 1 || app.trivial(list)) {
    for (const auto& problem : problems_of(list)) {
      work[static_cast<std::size_t>(group.first)] += problem[0];
    }
    return;
  }
  Kept kept;
  auto halves = app.divide(std::move(list), group.share(), kept);
  share_out(app, std::move(halves.left), group.left(), work);
  share_out(app, std::move(halves.right), group.right(), work);
}

std::vector<double> shared_out(const std::vector<double>& weights, int ranks) {
  const WeightedParts app;
  const AppOf<WeightedParts> any(app);
  std::vector<double> work(static_cast<std::size_t>(ranks));
  const Lists lists(any);
  Kept kept;
  auto halves = lists.divide(values_of({weights}), {.left = ranks / 2, .total = ranks}, kept);
  const Group all{.first = 0, .size = ranks};
  share_out(lists, std::move(halves.left), all.left(), work);
  share_out(lists, std::move(halves.right), all.right(), work);
  return work;
}

TEST(Lists, SevenPartsAreSharedOutAsEvenlyAsWholePartsCanBe) {
  const std::vector<double> seven(7, 1);
  EXPECT_EQ(shared_out(seven, 2), (std::vector<double>{3, 4}));
  EXPECT_EQ(shared_out(seven, 4), (std::vector<double>{1, 2, 2, 2}));
  EXPECT_EQ(shared_out(seven, 7), seven);
}

TEST(Lists, NoRankGetsMoreThanTheCeilingOfItsShare) {
  for (int ranks = 2; ranks <= 40; ++ranks) {
    for (int parts = ranks; parts <= 4 * ranks; ++parts) {
      const auto work = shared_out(std::vector<double>(static_cast<std::size_t>(parts), 1), ranks);
      EXPECT_EQ(std::ranges::max(work), (parts + ranks - 1) / ranks) << parts << " on " << ranks;
      EXPECT_GE(std::ranges::min(work), 1) << parts << " on " << ranks;
    }
  }
}

TEST(Lists, PartsGoToRanksByTheirWork) {
  EXPECT_EQ(shared_out({4, 1, 1, 1, 1}, 2), (std::vector<double>{4, 4}));
  EXPECT_EQ(shared_out({1, 1, 1, 9}, 2), (std::vector<double>{3, 9}));
  EXPECT_EQ(shared_out({1, 1, 5, 5, 5}, 3), (std::vector<double>{7, 5, 5}));
}

TEST(Lists, ChainsOfOnePartAreDividedAtOnce) {
  const WeightedParts app;
  const AppOf<WeightedParts> any(app);
  const Lists lists(any);
  Kept kept;
  auto halves = lists.divide(values_of({{-3}}), {}, kept);
  EXPECT_EQ(problems_of(kept), (std::vector<std::vector<double>>{{-3}, {-2}, {-1}}));
  EXPECT_EQ(problems_of(halves.left), (std::vector<std::vector<double>>{{1}}));
  EXPECT_TRUE(halves.right.empty());
  const auto solution =
      lists.combine(lists.conquer(std::move(halves.left)), lists.conquer({}), kept);
  EXPECT_EQ(problems_of(solution), (std::vector<std::vector<double>>{{1, 0, 0, 0}}));
}

struct SizedParts : WeightedParts {
  Sizes sizes(const Problem& p) const { return {{"N", p.size()}}; }
};

TEST(Lists, SizesOfAListAreTheSumOfItsProblems) {
  const SizedParts app;
  const AppOf<SizedParts> any(app);
  const Lists lists(any);
  EXPECT_EQ(*lists.sizes(values_of({{1}, {2, 3}})).begin(), (Size{"N", 3}));
  EXPECT_TRUE(lists.sizes({}).empty());
}

}  // namespace
}  // namespace cleave
