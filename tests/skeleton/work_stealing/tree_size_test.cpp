// SPDX-License-Identifier: Apache-2.0
// How well samples tell the size of a tree whose size is known.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include <cleave/stealing/tree_size.hpp>

namespace cleave::detail {
namespace {

/// A node of a tree that follows from numbers.
struct Node {
  std::uint64_t number = 0;
  int depth = 0;
};

std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

void add_children(const Node& node, std::size_t count, std::vector<Node>& children) {
  for (std::size_t i = 0; i < count; ++i) {
    children.push_back({mixed(node.number + i + 0x9e3779b97f4a7c15), node.depth + 1});
  }
}

/// Up to 5 children above a depth.
struct Bushy {
  int max_depth = 9;
  void operator()(const Node& node, std::vector<Node>& children) const {
    add_children(node, node.depth < max_depth ? mixed(node.number) % 6 : 0, children);
  }
};

/// 2,000 children of the root; below them 8 with a probability of nearly 1/8.
struct Critical {
  void operator()(const Node& node, std::vector<Node>& children) const {
    const bool is_interior = static_cast<double>(mixed(node.number)) < 0.1245 * 0x1p64;
    add_children(node, node.depth == 0 ? 2000 : is_interior ? 8 : 0, children);
  }
};

template <class Expand>
double true_size(const Node& root, const Expand& expand) {
  std::vector<Node> stack = {root};
  std::vector<Node> children;
  double size = 0;
  while (!stack.empty()) {
    const Node node = stack.back();
    stack.pop_back();
    ++size;
    children.clear();
    expand(node, children);
    stack.insert(stack.end(), children.begin(), children.end());
  }
  return size;
}

template <class Expand>
std::optional<TreeSizeEstimate> estimate_of(const Node& root, const Expand& expand, int steps) {
  TreeSize<Node, Expand> size({root}, expand, 1);
  for (int i = 0; i < steps; ++i) {
    size.step();
  }
  return size.estimate();
}

TEST(TreeSize, IsNotKnownAfterAFewVisits) { EXPECT_FALSE(estimate_of({1, 0}, Bushy{}, 50)); }

TEST(TreeSize, IsWithinFiveDeviationsOfTheTruth) {
  int tried = 0;
  for (std::uint64_t number = 0; number < 60; ++number) {
    const Node root{mixed(number), 0};
    const double truth = true_size(root, Bushy{});
    if (truth < 4'000) {
      continue;
    }
    ++tried;
    const auto estimate = estimate_of(root, Bushy{}, 5'000);
    ASSERT_TRUE(estimate) << number;
    EXPECT_NEAR(estimate->visits, truth, 5 * estimate->deviation) << number;
    EXPECT_LT(estimate->deviation, truth / 5) << number;
  }
  EXPECT_GT(tried, 10);
}

TEST(TreeSize, BecomesSurerWithMoreVisits) {
  Node root{1, 0};
  while (true_size(root, Bushy{11}) < 50'000) {
    root.number = mixed(root.number);
  }
  const auto few = estimate_of(root, Bushy{11}, 3'000);
  const auto many = estimate_of(root, Bushy{11}, 300'000);
  ASSERT_TRUE(few && many);
  EXPECT_LT(many->deviation / many->visits, few->deviation / few->visits / 3);
}

TEST(TreeSize, OfASmallTreeIsExact) {
  const Node root{mixed(5), 0};
  const auto estimate = estimate_of(root, Bushy{3}, 1'000);
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->visits, true_size(root, Bushy{3}));
  EXPECT_EQ(estimate->deviation, 0);
}

TEST(TreeSize, VisitsNoMoreThanASmallTreeHas) {
  int visits = 0;
  const auto expand = [&visits](const Node& node, std::vector<Node>& children) {
    ++visits;
    add_children(node, node.depth < 2 ? 3 : 0, children);
  };
  TreeSize<Node, decltype(expand)> size({{1, 0}}, expand, 1);
  for (int i = 0; i < 100; ++i) {
    size.step();
  }
  EXPECT_EQ(visits, 13);
  EXPECT_EQ(size.estimate()->visits, 13);
}

TEST(TreeSize, OfManyRootsSamplesThem) {
  std::vector<Node> roots;
  double truth = 0;
  for (std::uint64_t number = 0; number < 2'000; ++number) {
    roots.push_back({mixed(number), 5});
    truth += true_size(roots.back(), Bushy{});
  }
  TreeSize<Node, Bushy> size(roots, Bushy{}, 1);
  for (int i = 0; i < 10'000; ++i) {
    size.step();
  }
  ASSERT_TRUE(size.estimate());
  EXPECT_NEAR(size.estimate()->visits, truth, 5 * size.estimate()->deviation);
  EXPECT_LT(size.estimate()->deviation, truth / 5);
}

TEST(TreeSize, OfNoRootIsZero) {
  TreeSize<Node, Bushy> size({}, Bushy{}, 1);
  size.step();
  ASSERT_TRUE(size.estimate());
  EXPECT_EQ(size.estimate()->visits, 0);
}

TEST(TreeSize, OfANarrowTreeTakesBoundedMemoryAndEnds) {
  const auto chain = [](const Node& node, std::vector<Node>& children) {
    add_children(node, node.depth < 500 ? 1 : 0, children);
  };
  const auto estimate = estimate_of({1, 0}, chain, 1'000);
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->visits, 501);
}

TEST(TreeSize, OfANearlyCriticalTreeIsMostlyNotTold) {
  // Half of such a tree's nodes lie below a few of its first 2,000; a sample misses these.
  int told_wrong = 0;
  for (std::uint64_t number = 0; number < 10; ++number) {
    const Node root{mixed(number), 0};
    const double truth = true_size(root, Critical{});
    const auto estimate = estimate_of(root, Critical{}, 20'000);
    told_wrong += estimate && std::abs(estimate->visits - truth) > 4 * estimate->deviation ? 1 : 0;
  }
  EXPECT_LE(told_wrong, 1);
}

TEST(TreeSize, BeginsAnewWithoutWhatItKnew) {
  int depth = 8;
  const auto expand = [&depth](const Node& node, std::vector<Node>& children) {
    add_children(node, node.depth < depth ? 3 : 0, children);
  };
  TreeSize<Node, decltype(expand)> size({{1, 0}}, expand, 1);
  for (int i = 0; i < 5'000; ++i) {
    size.step();
  }
  ASSERT_TRUE(size.estimate());
  EXPECT_DOUBLE_EQ(size.estimate()->visits, (std::pow(3, 9) - 1) / 2);
  depth = 6;
  size.begin_again();
  EXPECT_FALSE(size.estimate());
  for (int i = 0; i < 5'000; ++i) {
    size.step();
  }
  ASSERT_TRUE(size.estimate());
  EXPECT_DOUBLE_EQ(size.estimate()->visits, (std::pow(3, 7) - 1) / 2);
}

}  // namespace
}  // namespace cleave::detail
