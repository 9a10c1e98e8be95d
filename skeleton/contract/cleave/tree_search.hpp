// SPDX-License-Identifier: Apache-2.0
// What an application supplies to search a tree whose shape is not known: one functor that visits a
// node. This is the fast form of DC_Type::work_stealing, for a combine that is commutative and
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
//     // What a worker has counted so far. Optional; {"nodes", n} is what limits and reports go by.
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
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/contract/split_deque.hpp>
#include <cleave/error.hpp>
#include <cleave/incumbent.hpp>

namespace cleave {

/// Where `visit` puts a node's children: the top of its worker's stack. Here it also says that the
/// search has found what it looks for.
template <std::movable Node>
class Children {
 public:
  explicit Children(detail::SplitDeque<Node>& deque) : deque_(deque) {}

  /// \throws Error  if the bag is full (Options::stealing); what `visit` lets pass ends the search
  void push(Node child) { deque_.push(std::move(child)); }

  /// Appends `count` children for the caller to fill in place, valid until the next call.
  std::span<Node> append(std::size_t count)
    requires std::is_trivially_copyable_v<Node>
  {
    return deque_.append(count);
  }

  /// Ends the search: the answer is found, and no node needs a visit any more. The totals so far
  /// are combined as ever. Other workers and ranks end their visits when they hear of it, so which
  /// nodes they have visited is not determined.
  void stop() { is_stopped_ = true; }
  bool is_stopped() const { return is_stopped_; }

