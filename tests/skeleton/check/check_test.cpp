// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/check.hpp>
#include <cleave/part.hpp>
#include <cleave/tree_search.hpp>
#include <cleave/wire.hpp>

#include "tests/skeleton/examples.hpp"

namespace cleave {
namespace {

using Sentences = std::vector<std::string>;
const Sentences kNone;

// Divide and conquer, with one promise broken each.

struct DividesAtRandom : examples::Mergesort {
  Halves<std::vector<int>> divide(std::vector<int> p) const {
    static int calls = 0;
    const auto middle = p.begin() + 1 + ++calls % 2;
    return {{p.begin(), middle}, {middle, p.end()}};
  }
};
struct NeverTrivial : examples::Mergesort {
  bool trivial(const Problem& /*p*/) const { return false; }
};
/// A solution that depends on where it was divided.
struct MarksItsJoints : examples::Concatenate {
  std::string combine(const std::string& left, const std::string& right) const {
    return left + "+" + right + (left.size() > 2 ? "!" : "");
  }
};
struct Forgetful {
  int kept = 0;
  int forgotten = 0;
  bool operator==(const Forgetful&) const = default;
};

}  // namespace

template <>
struct wire<Forgetful> {
  static void pack(Packer& packer, const Forgetful& value) { wire<int>::pack(packer, value.kept); }
  static Forgetful unpack(Unpacker& unpacker) { return {.kept = wire<int>::unpack(unpacker)}; }
};

namespace {

struct SolvesForgetful {
  using Problem = Forgetful;
  using Solution = Forgetful;
  bool trivial(const Forgetful&) const { return true; }
  Halves<Forgetful> divide(Forgetful p) const { return {p, p}; }
  Solution conquer(Forgetful p) const { return p; }
  Solution combine(Solution left, Solution) const { return left; }
  Sizes sizes(const Forgetful&) const { return {{"N", ++calls}}; }
  static inline int calls = 0;
};

template <class T>
std::vector<T> joined(std::vector<T> a, const std::vector<T>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Compared by its fields, some of which have no ==.
struct Loose {
  double mean = 0;
  std::vector<std::pair<int, float>> pairs;
};
struct SolvesLoosely {
  using Problem = int;
  using Solution = std::vector<Loose>;
  bool trivial(const int& n) const { return n < 2; }
  Halves<int> divide(int n) const { return {n / 2, n - n / 2}; }
  Solution conquer(int n) const {
    return {{std::numeric_limits<double>::quiet_NaN(), {{n, 0.5f}}}};
  }
  Solution combine(Solution a, const Solution& b) const { return joined(std::move(a), b); }
  Solution sequential(int n) const {
    return Solution(n, {std::numeric_limits<double>::quiet_NaN(), {{is_right ? 1 : 2, 0.5f}}});
  }
  bool is_right = true;
};

/// Any number of subproblems.
struct CountsPaths {
  using Problem = int;
  using Solution = std::vector<int>;
  bool trivial(const int& n) const { return n < 2; }
  std::vector<int> divide(int n) const { return {n - 1, n / 2, n / 3}; }
  Solution conquer(int n) const { return {n}; }
  Solution combine(Solution a, const Solution& b) const { return joined(std::move(a), b); }
};
struct DividesIntoNothing : CountsPaths {
  std::vector<int> divide(int n) const {
    return n == 3 ? std::vector<int>{} : CountsPaths::divide(n);
  }
};
struct NeedsElements : examples::MergedParts {
  Solution conquer(Problem p) const { return p.empty() ? Solution{-1} : p; }
  Solution sequential(Problem p) const {
    return p.empty() ? Solution{-1} : MergedParts::sequential(std::move(p));
  }
};

/// All sentences begin with "problem 0: ".
template <class App, class Same = detail::Equal>
std::string first_broken(const App& app, typename App::Problem problem, const Same& same = {}) {
  std::vector<typename App::Problem> problems;
  problems.push_back(std::move(problem));
  const Sentences broken = check(app, problems, {}, same);
  return broken.empty() ? "none" : broken.front().substr(std::string("problem 0: ").size());
}

TEST(Check, GoodApplicationsKeepTheirPromises) {
  EXPECT_EQ(check(examples::Mergesort{}, {{}, {1}, {3, 1, 2}, {5, 5, 5, 5, 1, -7}}), kNone);
  EXPECT_EQ(check(examples::Concatenate{}, {{}, {"a"}, {"a", "b", "c", "d"}}), kNone);
  EXPECT_EQ(check(SolvesLoosely{}, {7}), kNone);
  EXPECT_EQ(check(CountsPaths{}, {0, 1, 9}), kNone);
  EXPECT_EQ(check(examples::MergedParts{}, {{}, {1}, {5, 1, 4, 1, 3, 9, 2, 6}}), kNone);
}

TEST(Check, ABrokenPromiseOfARecursionIsNamed) {
  const std::string other = "the solution is not that of one rank";
  EXPECT_EQ(first_broken(SolvesLoosely{.is_right = false}, 7),
            "sequential returns another solution than conquer, divide and combine");
  EXPECT_EQ(first_broken(DividesAtRandom{}, {3, 1, 2, 9}), "divide is not deterministic");
  EXPECT_EQ(first_broken(NeverTrivial{}, {3, 1, 2}),
            "divide has not come to trivial problems after 5000 levels");
  EXPECT_EQ(first_broken(DividesIntoNothing{}, 6),
            "a problem that is not trivial was divided into none");
  EXPECT_EQ(first_broken(MarksItsJoints{}, {"a", "b", "c", "d", "e", "f"}),
            "on 3 ranks, hypercube, replicated: " + other);
  EXPECT_EQ(check(SolvesForgetful{}, {{.kept = 1, .forgotten = 2}}),
            (Sentences{"problem 0: Problem changes on its way to another rank",
                       "problem 0: sizes are others each time",
                       "problem 0: Solution changes on its way to another rank"}));
  EXPECT_EQ(first_broken(NeedsElements{}, {5, 1, 4, 1, 3, 9, 2, 6}),
            "on 2 ranks, hypercube, distributed: " + other);
}

// Schedules of calls.

/// Right in groups of any size but seven.
struct DropsOneOfSeven : examples::Concatenate {
  Halves<Problem> divide(Problem p, Share share) const {
    if (share.total == 7) {
      p.front() = "";
    }
    return Concatenate::divide(std::move(p), share);
  }
};

TEST(Check, GoodApplicationsKeepTheirPromisesInAnySchedule) {
  const CheckOptions many{.schedules = 500, .seed = 7};
  EXPECT_EQ(check(examples::Mergesort{}, {{}, {1}, {3, 1, 2}, {5, 5, 5, 5, 1, -7}}, many), kNone);
  EXPECT_EQ(check(examples::Concatenate{}, {{"a"}, {"a", "b", "c", "d"}}, many), kNone);
  EXPECT_EQ(check(CountsPaths{}, {9}, many), kNone);
  EXPECT_EQ(check(examples::MergedParts{}, {{1}, {5, 1, 4, 1, 3, 9, 2, 6}}, many), kNone);
  std::vector<Part<int>> parts;
  parts.push_back({5, 1, 4, 1, 3, 9, 2, 6});
  EXPECT_EQ(check(examples::SplitSort{}, parts, many), kNone);
}

TEST(Check, ABrokenScheduleIsShortenedAndTriedAgainByItsSeed) {
  const std::vector<std::vector<std::string>> problems{{"a", "b", "c", "d", "e", "f"}};
  EXPECT_EQ(check(DropsOneOfSeven{}, problems), kNone) << "of two to five ranks";
  const Sentences broken = check(DropsOneOfSeven{}, problems, {.schedules = 1000, .seed = 40});
  ASSERT_EQ(broken.size(), 1);
  const std::string& found = broken.front();
  EXPECT_THAT(found, testing::StartsWith("problem 0, a part of it, a part of it: on 7 ranks, "));
  EXPECT_THAT(found, testing::Not(testing::HasSubstr("delays")));
  EXPECT_THAT(found, testing::Not(testing::HasSubstr("throws")));
  const std::uint64_t seed = std::stoull(found.substr(found.find("(seed ") + 6));
  EXPECT_EQ(check(DropsOneOfSeven{}, problems, {.schedules = 1, .seed = seed}), broken);
  const auto lines = std::ranges::count(found, '\n');
  EXPECT_GE(lines, 7);
  EXPECT_LE(lines, 20);
}

TEST(Check, EveryRankIsToldOfAThrowAndTheNextCallIsRight) {
  const examples::Mergesort app;
  int asked = 0;
  const auto same = [&asked](const auto& a, const auto& b) { return ++asked > 0 && a == b; };
  const auto problem = detail::checked_problem(app, "p", {3, 1, 2}, {1, 2, 3}, same);
  for (const detail::CheckedSchedule& plain : detail::plain_schedules(problem.app->traits())) {
    for (int ranks = 1; ranks <= 5; ++ranks) {
      for (std::int64_t block = 0; block < 12; ++block) {
        detail::CheckedSchedule schedule = plain;
        schedule.ranks = ranks;
        schedule.throws = block;
        EXPECT_EQ(detail::broken_in(schedule, problem), "");
      }
    }
  }
  EXPECT_EQ(asked, 12 * (1 + 2 + 3 + 4 + 5) + 2 * 5 * 12);  // of every rank, and of rank 0 twice
}

TEST(Equal, HoldsWhereAllPartsAreEqual) {
  using detail::equal;
  EXPECT_TRUE(equal(std::nan(""), std::nan("")));
  EXPECT_FALSE(equal(1.0, std::nan("")));
  EXPECT_TRUE(equal(Loose{1, {{1, 2}}}, Loose{1, {{1, 2}}}));
  EXPECT_FALSE(equal(Loose{1, {{1, 2}}}, Loose{1, {{1, 3}}}));
  using Any = std::variant<int, int, Loose>;
  EXPECT_TRUE(equal(Any(std::in_place_index<1>, 3), Any(std::in_place_index<1>, 3)));
  EXPECT_FALSE(equal(Any(std::in_place_index<0>, 3), Any(std::in_place_index<1>, 3)));
  EXPECT_TRUE(equal(Any(Loose{}), Any(Loose{})));
  using Number = std::variant<double, int>;
  EXPECT_TRUE(equal(Number(0.0), Number(-0.0)));
  EXPECT_TRUE(equal(Number(std::nan("")), Number(std::nan(""))));
  EXPECT_FALSE(equal(std::optional<Loose>(), std::optional<Loose>(Loose{})));
  const std::unordered_map<int, int> one_order{{1, 2}, {3, 4}, {5, 6}};
  const std::unordered_map<int, int> other_order{{5, 6}, {3, 4}, {1, 2}};
  EXPECT_TRUE(equal(one_order, other_order));
  EXPECT_TRUE(equal(std::map<int, Loose>{{1, {}}}, std::map<int, Loose>{{1, {}}}));
  EXPECT_FALSE(equal(std::map<int, Loose>{{1, {}}}, std::map<int, Loose>{{2, {}}}));
}

// Searches, with one promise broken each.

/// A search: counts the nodes of a tree and the depth of its deepest, whose nodes are numbers.
struct CountsNodes {
  struct Solution {
    std::int64_t nodes = 0;
    int depth = 0;
    bool operator==(const Solution&) const = default;
  };
  struct Node {
    int value = 0;
    int depth = 0;
  };
  using Problem = int;

  void begin(int value, Children<Node>& children, Solution& /*total*/) const {
    children.push({value, 0});
  }
  void visit(Node node, Children<Node>& children, Solution& total) const {
    ++total.nodes;
    total.depth = std::max(total.depth, node.depth);
    for (int part = 1; part <= 3 && node.value / part > 0 && node.depth < 6; ++part) {
      children.push({node.value / part - 1, node.depth + 1});
    }
  }
  Solution combine(Solution a, Solution b) const {
    return {a.nodes + b.nodes, std::max(a.depth, b.depth)};
  }
};
struct StartsAtOne : CountsNodes {
  Solution combine(Solution a, Solution b) const {
    return {a.nodes + b.nodes + 1, std::max(a.depth, b.depth)};
  }
};
struct KeepsTheLeft : CountsNodes {
  Solution combine(Solution a, Solution b) const {
    return a == Solution{} ? b : b == Solution{} ? a : Solution{a.nodes + b.nodes, a.depth};
  }
};
/// A tree whose children are made when they are visited.
struct CountsLazily : CountsNodes {
  void visit(const Node& node, LazyChildren& children, Solution& total) const {
    ++total.nodes;
    total.depth = std::max(total.depth, node.depth);
    children.lazy(node.depth < 6 ? std::min(node.value, 3) : 0);
  }
  Node child(const Node& parent, std::int64_t index) const {
    return {parent.value / static_cast<int>(index + 1) - 1, parent.depth + 1};
  }
};
/// A child depends on the children before it.
struct CountsChildrenMade : CountsLazily {
  mutable int made = 0;
  Node child(const Node& parent, std::int64_t index) const {
    return {(parent.value + ++made + static_cast<int>(index)) % 5, parent.depth + 1};
  }
};

/// Which nodes it has visited when it stops depends on their order.
struct StopsAtAnAnswer : CountsNodes {
  void visit(Node node, Children<Node>& children, Solution& total) const {
    CountsNodes::visit(node, children, total);
    if (node.depth == 2) {
      children.stop();
    }
  }
};

/// Nodes of which a field stays behind.
struct SendsForgetful {
  using Problem = Forgetful;
  using Solution = std::int64_t;

  void visit(Forgetful node, Children<Forgetful>& children, Solution& total) const {
    total += 1 + node.forgotten;
    if (node.kept > 0) {
      children.push({node.kept - 1, node.forgotten + 1});
    }
  }
  Solution combine(Solution a, Solution b) const { return a + b; }
};

/// Branch-and-bound: the least sum of a path, and how many nodes it took to find it.
struct LeastPath {
  struct Solution {
    std::int64_t cost = Incumbent<>::kNone;
    std::int64_t nodes = 0;
    bool operator==(const Solution&) const = default;
  };
  struct Node {
    std::int64_t cost = 0;
    int depth = 0;
  };
  using Problem = Node;

  void visit(Node node, Children<Node>& children, Solution& total, Incumbent<>& incumbent) const {
    ++total.nodes;
    if (node.cost >= incumbent.value()) {
      return;
    }
    if (node.depth == 6) {
      incumbent.offer(node.cost);
      total.cost = std::min(total.cost, node.cost);
      return;
    }
    for (int step = 1; step <= 3; ++step) {
      children.push({node.cost + (node.cost * 7 + step * 5) % 11, node.depth + 1});
    }
  }
  Solution combine(Solution a, Solution b) const {
    return {std::min(a.cost, b.cost), a.nodes + b.nodes};
  }
};
struct LosesTheBest : LeastPath {
  Solution combine(Solution a, Solution b) const {
    return a.nodes > b.nodes ? Solution{a.cost, a.nodes + b.nodes}
                             : Solution{b.cost, a.nodes + b.nodes};
  }
};

TEST(Check, ABrokenPromiseOfASearchIsNamed) {
  const std::string other =
      "on 2 ranks, work_stealing, rooted: the solution is not that of one rank";
  EXPECT_EQ(check(CountsNodes{}, {0, 1, 5, 40}), kNone);
  EXPECT_EQ(check(CountsLazily{}, {0, 1, 5, 40}), kNone);
  EXPECT_EQ(check(StopsAtAnAnswer{}, {40}), kNone);
  EXPECT_EQ(first_broken(StartsAtOne{}, 5), "Solution{} is not neutral for combine");
  EXPECT_EQ(first_broken(KeepsTheLeft{}, 40), "combine depends on the order of its arguments");
  EXPECT_EQ(first_broken(CountsChildrenMade{}, 40), other);
  EXPECT_EQ(first_broken(SendsForgetful{}, {.kept = 3}), "Node changes on its way to another rank");
}

TEST(Check, BranchAndBoundIsComparedByWhatTheCallerCallsTheSame) {
  const auto same_cost = [](const LeastPath::Solution& a, const LeastPath::Solution& b) {
    return a.cost == b.cost;
  };
  const LeastPath::Node root{.cost = 1, .depth = 0};
  EXPECT_EQ(first_broken(LeastPath{}, root), "none");
  EXPECT_EQ(first_broken(LeastPath{}, root, same_cost), "none");
  EXPECT_EQ(first_broken(LosesTheBest{}, root), "none");
  EXPECT_NE(first_broken(LosesTheBest{}, root, same_cost), "none");
}

// Sorts of parts, with one promise broken each.

struct LosesElements : examples::SplitSort {
  Cut partition(std::span<int> part, const Split<int>& split, ClassOrder order) const {
    const Cut cut = SplitSort::partition(part, split, order);
    if (part.size() > 1 && cut.less > 1) {
      part[0] = part[1];  // of the same class
    }
    return cut;
  }
};
struct SortsAway : examples::SplitSort {
  bool trivial(const Problem& /*p*/) const { return true; }
  Solution conquer(Problem p) const { return sequential(std::move(p)); }
  Solution sequential(Problem p) const {
    std::sort(p.begin(), p.end());
    p.drop_last(p.empty() ? 0 : 1);
    return p;
  }
};

/// By tens alone, and what has the same comes in another order on several ranks.
struct SortsByTens : examples::SplitSort {
  bool trivial(const Problem& /*p*/) const { return true; }
  Solution conquer(Problem p) const { return sequential(std::move(p)); }
  Solution sequential(Problem p) const {
    std::ranges::stable_sort(p, {}, [](int x) { return x / 10; });
    return p;
  }
  std::vector<int> sample(std::span<const int> part, std::size_t count, std::uint64_t seed) const {
    std::vector<int> samples = SplitSort::sample(part, count, seed);
    std::ranges::transform(samples, samples.begin(), [](int x) { return x / 10; });
    return samples;
  }
  Cut partition(std::span<int> part, const Split<int>& split, ClassOrder order) const {
    const auto place = [&](int x) {
      const int side = (x / 10 > split.splitter) - (x / 10 < split.splitter);
      return order == ClassOrder::ascending ? side : -side;
    };
    std::ranges::reverse(part);
    std::ranges::stable_sort(part, {}, place);
    const auto count = [&](int side) {
      return static_cast<std::size_t>(std::ranges::count_if(part, [&](int x) {
        return (x / 10 > split.splitter) - (x / 10 < split.splitter) == side;
      }));
    };
    return {count(-1), count(0)};
  }
};

Part<int> sixteen() { return {5, 1, 4, 1, 3, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}; }

TEST(Check, ABrokenPromiseOfASortOfPartsIsNamed) {
  EXPECT_EQ(first_broken(examples::SplitSort{}, {}), "none");
  EXPECT_EQ(first_broken(examples::SplitSort{}, {7}), "none");
  EXPECT_EQ(first_broken(examples::SplitSort{}, sixteen()), "none");
  EXPECT_EQ(first_broken(examples::SplitSort{}, {2, 2, 2, 2, 2, 2, 2, 2, 2}), "none");
  EXPECT_EQ(first_broken(LosesElements{}, sixteen()),
            "on 2 ranks, hypercube, distributed: the solution is not that of one rank");
  const Part<int> tens = {11, 32, 12, 31, 13, 39, 19, 17, 35, 14, 16, 11};
  EXPECT_EQ(first_broken(SortsByTens{}, Part<int>(std::span(tens))), "none");
  const auto in_this_order = [](const Part<int>& a, const Part<int>& b) {
    return std::ranges::equal(a, b);
  };
  EXPECT_EQ(first_broken(SortsByTens{}, Part<int>(std::span(tens)), in_this_order),
            "on 2 ranks, hypercube, distributed: the solution is not that of one rank");
  EXPECT_EQ(first_broken(SortsAway{}, sixteen()),
            "the solution does not hold the elements of the problem");
  EXPECT_EQ(first_broken(SortsAway{}, {7}),
            "the solution does not hold the elements of the problem");
}

}  // namespace
}  // namespace cleave
