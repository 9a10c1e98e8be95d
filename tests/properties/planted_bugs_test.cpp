// SPDX-License-Identifier: Apache-2.0
// Bugs of the kinds that people make, planted in five programs of textbooks: cleave::check finds
// each, and finds it again by its seed. Without the bug it finds nothing: in CLEAVE_SCHEDULES=1000
// tries of each program, from CLEAVE_SCHEDULES_SEED=2 on.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <cleave/check.hpp>

#include "tests/support/number_of.hpp"

namespace cleave {
namespace {

using Sentences = std::vector<std::string>;
using Numbers = std::vector<int>;

/// The seed that a sentence ends its first line with; 0 if no seed was needed.
std::uint64_t seed_of(const std::string& sentence) {
  const auto at = sentence.find("(seed ");
  return at == std::string::npos ? 0 : std::stoull(sentence.substr(at + 6));
}

enum class Bug {
  none,
  forgets_what_crosses,  // combine: in one case of two a part that lies in both halves
  joins_one_side,        // combine: the suffix of the right half alone
  loses_one_of_seven,    // divide: groups of seven ranks lose an element
  looks_at_a_global,     // divide: splits where a counter says
  counts_ties,           // sequential: other elements than combine
  stops_early,           // combine: forgets what is left of one half
  sorts_by_halves,       // sequential: right only up to a length
  remembers_the_last,    // combine: what conquer has kept of another subproblem
  keeps_double_points,   // combine: what it returns depends on the sizes of the halves
  orders_by_side,        // combine: the larger half hides the other
  overlaps,              // divide: an element in both halves of an uneven group
  invents_the_empty,     // conquer: something of nothing
  counts_in_a_static,    // visit: a total that all ranks share
  takes_the_larger,      // combine: not the sum
  forgets_a_field,       // wire: a field stays behind
  shares_a_buffer,       // visit: two threads write into one array
  names_the_first,       // combine: depends on the order of its arguments
  bounds_too_high,       // visit: a bound that prunes the best, if another one is found before
  trusts_the_incumbent,  // visit: takes another rank's best for its own
  takes_the_latest,      // combine: the best of the right argument
  keeps_the_longer,      // combine: the best of who has visited more
};

/// The part with the largest sum (J. Bentley, Programming Pearls, column 8).
struct LargestPart {
  struct Solution {
    std::int64_t best = 0, prefix = 0, suffix = 0, sum = 0;
    bool operator==(const Solution&) const = default;
  };
  using Problem = Numbers;

  bool trivial(const Problem& p) const { return p.size() < 2; }
  Solution conquer(const Problem& p) const {
    const std::int64_t sum = p.empty() ? 0 : p.front();
    const std::int64_t best = std::max<std::int64_t>(sum, 0);
    return {best, best, best, sum};
  }
  Halves<Problem> divide(Problem p, Share share) const {
    static int calls = 0;
    std::ptrdiff_t left = std::max<std::ptrdiff_t>(1, std::ssize(p) * share.left / share.total);
    left = bug == Bug::looks_at_a_global ? 1 + ++calls % (std::ssize(p) - 1) : left;
    const bool loses = bug == Bug::loses_one_of_seven && share.total == 7;
    return {{p.begin(), p.begin() + left}, {p.begin() + left, p.end() - (loses ? 1 : 0)}};
  }
  Solution combine(Solution l, Solution r) const {
    const bool forgets = bug == Bug::forgets_what_crosses && l.sum > r.sum;
    const std::int64_t crossing = forgets ? 0 : l.suffix + r.prefix;
    const std::int64_t whole = bug == Bug::joins_one_side ? 0 : r.sum + l.suffix;
    return {std::max({l.best, r.best, crossing}), std::max(l.prefix, l.sum + r.prefix),
            std::max(r.suffix, whole), l.sum + r.sum};
  }

  Bug bug = Bug::none;
};

/// Sorts and counts inversions (J. Kleinberg, E. Tardos, Algorithm Design, section 5.3).
struct Inversions {
  struct Solution {
    Numbers sorted;
    std::int64_t count = 0;
    bool operator==(const Solution&) const = default;
  };
  using Problem = Numbers;

