// SPDX-License-Identifier: Apache-2.0
// The functors of an application that searches a tree whose shape is not known: one visits a node
// (docs/reference/your-own-program.md). No MPI.
//
//   struct App {
//     using Problem = ...;
//     using Solution = ...;   // Solution{} is neutral for combine
//     using Node = ...;       // may be left out where it is the Problem
//     // Adds the node's own contribution to `total`, and appends its children.
//     void visit(Node node, Children<Node>& children, Solution& total) const;
//     Solution combine(Solution left, Solution right) const;
//     // The problem's own contribution and its first nodes. May be left out where Problem is Node.
//     void begin(Problem problem, Children<Node>& children, Solution& total) const;
//   };
//
// Each worker has a total of its own, so `visit` is called by several threads at once. Which worker
// visits which nodes, and in which order, is not determined; a worker visits first what was
// appended last. The totals are combined at the end, in any order.
// Branch-and-bound has an `Incumbent<Bound>&` as fourth argument, and may have a `first_incumbent`.
// A `Worker&` may be the last (application.hpp). A visit of `std::span<Node>` gets the newest nodes
// of its worker, the newest first, and may move from them: at most kMaxNodesAtOnce.
// Children of many bytes, or such as a bound may rule out, are better made when they are visited: a
// visit of `const Node&` and LazyChildren says how many there are, and `child(parent, index)` makes
// one, or nothing. Several workers may make those of one node, each with a copy of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <experimental/type_traits>
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
#include <cleave/trace.hpp>

namespace cleave {

/// Where `visit` puts a node's children: the top of its worker's stack.
template <std::movable Node>
class Children {
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

  /// Ends the search, since it has found what it looks for: other workers and ranks end their
  /// visits when they hear of it. The totals so far are combined as ever.
  void stop() { is_stopped_ = true; }
  bool is_stopped() const { return is_stopped_; }

 private:
  detail::SplitDeque<Node>& deque_;
  bool is_stopped_ = false;
};

/// Where `visit` says how many children a node has, which the application's `child` makes.
class LazyChildren {
 public:
  explicit LazyChildren(const auto& /*deque*/) {}

  /// The node has `count` children, which are made in the order of their index, each when it is
  /// about to be visited. The last of several calls counts.
  void lazy(std::int64_t count) { count_ = count; }
  std::int64_t count() const { return count_; }

  void stop() { is_stopped_ = true; }
  bool is_stopped() const { return is_stopped_; }

 private:
  std::int64_t count_ = 0;
  bool is_stopped_ = false;
};

/// Says that the greatest value is the best: `using Bound = cleave::Maximise<double>;`. Else the
/// least is.
template <class Value>
struct Maximise {};

namespace detail {

/// A value that an incumbent can have: an integer of at most 64 bits, a float or a double.
template <class V>
concept BoundValue = (std::integral<V> && !std::same_as<V, bool> && sizeof(V) <= 8) ||
                     std::same_as<V, float> || std::same_as<V, double>;

/// A Bound that is refused counts as an integer, so that nothing else is reported.
template <class Bound>
struct BoundTraits {
  static constexpr bool kIsAllowed = BoundValue<Bound>;
  static constexpr bool kMaximises = false;
  using Value = std::conditional_t<kIsAllowed, Bound, std::int64_t>;
};
template <class Of>
struct BoundTraits<Maximise<Of>> : BoundTraits<Of> {
  static constexpr bool kMaximises = true;
};
/// The bits of a key that differ from those of its value.
template <class Bound>
inline constexpr std::int64_t kFlipped =
    std::int64_t{BoundTraits<Bound>::kMaximises ? -1 : 0} ^
    (std::unsigned_integral<typename BoundTraits<Bound>::Value> ? INT64_MIN : 0);

/// Every value of `From` is one of `To`.
template <class From, class To>
concept ConvertsWithoutLoss =
    std::is_arithmetic_v<From> && BoundValue<To> &&
    (std::floating_point<To> || !std::floating_point<From>)&&(
        std::is_signed_v<To> || !std::is_signed_v<From>)&&std::numeric_limits<From>::digits <=
        std::numeric_limits<To>::digits;

/// The bits of a double as an integer in its order, and back.
constexpr std::int64_t in_order(std::int64_t bits) {
  return bits >= 0 ? bits : bits ^ std::numeric_limits<std::int64_t>::max();
}

/// An integer that is less, the better `value` is. It is what crosses to other ranks.
template <class Bound>
constexpr std::int64_t key_of(typename BoundTraits<Bound>::Value value) {
  if constexpr (std::floating_point<decltype(value)>) {
    const double number = static_cast<double>(value) + 0.0;  // no -0.0
    return in_order(std::bit_cast<std::int64_t>(number)) ^ kFlipped<Bound>;
  } else {
    return static_cast<std::int64_t>(value) ^ kFlipped<Bound>;
  }
}

/// The value of a key.
template <class Bound>
constexpr typename BoundTraits<Bound>::Value value_of(std::int64_t key) {
  using Value = typename BoundTraits<Bound>::Value;
  key ^= kFlipped<Bound>;
  if constexpr (std::floating_point<Value>) {
    return static_cast<Value>(std::bit_cast<double>(in_order(key)));
  } else {
    return static_cast<Value>(key);
  }
}

template <class App>
using BoundMember = typename App::Bound;
template <class App>
using NodeMember = typename App::Node;

}  // namespace detail

/// The best value that any worker of any rank has found: a bound on what is still worth a visit. It
/// spreads without synchronising, so a rank may know an older, worse one. Whoever finds a better
/// solution offers its value here and keeps the solution in its `total`.
/// \tparam Bound  an integer of at most 64 bits, a float or a double, of which the least is the
///                best, or `Maximise` of one of these
template <class Bound = std::int64_t>
class Incumbent {
 public:
  using Value = typename detail::BoundTraits<Bound>::Value;

