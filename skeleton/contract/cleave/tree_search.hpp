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

#include <algorithm>
#include <atomic>
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
#include <cleave/trace.hpp>

namespace cleave {

namespace detail {

/// By which a visit says that the search has found what it looks for.
class Stopping {
 public:
  /// Ends the search: no node needs a visit any more. The totals so far are combined as ever. Other
  /// workers and ranks end their visits when they hear of it, so which nodes they have visited is
  /// not determined.
  void stop() { is_stopped_ = true; }
  bool is_stopped() const { return is_stopped_; }

 private:
  bool is_stopped_ = false;
};

}  // namespace detail

/// Where `visit` puts a node's children: the top of its worker's stack.
template <std::movable Node>
class Children : public detail::Stopping {
 public:
  explicit Children(detail::SplitDeque<Node>& deque) : deque_(deque) {}

  /// \throws std::bad_alloc  What `visit` lets pass ends the search.
  void push(Node child) { deque_.push(std::move(child)); }

  /// Appends `count` children for the caller to fill in place, valid until the next call.
  std::span<Node> append(std::size_t count)
    requires std::is_trivially_copyable_v<Node>
  {
    return deque_.append(count);
  }

 private:
  detail::SplitDeque<Node>& deque_;
};

/// Where `visit` says how many children a node has, which the application's `child` makes.
class LazyChildren : public detail::Stopping {
 public:
  /// The node has `count` children. A worker makes them in the order of their index, each when it
  /// is about to be visited, once all below the one before it have been. Of several calls the last
  /// counts.
  void lazy(std::int64_t count) { count_ = count; }
  std::int64_t count() const { return count_; }

 private:
  std::int64_t count_ = 0;
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

/// \tparam Incumbent  one for a visit of branch-and-bound, else none
template <class App, class Visited, class To, class... Incumbent>
concept VisitWith = requires(const App& app, Visited visited, To& children,
                             typename App::Solution& total, Incumbent&... incumbent) {
  app.visit(std::move(visited), children, total, incumbent...);
};

template <class App, class Visited, class To>
concept VisitOf = VisitWith<App, Visited, To> || VisitWith<App, Visited, To, IncumbentOf<App>>;

template <class App>
concept VisitsOne = VisitOf<App, NodeOf<App>, Children<NodeOf<App>>>;

template <class T, class Node>
concept NodeOrNone = std::same_as<T, Node> || std::same_as<T, std::optional<Node>>;

}  // namespace detail

/// Its visit takes several nodes at once.
template <class App>
concept VisitsSeveral =
    !detail::VisitsOne<App> && detail::VisitOf<App, std::span<NodeOf<App>>, Children<NodeOf<App>>>;

/// Its visit lets children be made when they are visited.
template <class App>
concept VisitsLazily = !detail::VisitsOne<App> && !VisitsSeveral<App> &&
                       detail::VisitOf<App, const NodeOf<App>&, LazyChildren>;

/// `void visit(Node, Children<Node>&, Solution&) const`, or of std::span<Node>, or lazily; of
/// branch-and-bound `void visit(Node, Children<Node>&, Solution&, Incumbent<Bound>&) const`.
template <class App, class... Incumbent>
concept HasVisit =
    detail::VisitWith<App, NodeOf<App>, Children<NodeOf<App>>, Incumbent...> ||
    detail::VisitWith<App, std::span<NodeOf<App>>, Children<NodeOf<App>>, Incumbent...> ||
    (VisitsLazily<App> && detail::VisitWith<App, const NodeOf<App>&, LazyChildren, Incumbent...>);
template <class App>
concept HasBoundedVisit = HasVisit<App, IncumbentOf<App>>;

/// `Node child(const Node& parent, std::int64_t index) const`, or std::optional<Node>; the
/// incumbent may be its third argument.
template <class App, class... Incumbent>
concept HasChild = requires(const App& app, const NodeOf<App>& parent, std::int64_t index,
                            Incumbent&... incumbent) {
  { app.child(parent, index, incumbent...) } -> detail::NodeOrNone<NodeOf<App>>;
};
template <class App>
concept HasBoundedChild = HasChild<App, IncumbentOf<App>>;

/// An application whose `visit` has the `child` that it needs.
template <class App>
concept MakesChildren =
    !VisitsLazily<App> ||
    ((HasChild<App> || HasBoundedChild<App>)&&std::copy_constructible<NodeOf<App>>);

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
    HasProblemAndSolution<App> && (HasVisit<App> || HasBoundedVisit<App>)&&MakesChildren<App> &&
    (HasBegin<App> || std::same_as<typename App::Problem, NodeOf<App>>)&&HasCombine<App>;

namespace detail {

/// \param visited  a node, or a span of them where the application visits several at once
template <TreeSearch App, class Visited, class To>
void visit(const App& app, Visited&& visited, To& children, typename App::Solution& total,
           IncumbentOf<App>& incumbent) {
  if constexpr (HasBoundedVisit<App>) {
    app.visit(std::forward<Visited>(visited), children, total, incumbent);
  } else {
    app.visit(std::forward<Visited>(visited), children, total);
  }
}

/// The nodes of a search that are still to be visited, as its deques hold them.
template <class App>
using OpenOf = std::conditional_t<VisitsLazily<App>, OpenNode<NodeOf<App>>, NodeOf<App>>;

/// Puts the first nodes into `deque`; none where `begin` has stopped the search.
template <TreeSearch App>
void open_first(const App& app, typename App::Problem problem, SplitDeque<OpenOf<App>>& deque,
                typename App::Solution& total) {
  SplitDeque<NodeOf<App>> first(1);
  Children<NodeOf<App>> children(first);
  if constexpr (HasBegin<App>) {
    app.begin(std::move(problem), children, total);
  } else {
    children.push(std::move(problem));
  }
  if (children.is_stopped()) {
    return;
  }
  first.release(first.private_size());
  for (NodeOf<App>& node : first.shared()) {
    if constexpr (VisitsLazily<App>) {
      deque.push(OpenNode<NodeOf<App>>{std::move(node)});
    } else {
      deque.push(std::move(node));
    }
  }
}

/// One thread's visits of the nodes in its deque, the newest first. Refers to both.
template <TreeSearch App>
class Visitor {
 public:
  using Node = NodeOf<App>;
  using Total = typename App::Solution;

