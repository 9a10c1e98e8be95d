// SPDX-License-Identifier: Apache-2.0
// The functors of an application that searches a tree whose shape is not known: one visits a node.
// This is the fast form of DC_Type::work_stealing, for a combine that is commutative and
// associative; no MPI.
//
//   struct App {
//     using Problem = ...;
//     using Solution = ...;   // Solution{} is neutral for combine
//     using Node = ...;       // may be left out where it is the Problem
//
//     // Adds the node's own contribution to `total`, and appends its children.
//     void visit(Node node, Children<Node>& children, Solution& total) const;
//     Solution combine(Solution left, Solution right) const;
//
//     // The problem's own contribution and its first nodes. May be left out where Problem is Node.
//     void begin(Problem problem, Children<Node>& children, Solution& total) const;
//     // A worker's counts so far. Optional; {"nodes", n} is what limits and reports go by.
//     Sizes solution_sizes(const Solution& total) const;
//   };
//
// Each worker has a total of its own, so `visit` is called by several threads at once, each with
// another `total`. Which worker visits which nodes, and in which order, is not determined; a worker
// visits first what was appended last. The totals are combined at the end.
//
// Branch-and-bound has a fourth argument, the incumbent:
//     using Bound = double;   // of what values; std::int64_t where it is left out
//     void visit(Node node, Children<Node>& children, Solution& total,
//                Incumbent<Bound>& incumbent) const;
//     Bound first_incumbent(const Problem& problem) const;   // optional
// Its least value is the best; `using Bound = Maximise<double>;` makes it the greatest.
//
// A visit of either kind may take several nodes at once, to work on them by vector instructions:
//     void visit(std::span<Node> nodes, Children<Node>& children, Solution& total) const;
// It gets the newest nodes of its worker, the newest first, at least one and at most
// kMaxNodesAtOnce, and may move from them. It gets fewer where there are no more, and where visits
// take long, so that others can take nodes. Branch-and-bound reads the incumbent for each node.
//
// Children of many bytes, or such as a bound may rule out, are better made when they are visited. A
// visit of either kind then says how many there are, by `children.lazy(count)`:
//     void visit(const Node& node, LazyChildren& children, Solution& total) const;
//     Node child(const Node& parent, std::int64_t index) const;
// `child` may return std::optional<Node>: a child that is nothing is not visited. It has the
// incumbent as third argument where it wants it. Several workers may make the children of one node,
// each with a copy of it, so a Node is copyable, and `child` depends on its arguments alone.
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <cleave/application.hpp>
#include <cleave/contract/search_forms.hpp>
#include <cleave/error.hpp>
#include <cleave/incumbent.hpp>
#include <cleave/trace.hpp>

namespace cleave {

/// The limits of a search; one that needs more ends with an Error, or tells.
struct SearchLimits {
  std::int64_t nodes = std::numeric_limits<std::int64_t>::max();  ///< as the total's size "nodes"
  std::size_t memory_bytes = std::numeric_limits<std::size_t>::max();  ///< of nodes, on a rank
  double seconds = std::numeric_limits<double>::infinity();
  const std::atomic<bool>* stop = nullptr;           ///< set by a signal handler
  std::optional<EndedEarly>* ended_early = nullptr;  ///< as in StealingOptions
};

namespace detail {

/// The size "nodes" of what was counted so far; none where the application has no such size.
template <HasProblemAndSolution App>
std::optional<std::int64_t> nodes_of(const App& app, const typename App::Solution& total) {
  if constexpr (HasSolutionSizes<App>) {
    for (const Size& size : app.solution_sizes(total)) {
      if (size.name == "nodes") {
        return size.value;
      }
    }
  }
  return std::nullopt;
}

/// Why a search with that many nodes and bytes must end; nothing within `limits`.
std::optional<std::string> beyond(const SearchLimits& limits, std::int64_t nodes,
                                  std::size_t bytes);

/// Whether a search may be told to end before it is done. Cost: two loads.
inline bool may_be_told_to_end(const SearchLimits& limits) {
  return (limits.stop != nullptr && limits.stop->load(std::memory_order_relaxed)) ||
         std::isfinite(limits.seconds);
}

/// Why a search that has run for so many `seconds` must end; nothing within `limits`.
std::optional<std::string> told_to_end(const SearchLimits& limits, double seconds);

/// Looks whether a search on one thread must end. Throws, or tells, as its limits say.
class SearchEnd {
 public:
  explicit SearchEnd(const SearchLimits& limits) : limits_(limits) {}

  bool is_told() const { return may_be_told_to_end(limits_) && is_told_or_late(); }
  bool is_beyond(std::int64_t nodes, std::size_t bytes) const {
    return tells(beyond(limits_, nodes, bytes));
  }

 private:
  bool is_told_or_late() const;
  bool tells(const std::optional<std::string>& reason) const;

  const SearchLimits& limits_;
  const std::int64_t begin_ns_ = monotonic_ns();
};

}  // namespace detail

/// Searches the whole tree on the calling thread, depth first, or until a visit stops it. This is
/// the meaning of DC_Type::work_stealing for an application of this form. Every run returns what
/// this returns, as far as that does not depend on the order of the visits.
///
/// \throws Error  beyond `limits`, unless they name where that is told. Time and `stop` are looked
///                at after each visit, the others after some and at the end.
template <TreeSearch App>
typename App::Solution search_sequentially(const App& app, typename App::Problem problem,
                                           const SearchLimits& limits = {}) {
  constexpr std::int64_t kVisitsBetweenLooks = 1024;
  detail::SplitDeque<detail::OpenOf<App>> stack;
  detail::Visitor<App> visitor(app, stack);
  typename App::Solution total{};
  IncumbentOf<App> incumbent(detail::first_incumbent(app, problem));
  detail::open_first(app, std::move(problem), stack, total);
  std::int64_t visits = 0;
  std::int64_t next_look = kVisitsBetweenLooks;
  const detail::SearchEnd end(limits);
  const auto is_beyond = [&] {
    return end.is_beyond(detail::nodes_of(app, total).value_or(visits), stack.memory_bytes());
  };
  while (!stack.private_empty() && !visitor.is_stopped()) {
    visits += visitor.visit(next_look - visits, total, incumbent);
    const bool is_to_look = visits == next_look;
    next_look += is_to_look ? kVisitsBetweenLooks : 0;
    if ((is_to_look && is_beyond()) || end.is_told()) {
      return total;
    }
  }
  is_beyond();
  return total;
}

}  // namespace cleave