  /// The value before anything is found: the worst that there is, infinite where it can be.
  static constexpr Value kNone = [] {
    using Limits = std::numeric_limits<Value>;
    constexpr Value kGreatest = Limits::has_infinity ? Limits::infinity() : Limits::max();
    constexpr Value kLeast = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    return detail::BoundTraits<Bound>::kMaximises ? kLeast : kGreatest;
  }();

  explicit Incumbent(Value value = kNone) : key_(detail::key_of<Bound>(value)) {}

  /// Cost: one plain load.
  Value value() const { return detail::value_of<Bound>(key()); }

  /// \return  whether `value` is better than any that this rank knew, and is now the incumbent;
  ///          a NaN never is
  template <class T>
  bool offer(T value) {
    static_assert(detail::ConvertsWithoutLoss<T, Value>,
                  "cleave: the value that is offered does not fit the incumbent's type without "
                  "loss: name the application's `Bound`, or convert the value");
    return !std::isnan(value) && offer_key(detail::key_of<Bound>(static_cast<Value>(value)));
  }

  std::int64_t key() const { return key_.load(std::memory_order_relaxed); }
  bool offer_key(std::int64_t key) {
    std::int64_t known = this->key();
    while (key < known && !key_.compare_exchange_weak(known, key, std::memory_order_relaxed)) {
    }
    return key < known;
  }

 private:
  alignas(detail::kCacheLineBytes) std::atomic<std::int64_t> key_;

  // Last, since clang leaves out the members behind one that fails.
  static_assert(detail::BoundTraits<Bound>::kIsAllowed,
                "cleave: the Bound of an incumbent must be an integer of at most 64 bits, float, "
                "double, or cleave::Maximise of one of these");
};

/// `App::Bound` where it has one, else std::int64_t.
template <class App>
using IncumbentOf =
    Incumbent<std::experimental::detected_or_t<std::int64_t, detail::BoundMember, App>>;

template <class App>
using NodeOf = std::experimental::detected_or_t<typename App::Problem, detail::NodeMember, App>;

/// The most nodes that a visit of several takes.
inline constexpr std::size_t kMaxNodesAtOnce = 64;

namespace detail {

/// \tparam More  arguments of a visit: an incumbent, a Worker, both or none
template <class App, class Visited, class To, class... More>
concept VisitWith =
    requires(const App& app, Visited visited, To& children, typename App::Solution& total,
             More&... more) { app.visit(std::move(visited), children, total, more...); };
template <class App, class Visited, class To>
concept VisitOf = VisitWith<App, Visited, To> || VisitWith<App, Visited, To, IncumbentOf<App>> ||
                  VisitWith<App, Visited, To, WorkerOf<App>> ||
                  VisitWith<App, Visited, To, IncumbentOf<App>, WorkerOf<App>>;
/// One of any form.
template <class App, class... More>
concept AnyVisitWith = VisitWith<App, NodeOf<App>, Children<NodeOf<App>>, More...> ||
                       VisitWith<App, std::span<NodeOf<App>>, Children<NodeOf<App>>, More...> ||
                       VisitWith<App, const NodeOf<App>&, LazyChildren, More...>;
template <class App, class Worker>
concept VisitTakes = AnyVisitWith<App, Worker> || AnyVisitWith<App, IncumbentOf<App>, Worker>;

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

template <class App>
concept HasVisit = std::movable<NodeOf<App>> &&
                   (detail::VisitsOne<App> || VisitsSeveral<App> || VisitsLazily<App>);
template <class App>
concept HasBoundedVisit =
    HasVisit<App> && (detail::AnyVisitWith<App, IncumbentOf<App>> ||
                      detail::AnyVisitWith<App, IncumbentOf<App>, detail::WorkerOf<App>>);

/// `Node child(const Node& parent, std::int64_t index) const`, or std::optional<Node>; the
/// incumbent may be its third argument.
template <class App, class... Incumbent>
concept HasChild = requires(const App& app, const NodeOf<App>& parent, std::int64_t index,
                            Incumbent&... incumbent) {
  { app.child(parent, index, incumbent...) } -> detail::NodeOrNone<NodeOf<App>>;
};

/// An application whose `visit` has the `child` that it needs.
template <class App>
concept MakesChildren =
    !VisitsLazily<App> ||
    ((HasChild<App> || HasChild<App, IncumbentOf<App>>)&&std::copy_constructible<NodeOf<App>>);

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
    HasProblemAndSolution<App> && HasVisit<App> && MakesChildren<App> &&
    (HasBegin<App> || std::same_as<typename App::Problem, NodeOf<App>>)&&HasCombine<App>;

/// The limits of a search; one that needs more ends with an Error, or tells.
struct SearchLimits {
  std::int64_t nodes = std::numeric_limits<std::int64_t>::max();  ///< as the total's size "nodes"
  double seconds = std::numeric_limits<double>::infinity();
  const std::atomic<bool>* stop = nullptr;           ///< set by a signal handler
  std::optional<EndedEarly>* ended_early = nullptr;  ///< as in StealingOptions
};

namespace detail {

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

/// One thread's visits of the nodes in its deque, the newest first. Refers to all.
template <TreeSearch App>
class Visitor {
 public:
  using Node = NodeOf<App>;
  using Total = typename App::Solution;