  Visitor(const App& app, SplitDeque<OpenOf<App>>& deque)
      : app_(app), deque_(deque), children_([&] {
          if constexpr (VisitsLazily<App>) {
            return LazyChildren();
          } else {
            return Children<Node>(deque);
          }
        }()) {}

  /// \return  how many nodes it has visited, at most `maximum`: one, several where the application
  ///          takes them at once, none where what was a child's turn is nothing
  /// \pre  the deque has a private node
  std::int64_t visit(std::int64_t maximum, Total& total, IncumbentOf<App>& incumbent) {
    if constexpr (VisitsLazily<App>) {
      return visit_lazily(total, incumbent);
    } else if constexpr (VisitsSeveral<App>) {
      const std::size_t count =
          std::min({static_cast<std::size_t>(maximum), deque_.private_size(), kMaxNodesAtOnce});
      taken_.clear();
      while (taken_.size() < count) {
        taken_.push_back(deque_.pop());
      }
      detail::visit(app_, std::span(taken_), children_, total, incumbent);
      return static_cast<std::int64_t>(count);
    } else {
      detail::visit(app_, deque_.pop(), children_, total, incumbent);
      return 1;
    }
  }

  bool is_stopped() const { return children_.is_stopped(); }

 private:
  std::int64_t visit_lazily(Total& total, IncumbentOf<App>& incumbent) {
    OpenNode<Node>& newest = deque_.newest();
    if (newest.end == 0) {
      Node node = std::move(newest.node);
      deque_.drop_newest();
      visit_and_keep(node, total, incumbent);
      return 1;
    }
    const std::int64_t index = newest.next++;
    auto child = [&] {
      if constexpr (HasBoundedChild<App>) {
        return app_.child(newest.node, index, incumbent);
      } else {
        return app_.child(newest.node, index);
      }
    }();
    if (newest.next == newest.end) {
      deque_.drop_newest();
    }
    if constexpr (std::same_as<decltype(child), Node>) {
      visit_and_keep(child, total, incumbent);
    } else if (child) {
      visit_and_keep(*child, total, incumbent);
    } else {
      return 0;
    }
    return 1;
  }

  /// Where the node has children it goes back into the deque, until they are made.
  void visit_and_keep(Node& node, Total& total, IncumbentOf<App>& incumbent) {
    children_.lazy(0);
    detail::visit(app_, std::as_const(node), children_, total, incumbent);
    if (children_.count() > 0) {
      deque_.push_made(
          [&] { return OpenNode<Node>{.node = std::move(node), .end = children_.count()}; });
    }
  }

  const App& app_;
  SplitDeque<OpenOf<App>>& deque_;
  std::conditional_t<VisitsLazily<App>, LazyChildren, Children<Node>> children_;
  std::vector<Node> taken_;  ///< while several are visited at once
};

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

/// The limits of a search; one that needs more ends with an Error, or tells.
struct SearchLimits {
  std::int64_t nodes = std::numeric_limits<std::int64_t>::max();  ///< as the total's size "nodes"
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

/// Why a search with that many nodes must end; nothing within `limits`.
std::optional<std::string> beyond(const SearchLimits& limits, std::int64_t nodes);

/// Whether a search may be told to end before it is done. Cost: two loads.
inline bool may_be_told_to_end(const SearchLimits& limits) {
  return (limits.stop != nullptr && limits.stop->load(std::memory_order_relaxed)) ||
         std::isfinite(limits.seconds);
}

/// Why a search that has run for so many `seconds` must end; nothing within `limits`.
std::optional<std::string> told_to_end(const SearchLimits& limits, double seconds);

/// Whether `reason` ends a search; tells it where its limits say. \throws Error  where they do not
bool ends_search(const SearchLimits& limits, const std::optional<std::string>& reason);

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
  const std::int64_t begin_ns = monotonic_ns();
  const auto is_beyond = [&] {
    return detail::ends_search(
        limits, detail::beyond(limits, detail::nodes_of(app, total).value_or(visits)));
  };
  const auto is_told = [&] {
    return detail::may_be_told_to_end(limits) &&
           detail::ends_search(
               limits,
               detail::told_to_end(limits, static_cast<double>(monotonic_ns() - begin_ns) * 1e-9));
  };
  while (!stack.private_empty() && !visitor.is_stopped()) {
    visits += visitor.visit(next_look - visits, total, incumbent);
    const bool is_to_look = visits == next_look;
    next_look += is_to_look ? kVisitsBetweenLooks : 0;
    if ((is_to_look && is_beyond()) || is_told()) {
      return total;
    }
  }
  is_beyond();
  return total;
}

}  // namespace cleave
