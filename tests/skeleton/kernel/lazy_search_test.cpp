// SPDX-License-Identifier: Apache-2.0
// Children that are made when they are visited: the same totals as of those that are made at once,
// at any number of ranks and threads; and what is done to a node on its way.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <cleave/dc_call.hpp>

#include "tests/skeleton/kernel/trees.hpp"

namespace cleave::lazy_search {
/// Counts its moves and copies.
struct Weighed {
  inline static std::atomic<int> moves = 0, copies = 0;

  int depth = 0;

  explicit Weighed(int d = 0) : depth(d) {}
  Weighed(Weighed&& other) noexcept : depth(other.depth) { ++moves; }
  Weighed(const Weighed& other) : depth(other.depth) { ++copies; }
  Weighed& operator=(Weighed&& other) noexcept {
    depth = other.depth;
    ++moves;
    return *this;
  }
  ~Weighed() = default;
};

/// Cannot be copied.
struct Owned {
  std::unique_ptr<int> depth = std::make_unique<int>(0);
};
}  // namespace cleave::lazy_search

namespace cleave {

template <>
struct wire<lazy_search::Weighed> {
  static void pack(Packer& packer, const lazy_search::Weighed& node) {
    wire<int>::pack(packer, node.depth);
  }
  static lazy_search::Weighed unpack(Unpacker& unpacker) {
    return lazy_search::Weighed(wire<int>::unpack(unpacker));
  }
};

template <>
struct wire<lazy_search::Owned> {
  static void pack(Packer& packer, const lazy_search::Owned& node) {
    wire<int>::pack(packer, *node.depth);
  }
  static lazy_search::Owned unpack(Unpacker& unpacker) {
    return {std::make_unique<int>(wire<int>::unpack(unpacker))};
  }
};

namespace lazy_search {
namespace {

using examples::Counted;
using examples::LazyTree;
using examples::RandomTree;
using Count = std::int64_t;

Options with_threads(int threads) {
  return {.comm = MPI_COMM_WORLD, .stealing = {.threads = threads}};
}

template <class App>
auto search_everywhere(const App& app, typename App::Problem problem, int threads) {
  return DC_Call(DC_Type::work_stealing, app, std::move(problem), with_threads(threads));
}

TEST(LazySearch, CountsWhatAnEagerOneCounts) {
  for (const int children : {0, 1, 10, 300}) {
    const LazyTree app{{.children_of_root = children}};
    const RandomTree::Node root{.number = 5};
    const Counted expected = search_sequentially(RandomTree{.children_of_root = children}, root);
    EXPECT_EQ(search_sequentially(app, root), expected);
    for (const int threads : {1, 2, 3}) {
      EXPECT_EQ(search_everywhere(app, root, threads), expected);
    }
  }
}

/// Notes the nodes in the order of their visits: a tree of three levels and of numbers to base 3.
struct InOrder {
  using Problem = int;
  using Node = int;
  using Solution = std::vector<int>;

  void begin(int roots, Children<int>& children, Solution& /*order*/) const {
    for (int i = 1; i <= roots; ++i) {
      children.push(i);
    }
  }
  void visit(const int& node, LazyChildren& children, Solution& order) const {
    order.push_back(node);
    children.lazy(node < 9 ? 3 : 0);
  }
  int child(const int& parent, std::int64_t index) const {
    return 3 * parent + static_cast<int>(index);
  }
  Solution combine(Solution left, const Solution& right) const {
    left.insert(left.end(), right.begin(), right.end());
    return left;
  }
};

TEST(LazySearch, GoesDepthFirstAndFromTheFirstChildToTheLast) {
  EXPECT_EQ(search_sequentially(InOrder{}, 1),
            (std::vector{1, 3, 9, 10, 11, 4, 12, 13, 14, 5, 15, 16, 17}));
}

TEST(LazySearch, BeginsWithTheFirstNodePushedLast) {
  EXPECT_EQ(search_sequentially(InOrder{}, 2).front(), 2);
  EXPECT_EQ(search_everywhere(InOrder{}, 2, 2).size(), 26U);
}

/// Has only children whose index is even.
struct Holes : InOrder {
  std::optional<int> child(const int& parent, std::int64_t index) const {
    return index % 2 == 0 ? std::optional(InOrder::child(parent, index)) : std::nullopt;
  }
};

TEST(LazySearch, AChildThatIsNothingIsNotVisited) {
  EXPECT_EQ(search_sequentially(Holes{}, 1), (std::vector{1, 3, 9, 11, 5, 15, 17}));
  EXPECT_EQ(search_everywhere(Holes{}, 1, 2).size(), 7U);
}

/// A root with leaves that take 20 ms each.
struct Flat {
  using Problem = std::int64_t;
  using Solution = Count;
  std::atomic<int>* leaves_here = nullptr;

