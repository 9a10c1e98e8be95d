// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/check.hpp>
#include <cleave/tree_search.hpp>
#include <cleave/wire.hpp>

#include "tests/skeleton/examples.hpp"

namespace cleave {
namespace {

using Sentences = std::vector<std::string>;

const Sentences kNone;

/// Divide and conquer, with one promise broken each.
struct ForgetsTheLast : examples::Mergesort {
  std::vector<int> sequential(std::vector<int> p) const {
    p.pop_back();
    return p;
  }
};
struct SwapsHalves : examples::Concatenate {
  std::string combine(std::string left, std::string right) const { return right + left; }
  std::string sequential(std::vector<std::string> p) const {
    std::string all;
    for (const std::string& word : p) {
      all += word;
    }
    return all;
  }
};
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
/// What is joined depends on where it was divided.
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

TEST(Check, FindsNothingWrongWithGoodApplications) {
  EXPECT_EQ(check(examples::Mergesort{}, {{}, {1}, {3, 1, 2}, {5, 5, 5, 5, 1, -7}}), kNone);
  EXPECT_EQ(check(examples::Concatenate{}, {{}, {"a"}, {"a", "b", "c", "d"}}), kNone);
}

TEST(Check, NamesTheBrokenPromise) {
  const auto first = [](const Sentences& broken) {
    return broken.empty() ? "nothing" : broken.front();
  };
  EXPECT_EQ(first(check(ForgetsTheLast{}, {{3, 1, 2}})),
            "problem 0: sequential returns another solution than conquer, divide and combine");
  EXPECT_EQ(first(check(SwapsHalves{}, {{"a"}, {"a", "b"}})),
            "problem 1: sequential returns another solution than conquer, divide and combine");
  EXPECT_EQ(first(check(DividesAtRandom{}, {{3, 1, 2, 9}})),
            "problem 0: divide is not deterministic");
}

TEST(Check, ARecursionWithoutEndIsNamedAndNotFollowed) {
  EXPECT_EQ(check(NeverTrivial{}, {{3, 1, 2}}),
            Sentences{"problem 0: divide has not come to trivial problems after 5000 levels"});
}

TEST(Check, CombineMustNotDependOnTheShare) {
  EXPECT_EQ(check(MarksItsJoints{}, {{"a", "b", "c", "d", "e", "f"}}),
            Sentences{"problem 0: combine of the solved halves is not the solution"});
}

}  // namespace

template <>
struct wire<Forgetful> {
  static void pack(Packer& packer, const Forgetful& value) { wire<int>::pack(packer, value.kept); }
  static Forgetful unpack(Unpacker& unpacker) { return {.kept = wire<int>::unpack(unpacker)}; }
};

namespace {

struct SolvesToForgetful {
  using Problem = int;
  using Solution = Forgetful;
  bool trivial(const int& n) const { return n < 2; }
  Halves<int> divide(int n) const { return {n / 2, n - n / 2}; }
  Forgetful conquer(int n) const { return {n, n}; }
  Forgetful combine(Forgetful a, Forgetful b) const {
    return {a.kept + b.kept, a.forgotten + b.forgotten};
  }
};
struct SolvesForgetful {
  using Problem = Forgetful;
  using Solution = int;
  bool trivial(const Forgetful&) const { return true; }
  Halves<Forgetful> divide(Forgetful p) const { return {p, p}; }
  int conquer(Forgetful p) const { return p.kept; }
  int combine(int a, int b) const { return a + b; }
};

TEST(Check, ValuesMustArriveAsTheyWereSent) {
  EXPECT_EQ(check(SolvesToForgetful{}, {5}),
            Sentences{"problem 0: Solution changes on its way to another rank"});
  EXPECT_EQ(check(SolvesForgetful{}, {{.kept = 1, .forgotten = 2}}),
            Sentences{"problem 0: Problem changes on its way to another rank"});
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
  Solution combine(Solution a, const Solution& b) const {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  Solution sequential(int n) const {
    return Solution(n, {std::numeric_limits<double>::quiet_NaN(), {{is_right ? 1 : 2, 0.5f}}});
  }
  bool is_right = true;
};

TEST(Check, SolutionsWithoutEqualityAreComparedByTheirFields) {
  EXPECT_EQ(check(SolvesLoosely{}, {7}), kNone);
  EXPECT_EQ(
      check(SolvesLoosely{.is_right = false}, {7}),
      Sentences{"problem 0: sequential returns another solution than conquer, divide and combine"});
}

/// A sum that is rounded otherwise by `sequential`.
struct RoundedSum {
  using Problem = std::vector<double>;
  using Solution = double;
  bool trivial(const Problem& p) const { return p.size() < 2; }
  Halves<Problem> divide(Problem p) const {
    const auto middle = p.begin() + std::ssize(p) / 2;
    return {{p.begin(), middle}, {middle, p.end()}};
  }
  double conquer(Problem p) const { return p.empty() ? 0 : p[0]; }
  double combine(double a, double b) const { return a + b; }
  double sequential(Problem p) const {
    double sum = 0;
    for (const double x : p) {
      sum += x;
    }
    return sum;
  }
};

TEST(Check, TheCallerSaysWhichSolutionsAreTheSame) {
  const std::vector<double> problem{1e16, 1, 1, 1, 1, -1e16, 3, 4};
  EXPECT_EQ(check(RoundedSum{}, {problem}).size(), 1u);
  EXPECT_EQ(check(RoundedSum{}, {problem}, [](double a, double b) { return std::abs(a - b) < 16; }),
            kNone);
}

/// Any number of subproblems.
struct CountsPaths {
  using Problem = int;
  using Solution = std::vector<int>;
  bool trivial(const int& n) const { return n < 2; }
  std::vector<int> divide(int n) const { return {n - 1, n / 2, n / 3}; }
  Solution conquer(int n) const { return {n}; }
  Solution combine(Solution a, const Solution& b) const {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
};
struct DividesIntoNothing : CountsPaths {
  std::vector<int> divide(int n) const {
    return n == 3 ? std::vector<int>{} : CountsPaths::divide(n);
  }
};
struct DividesAtRandomInMany : CountsPaths {
  std::vector<int> divide(int n) const {
    static int calls = 0;
    return {n - 1, ++calls % 2};
  }
};
struct ClaimsToCommute : CountsPaths {
  static constexpr bool kCommutative = true;
};
struct Commutes : CountsPaths {
  static constexpr bool kCommutative = true;
  Solution combine(Solution a, const Solution& b) const {
    a = CountsPaths::combine(std::move(a), b);
    std::sort(a.begin(), a.end());
    return a;
  }
};
struct IsNotAssociative : CountsPaths {
  static constexpr bool kCommutative = true;
  Solution combine(Solution a, const Solution& b) const { return {2 * (a[0] + b[0])}; }
};

TEST(Check, ManySubproblemsAreTriedToo) {
  EXPECT_EQ(check(CountsPaths{}, {0, 1, 9}), kNone);
  EXPECT_EQ(check(Commutes{}, {9}), kNone);
  EXPECT_EQ(check(DividesIntoNothing{}, {2, 6}),
            Sentences{"problem 1: divide returns no subproblem"});
  EXPECT_EQ(check(DividesAtRandomInMany{}, {5}).front(), "problem 0: divide is not deterministic");
}

TEST(Check, ACommutativeCombineIsTriedInOtherOrders) {
  EXPECT_EQ(check(ClaimsToCommute{}, {4}),
            Sentences{"problem 0: combine is declared commutative, but depends on the order"});
  EXPECT_EQ(check(IsNotAssociative{}, {8}).front(),
            "problem 0: combine is declared commutative, but is not associative");
}

/// Parts whose solutions are merged: the numbers that occur.
struct MergesSets {
  static constexpr bool kMergesParts = true;
  using Problem = std::vector<int>;
  using Solution = std::set<int>;
  bool trivial(const Problem& p) const { return p.size() < 2; }
  Halves<Problem> divide(Problem p) const {
    const auto middle = p.begin() + std::ssize(p) / 2;
    return {{p.begin(), middle}, {middle, p.end()}};
  }
  Solution conquer(Problem p) const { return {p.begin(), p.end()}; }
  Solution combine(Solution a, const Solution& b) const {
    a.insert(b.begin(), b.end());
    return a;
  }
};
/// Takes the part that it solves for the whole.
struct SolvesOnlyWholes : MergesSets {
  Solution sequential(Problem p) const {
    Solution all(p.begin(), p.end());
    return p.size() == 8 || p.empty() ? all : Solution{*all.begin()};
  }
};
struct NeedsElements : MergesSets {
  Solution conquer(Problem p) const { return p.empty() ? Solution{-1} : Solution{p[0]}; }
};

TEST(Check, PartsAreMerged) {
  EXPECT_EQ(check(examples::MergedParts{}, {{}, {1}, {5, 1, 4, 1, 3, 9, 2, 6}}), kNone);
  EXPECT_EQ(check(MergesSets{}, {{}, {1}, {5, 1, 4, 1, 3, 9, 2, 6}}), kNone);
  EXPECT_EQ(
      check(SolvesOnlyWholes{}, {{5, 1, 4, 1, 3, 9, 2, 6}}),
      Sentences{"problem 0: combine of the solutions of parts is not the solution of the whole"});
  EXPECT_EQ(check(NeedsElements{}, {{5, 1, 4, 1, 3, 9, 2, 6}}),
            Sentences{"problem 0: combine with the solution of an empty part is another solution"});
}

/// Sorts, with one promise broken each.
std::vector<Part<int>> parts() {
  std::vector<Part<int>> all;
  all.emplace_back();
  all.push_back({7});
  all.push_back({5, 1, 4, 1, 3, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3});
  Part<int> distinct(100);
  for (int i = 0; i < 100; ++i) {
    distinct[i] = i * 37 % 100;
  }
  all.push_back(std::move(distinct));
  all.push_back({2, 2, 2, 2, 2, 2, 2, 2, 2});
  return all;
}

struct SamplesTooFew : examples::SplitSort {
  std::vector<int> sample(std::span<const int> part, std::size_t count, std::uint64_t seed) const {
    return SplitSort::sample(part, count > 1 ? count - 1 : count, seed);
  }
};
struct SamplesOthers : examples::SplitSort {
  std::vector<int> sample(std::span<const int> part, std::size_t count, std::uint64_t seed) const {
    auto samples = SplitSort::sample(part, count, seed);
    samples.back() += part.size() > 1 ? 1000 : 0;
    return samples;
  }
};
struct SplitsBeyond : examples::SplitSort {
  Split<int> splitter(std::vector<int> samples, Share /*share*/) const {
    return {.splitter = *std::max_element(samples.begin(), samples.end()) + 1, .has_ties = false};
  }
  Cut partition(std::span<int> part, const Split<int>& split, ClassOrder order) const {
    const Cut cut = SplitSort::partition(part, split, order);
    return {.less = cut.less, .equal = split.has_ties ? cut.equal : 0};
  }
};
struct IgnoresTheShare : examples::SplitSort {
  Split<int> splitter(std::vector<int> samples, Share /*share*/) const {
    return SplitSort::splitter(std::move(samples), {.left = 1, .total = 2});
  }
};
struct CountsTooMany : examples::SplitSort {
  Cut partition(std::span<int> part, const Split<int>& split, ClassOrder order) const {
    Cut cut = SplitSort::partition(part, split, order);
    cut.less += part.size() > 1 ? part.size() : 0;
    return cut;
  }
};
struct CountsTiesUnasked : examples::SplitSort {
  Split<int> splitter(std::vector<int> samples, Share share) const {
    auto split = SplitSort::splitter(std::move(samples), share);
    split.has_ties = false;
    return split;
  }
};
struct LosesElements : examples::SplitSort {
  Cut partition(std::span<int> part, const Split<int>& split, ClassOrder order) const {
    const Cut cut = SplitSort::partition(part, split, order);
    if (part.size() > 1 && cut.less > 1) {
      part[0] = part[1];  // of the same class
    }
    return cut;
  }
};
struct AlwaysAscends : examples::SplitSort {
  Cut partition(std::span<int> part, const Split<int>& split, ClassOrder /*order*/) const {
    return SplitSort::partition(part, split, ClassOrder::ascending);
  }
};
struct MiscountsDescending : examples::SplitSort {
  Cut partition(std::span<int> part, const Split<int>& split, ClassOrder order) const {
    const Cut cut = SplitSort::partition(part, split, order);
    return order == ClassOrder::ascending
               ? cut
               : Cut{.less = part.size() - cut.less - cut.equal, .equal = cut.equal};
  }
};
struct LeavesUnsorted : examples::SplitSort {
  Solution conquer(Problem p) const { return p; }
  bool trivial(const Problem& /*p*/) const { return true; }
  Solution sequential(Problem p) const { return p; }
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

bool says(const Sentences& broken, const std::string& sentence) {
  return std::ranges::find(broken, sentence) != broken.end();
}

TEST(Check, AGoodSortOfPartsKeepsItsPromises) {
  EXPECT_EQ(check(examples::SplitSort{}, parts()), kNone);
}

TEST(Check, EachPromiseOfASortOfPartsIsTried) {
  EXPECT_EQ(check(SamplesTooFew{}, parts()).front(),
            "problem 2: sample returns another number than it was asked for");
  EXPECT_EQ(check(SamplesOthers{}, parts()).front(),
            "problem 2: sample returns a splitter of no element of the part");
  EXPECT_TRUE(
      says(check(SplitsBeyond{}, parts()), "problem 2: splitter does not lie among the samples"));
  EXPECT_EQ(
      check(IgnoresTheShare{}, parts()),
      (Sentences{"problem 3: splitter divides the samples in another proportion than the share"}));
  EXPECT_TRUE(says(check(CountsTooMany{}, parts()),
                   "problem 2: partition counts more elements than there are"));
  EXPECT_TRUE(says(check(CountsTiesUnasked{}, parts()),
                   "problem 2: partition counts ties that it was not asked for"));
  EXPECT_TRUE(
      says(check(LosesElements{}, parts()), "problem 3: partition loses or changes elements"));
  EXPECT_EQ(check(AlwaysAscends{}, parts()).front(),
            "problem 2: partition does not put the elements in the order of their classes");
  EXPECT_TRUE(says(check(MiscountsDescending{}, parts()),
                   "problem 3: partition counts otherwise in descending order"));
  EXPECT_EQ(check(LeavesUnsorted{}, parts()).front(),
            "problem 2: the solution is not in the order in which partition puts the classes");
  EXPECT_EQ(check(SortsAway{}, parts()).front(),
            "problem 1: the solution does not hold the elements of the problem");
}

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
/// Numbers the nodes in the order of the visits: a sum that another worker gets otherwise.
struct NumbersTheVisits : CountsNodes {
  void visit(Node node, Children<Node>& children, Solution& total) const {
    CountsNodes::visit(node, children, total);
    total.depth = static_cast<int>(total.nodes) * node.depth % 1000 + total.depth;
  }
};
struct IsNotAssociativeSearch : CountsNodes {
  Solution combine(Solution a, Solution b) const {
    if (a == Solution{} || b == Solution{}) {
      return a == Solution{} ? b : a;
    }
    return {(a.nodes + b.nodes) / 2, std::max(a.depth, b.depth)};
  }
};
/// A node whose depth stays behind.
struct ShallowNode {
  int value = 0;
  int depth = 0;
};

TEST(Check, AGoodSearchKeepsItsPromises) { EXPECT_EQ(check(CountsNodes{}, {0, 1, 5, 40}), kNone); }

TEST(Check, EachPromiseOfASearchIsTried) {
  EXPECT_EQ(check(StartsAtOne{}, {5}).front(), "problem 0: Solution{} is not neutral for combine");
  EXPECT_TRUE(says(check(KeepsTheLeft{}, {40}),
                   "problem 0: combine depends on the order of its arguments"));
  EXPECT_TRUE(says(check(NumbersTheVisits{}, {40}),
                   "problem 0: the total depends on the order of the visits"));
  EXPECT_TRUE(says(check(IsNotAssociativeSearch{}, {40}), "problem 0: combine is not associative"));
  EXPECT_TRUE(says(check(IsNotAssociativeSearch{}, {40}),
                   "problem 0: combine of the totals of subtrees is not the total of the tree"));
}

}  // namespace

template <>
struct wire<ShallowNode> {
  static void pack(Packer& packer, const ShallowNode& node) { wire<int>::pack(packer, node.value); }
  static ShallowNode unpack(Unpacker& unpacker) {
    return {.value = wire<int>::unpack(unpacker), .depth = 0};
  }
};

namespace {

struct SendsShallowNodes {
  using Problem = ShallowNode;
  using Node = ShallowNode;
  using Solution = std::int64_t;

  void visit(Node node, Children<Node>& children, Solution& total) const {
    total += 1 + node.depth;
    if (node.value > 0) {
      children.push({node.value - 1, node.depth + 1});
    }
  }
  Solution combine(Solution a, Solution b) const { return a + b; }
};

TEST(Check, ANodeMustArriveAsItWasSent) {
  EXPECT_EQ(check(SendsShallowNodes{}, {{.value = 3, .depth = 0}}),
            Sentences{"problem 0: Node changes on its way to another rank"});
}

/// Branch-and-bound: the least sum of a path, and how many nodes it took to find it.
struct LeastPath {
  struct Solution {
    std::int64_t cost = Incumbent::kNone;
    std::int64_t nodes = 0;
    bool operator==(const Solution&) const = default;
  };
  struct Node {
    std::int64_t cost = 0;
    int depth = 0;
  };
  using Problem = Node;

  void visit(Node node, Children<Node>& children, Solution& total, Incumbent& incumbent) const {
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

TEST(Check, BranchAndBoundIsComparedByWhatTheCallerCallsTheSame) {
  const auto same_cost = [](const LeastPath::Solution& a, const LeastPath::Solution& b) {
    return a.cost == b.cost;
  };
  EXPECT_EQ(check(LeastPath{}, {{.cost = 1, .depth = 0}}), kNone);
  EXPECT_EQ(check(LeastPath{}, {{.cost = 1, .depth = 0}}, same_cost), kNone);
  EXPECT_EQ(check(LosesTheBest{}, {{.cost = 1, .depth = 0}}), kNone);
  EXPECT_FALSE(check(LosesTheBest{}, {{.cost = 1, .depth = 0}}, same_cost).empty());
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
  EXPECT_FALSE(equal(std::optional<Loose>(), std::optional<Loose>(Loose{})));
  const std::unordered_map<int, int> one_order{{1, 2}, {3, 4}, {5, 6}};
  const std::unordered_map<int, int> other_order{{5, 6}, {3, 4}, {1, 2}};
  EXPECT_TRUE(equal(one_order, other_order));
  EXPECT_TRUE(equal(std::map<int, Loose>{{1, {}}}, std::map<int, Loose>{{1, {}}}));
  EXPECT_FALSE(equal(std::map<int, Loose>{{1, {}}}, std::map<int, Loose>{{2, {}}}));
}

}  // namespace
}  // namespace cleave