  Visitor(const App& app, SplitDeque<OpenOf<App>>& deque, WorkerSlot& slot)
      : app_(app), deque_(deque), slot_(slot), children_(deque) {}

  /// \return  how many nodes it has visited, at most `maximum`: none where a child is nothing
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
      call(std::span(taken_), total, incumbent);
      return static_cast<std::int64_t>(count);
    } else {
      call(deque_.pop(), total, incumbent);
      return 1;
    }
  }

  bool is_stopped() const { return children_.is_stopped(); }

 private:
  /// \param visited  a node, or a span of several
  template <class Visited>
  void call(Visited&& visited, Total& total, IncumbentOf<App>& incumbent) {
    with_worker<App, VisitTakes<App, WorkerOf<App>>>(slot_, [&](auto&... worker) {
      if constexpr (HasBoundedVisit<App>) {
        app_.visit(std::forward<Visited>(visited), children_, total, incumbent, worker...);
      } else {
        app_.visit(std::forward<Visited>(visited), children_, total, worker...);
      }
    });
  }

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
      if constexpr (HasChild<App, IncumbentOf<App>>) {
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
    call(std::as_const(node), total, incumbent);
    if (children_.count() > 0) {
      deque_.push_made(
          [&] { return OpenNode<Node>{.node = std::move(node), .end = children_.count()}; });
    }
  }

  const App& app_;
  SplitDeque<OpenOf<App>>& deque_;
  WorkerSlot& slot_;
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

/// Why a search with that many nodes must end; empty within `limits`.
std::string beyond(const SearchLimits& limits, std::int64_t nodes);

/// Whether a search may be told to end before it is done. Cost: two loads.
inline bool may_be_told_to_end(const SearchLimits& limits) {
  return (limits.stop != nullptr && limits.stop->load(std::memory_order_relaxed)) ||
         std::isfinite(limits.seconds);
}

/// Why a search that has run for so many `seconds` must end; empty within `limits`.
std::string told_to_end(const SearchLimits& limits, double seconds);

/// Whether `reason` ends a search; tells it where its limits say. \throws Error  where they do not
bool ends_search(const SearchLimits& limits, const std::string& reason);

}  // namespace detail

/// Searches the whole tree on the calling thread, depth first, or until a visit stops it. Every run
/// returns what this returns, as far as that does not depend on the order of the visits.
/// \throws Error  beyond `limits`, unless they name where that is told
template <TreeSearch App>
typename App::Solution search_sequentially(const App& app, typename App::Problem problem,
                                           const SearchLimits& limits = {}) {
  using namespace detail;
  constexpr std::int64_t kLook = 1024;
  SplitDeque<OpenOf<App>> stack;
  WorkerSlot slot;
  Visitor<App> visitor(app, stack, slot);
  typename App::Solution total{};
  IncumbentOf<App> incumbent(first_incumbent(app, problem));
  open_first(app, std::move(problem), stack, total);
  std::int64_t visits = 0;
  const std::int64_t begin_ns = monotonic_ns();
  const auto is_beyond = [&] {
    return ends_search(limits, beyond(limits, nodes_of(app, total).value_or(visits)));
  };
  const auto is_told = [&] {
    const double seconds = static_cast<double>(monotonic_ns() - begin_ns) * 1e-9;
    return ends_search(limits, told_to_end(limits, seconds));
  };
  while (!stack.private_empty() && !visitor.is_stopped()) {
    visits += visitor.visit(kLook - visits % kLook, total, incumbent);
    if ((visits % kLook == 0 && is_beyond()) || (may_be_told_to_end(limits) && is_told())) {
      return total;
    }
  }
  is_beyond();
  return total;
}

}  // namespace cleave