  bool trivial(const Problem& p) const { return p.size() < 2; }
  Solution conquer(Problem p) const {
    last = p.empty() ? last : p.back();
    return {std::move(p), 0};
  }
  Halves<Problem> divide(Problem p) const {
    const auto middle = p.begin() + std::ssize(p) / 2;
    return {{p.begin(), middle}, {middle, p.end()}};
  }
  Solution combine(Solution l, Solution r) const {
    if (bug == Bug::remembers_the_last && !l.sorted.empty() && l.sorted.back() <= last) {
      l.sorted.insert(l.sorted.end(), r.sorted.begin(), r.sorted.end());
      return {std::move(l.sorted), l.count + r.count};
    }
    Solution all{{}, l.count + r.count};
    auto left = l.sorted.begin();
    for (const int right : r.sorted) {
      for (; left != l.sorted.end() && *left <= right; ++left) {
        all.sorted.push_back(*left);
      }
      all.count += l.sorted.end() - left;
      all.sorted.push_back(right);
    }
    all.sorted.insert(all.sorted.end(), left, bug == Bug::stops_early ? left : l.sorted.end());
    return all;
  }
  Solution sequential(Problem p) const {
    std::int64_t count = 0;
    for (auto right = p.begin(); right != p.end(); ++right) {
      count += std::count_if(p.begin(), right, [&](int left) {
        return bug == Bug::counts_ties ? left >= *right : left > *right;
      });
    }
    const bool is_cut = bug == Bug::sorts_by_halves && p.size() == 3;
    std::sort(p.begin(), p.end() - (is_cut ? 1 : 0));
    return {std::move(p), count};
  }

  Bug bug = Bug::none;
  mutable int last = 0;
};

/// The skyline of buildings (U. Manber, Introduction to Algorithms, 5.6): its changes of height.
struct Skyline {
  struct Building {
    int left = 0, right = 0, height = 0;
  };
  static constexpr bool kMergesParts = true;
  using Problem = std::vector<Building>;
  using Solution = std::vector<std::pair<int, int>>;

  bool trivial(const Problem& p) const { return p.size() < 2; }
  Solution conquer(const Problem& p) const {
    if (p.empty()) {
      return bug == Bug::invents_the_empty ? Solution{{0, 1}, {1, 0}} : Solution();
    }
    return {{p.front().left, p.front().height}, {p.front().right, 0}};
  }
  Halves<Problem> divide(Problem p, Share share) const {
    const auto left = std::max<std::ptrdiff_t>(1, std::ssize(p) * share.left / share.total);
    const bool overlaps = bug == Bug::overlaps && share.total == 6 && left > 1;
    Halves<Problem> halves{{p.begin(), p.begin() + left}, {p.begin() + left, p.end()}};
    if (overlaps) {
      halves.right.insert(halves.right.begin(), {100, 101, 7});
    }
    return halves;
  }
  Solution combine(const Solution& l, const Solution& r) const {
    std::map<int, std::pair<int, int>> heights;  // of the left and the right one, -1: as before
    for (const auto& [x, height] : l) {
      heights.try_emplace(x, -1, -1).first->second.first = height;
    }
    for (const auto& [x, height] : r) {
      heights.try_emplace(x, -1, -1).first->second.second = height;
    }
    Solution all;
    int left = 0;
    int right = 0;
    for (const auto& [x, height] : heights) {
      left = height.first < 0 ? left : height.first;
      right = height.second < 0 ? right : height.second;
      const bool is_left = bug == Bug::orders_by_side && l.size() >= r.size() && left > 0;
      const int now = is_left ? left : std::max(left, right);
      const bool keeps_all = bug == Bug::keeps_double_points && l.size() > r.size();
      if (keeps_all || all.empty() || all.back().second != now) {
        all.emplace_back(x, now);
      }
    }
    return all;
  }

