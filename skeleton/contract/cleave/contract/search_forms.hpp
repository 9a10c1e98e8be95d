// SPDX-License-Identifier: Apache-2.0
// The functors of a tree search (tree_search.hpp) as concepts, and where its children go. No MPI.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <cleave/application.hpp>
#include <cleave/contract/split_deque.hpp>
#include <cleave/incumbent.hpp>

namespace cleave {

/// Where `visit` puts a node's children: the top of its worker's stack. Here it also says that the
/// search has found what it looks for.
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

  /// Ends the search: the answer is found, and no node needs a visit any more. The totals so far
  /// are combined as ever. Other workers and ranks end their visits when they hear of it, so which
  /// nodes they have visited is not determined.
  void stop() { is_stopped_ = true; }
  bool is_stopped() const { return is_stopped_; }

 private:
  detail::SplitDeque<Node>& deque_;
  bool is_stopped_ = false;
};

/// Where `visit` says how many children a node has, which the application's `child` makes one by
/// one. Here it also says that the search has found what it looks for.
class LazyChildren {
 public:
  /// The node has `count` children. A worker makes them in the order of their index, each when it
  /// is about to be visited, once all below the one before it have been. Of several calls the last
  /// counts.
  void lazy(std::int64_t count) { count_ = count; }

  /// Ends the search (Children::stop).
  void stop() { is_stopped_ = true; }
  bool is_stopped() const { return is_stopped_; }

  std::int64_t count() const { return count_; }