  void visit(const std::int64_t& node, LazyChildren& children, Count& total) const {
    if (node > 0) {
      return children.lazy(node);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ++*leaves_here;
    ++total;
  }
  std::int64_t child(const std::int64_t& /*parent*/, std::int64_t /*index*/) const { return 0; }
  Count combine(Count left, Count right) const { return left + right; }
};

TEST(LazySearch, TheChildrenOfOneNodeAreSharedOut) {
  std::atomic<int> leaves_here = 0;
  EXPECT_EQ(search_everywhere(Flat{&leaves_here}, 16, 1), 16);
  const Comm world(MPI_COMM_WORLD);
  EXPECT_LE(world.allreduce_max(leaves_here), world.size() == 1 ? 16 : 10);
}

/// The least number among the leaves of a binary tree, found first; the bound of all others is
/// worse.
struct BestFirst {
  struct Node {
    int depth = 0;
    double cost = 0;
  };
  using Problem = Node;
  using Solution = double;
  using Bound = double;
  std::atomic<int>* made = nullptr;

  void begin(Node root, Children<Node>& children, double& best) const {
    best = Incumbent<double>::kNone;
    children.push(root);
  }
  void visit(const Node& node, LazyChildren& children, double& best,
             Incumbent<double>& incumbent) const {
    if (node.depth > 0) {
      children.lazy(2);
    } else if (incumbent.offer(node.cost)) {
      best = node.cost;
    }
  }
  std::optional<Node> child(const Node& parent, std::int64_t index,
                            Incumbent<double>& incumbent) const {
    const double cost = parent.cost + static_cast<double>(index) / 8;
    if (cost >= incumbent.value()) {
      return std::nullopt;
    }
    ++*made;
    return Node{.depth = parent.depth - 1, .cost = cost};
  }
  double combine(double left, double right) const {
    // A worker that began without nodes has Solution{}, and here no leaf is better than 1.
    return left == 0 || (right != 0 && right < left) ? right : left;
  }
};

TEST(LazySearch, ABoundFoundMeanwhileRulesOutChildrenBeforeTheyAreMade) {
  std::atomic<int> made = 0;
  EXPECT_EQ(search_sequentially(BestFirst{&made}, {.depth = 12, .cost = 1}), 1);
  EXPECT_EQ(made, 12);
  for (const int threads : {1, 3}) {
    EXPECT_EQ(search_everywhere(BestFirst{&made}, {.depth = 12, .cost = 1}, threads), 1);
  }
}

/// A total that has no move constructor.
struct CopiedCount {
  Count nodes = 0;
  CopiedCount() = default;
  CopiedCount(const CopiedCount& other) : nodes(other.nodes) {}
  CopiedCount& operator=(const CopiedCount& other) = default;
};
struct CountsByCopies {
  using Problem = int;
  using Solution = CopiedCount;
  using Bound = double;

  void visit(const int& node, LazyChildren& children, CopiedCount& total,
             Incumbent<double>& /*incumbent*/) const {
    ++total.nodes;
    children.lazy(node);
  }
  int child(const int& parent, std::int64_t index) const {
    return parent - 1 - static_cast<int>(index);
  }
  CopiedCount combine(CopiedCount left, const CopiedCount& right) const {
    left.nodes += right.nodes;
    return left;
  }
};

struct StopsAtSeven : LazyTree {
  void visit(const Node& node, LazyChildren& children, Counted& total) const {
    LazyTree::visit(node, children, total);
    if (node.depth == 7) {
      children.stop();
    }
  }
};

TEST(LazySearch, IsStoppedByAVisit) {
  const StopsAtSeven app;
  const RandomTree::Node root{.number = 5};
  EXPECT_EQ(search_sequentially(app, root).deepest, 7);
  EXPECT_GE(search_everywhere(app, root, 2).deepest, 7);
}

struct ThrowsAtSeven : LazyTree {
  Node child(const Node& parent, std::int64_t index) const {
    if (parent.depth == 6) {
      throw std::runtime_error("seven");
    }
    return LazyTree::child(parent, index);
  }
};

TEST(LazySearch, WhatChildThrowsReachesEveryRank) {
  for (const int threads : {1, 3}) {
    try {
      search_everywhere(ThrowsAtSeven{}, RandomTree::Node{.number = 5}, threads);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const FunctorError& e) {
      EXPECT_EQ(e.block() + ": " + e.message(), "visit: seven");
    }
  }
}

TEST(LazySearch, ATreeThatIsTooLargeIsRefused) {
  const LazyTree app{{.children_of_root = 300}};
  const RandomTree::Node root{.number = 5};
  Options options = with_threads(2);
  options.stealing.max_nodes = search_sequentially(app, root).nodes - 1;
  EXPECT_THROW(DC_Call(DC_Type::work_stealing, app, root, options), Error);
  ++options.stealing.max_nodes;
  EXPECT_NO_THROW(DC_Call(DC_Type::work_stealing, app, root, options));
}

/// Binary trees of `Node`, which has a depth. The children are made at once, or when they are
/// visited.
struct Eager {
  using Problem = Weighed;
  using Solution = Count;