  Bug bug = Bug::none;
};

/// Ways to place queens (Gauss and Nauck, 1850), by a search.
struct Queens {
  struct Node {
    int rows = 0;
    std::vector<int> columns;
    bool operator==(const Node&) const = default;
  };
  struct Solution {
    std::int64_t boards = 0, nodes = 0;
    std::vector<int> first;
    bool operator==(const Solution&) const = default;
  };
  using Problem = Node;

  void visit(const Node& node, Children<Node>& children, Solution& total) const {
    static std::int64_t all = 0;
    const int row = static_cast<int>(node.columns.size());
    std::array<int, 8> own{};
    std::array<int, 8>& columns = bug == Bug::shares_a_buffer ? buffer : own;
    std::ranges::copy(node.columns, columns.begin());
    all = row == 0 ? 1 : all + 1;
    total.nodes = bug == Bug::counts_in_a_static ? all : total.nodes + 1;
    if (row == node.rows) {
      ++total.boards;
      total.first =
          total.first.empty() || (bug != Bug::names_the_first && node.columns < total.first)
              ? node.columns
              : total.first;
      return;
    }
    for (int column = 0; column < node.rows; ++column) {
      bool is_free = true;
      for (int i = 0; i < row; ++i) {
        const int apart = std::abs(columns.at(static_cast<std::size_t>(i)) - column);
        is_free = is_free && apart != 0 && apart != row - i;
      }
      if (is_free) {
        Node child = node;
        child.columns.push_back(column);
        children.push(std::move(child));
      }
    }
  }
  Solution combine(Solution a, Solution b) const {
    const bool takes_left = bug == Bug::names_the_first
                                ? !a.first.empty()
                                : b.first.empty() || (!a.first.empty() && a.first < b.first);
    return {bug == Bug::takes_the_larger ? std::max(a.boards, b.boards) : a.boards + b.boards,
            a.nodes + b.nodes, takes_left ? a.first : b.first};
  }

  Bug bug = Bug::none;
  mutable std::array<int, 8> buffer{};
};

/// A node that another rank gets without its depth.
struct Forgetful {
  int value = 0;
  int depth = 0;
  bool operator==(const Forgetful&) const = default;
};

/// The cheapest path through layers, by branch and bound (A. H. Land, A. G. Doig, 1960).
struct Cheapest {
  struct Node {
    std::int64_t cost = 0;
    int depth = 0;
  };
  struct Solution {
    std::int64_t cost = Incumbent<>::kNone;
    std::int64_t nodes = 0;
  };
  using Problem = Node;
  static constexpr int kLayers = 7;

  void visit(Node node, Children<Node>& children, Solution& total, Incumbent<>& incumbent) const {
    ++total.nodes;
    if (bug == Bug::trusts_the_incumbent && incumbent.value() != Incumbent<>::kNone) {
      total.cost = std::min(total.cost, incumbent.value() - node.depth % 2);
    }
    const int bound = bug == Bug::bounds_too_high ? 4 * (kLayers - node.depth) : 0;
    if (node.cost + bound >= incumbent.value()) {
      return;
    }
    if (node.depth == kLayers) {
      incumbent.offer(node.cost);
      total.cost = std::min(total.cost, node.cost);
      return;
    }
    for (int step = 3; step >= 1; --step) {
      children.push({node.cost + (node.cost * 7 + step * 5) % 11, node.depth + 1});
    }
  }
  Solution combine(Solution a, Solution b) const {
    if (bug == Bug::takes_the_latest && b.cost != Incumbent<>::kNone) {
      return {b.cost, a.nodes + b.nodes};
    }
    const bool is_longer = bug == Bug::keeps_the_longer && a.nodes > 0 && b.nodes > 0;
    const std::int64_t longer = a.nodes > b.nodes ? a.cost : b.cost;
    return {is_longer ? longer : std::min(a.cost, b.cost), a.nodes + b.nodes};
  }

