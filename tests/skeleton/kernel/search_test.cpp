// SPDX-License-Identifier: Apache-2.0
// Work stealing returns what one rank returns, at any number of ranks and threads, whether children
// are made at once or when they are visited; its errors, limits and statistics.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <cleave/dc_call.hpp>

#include "tests/skeleton/kernel/trees.hpp"
#include "tests/support/address_space.hpp"

namespace cleave {

using namespace cleave::detail;

namespace {

using examples::Counted;
using examples::LazyTree;
using examples::RandomTree;

Options with_threads(int threads, Placement placement = Placement::replicated) {
  return {.comm = MPI_COMM_WORLD, .placement = placement, .stealing = {.threads = threads}};
}

int world_rank() { return Comm(MPI_COMM_WORLD).rank(); }

template <class App>
auto search_everywhere(const App& app, typename App::Problem problem, int threads) {
  return DC_Call(DC_Type::work_stealing, app, std::move(problem), with_threads(threads));
}

/// The random tree, several nodes at a time.
struct SeveralAtOnce : RandomTree {
  void visit(std::span<Node> nodes, Children<Node>& children, Counted& total) const {
    EXPECT_FALSE(nodes.empty());
    EXPECT_LE(nodes.size(), kMaxNodesAtOnce);
    for (const Node& node : nodes) {
      RandomTree::visit(node, children, total);
    }
  }
};

constexpr RandomTree::Node kRoot{.number = 5};

template <class App>
class Tree : public ::testing::Test {};
using Trees = ::testing::Types<RandomTree, SeveralAtOnce, LazyTree>;
TYPED_TEST_SUITE(Tree, Trees);

TYPED_TEST(Tree, HasEveryNodeCountedOnce) {
  TypeParam app;
  for (const int children : {0, 1, 10, 300}) {
    app.children_of_root = children;
    const Counted expected = search_sequentially(RandomTree{.children_of_root = children}, kRoot);
    EXPECT_EQ(search_sequentially(app, kRoot), expected);
    for (const int threads : {1, 2, 3}) {
      EXPECT_EQ(search_everywhere(app, kRoot, threads), expected);
      const auto rooted =
          DC_Call(DC_Type::work_stealing, app, kRoot, with_threads(threads, Placement::rooted));
      EXPECT_EQ(rooted, world_rank() == 0 ? expected : Counted{});
    }
  }
}

TYPED_TEST(Tree, ThatIsTooLargeIsRefused) {
  TypeParam app;
  app.children_of_root = 300;
  const std::int64_t nodes = search_sequentially(app, kRoot).nodes;
  for (const std::int64_t maximum : {nodes, nodes - 1, nodes / 2, std::int64_t{1}}) {
    Options options = with_threads(2);
    options.stealing.max_nodes = maximum;
    const auto search = [&] { return DC_Call(DC_Type::work_stealing, app, kRoot, options).nodes; };
    if (maximum == nodes) {
      EXPECT_EQ(search(), nodes);
    } else {
      EXPECT_THROW(search(), Error);
    }
  }
}

/// Notes what it is given; one node after another, it would be all numbers from 199 down.
struct Noted {
  using Problem = int;
  using Node = int;
  using Solution = std::vector<std::vector<int>>;

  void begin(int count, Children<int>& children, Solution& /*total*/) const {
    for (int i = 0; i < count; ++i) {
      children.push(i);
    }
  }
  void visit(std::span<int> nodes, Children<int>& /*children*/, Solution& total) const {
    total.emplace_back(nodes.begin(), nodes.end());
  }
  Solution combine(Solution left, const Solution& right) const {
    left.insert(left.end(), right.begin(), right.end());
    return left;
  }
};

TEST(Search, OfSeveralNodesAtOnceTakesTheNewestInTheOrderOfSingleVisits) {
  const auto visits = search_sequentially(Noted{}, 200);
  ASSERT_EQ(visits.size(), 4U);
  int expected = 199;
  for (const std::vector<int>& visit : visits) {
    EXPECT_EQ(visit.size(), expected >= 64 ? 64U : 8U);
    for (const int node : visit) {
      EXPECT_EQ(node, expected--);
    }
  }
}

/// Counts the words of up to some letters over a small alphabet: nodes that are packed.
struct Words {
  using Problem = int;
  using Node = std::vector<std::string>;
  using Solution = std::int64_t;

