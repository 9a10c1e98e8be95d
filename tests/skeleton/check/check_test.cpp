// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/check.hpp>
#include <cleave/wire.hpp>

#include "tests/skeleton/examples.hpp"
#include "tests/skeleton/sentences.hpp"

namespace cleave {
namespace {

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

/// Its recursion ends with even shares alone.
struct NeverEndsByShare {
  static constexpr bool kMergesParts = true;
  using Problem = int;
  using Solution = int;
  bool trivial(const int& n) const { return n == 0 || n == 1; }
  Halves<int> divide(int n, Share share) const {
    if (n < 0) {
      return {n, n};
    }
    return share.total == 3 ? Halves<int>{-1, n} : Halves<int>{n / 2, n - n / 2};
  }
  int conquer(int n) const { return n; }
  int combine(int left, int right) const { return left + right; }
};

TEST(Check, ARecursionThatEndsWithEvenSharesAloneIsNamed) {
  EXPECT_EQ(check(NeverEndsByShare{}, {6}),
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
struct DividesOnce : CountsPaths {
  mutable int calls = 0;
  std::vector<int> divide(int /*n*/) const {
    return calls++ == 0 ? std::vector<int>{1} : std::vector<int>{};
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
  EXPECT_EQ(check(DividesOnce{}, {2}), Sentences{"problem 0: divide returns no subproblem"});
  EXPECT_EQ(check(DividesAtRandomInMany{}, {5}).front(), "problem 0: divide is not deterministic");
}

/// The same numbers by parents.
struct CountsParents : CountsPaths {
  Solution after(const int& n, Solution solution) const {
    solution.push_back(n);
    return solution;
  }
};
struct ForgetsParents : CountsParents {
  Solution sequential(int n) const { return solve_sequential(CountsPaths{}, n); }
};
struct CombinesAtOnce : CountsPaths {
  Solution combine(const std::vector<Solution>& parts) const {
    Solution all{static_cast<int>(parts.size())};
    for (const Solution& part : parts) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }
};

TEST(Check, WorkOnTheParentIsTriedToo) {
  EXPECT_EQ(check(CountsParents{}, {1, 9}), kNone);
  EXPECT_EQ(check(CombinesAtOnce{}, {1, 9}), kNone);
  EXPECT_EQ(check(ForgetsParents{}, {9}),
            Sentences{"problem 0: sequential returns another solution than conquer, divide and "
                      "combine"});
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
  EXPECT_EQ(check(MergesSets{}, {{}, {1}, {2, 7}, {5, 1, 4, 1, 3, 9, 2, 6}}), kNone);
  EXPECT_EQ(
      check(SolvesOnlyWholes{}, {{5, 1, 4, 1, 3, 9, 2, 6}}),
      Sentences{"problem 0: combine of the solutions of parts is not the solution of the whole"});
  EXPECT_EQ(check(NeedsElements{}, {{5, 1, 4, 1, 3, 9, 2, 6}}),
            Sentences{"problem 0: combine with the solution of an empty part is another solution"});
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