  Bug bug = Bug::none;
};
const auto same_cost = [](const Cheapest::Solution& a, const Cheapest::Solution& b) {
  return a.cost == b.cost;
};

}  // namespace

template <>
struct wire<Forgetful> {
  static void pack(Packer& packer, const Forgetful& node) { wire<int>::pack(packer, node.value); }
  static Forgetful unpack(Unpacker& unpacker) { return {wire<int>::unpack(unpacker), 0}; }
};

namespace {

/// Adds up the depths of the nodes of a tree.
struct SumOfDepths {
  using Problem = Forgetful;
  using Solution = std::int64_t;
  void visit(Forgetful node, Children<Forgetful>& children, Solution& total) const {
    total += node.depth;
    for (int part = 1; part <= 3 && node.value >= part; ++part) {
      children.push({node.value - part, node.depth + 1});
    }
  }
  Solution combine(Solution a, Solution b) const { return a + b; }
};

Sentences check_with(Bug bug, const CheckOptions& options) {
  switch (bug) {
    case Bug::forgets_what_crosses:
    case Bug::joins_one_side:
    case Bug::loses_one_of_seven:
    case Bug::looks_at_a_global:
      return check(LargestPart{bug}, {{31, -41, 59, 26, -53, 58, 97, -93, -23, 84}}, options);
    case Bug::counts_ties:
    case Bug::stops_early:
    case Bug::sorts_by_halves:
    case Bug::remembers_the_last:
      return check(Inversions{bug}, {{3, 4, 1, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9}, {2, 1}},
                   options);
    case Bug::keeps_double_points:
    case Bug::orders_by_side:
    case Bug::overlaps:
    case Bug::invents_the_empty: {
      const Skyline::Problem city = {{1, 5, 11},  {2, 7, 6},    {3, 9, 13},   {12, 16, 7},
                                     {14, 25, 3}, {19, 22, 18}, {23, 29, 13}, {24, 28, 4}};
      return check(Skyline{bug}, {city, {}, {{1, 2, 3}}}, options);
    }
    case Bug::counts_in_a_static:
    case Bug::takes_the_larger:
    case Bug::names_the_first:
    case Bug::shares_a_buffer:
      return check(Queens{bug}, {{5, {}}, {6, {}}}, options);
    case Bug::forgets_a_field:
      return check(SumOfDepths{}, {{7, 0}}, options);
    default:
      return check(Cheapest{bug}, {{1, 0}, {4, 1}}, options, same_cost);
  }
}

class PlantedBug : public ::testing::TestWithParam<int> {};

TEST_P(PlantedBug, IsFoundAndFoundAgainByItsSeed) {
  const auto bug = static_cast<Bug>(GetParam());
  const Sentences found = check_with(bug, {.schedules = 100'000, .seed = 1});
  ASSERT_FALSE(found.empty());
  RecordProperty("found", found.front());
  const CheckOptions again{.schedules = 1, .seed = seed_of(found.front())};
  Sentences replayed = check_with(bug, again);
  for (int tries = 0; bug == Bug::shares_a_buffer && replayed.empty() && tries < 10'000; ++tries) {
    replayed = check_with(bug, again);  // threads meet by chance
  }
  ASSERT_FALSE(replayed.empty());
  EXPECT_EQ(replayed.front(), found.front());
}

constexpr int kBugs = static_cast<int>(Bug::keeps_the_longer);
INSTANTIATE_TEST_SUITE_P(All, PlantedBug, ::testing::Range(1, kBugs + 1));

TEST(PlantedBugs, WithoutThemNothingIsFound) {
  const CheckOptions many{.schedules = testing::number_of("CLEAVE_SCHEDULES", 500),
                          .seed = testing::number_of("CLEAVE_SCHEDULES_SEED", 1)};
  EXPECT_EQ(check(LargestPart{}, {{31, -41, 59, 26, -53, 58, 97, -93, -23, 84}}, many),
            Sentences());
  EXPECT_EQ(check(Inversions{}, {{3, 4, 1, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9}, {2, 1}}, many),
            Sentences());
  EXPECT_EQ(check(Skyline{}, {{{1, 5, 11}, {2, 7, 6}, {3, 9, 13}}, {}}, many), Sentences());
  EXPECT_EQ(check(Queens{}, {{5, {}}, {6, {}}}, many), Sentences());
  EXPECT_EQ(check(Cheapest{}, {{1, 0}, {4, 1}}, many, same_cost), Sentences());
}

}  // namespace
}  // namespace cleave