  void begin(int letters, Children<Node>& children, std::int64_t& /*total*/) const {
    children.push({"", std::string(letters, '.')});
  }
  void visit(Node node, Children<Node>& children, std::int64_t& total) const {
    ++total;
    for (const char letter : {'a', 'b', 'c'}) {
      if (!node[1].empty()) {
        children.push({node[0] + letter, node[1].substr(1)});
      }
    }
  }
  std::int64_t combine(std::int64_t left, std::int64_t right) const { return left + right; }
};

/// Looks for a node whose number ends so, and is content with one.
struct FirstFound {
  using Problem = RandomTree::Node;
  using Node = RandomTree::Node;
  struct Solution {
    std::int64_t nodes = 0;
    std::uint64_t found = 0;
  };

  static bool is_wanted(const Node& node) { return node.number % 50 == 7; }

  void visit(const Node& node, Children<Node>& children, Solution& total) const {
    ++total.nodes;
    if (is_wanted(node)) {
      total.found = node.number;
      children.stop();
    }
    Counted counted;
    tree.visit(node, children, counted);
  }
  Solution combine(const Solution& left, const Solution& right) const {
    return {left.nodes + right.nodes, left.found != 0 ? left.found : right.found};
  }
  Sizes solution_sizes(const Solution& s) const { return {{"nodes", s.nodes}}; }

  RandomTree tree;
};

TEST(Search, AVisitThatStopsItEndsItForAll) {
  for (std::uint64_t root = 1; root <= 20; ++root) {
    const RandomTree::Node start{.number = root};
    const auto alone = search_sequentially(FirstFound{}, start);
    for (const int threads : {1, 3}) {
      std::optional<EndedEarly> ended;
      Options options = with_threads(threads);
      options.stealing.ended_early = &ended;
      const auto found = DC_Call(DC_Type::work_stealing, FirstFound{}, start, options);
      EXPECT_FALSE(ended.has_value());
      EXPECT_EQ(found.found != 0, alone.found != 0) << "root " << root;
      EXPECT_TRUE(found.found == 0 || FirstFound::is_wanted({.number = found.found}));
      if (alone.found == 0) {
        EXPECT_EQ(found.nodes, alone.nodes);
      }
    }
  }
}

/// A problem n has the children n - 1 and 0: as deep as n.
struct Chain {
  using Problem = std::int64_t;
  using Solution = std::int64_t;

  bool trivial(const std::int64_t& n) const { return n == 0; }
  std::int64_t conquer(std::int64_t /*n*/) const { return 1; }
  Halves<std::int64_t> divide(std::int64_t n) const { return {n - 1, 0}; }
  std::int64_t combine(std::int64_t left, std::int64_t right) const { return left + right; }
};
/// Counts its leaves, each of which takes 20 ms.
struct Coarse {
  using Problem = int;
  using Solution = int;
  std::atomic<int>* leaves_here = nullptr;

