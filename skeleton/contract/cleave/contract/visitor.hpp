// SPDX-License-Identifier: Apache-2.0
// How a thread visits the nodes in its deque, whatever the form of `visit` (tree_search.hpp). No
// MPI.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <cleave/contract/open_node.hpp>
#include <cleave/contract/search_forms.hpp>
#include <cleave/contract/split_deque.hpp>
#include <cleave/incumbent.hpp>

namespace cleave::detail {

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

/// What a search holds of the nodes that are still to be visited.
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

/// The same where children are made when they are visited.
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

}  // namespace cleave::detail
