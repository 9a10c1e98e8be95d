// SPDX-License-Identifier: Apache-2.0
// Compile errors that say in one sentence which functor is missing or wrong. Only the first mistake
// is reported, and nothing else of DC_Call is then compiled.
#pragma once

#include <concepts>
#include <type_traits>

#include <cleave/application.hpp>
#include <cleave/contract/require.hpp>
#include <cleave/tree_search.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

/// What DC_Call returns after a reported mistake, so that the caller's line adds no second error.
struct Anything {
  template <class T>
  operator T() const;  // never called: the program does not compile
};

template <class App>
struct ProblemOfApp {
  using Type = Anything;
};
template <class App>
  requires requires { typename App::Problem; }
struct ProblemOfApp<App> {
  using Type = typename App::Problem;
};
template <class App>
using ProblemOf = typename ProblemOfApp<App>::Type;

CLEAVE_MENTIONS(after);
CLEAVE_MENTIONS(begin);
CLEAVE_MENTIONS(first_incumbent);
CLEAVE_MENTIONS(kCommutative);
CLEAVE_MENTIONS(kMergesParts);
CLEAVE_MENTIONS(sequential);
CLEAVE_MENTIONS(sizes);
CLEAVE_MENTIONS(small);
CLEAVE_MENTIONS(solution_sizes);
CLEAVE_MENTIONS(splitter);
CLEAVE_MENTIONS(visit);
CLEAVE_MENTIONS(work);

/// `static constexpr bool`.
template <class App>
concept HasBoolCommutative = requires {
  requires std::same_as<decltype(App::kCommutative), const bool>;
  typename std::bool_constant<App::kCommutative>;
};
template <class App>
concept HasBoolMergesParts = requires {
  requires std::same_as<decltype(App::kMergesParts), const bool>;
  typename std::bool_constant<App::kMergesParts>;
};

template <class App>
concept HasElement = requires { typename App::Element; };
template <class App>
concept HasSplitterType = requires { typename App::Splitter; };
/// `divide` leaves the problem as it is.
template <class App>
concept DividesConst = requires(const App& app, const typename App::Problem& problem) {
  app.divide(problem);
} || requires(const App& app, const typename App::Problem& problem) {
  app.divide(problem, Share{});
};
/// What adds up solutions of problems that no `divide` has made.
template <class App>
concept AddsUp = requires { requires App::kCommutative; } || Distributable<App>;

/// What only an application of the sorting form has.
template <class App>
concept MeansToSplitParts = HasSplitterType<App> || Mentions_splitter<App>;

/// Reports why a Solution or Node does not cross; the compiler's notes name the Culprit.
template <class SolutionOrNode, Fault fault, class Culprit>
consteval bool require_crossing(Crossing<fault, Culprit> /*crossing*/) {
  CLEAVE_REQUIRE(fault != Fault::pointer,
                 "cleave: Solution or Node cannot cross to another rank: it is or holds a pointer, "
                 "a reference or a view, and what that refers to stays behind; hold the value, or "
                 "specialise cleave::wire<T> for the type that holds it")
  CLEAVE_REQUIRE(fault != Fault::recursive,
                 "cleave: Solution or Node cannot cross to another rank: it is or holds a type "
                 "that holds itself; specialise cleave::wire<T> for that type")
  CLEAVE_REQUIRE(fault != Fault::state,
                 "cleave: Solution or Node cannot cross to another rank: it is or holds a "
                 "container whose comparator, hash or allocator has state, which stays behind; "
                 "give it a type without members, or specialise cleave::wire<T> for the container")
  CLEAVE_REQUIRE(fault != Fault::closed,
                 "cleave: Solution or Node cannot cross to another rank: it is or holds a type "
                 "with private members, a constructor or a union; specialise cleave::wire<T> for "
                 "that type, or cleave::kPlain<T> if its bytes are its value")
  CLEAVE_REQUIRE(fault != Fault::aggregate,
                 "cleave: Solution or Node cannot cross to another rank: it is or holds an "
                 "aggregate with a base class, a C array, a union, a member that is const, or more "
                 "than 100 members; specialise cleave::wire<T> for that type, or cleave::kPlain<T> "
                 "if its bytes are its value")
  return true;
}