 private:
  std::int64_t count_ = 0;
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

template <class App, class Visited, class To>
concept PlainVisitOf =
    requires(const App& app, Visited visited, To& children, typename App::Solution& total) {
      app.visit(std::move(visited), children, total);
    };

template <class App, class Visited, class To>
concept BoundedVisitOf = requires(const App& app, Visited visited, To& children,
                                  typename App::Solution& total, IncumbentOf<App>& incumbent) {
  app.visit(std::move(visited), children, total, incumbent);
};

template <class App, class Visited, class To>
concept VisitOf = PlainVisitOf<App, Visited, To> || BoundedVisitOf<App, Visited, To>;

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

/// `void visit(Node, Children<Node>&, Solution&) const`, or of std::span<Node>, or lazily.
template <class App>
concept HasPlainVisit =
    detail::PlainVisitOf<App, NodeOf<App>, Children<NodeOf<App>>> ||
    detail::PlainVisitOf<App, std::span<NodeOf<App>>, Children<NodeOf<App>>> ||
    (VisitsLazily<App> && detail::PlainVisitOf<App, const NodeOf<App>&, LazyChildren>);

/// `void visit(Node, Children<Node>&, Solution&, Incumbent<Bound>&) const`, or of std::span<Node>,
/// or lazily.
template <class App>
concept HasBoundedVisit =
    detail::BoundedVisitOf<App, NodeOf<App>, Children<NodeOf<App>>> ||
    detail::BoundedVisitOf<App, std::span<NodeOf<App>>, Children<NodeOf<App>>> ||
    (VisitsLazily<App> && detail::BoundedVisitOf<App, const NodeOf<App>&, LazyChildren>);

/// `Node child(const Node& parent, std::int64_t index) const`, or std::optional<Node>.
template <class App>
concept HasPlainChild = requires(const App& app, const NodeOf<App>& parent, std::int64_t index) {
  { app.child(parent, index) } -> detail::NodeOrNone<NodeOf<App>>;
};

/// `child` with the incumbent as third argument.
template <class App>
concept HasBoundedChild = requires(const App& app, const NodeOf<App>& parent, std::int64_t index,
                                   IncumbentOf<App>& incumbent) {
  { app.child(parent, index, incumbent) } -> detail::NodeOrNone<NodeOf<App>>;
};

/// An application whose `visit` has the `child` that it needs.
template <class App>
concept MakesChildren =
    !VisitsLazily<App> ||
    ((HasPlainChild<App> || HasBoundedChild<App>)&&std::copy_constructible<NodeOf<App>>);

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
    (HasPlainVisit<App> || HasBoundedVisit<App>)&&MakesChildren<App> &&
    (HasBegin<App> || std::same_as<typename App::Problem, NodeOf<App>>)&&HasCombine<App>;

namespace detail {

/// \param visited  a node, or a span of them where the application visits several at once
template <TreeSearch App, class Visited, class To>
void visit(const App& app, Visited&& visited, To& children, typename App::Solution& total,
           IncumbentOf<App>& incumbent) {
  if constexpr (VisitsSeveral<App> && std::same_as<std::remove_cvref_t<Visited>, NodeOf<App>>) {
    visit(app, std::span(&visited, 1), children, total, incumbent);
  } else if constexpr (HasBoundedVisit<App>) {
    app.visit(std::forward<Visited>(visited), children, total, incumbent);
  } else {
    app.visit(std::forward<Visited>(visited), children, total);
  }
}

template <VisitsLazily App>
auto make_child(const App& app, const NodeOf<App>& parent, std::int64_t index,
                IncumbentOf<App>& incumbent) {
  if constexpr (HasBoundedChild<App>) {
    return app.child(parent, index, incumbent);
  } else {
    return app.child(parent, index);
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

/// The nodes of a search that are still to be visited, as its deques hold them.
template <class App>
using OpenOf = std::conditional_t<VisitsLazily<App>, OpenNode<NodeOf<App>>, NodeOf<App>>;

/// Puts the first nodes into `deque`; none where `begin` has stopped the search.
template <TreeSearch App>
void open_first(const App& app, typename App::Problem problem, SplitDeque<OpenOf<App>>& deque,
                typename App::Solution& total) {
  SplitDeque<NodeOf<App>> first(1);
  Children<NodeOf<App>> children(first);
  begin(app, std::move(problem), children, total);
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
      : app_(app), deque_(deque), children_(deque) {}

  /// \return  how many nodes it has visited, at most `maximum`: one, several where the application
  ///          takes them at once, none where what was a child's turn is nothing
  /// \pre  the deque has a private node
  std::int64_t visit(std::int64_t maximum, Total& total, IncumbentOf<App>& incumbent) {
    if constexpr (VisitsSeveral<App>) {
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
  const App& app_;
  SplitDeque<Node>& deque_;
  Children<Node> children_;
  std::vector<Node> taken_;  ///< while they are visited
};

/// The visits of a thread where children are made when they are visited.
template <TreeSearch App>
  requires VisitsLazily<App>
class Visitor<App> {
 public:
  using Node = NodeOf<App>;
  using Total = typename App::Solution;

  Visitor(const App& app, SplitDeque<OpenNode<Node>>& deque) : app_(app), deque_(deque) {}

  std::int64_t visit(std::int64_t /*maximum*/, Total& total, IncumbentOf<App>& incumbent) {
    OpenNode<Node>& newest = deque_.newest();
    if (newest.end == 0) {
      Node node = std::move(newest.node);
      deque_.drop_newest();
      visit_and_keep(node, total, incumbent);
      return 1;
    }
    auto child = make_child(app_, newest.node, newest.next++, incumbent);
    if (newest.next == newest.end) {
      deque_.drop_newest();
    }
    if constexpr (std::same_as<decltype(child), Node>) {
      visit_and_keep(child, total, incumbent);
      return 1;
    } else if (child) {
      visit_and_keep(*child, total, incumbent);
      return 1;
    }
    return 0;
  }

  bool is_stopped() const { return is_stopped_; }

 private:
  /// Where the node has children it goes back into the deque, until they are made.
  void visit_and_keep(Node& node, Total& total, IncumbentOf<App>& incumbent) {
    LazyChildren children;
    detail::visit(app_, std::as_const(node), children, total, incumbent);
    if (children.count() > 0) {
      deque_.push_made(
          [&] { return OpenNode<Node>{.node = std::move(node), .end = children.count()}; });
    }
    is_stopped_ = is_stopped_ || children.is_stopped();
  }

  const App& app_;
  SplitDeque<OpenNode<Node>>& deque_;
  bool is_stopped_ = false;
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
}  // namespace cleave