  bool trivial(const int& n) const { return n <= 1; }
  int conquer(int n) const {
    ++*leaves_here;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return n;
  }
  Halves<int> divide(int n) const { return {n / 2, n - n / 2}; }
  int combine(int left, int right) const { return left + right; }
};

/// The most leaves that a rank has counted.
template <class App>
int most_leaves_of_a_rank(App app, int leaves) {
  std::atomic<int> leaves_here = 0;
  app.leaves_here = &leaves_here;
  EXPECT_EQ(DC_Call(DC_Type::work_stealing, app, leaves, with_threads(1)), leaves);
  return static_cast<int>(Comm(MPI_COMM_WORLD).allreduce_max(leaves_here));
}

TEST(GeneralForm, FewLongTasksAreSharedOut) {
  const int most = most_leaves_of_a_rank(Coarse{}, 16);
  EXPECT_LE(most, Comm(MPI_COMM_WORLD).size() == 1 ? 16 : 10);
}

/// Divides off one leaf after the other: all leaves come after all divides.
struct CoarseAtLast : Coarse {
  Halves<int> divide(int n) const { return {n - 1, 1}; }
};

TEST(GeneralForm, LongTasksAfterManyShortOnesAreSharedOut) {
  const int most = most_leaves_of_a_rank(CoarseAtLast{}, 100);
  EXPECT_LE(most, Comm(MPI_COMM_WORLD).size() == 1 ? 100 : 58);
}

/// One worker solves what is short.
struct SmallChain : Chain {
  bool small(const std::int64_t& n) const { return n < 100; }
};

TEST(GeneralForm, ADepthOfAMillionIsFine) {
  constexpr std::int64_t kDepth = 1'000'000;
  for (const int threads : {1, 2}) {
    EXPECT_EQ(DC_Call(DC_Type::work_stealing, Chain{}, kDepth, with_threads(threads)), kDepth + 1);
    EXPECT_EQ(DC_Call(DC_Type::work_stealing, SmallChain{}, 10'000, with_threads(threads)), 10'001);
  }
}

TEST(GeneralForm, ThatIsToldToStopHasNoSolution) {
  const std::atomic<bool> stop = true;
  std::atomic<int> leaves_here = 0;
  Options options = with_threads(2);
  options.stealing.stop = &stop;
  try {
    DC_Call(DC_Type::work_stealing, Coarse{&leaves_here}, 200, options);
    ADD_FAILURE() << "it was not stopped";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "stopped before the search was done");
  }
}

/// Counts as Chain does, but divides 3 into none.
struct DividesIntoNone {
  using Problem = int;
  using Solution = std::int64_t;

