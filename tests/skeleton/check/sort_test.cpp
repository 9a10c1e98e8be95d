// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/check.hpp>

#include "tests/skeleton/examples.hpp"
#include "tests/skeleton/sentences.hpp"

namespace cleave {
namespace {

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
struct SamplesNothing : examples::SplitSort {
  std::vector<int> sample(std::span<const int> /*part*/, std::size_t /*count*/,
                          std::uint64_t /*seed*/) const {
    return {};
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

TEST(Check, AGoodSortOfPartsKeepsItsPromises) {
  EXPECT_EQ(check(examples::SplitSort{}, parts()), kNone);
}

TEST(Check, EachPromiseOfASortOfPartsIsTried) {
  EXPECT_EQ(check(SamplesTooFew{}, parts()).front(),
            "problem 2: sample returns another number than it was asked for");
  EXPECT_EQ(check(SamplesNothing{}, parts()).front(),
            "problem 1: sample returns another number than it was asked for");
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

}  // namespace
}  // namespace cleave
