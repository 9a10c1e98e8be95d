// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include <cleave/application.hpp>
#include <cleave/check.hpp>
#include <cleave/tree_search.hpp>
#include <cleave/wire.hpp>

#include "tests/skeleton/examples.hpp"
#include "tests/skeleton/sentences.hpp"

namespace cleave {
namespace {

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

/// The same tree, whose children are made when they are visited.
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
struct StopsAtOnce : CountsNodes {
  void begin(int value, Children<Node>& children, Solution& total) const {
    CountsNodes::begin(value, children, total);
    children.stop();
  }
};

TEST(Check, AGoodSearchKeepsItsPromises) {
  EXPECT_EQ(check(CountsNodes{}, {0, 1, 5, 40}), kNone);
  EXPECT_EQ(check(CountsLazily{}, {0, 1, 5, 40}), kNone);
  EXPECT_EQ(search_sequentially(CountsLazily{}, 40), search_sequentially(CountsNodes{}, 40));
  EXPECT_EQ(check(StopsAtAnAnswer{}, {40}), kNone);
  EXPECT_EQ(check(StopsAtOnce{}, {40}), kNone);
  EXPECT_EQ(search_sequentially(StopsAtOnce{}, 40).nodes, 0);
}

TEST(Check, EachPromiseOfASearchIsTried) {
  EXPECT_EQ(check(StartsAtOne{}, {5}).front(), "problem 0: Solution{} is not neutral for combine");
  EXPECT_TRUE(says(check(KeepsTheLeft{}, {40}),
                   "problem 0: combine depends on the order of its arguments"));
  EXPECT_TRUE(says(check(NumbersTheVisits{}, {40}),
                   "problem 0: the total depends on the order of the visits"));
  EXPECT_TRUE(says(check(CountsChildrenMade{}, {40}),
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

TEST(Check, BranchAndBoundIsComparedByWhatTheCallerCallsTheSame) {
  const auto same_cost = [](const LeastPath::Solution& a, const LeastPath::Solution& b) {
    return a.cost == b.cost;
  };
  EXPECT_EQ(check(LeastPath{}, {{.cost = 1, .depth = 0}}), kNone);
  EXPECT_EQ(check(LeastPath{}, {{.cost = 1, .depth = 0}}, same_cost), kNone);
  EXPECT_EQ(check(LosesTheBest{}, {{.cost = 1, .depth = 0}}), kNone);
  EXPECT_FALSE(check(LosesTheBest{}, {{.cost = 1, .depth = 0}}, same_cost).empty());
}

}  // namespace
}  // namespace cleave