  bool trivial(const int& n) const { return n == 0; }
  std::int64_t conquer(int /*n*/) const { return 1; }
  std::vector<int> divide(int n) const {
    return n == 3 ? std::vector<int>{} : std::vector<int>{n - 1, 0};
  }
  std::int64_t combine(std::int64_t left, std::int64_t right) const { return left + right; }
};

struct Throwing : RandomTree {
  void visit(const Node& node, Children<Node>& children, Counted& total) const {
    if (node.depth == 7) {
      throw std::runtime_error("seven");
    }
    RandomTree::visit(node, children, total);
  }
};

struct ThrowingChild : LazyTree {
  Node child(const Node& parent, std::int64_t index) const {
    return parent.depth == 6 ? throw std::runtime_error("seven") : LazyTree::child(parent, index);
  }
};

/// The least number among the leaves of a binary tree, found first; all others have worse bounds.
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

struct ThrowingFirstIncumbent : BestFirst {
  double first_incumbent(const Node& /*node*/) const { throw std::runtime_error("no bound"); }
};

/// Its sizes throw on the last rank, once it has counted so much.
struct ThrowingSizes : Words {
  std::int64_t from = 0;
  Sizes solution_sizes(const std::int64_t& words) const {
    const Comm comm(MPI_COMM_WORLD);
    if (comm.rank() == comm.size() - 1 && words >= from) {
      throw std::runtime_error("not to be counted");
    }
    return {{"nodes", words}};
  }
};

/// Cannot be made on the last rank.
struct Unmakable {
  static std::int64_t first_count() {
    const Comm comm(MPI_COMM_WORLD);
    return comm.rank() == comm.size() - 1 ? throw std::runtime_error("not to be made") : 0;
  }
  std::int64_t words = first_count();
};
struct WordsInUnmakable : Words {
  using Solution = Unmakable;
  void begin(int letters, Children<Node>& children, Unmakable& total) const {
    Words::begin(letters, children, total.words);
  }
  void visit(Node node, Children<Node>& children, Unmakable& total) const {
    Words::visit(std::move(node), children, total.words);
  }
  Unmakable combine(Unmakable left, const Unmakable& right) const {
    left.words += right.words;
    return left;
  }
};

struct ThrowingTotals : Words {
  std::int64_t combine(std::int64_t /*left*/, std::int64_t /*right*/) const {
    throw std::runtime_error("no sum");
  }
};

/// The failure of `app` on every rank.
template <class App>
std::string failure_of(const App& app, Placement placement, typename App::Problem problem = {6}) {
  try {
    DC_Call(DC_Type::work_stealing, app, std::move(problem), with_threads(2, placement));
  } catch (const FunctorError& e) {
    return e.block() + ": " + e.message();
  }
  return "nothing was thrown";
}

TEST(Search, WhatAFunctorThrowsReachesEveryRankUnderItsName) {
  for (const Placement placement : {Placement::replicated, Placement::rooted}) {
    EXPECT_EQ(failure_of(ThrowingTotals{}, placement), "combine: no sum");
    EXPECT_EQ(failure_of(Throwing{}, placement, kRoot), "visit: seven");
    EXPECT_EQ(failure_of(ThrowingChild{}, placement, kRoot), "visit: seven");
    EXPECT_EQ(failure_of(ThrowingFirstIncumbent{}, placement, {.depth = 3, .cost = 1}),
              "first_incumbent: no bound");
    EXPECT_EQ(failure_of(ThrowingSizes{}, placement), "solution_sizes: not to be counted");
    EXPECT_EQ(failure_of(WordsInUnmakable{}, placement), "begin: not to be made");
    EXPECT_EQ(failure_of(DividesIntoNone{}, placement),
              "divide: a problem that is not trivial was divided into none");
    EXPECT_EQ(DC_Call(DC_Type::work_stealing, Words{}, 4, with_threads(2)), 121);
  }
}

TEST(Search, ThreadsThatCannotBeStartedAreOneErrorOnEveryRank) {
  constexpr int kThreads = 40;  // each with a stack of 2 MiB or more
  const Comm comm(MPI_COMM_WORLD);
  try {
    std::optional<testing::AddressSpace> tight;
    if (comm.rank() == comm.size() - 1) {
      tight.emplace(rlim_t{40} << 20);
    }
    DC_Call(DC_Type::work_stealing, Words{}, 6, with_threads(kThreads));
    ADD_FAILURE() << "all were started";
  } catch (const FunctorError& e) {
    EXPECT_EQ(e.rank(), comm.size() - 1);
    EXPECT_EQ(e.block(), "threads");
    EXPECT_NE(e.message().find("of 40"), std::string::npos) << e.message();
  }
  EXPECT_EQ(DC_Call(DC_Type::work_stealing, Words{}, 4, with_threads(2)), 121);
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
  EXPECT_EQ(search_sequentially(InOrder{}, 2).front(), 2);  // the first node that was pushed last
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
  using Solution = std::int64_t;
  std::atomic<int>* leaves_here = nullptr;

  void visit(const std::int64_t& node, LazyChildren& children, std::int64_t& total) const {
    if (node > 0) {
      return children.lazy(node);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ++*leaves_here;
    ++total;
  }
  std::int64_t child(const std::int64_t& /*parent*/, std::int64_t /*index*/) const { return 0; }
  std::int64_t combine(std::int64_t left, std::int64_t right) const { return left + right; }
};

TEST(LazySearch, TheChildrenOfOneNodeAreSharedOut) {
  std::atomic<int> leaves_here = 0;
  EXPECT_EQ(search_everywhere(Flat{&leaves_here}, 16, 1), 16);
  const Comm world(MPI_COMM_WORLD);
  EXPECT_LE(world.allreduce_max(leaves_here), world.size() == 1 ? 16 : 10);
}

TEST(Search, RankZeroIsToldHowFarItIs) {
  std::atomic<int> leaves_here = 0;
  std::atomic<std::int64_t> visits = 0;
  CallOptions options{with_threads(1)};
  options.visits = &visits;
  EXPECT_EQ(call(DC_Type::work_stealing, Flat{&leaves_here}, 32, options), 32);
  if (world_rank() == 0) {
    EXPECT_GT(visits.load(), 0);
    EXPECT_LE(visits.load(), 33);
  }
}

TEST(LazySearch, ABoundFoundMeanwhileRulesOutChildrenBeforeTheyAreMade) {
  std::atomic<int> made = 0;
  EXPECT_EQ(search_sequentially(BestFirst{&made}, {.depth = 12, .cost = 1}), 1);
  EXPECT_EQ(made, 12);
  for (const int threads : {1, 3}) {
    EXPECT_EQ(search_everywhere(BestFirst{&made}, {.depth = 12, .cost = 1}, threads), 1);
  }
}

/// A tree without an end, whose stack only grows.
struct Endless {
  using Problem = std::int64_t;
  using Solution = std::int64_t;
  void visit(std::int64_t node, Children<std::int64_t>& children, std::int64_t& total) const {
    ++total;
    for (int i = 0; i < 2 && node < depth; ++i) {
      children.push(node + 1);
    }
  }
  std::int64_t combine(std::int64_t left, std::int64_t right) const { return left + right; }

  std::int64_t depth = std::numeric_limits<std::int64_t>::max();
};

/// The count of Endless before it is ended, on each rank, and the reason.
void expect_part(const Options& limited, const std::string& reason) {
  const auto search = [](const Options& options) {
    return DC_Call(DC_Type::work_stealing, Endless{}, 0, options);
  };
  try {
    search(limited);
    ADD_FAILURE() << "not ended: " << reason;
  } catch (const Interrupted&) {
    ADD_FAILURE() << "there is no snapshot to resume from";
  } catch (const Error& e) {
    EXPECT_EQ(e.what(), reason);
  }
  const Comm world(MPI_COMM_WORLD);
  std::optional<EndedEarly> ended;
  std::vector<WorkerStatistics> statistics;
  Options options = limited;
  options.stealing.ended_early = &ended;
  options.stealing.statistics = world.rank() == 0 ? &statistics : nullptr;
  const std::int64_t visits = search(options);
  EXPECT_EQ(ended.value_or(EndedEarly{}).reason, reason);
  EXPECT_FALSE(ended && ended->can_be_resumed);
  EXPECT_GT(visits, 0);
  EXPECT_EQ(world.allreduce_max(visits), world.allreduce_min(visits));
  std::int64_t told = 0;
  for (const WorkerStatistics& worker : statistics) {
    told += worker.visits;
  }
  EXPECT_EQ(world.allreduce_max(told), visits);
}

TEST(Search, EndedEarlyHasWhatItHasFoundOnEveryRank) {
  Options options = with_threads(2);
  options.stealing.max_s = 0.05;
  expect_part(options, "the search takes longer than 0.05 s");
  options = with_threads(2);
  options.stealing.max_nodes = 1000;
  expect_part(options, "the tree has more than 1000 nodes");
  options = with_threads(2);
  const std::atomic<bool> stop = Comm(MPI_COMM_WORLD).rank() == 0;
  options.stealing.stop = &stop;
  options.stealing.max_s = 10;  // had the others not to be told
  expect_part(options, "stopped before the search was done");
}

TEST(Search, OnOneRankEndedEarlyHasWhatItHasFound) {
  std::optional<EndedEarly> ended;
  EXPECT_EQ(search_sequentially(Endless{}, 0, {.nodes = 5000, .ended_early = &ended}), 5120);
  EXPECT_EQ(ended.value_or(EndedEarly{}).reason, "the tree has more than 5000 nodes");
  EXPECT_THROW(search_sequentially(Endless{}, 0, {.nodes = 5000}), Error);
  search_sequentially(Endless{}, 0, {.seconds = 0.05, .ended_early = &ended});
  EXPECT_EQ(ended->reason, "the search takes longer than 0.05 s");
  const std::atomic<bool> stop = true;
  EXPECT_EQ(search_sequentially(Endless{}, 0, {.stop = &stop, .ended_early = &ended}), 1);
  EXPECT_EQ(ended->reason, "stopped before the search was done");
  const Options options{.comm = MPI_COMM_SELF,
                        .stealing = {.max_nodes = 10, .ended_early = &ended}};
  EXPECT_EQ(DC_Call(DC_Type::work_stealing, Endless{.depth = 3}, 0, options), 15);
  EXPECT_EQ(ended->reason, "the tree has more than 10 nodes");  // though all are visited at once
}

/// The times of a worker of this rank are the sums of its spans.
void expect_sums(const WorkerStatistics& worker, const Recorder& recorder) {
  WorkerStatistics sums;
  for (const Span& span : recorder.spans()) {
    const std::int64_t ns = span.level == worker.thread ? span.end_ns - span.begin_ns : 0;
    if (span.block == Block::sequential) {
      sums.searching_ns += ns;
      sums.searches += span.level == worker.thread ? 1 : 0;
    } else if (span.block == Block::steal) {
      sums.stealing_ns += ns;
      sums.starting_ns += sums.searches == 0 ? ns : 0;
    } else if (span.block == Block::idle) {
      sums.idle_ns += ns;
      sums.ending_ns = span.level == worker.thread ? ns : sums.ending_ns;
    }
  }
  EXPECT_EQ(worker.searches, sums.searches);
  EXPECT_GE(worker.searching_ns, sums.searching_ns);
  EXPECT_EQ(worker.stealing_ns, sums.stealing_ns);
  EXPECT_EQ(worker.starting_ns, sums.starting_ns);
  EXPECT_EQ(worker.idle_ns, sums.idle_ns);
  EXPECT_EQ(worker.ending_ns, sums.ending_ns);
  EXPECT_GE(worker.searching_delay_ns, 0);
  EXPECT_GE(worker.waiting_delay_ns, 0);
}

TEST(Search, StatisticsAndSpansAccountForAllNodes) {
  const RandomTree app{.children_of_root = 1000};
  const Comm world(MPI_COMM_WORLD);
  std::vector<WorkerStatistics> statistics;
  Recorder recorder;
  Options options = with_threads(2);
  options.recorder = &recorder;
  options.stealing.statistics = world.rank() == 0 ? &statistics : nullptr;
  recorder.begin_repetition(0, false);
  const Counted counted =
      DC_Call(DC_Type::work_stealing, app, RandomTree::Node{.number = 5}, options);
  recorder.end_repetition(0);
  std::int64_t traced = 0;
  for (const Span& span : recorder.spans()) {
    EXPECT_LE(span.begin_ns, span.end_ns);
    traced += span.block == Block::sequential ? recorder.sizes_of(span).begin()->value : 0;
  }
  const std::vector<std::int64_t> all = world.gather(traced);
  if (world.rank() == 0) {
    EXPECT_EQ(std::accumulate(all.begin(), all.end(), std::int64_t{0}), counted.nodes);
    EXPECT_EQ(statistics.size(), static_cast<std::size_t>(2 * world.size()));
    std::int64_t nodes = 0;
    std::set<std::pair<int, int>> workers;
    for (const WorkerStatistics& worker : statistics) {
      nodes += worker.nodes;
      EXPECT_LE(worker.local_made, worker.local_tried);
      EXPECT_LE(worker.remote_made, worker.remote_tried);
      workers.emplace(worker.rank, worker.thread);
      if (worker.rank == 0) {
        expect_sums(worker, recorder);
      }
    }
    EXPECT_EQ(nodes, counted.nodes);
    EXPECT_EQ(workers.size(), statistics.size());
  }
}

}  // namespace
}  // namespace cleave