/// Reports the first thing that keeps `App`, which has `visit`, from searching.
template <class App>
consteval bool require_search() {
  CLEAVE_REQUIRE(std::movable<NodeOf<App>>, "cleave: the application's `Node` must be movable")
  CLEAVE_REQUIRE((HasPlainVisit<App> || HasBoundedVisit<App>),
                 "cleave: the application's `visit` must be `void visit(Node, Children<Node>&, "
                 "Solution&) const`, with an `Incumbent<Bound>&` as fourth where it wants one, and "
                 "`std::span<Node>` as first where it takes several nodes; or `void visit(const "
                 "Node&, LazyChildren&, Solution&) const`")
  CLEAVE_REQUIRE((!VisitsLazily<App> || HasPlainChild<App> || HasBoundedChild<App>),
                 "cleave: the application must have `Node child(const Node& parent, std::int64_t "
                 "index) const`, or of `std::optional<Node>`, since its `visit` takes LazyChildren")
  CLEAVE_REQUIRE(MakesChildren<App>,
                 "cleave: the application's `Node` must be copyable, since its `visit` takes "
                 "LazyChildren: whoever makes children for another worker has a copy of the parent")
  CLEAVE_REQUIRE(!Mentions_begin<App> || HasBegin<App>,
                 "cleave: the application's `begin` must be `void begin(Problem, Children<Node>&, "
                 "Solution&) const`")
  CLEAVE_REQUIRE((HasBegin<App> || std::same_as<typename App::Problem, NodeOf<App>>),
                 "cleave: the application must have `void begin(Problem, Children<Node>&, "
                 "Solution&) const`, since its Problem is not its Node")
  CLEAVE_REQUIRE(HasCombine<App>,
                 "cleave: the application must have `Solution combine(Solution left, Solution "
                 "right) const`, which adds up the totals of two workers")
  CLEAVE_REQUIRE(!Mentions_after<App>,
                 "cleave: an application with `visit` has no `after`: a node's children are not "
                 "combined before others")
  CLEAVE_REQUIRE(!Mentions_first_incumbent<App> || HasFirstIncumbent<App>,
                 "cleave: the application's `first_incumbent` must be `Bound first_incumbent(const "
                 "Problem&) const`, without loss to its `Bound`, which is std::int64_t where it "
                 "is not named")
  CLEAVE_REQUIRE(!Mentions_first_incumbent<App> || HasBoundedVisit<App>,
                 "cleave: the application's `visit` must have an `Incumbent<Bound>&` as fourth "
                 "argument, since the application has `first_incumbent`")
  return require_crossing<NodeOf<App>>(CrossingOf<NodeOf<App>>());
}

/// The same for an application that divides and conquers.
template <class App>
consteval bool require_recursion() {
  CLEAVE_REQUIRE(HasTrivial<App>,
                 "cleave: the application must have `bool trivial(const Problem&) const`, which "
                 "tests whether conquer solves a problem directly")
  CLEAVE_REQUIRE(HasDivide<App>,
                 "cleave: the application must have `Halves<Problem> divide(Problem) const`, "
                 "`Halves<Problem> divide(Problem, Share) const` or, of any number, "
                 "`std::vector<Problem> divide(Problem) const`")
  CLEAVE_REQUIRE(HasConquer<App>,
                 "cleave: the application must have `Solution conquer(Problem) const`, which "
                 "solves a trivial problem")
  CLEAVE_REQUIRE((HasCombine<App> || HasCombineOfMany<App>),
                 "cleave: the application must have `Solution combine(Solution left, Solution "
                 "right) const` or, where `divide` returns a vector, `Solution "
                 "combine(std::vector<Solution>) const`")
  CLEAVE_REQUIRE(!Mentions_after<App> || HasAfter<App>,
                 "cleave: the application's `after` must be `Solution after(const Problem&, "
                 "Solution) const`")
  CLEAVE_REQUIRE(!HasAfter<App> || DividesConst<App>,
                 "cleave: the application's `divide` must take a `const Problem&`, or a Problem "
                 "that can be copied, since `after` gets the problem once it is divided")
  CLEAVE_REQUIRE(!Mentions_small<App> || HasSmall<App>,
                 "cleave: the application's `small` must be `bool small(const Problem&) const`")
  CLEAVE_REQUIRE(!HasDivideInMany<App> || !Mentions_work<App> || HasWork<App>,
                 "cleave: the application's `work` must be `double work(const Problem&) const`")
  return true;
}

