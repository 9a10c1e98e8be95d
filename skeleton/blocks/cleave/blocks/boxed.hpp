// SPDX-License-Identifier: Apache-2.0
// An application whose problems or solutions may throw when they are moved (a type with a copy
// constructor and no move constructor copies), as one whose problems and solutions never do: they
// lie in boxes, and the skeleton moves these. The application's own moves are within its functors,
// where the executors expect that it may throw.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/tree_search.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

/// A value that is made when it is first looked at, by default, unless it was made before.
template <class T>
class Box {
 public:
  Box() = default;
  /// The value is what `make` returns.
  template <class Make>
    requires std::is_invocable_r_v<T, Make>
  explicit Box(Make make) : value_(new T(make())) {}

  T& operator*() const {
    if (value_ == nullptr) {
      value_ = std::make_unique<T>();
    }
    return *value_;
  }
  /// The value, to be moved from.
  T&& take() const { return std::move(**this); }

 private:
  mutable std::unique_ptr<T> value_;
};

template <class T>
inline constexpr bool kMayThrowWhenMoved =
    !(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>);

/// Not where the skeleton owns the parts of a problem: a Part never throws when it is moved.
template <class App>
concept NeedsBoxes = !SplitsParts<App> && (kMayThrowWhenMoved<typename App::Problem> ||
                                           kMayThrowWhenMoved<typename App::Solution>);

/// Refers to the application.
template <class App>
class Boxed {
 public:
  using Problem = Box<typename App::Problem>;
  using Solution = Box<typename App::Solution>;
  using Node = NodeOf<App>;
  using Bound = typename BoundOfApp<App>::Type;
  static constexpr bool kMergesParts = MergesParts<App>;
  static constexpr bool kCommutative = requires { requires App::kCommutative; };

  explicit Boxed(const App& app) : app_(app) {}

  bool trivial(const Problem& problem) const
    requires HasTrivial<App>
  {
    return app_.trivial(std::as_const(*problem));
  }
  Solution conquer(Problem problem) const
    requires HasConquer<App>
  {
    return Solution([&] { return app_.conquer(problem.take()); });
  }
  Halves<Problem> divide(const Problem& problem, Share share) const
    requires HasDivideInHalves<App>
  {
    auto halves = cleave::divide(app_, static_cast<ToDivide<App>>(*problem), share);
    return {Problem([&] { return std::move(halves.left); }),
            Problem([&] { return std::move(halves.right); })};
  }
  std::vector<Problem> divide(const Problem& problem) const
    requires HasDivideInMany<App>
  {
    std::vector<Problem> parts;
    for (auto& part : app_.divide(static_cast<ToDivide<App>>(*problem))) {
      parts.emplace_back([&] { return std::move(part); });
    }
    return parts;
  }
  Solution combine(Solution left, Solution right) const
    requires HasCombine<App>
  {
    return Solution([&] { return app_.combine(left.take(), right.take()); });
  }
  Solution combine(std::vector<Solution> solutions) const
    requires HasCombineOfMany<App>
  {
    return Solution([&] {
      std::vector<typename App::Solution> all;
      for (const Solution& solution : solutions) {
        all.push_back(solution.take());
      }
      return app_.combine(std::move(all));
    });
  }
  Solution after(const Problem& problem, Solution solution) const
    requires HasAfter<App>
  {
    return Solution([&] { return app_.after(std::as_const(*problem), solution.take()); });
  }
  bool small(const Problem& problem) const
    requires HasSmall<App>
  {
    return app_.small(std::as_const(*problem));
  }
  double work(const Problem& problem) const
    requires HasWork<App>
  {
    return app_.work(std::as_const(*problem));
  }
  Solution sequential(Problem problem) const
    requires HasSequential<App>
  {
    return Solution([&] { return app_.sequential(problem.take()); });
  }

  void begin(Problem problem, Children<Node>& children, Solution& total) const
    requires TreeSearch<App>
  {
    detail::begin(app_, problem.take(), children, *total);
  }
  void visit(Node node, Children<Node>& children, Solution& total,
             IncumbentOf<App>& incumbent) const
    requires(TreeSearch<App> && !VisitsLazily<App>)
  {
    detail::visit(app_, std::move(node), children, *total, incumbent);
  }
  void visit(const Node& node, LazyChildren& children, Solution& total,
             IncumbentOf<App>& incumbent) const
    requires VisitsLazily<App>
  {
    detail::visit(app_, node, children, *total, incumbent);
  }
  auto child(const Node& parent, std::int64_t index, IncumbentOf<App>& incumbent) const
    requires VisitsLazily<App>
  {
    return make_child(app_, parent, index, incumbent);
  }
  auto first_incumbent(const Problem& problem) const
    requires HasFirstIncumbent<App>
  {
    return app_.first_incumbent(*problem);
  }

  Sizes sizes(const Problem& problem) const
    requires HasProblemSizes<App>
  {
    return app_.sizes(*problem);
  }
  Sizes solution_sizes(const Solution& solution) const
    requires HasSolutionSizes<App>
  {
    return app_.solution_sizes(*solution);
  }

 private:
  const App& app_;
};

}  // namespace cleave::detail

namespace cleave {

template <Transferable T>
struct wire<detail::Box<T>> {
  static void pack(Packer& packer, const detail::Box<T>& box) { wire<T>::pack(packer, *box); }
  static detail::Box<T> unpack(Unpacker& unpacker) {
    return detail::Box<T>([&] { return wire<T>::unpack(unpacker); });
  }
};

}  // namespace cleave