  void visit(const Weighed& node, Children<Weighed>& children, Count& total) const {
    ++total;
    for (int i = 0; i < 2 && node.depth > 0; ++i) {
      children.push(Weighed(node.depth - 1));
    }
  }
  Count combine(Count left, Count right) const { return left + right; }
};
struct Lazy : Eager {
  void visit(const Weighed& node, LazyChildren& children, Count& total) const {
    ++total;
    children.lazy(node.depth > 0 ? 2 : 0);
  }
  Weighed child(const Weighed& parent, std::int64_t /*index*/) const {
    return Weighed(parent.depth - 1);
  }
};

constexpr int kDepth = 11;
constexpr int kLeaves = 1 << kDepth;

void forget_moves() {
  Weighed::moves = 0;
  Weighed::copies = 0;
}

TEST(Nodes, AreMovedTwiceAndNeverCopied) {
  forget_moves();
  EXPECT_EQ(search_sequentially(Eager{}, Weighed(kDepth)), 2 * kLeaves - 1);
  EXPECT_EQ(Weighed::copies, 0);
  EXPECT_LE(Weighed::moves, 2 * (2 * kLeaves - 1) + 20);  // and while the stack grows
  for (const int threads : {1, 3}) {
    EXPECT_EQ(search_everywhere(Eager{}, Weighed(kDepth), threads), 2 * kLeaves - 1);
  }
  const int copies_of_call = 2 * Comm(MPI_COMM_WORLD).size();  // of the problem by this rank
  EXPECT_LE(Weighed::copies, copies_of_call);
}

TEST(Nodes, ThatAreMadeWhenTheyAreVisitedAreMovedOnceWhereTheyHaveChildren) {
  forget_moves();
  EXPECT_EQ(search_sequentially(Lazy{}, Weighed(kDepth)), 2 * kLeaves - 1);
  EXPECT_EQ(Weighed::copies, 0);
  EXPECT_LE(Weighed::moves, kLeaves + 20);
  for (const int threads : {1, 3}) {
    EXPECT_EQ(search_everywhere(Lazy{}, Weighed(kDepth), threads), 2 * kLeaves - 1);
  }
}

/// A binary tree of nodes that cannot be copied.
struct OfOwned {
  using Problem = int;
  using Node = Owned;
  using Solution = Count;

  void begin(int depth, Children<Owned>& children, Count& /*total*/) const {
    children.push({std::make_unique<int>(depth)});
  }
  void visit(Owned node, Children<Owned>& children, Count& total) const {
    ++total;
    if (*node.depth > 0) {
      children.push({std::make_unique<int>(*node.depth - 1)});
      --*node.depth;
      children.push(std::move(node));
    }
  }
  Count combine(Count left, Count right) const { return left + right; }
};

TEST(Nodes, NeedNotBeCopyable) {
  EXPECT_EQ(search_sequentially(OfOwned{}, kDepth), 2 * kLeaves - 1);
  for (const int threads : {1, 3}) {
    EXPECT_EQ(search_everywhere(OfOwned{}, kDepth, threads), 2 * kLeaves - 1);
  }
}

}  // namespace
}  // namespace lazy_search

template <>
struct wire<lazy_search::CopiedCount> {
  static void pack(Packer& packer, const lazy_search::CopiedCount& total) {
    wire<std::int64_t>::pack(packer, total.nodes);
  }
  static lazy_search::CopiedCount unpack(Unpacker& unpacker) {
    lazy_search::CopiedCount total;
    total.nodes = wire<std::int64_t>::unpack(unpacker);
    return total;
  }
};

namespace lazy_search {
namespace {

TEST(LazySearch, TakesTotalsThatAreCopied) {
  EXPECT_EQ(search_sequentially(CountsByCopies{}, 9).nodes, 512);
  EXPECT_EQ(search_everywhere(CountsByCopies{}, 9, 2).nodes, 512);
}

}  // namespace
}  // namespace lazy_search
}  // namespace cleave