 private:
  detail::SplitDeque<Node>& deque_;
  bool is_stopped_ = false;
};

namespace detail {

template <class App>
struct NodeOfApp {
  using Type = typename App::Problem;
};
template <class App>
  requires requires { typename App::Node; }
struct NodeOfApp<App> {
  using Type = typename App::Node;
};

}  // namespace detail

template <class App>
using NodeOf = typename detail::NodeOfApp<App>::Type;

/// The most nodes that a visit of several takes.
inline constexpr std::size_t kMaxNodesAtOnce = 64;

namespace detail {

template <class App, class Visited>
concept PlainVisitOf =
    requires(const App& app, Visited visited, Children<NodeOf<App>>& children,
             typename App::Solution& total) { app.visit(std::move(visited), children, total); };

template <class App, class Visited>
concept BoundedVisitOf = requires(const App& app, Visited visited, Children<NodeOf<App>>& children,
                                  typename App::Solution& total, IncumbentOf<App>& incumbent) {
  app.visit(std::move(visited), children, total, incumbent);
};

}  // namespace detail

/// `void visit(Node, Children<Node>&, Solution&) const`, or of std::span<Node>.
template <class App>
concept HasPlainVisit =
    detail::PlainVisitOf<App, NodeOf<App>> || detail::PlainVisitOf<App, std::span<NodeOf<App>>>;

/// `void visit(Node, Children<Node>&, Solution&, Incumbent<Bound>&) const`, or of std::span<Node>.
template <class App>
concept HasBoundedVisit =
    detail::BoundedVisitOf<App, NodeOf<App>> || detail::BoundedVisitOf<App, std::span<NodeOf<App>>>;

/// Its visit takes several nodes at once.
template <class App>
concept VisitsSeveral = (HasPlainVisit<App> || HasBoundedVisit<App>)&&!(
    detail::PlainVisitOf<App, NodeOf<App>> || detail::BoundedVisitOf<App, NodeOf<App>>);

/// `void begin(Problem, Children<Node>&, Solution&) const`.
template <class App>
concept HasBegin =
    requires(const App& app, typename App::Problem problem, Children<NodeOf<App>>& children,
             typename App::Solution& total) { app.begin(std::move(problem), children, total); };

/// `Bound first_incumbent(const Problem&) const`, or what converts to it without loss.
template <class App>
concept HasFirstIncumbent = requires(const App& app, const typename App::Problem& problem) {
  { app.first_incumbent(problem) } -> detail::ConvertsWithoutLoss<typename IncumbentOf<App>::Value>;
};

/// An application in the search form.
template <class App>
concept TreeSearch =
    HasProblemAndSolution<App> &&
    (HasPlainVisit<App> || HasBoundedVisit<App>)&&(
        HasBegin<App> || std::same_as<typename App::Problem, NodeOf<App>>)&&HasCombine<App>;

namespace detail {

/// \param visited  a node, or a span of them where the application visits several at once
template <TreeSearch App, class Visited>
void visit(const App& app, Visited&& visited, Children<NodeOf<App>>& children,
           typename App::Solution& total, IncumbentOf<App>& incumbent) {
  if constexpr (VisitsSeveral<App> && std::same_as<std::remove_cvref_t<Visited>, NodeOf<App>>) {
    visit(app, std::span(&visited, 1), children, total, incumbent);
  } else if constexpr (HasBoundedVisit<App>) {
    app.visit(std::forward<Visited>(visited), children, total, incumbent);
  } else {
    app.visit(std::forward<Visited>(visited), children, total);
  }
}

/// Takes the newest private node for `visit`; or several, where it takes them at once, which lie in
/// `taken` meanwhile. \return  how many, at most `maximum` \pre  there is one
template <bool kSeveral, std::movable Node, class Visit>
std::int64_t visit_newest(SplitDeque<Node>& deque, std::int64_t maximum, std::vector<Node>& taken,
                          Visit&& visit) {
  if constexpr (kSeveral) {
    const std::size_t count =
        std::min({static_cast<std::size_t>(maximum), deque.private_size(), kMaxNodesAtOnce});
    taken.clear();
    while (taken.size() < count) {
      taken.push_back(deque.pop());
    }
    visit(std::span(taken));
    return static_cast<std::int64_t>(count);
  } else {
    visit(deque.pop());
    return 1;
  }
}

template <TreeSearch App>
void begin(const App& app, typename App::Problem problem, Children<NodeOf<App>>& children,
           typename App::Solution& total) {
  if constexpr (HasBegin<App>) {
    app.begin(std::move(problem), children, total);
  } else {
    children.push(std::move(problem));
  }
}

template <TreeSearch App>
typename IncumbentOf<App>::Value first_incumbent(const App& app,
                                                 const typename App::Problem& problem) {
  if constexpr (HasFirstIncumbent<App>) {
    return app.first_incumbent(problem);
  } else {
    return IncumbentOf<App>::kNone;
  }
}

}  // namespace detail

/// What a search may need at most; one that needs more ends with an Error, or tells.
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
inline std::optional<std::string> beyond(const SearchLimits& limits, std::int64_t nodes,
                                         std::size_t bytes) {
  if (nodes > limits.nodes) {
    return fmt::format("the tree has more than {} nodes", limits.nodes);
  }
  if (bytes > limits.memory_bytes) {
    return fmt::format("the search needs more than {} bytes of memory on a rank",
                       limits.memory_bytes);
  }
  return std::nullopt;
}

/// Why a search that has run for `seconds()`, which is asked if need be, must end; nothing within
/// `limits`.
template <class Seconds>
std::optional<std::string> told_to_end(const SearchLimits& limits, Seconds&& seconds) {
  if (limits.stop != nullptr && limits.stop->load(std::memory_order_relaxed)) {
    return "stopped before the search was done";
  }
  if (std::isfinite(limits.seconds) && seconds() > limits.seconds) {
    return fmt::format("the search takes longer than {} s", limits.seconds);
  }
  return std::nullopt;
}

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
  detail::SplitDeque<NodeOf<App>> stack;
  Children<NodeOf<App>> children(stack);
  typename App::Solution total{};
  IncumbentOf<App> incumbent(detail::first_incumbent(app, problem));
  detail::begin(app, std::move(problem), children, total);
  std::vector<NodeOf<App>> taken;
  std::int64_t visits = 0;
  std::int64_t next_look = kVisitsBetweenLooks;
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const auto beyond = [&] {
    return detail::beyond(limits, detail::nodes_of(app, total).value_or(visits),
                          stack.memory_bytes());
  };
  const auto ends = [&](const std::optional<std::string>& reason) {
    if (reason && limits.ended_early == nullptr) {
      throw Error(*reason);
    }
    if (reason) {
      *limits.ended_early = EndedEarly{.reason = *reason};
    }
    return reason.has_value();
  };
  while (!stack.private_empty() && !children.is_stopped()) {
    visits += detail::visit_newest<VisitsSeveral<App>>(
        stack, next_look - visits, taken, [&](auto&& visited) {
          detail::visit(app, std::forward<decltype(visited)>(visited), children, total, incumbent);
        });
    const bool is_to_look = visits == next_look;
    next_look += is_to_look ? kVisitsBetweenLooks : 0;
    if ((is_to_look && ends(beyond())) || ends(detail::told_to_end(limits, seconds))) {
      return total;
    }
  }
  ends(beyond());
  return total;
}

}  // namespace cleave