/// The same for the sorting form.
template <class App>
consteval bool require_split_parts() {
  CLEAVE_REQUIRE(HasElement<App>,
                 "cleave: an application that sorts parts must name the type `Element` of what it "
                 "sorts, besides `Splitter`")
  CLEAVE_REQUIRE(HasSplitterType<App>,
                 "cleave: an application that sorts parts must name its type `Splitter`, which "
                 "tells the place of an element")
  CLEAVE_REQUIRE(Plain<typename App::Element>,
                 "cleave: the application's `Element` must be a plain type, whose bytes are its "
                 "value")
  CLEAVE_REQUIRE(Plain<typename App::Splitter>,
                 "cleave: the application's `Splitter` must be a plain type, whose bytes are its "
                 "value")
  CLEAVE_REQUIRE((std::same_as<typename App::Problem, Part<typename App::Element>> &&
                  std::same_as<typename App::Solution, Part<typename App::Element>>),
                 "cleave: an application that sorts parts, as one with `Splitter` does, must have "
                 "`cleave::Part<Element>` as its Problem and Solution")
  CLEAVE_REQUIRE(HasSample<App>,
                 "cleave: the application must have `std::vector<Splitter> sample(std::span<const "
                 "Element> part, std::size_t count, std::uint64_t seed) const`")
  CLEAVE_REQUIRE(HasSplitter<App>,
                 "cleave: the application must have `Split<Splitter> "
                 "splitter(std::vector<Splitter> samples, Share) const`")
  CLEAVE_REQUIRE(HasPartition<App>,
                 "cleave: the application must have `Cut partition(std::span<Element> part, const "
                 "Split<Splitter>&, ClassOrder) const`")
  return true;
}

template <class App>
consteval bool require_form() {
  if constexpr (Mentions_visit<App>) {
    return require_search<App>();
  } else if constexpr (!require_recursion<App>()) {
    return false;
  } else if constexpr (MeansToSplitParts<App>) {
    return require_split_parts<App>();
  } else {
    return true;
  }
}

/// Reports the first thing that keeps `App` from being run on a `Given` problem.
/// \return  whether there was none
template <class App, class Given>
consteval bool require_application() {
  CLEAVE_REQUIRE(HasProblemAndSolution<App>,
                 "cleave: the application must name its types `Problem` and `Solution`, both "
                 "public and movable, and Solution default-constructible")
  CLEAVE_REQUIRE((std::convertible_to<Given, typename App::Problem>),
                 "cleave: the problem given to DC_Call is not of the application's type Problem")
  if constexpr (!require_form<App>()) {
    return false;
  } else {
    CLEAVE_REQUIRE(!Mentions_sequential<App> || HasSequential<App>,
                   "cleave: the application's `sequential` must be `Solution sequential(Problem) "
                   "const`")
    CLEAVE_REQUIRE(!Mentions_kCommutative<App> || HasBoolCommutative<App>,
                   "cleave: the application's `kCommutative` must be `static constexpr bool`")
    CLEAVE_REQUIRE(!Mentions_kMergesParts<App> || HasBoolMergesParts<App>,
                   "cleave: the application's `kMergesParts` must be `static constexpr bool`")
    CLEAVE_REQUIRE(!AddsUp<App> || (HasCombine<App> && !Mentions_after<App>),
                   "cleave: an application with `kCommutative`, `kMergesParts` or `Splitter` must "
                   "have `Solution combine(Solution left, Solution right) const` and no `after`: "
                   "solutions of other problems are combined as well")
    CLEAVE_REQUIRE(!Distributable<App> || HasDivideInHalves<App>,
                   "cleave: an application with `kMergesParts` or `Splitter` must have "
                   "`Halves<Problem> divide(Problem) const`, with a Share or without one")
    CLEAVE_REQUIRE(!Mentions_sizes<App> || HasProblemSizes<App>,
                   "cleave: the application's `sizes` must be `Sizes sizes(const Problem&) const`")
    CLEAVE_REQUIRE(!Mentions_solution_sizes<App> || HasSolutionSizes<App>,
                   "cleave: the application's `solution_sizes` must be `Sizes solution_sizes(const "
                   "Solution&) const`")
    // A Problem that does not cross for another reason stays on its rank.
    CLEAVE_REQUIRE(CrossingOf<typename App::Problem>::kFault != Fault::pointer,
                   "cleave: the application's `Problem` is or holds a pointer, a reference or a "
                   "view, whose data other ranks do not have; hold the value, or indices into data "
                   "of the application, or specialise cleave::wire<T> for the type that holds it")
    return require_crossing<typename App::Solution>(CrossingOf<typename App::Solution>());
  }
}

}  // namespace cleave::detail
