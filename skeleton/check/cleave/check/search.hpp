// SPDX-License-Identifier: Apache-2.0
// The promises of an application that searches a tree.
#pragma once

#include <concepts>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include <cleave/check/equal.hpp>
#include <cleave/check/promises.hpp>
#include <cleave/check/recursion.hpp>
#include <cleave/contract/split_deque.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// Searches of one problem in other orders than `search_sequentially` has.
template <TreeSearch App>
class OtherSearches {
 public:
  using Open = OpenOf<App>;
  using Total = typename App::Solution;

  OtherSearches(const App& app, const typename App::Problem& problem)
      : app_(app), problem_(problem) {}

  /// The total of the nodes above the first fork, and then the totals of the subtrees below it.
  std::vector<Total> apart() const {
    std::vector<Total> totals(1);
    IncumbentOf<App> incumbent(first_incumbent(app_, problem_));
    std::deque<Open> nodes = first_nodes(totals[0]);
    while (nodes.size() == 1) {
      visit_first(nodes, totals[0], incumbent);
    }
    for (Open& root : nodes) {
      IncumbentOf<App> own(
          first_incumbent(app_, problem_));  // that of a rank that has heard of no other
      SplitDeque<Open> stack;
      stack.push(std::move(root));
      Visitor<App> visitor(app_, stack);
      Total total{};
      while (!stack.private_empty()) {
        visitor.visit(1, total, own);
      }
      totals.push_back(std::move(total));
    }
    return totals;
  }

  /// Oldest node first, by two workers that take turns.
  Total breadth_first() const {
    Total totals[2] = {};
    IncumbentOf<App> incumbent(first_incumbent(app_, problem_));
    std::deque<Open> nodes = first_nodes(totals[0]);
    for (std::size_t turn = 0; !nodes.empty(); ++turn) {
      visit_first(nodes, totals[turn % 2], incumbent);
    }
    return app_.combine(std::move(totals[0]), std::move(totals[1]));
  }

  struct Sent {
    bool arrived_well = true;  ///< all nodes, as they were sent
    bool is_stopped = false;   ///< by a visit
    Total total{};
  };
  /// As `search_sequentially`, but the newest node crosses to another rank before each visit.
  Sent over_the_wire() const {
    SplitDeque<Open> stack;
    Visitor<App> visitor(app_, stack);
    Sent sent;
    IncumbentOf<App> incumbent(first_incumbent(app_, problem_));
    open_first(app_, copy_of(problem_), stack, sent.total);
    while (!stack.private_empty() && !visitor.is_stopped()) {
      Open arrived = detail::over_the_wire(stack.newest());
      sent.arrived_well = sent.arrived_well && equal(stack.newest(), arrived);
      stack.newest() = std::move(arrived);
      visitor.visit(1, sent.total, incumbent);
    }
    sent.is_stopped = visitor.is_stopped();
    return sent;
  }

 private:
  std::deque<Open> first_nodes(Total& total) const {
    SplitDeque<Open> stack;
    open_first(app_, copy_of(problem_), stack, total);
    std::deque<Open> nodes;
    append(nodes, stack);
    return nodes;
  }

  void visit_first(std::deque<Open>& nodes, Total& total, IncumbentOf<App>& incumbent) const {
    SplitDeque<Open> stack;
    stack.push(std::move(nodes.front()));
    nodes.pop_front();
    Visitor<App>(app_, stack).visit(1, total, incumbent);
    append(nodes, stack);
  }

  static void append(std::deque<Open>& nodes, SplitDeque<Open>& stack) {
    while (!stack.private_empty()) {
      nodes.push_back(stack.pop());
    }
  }

  const App& app_;
  const typename App::Problem& problem_;
};

/// What branch-and-bound visits depends on the order, and so does what a search visits that stops
/// at an answer: their totals are compared only by a `same` of the caller's own.
template <TreeSearch App, class Same>
void check_search(const App& app, const typename App::Problem& problem, const Same& same,
                  Promises& promises) {
  using Total = typename App::Solution;
  constexpr bool kCompares = !HasBoundedVisit<App> || !std::same_as<Same, Equal>;
  const Total whole = search_sequentially(app, copy_of(problem));
  promises.require(equal(whole, over_the_wire(whole)),
                   "Solution changes on its way to another rank");
  if constexpr (Transferable<typename App::Problem>) {
    promises.require(equal(problem, over_the_wire(problem)),
                     "Problem changes on its way to another rank");
  }
  promises.require(
      same(whole, combined(app, whole, Total{})) && same(whole, combined(app, Total{}, whole)),
      "Solution{} is not neutral for combine");

  const OtherSearches<App> searches(app, problem);
  const auto sent = searches.over_the_wire();
  promises.require(sent.arrived_well && (!kCompares || same(whole, sent.total)),
                   "Node changes on its way to another rank");
  if (sent.is_stopped && std::same_as<Same, Equal>) {
    return;
  }
  if constexpr (kCompares) {
    const std::vector<Total> totals = searches.apart();
    const Total from_left = combined_from_left(app, totals);
    promises.require(same(whole, from_left),
                     "combine of the totals of subtrees is not the total of the tree");
    promises.require(same(from_left, combined_from_right(app, totals)),
                     "combine is not associative");
    bool commutes = true;
    for (std::size_t i = 1; i < totals.size(); ++i) {
      commutes = commutes && same(combined(app, totals[i - 1], totals[i]),
                                  combined(app, totals[i], totals[i - 1]));
    }
    promises.require(commutes, "combine depends on the order of its arguments");
    promises.require(same(whole, searches.breadth_first()),
                     "the total depends on the order of the visits");
  }
}

}  // namespace cleave::detail
