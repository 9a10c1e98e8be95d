// SPDX-License-Identifier: Apache-2.0
// Compile errors that say in one sentence which functor is missing or wrong. Only the first mistake
// is reported, and nothing else of DC_Call is then compiled.
#pragma once

#include <concepts>
#include <type_traits>

#include <cleave/application.hpp>
#include <cleave/tree_search.hpp>
#include <cleave/wire.hpp>

/// In a consteval function that returns whether all is well: if not `holds`, reports the sentence
/// that follows and returns false, and nothing behind it is compiled.
#define CLEAVE_REQUIRE(holds, ...)     \
  if constexpr (!(holds)) {            \
    static_assert(holds, __VA_ARGS__); \
    return false;                      \
  } else  // NOLINT: the next condition belongs to it

/// Requires what App must have. \param why  continues the sentence
#define CLEAVE_REQUIRE_MEMBER(holds, member, why) \
  CLEAVE_REQUIRE(holds, "cleave: the application must have `" member "`" why)

/// Requires that App's member x, if there is one, is as it must be.
#define CLEAVE_REQUIRE_FORM(x, holds, form)                                      \
  CLEAVE_REQUIRE(!Mentions_##x<App> || (holds), "cleave: the application's `" #x \
                                                "` must "                        \
                                                "be " form)

/// Defines `Mentions_x<App>`: whether App has any member x, be it private, overloaded, a template
/// or of a wrong type. A name that two bases have is ambiguous. Nothing derives from a final class,
/// which is asked for a member that is neither overloaded nor a template.
#define CLEAVE_MENTIONS(x)                                                        \
  struct Has_##x {                                                                \
    int x;                                                                        \
  };                                                                              \
  template <class App>                                                            \
  struct Beside_##x : App, Has_##x {};                                            \
  template <class App>                                                            \
  concept Mentions_##x =                                                          \
      std::is_class_v<App> && ((std::is_final_v<App> && requires { &App::x; }) || \
                               (!std::is_final_v<App> && !requires { &Beside_##x<App>::x; }))

namespace cleave::detail {

/// The result of DC_Call after a reported mistake, so that the caller's line adds no second error.
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
concept HasSplitterType = requires { typename App::Splitter; };
/// `divide` leaves the problem as it is.
template <class App>
concept DividesConst = requires(const App& app, const typename App::Problem& problem) {
  app.divide(problem);
} || requires(const App& app, const typename App::Problem& problem) {
  app.divide(problem, Share{});
};

/// Reports why a Solution or Node does not cross; the compiler's notes name the Culprit.
template <class SolutionOrNode, Fault fault, class Culprit>
consteval bool require_crossing(Crossing<fault, Culprit> /*crossing*/) {
  CLEAVE_REQUIRE(fault != Fault::pointer,
                 "cleave: Solution or Node cannot cross to another rank: it is or holds a pointer, "
                 "a reference or a view, and what that refers to stays behind; hold the value, or "
                 "specialise cleave::wire<T> for the type that holds it")
  CLEAVE_REQUIRE(
      fault != Fault::closed,
      "cleave: Solution or Node cannot cross to another rank: it is or holds a type that "
      "cannot be looked into (private members, a constructor, a base class, a C array, a "
      "union, a const member, more than 100 members, itself, or a container whose "
      "comparator, hash or allocator has state); specialise cleave::wire<T> for that "
      "type, or cleave::kPlain<T> if its bytes are its value")
  return true;
}

/// Reports the first thing that keeps `App`, which has `visit`, from searching.
template <class App>
consteval bool require_search() {
  CLEAVE_REQUIRE(std::movable<NodeOf<App>>, "cleave: the application's `Node` must be movable")
  CLEAVE_REQUIRE((HasVisit<App> || HasBoundedVisit<App>),
                 "cleave: the application's `visit` must be `void visit(Node, Children<Node>&, "
                 "Solution&) const`, with an `Incumbent<Bound>&` as fourth where it wants one, and "
                 "`std::span<Node>` as first where it takes several nodes; or `void visit(const "
                 "Node&, LazyChildren&, Solution&) const`")
  CLEAVE_REQUIRE_MEMBER((!VisitsLazily<App> || HasChild<App> || HasBoundedChild<App>),
                        "Node child(const Node& parent, std::int64_t index) const",
                        ", or of `std::optional<Node>`, since its `visit` takes LazyChildren")
  CLEAVE_REQUIRE(MakesChildren<App>,
                 "cleave: the application's `Node` must be copyable, since its `visit` takes "
                 "LazyChildren: whoever makes children for another worker has a copy of the parent")
  CLEAVE_REQUIRE_FORM(begin, HasBegin<App>,
                      "`void begin(Problem, Children<Node>&, Solution&) const`")
  CLEAVE_REQUIRE_MEMBER((HasBegin<App> || std::same_as<typename App::Problem, NodeOf<App>>),
                        "void begin(Problem, Children<Node>&, Solution&) const",
                        ", since its Problem is not its Node")
  CLEAVE_REQUIRE_MEMBER(HasCombine<App>, "Solution combine(Solution left, Solution right) const",
                        ", which adds up the totals of two workers")
  CLEAVE_REQUIRE(!Mentions_after<App>,
                 "cleave: an application with `visit` has no `after`: a node's children are not "
                 "combined before others")
  CLEAVE_REQUIRE_FORM(first_incumbent, HasFirstIncumbent<App>,
                      "`Bound first_incumbent(const Problem&) const`, without loss to its `Bound`, "
                      "which is std::int64_t where it is not named")
  CLEAVE_REQUIRE(!Mentions_first_incumbent<App> || HasBoundedVisit<App>,
                 "cleave: the application's `visit` must have an `Incumbent<Bound>&` as fourth "
                 "argument, since the application has `first_incumbent`")
  return require_crossing<NodeOf<App>>(CrossingOf<NodeOf<App>>());
}

/// Reports the first thing that keeps `App` from dividing and conquering.
template <class App>
consteval bool require_recursion() {
  CLEAVE_REQUIRE_MEMBER(HasTrivial<App>, "bool trivial(const Problem&) const",
                        ", which tests whether conquer solves a problem directly")
  CLEAVE_REQUIRE_MEMBER(HasDivide<App>, "Halves<Problem> divide(Problem) const",
                        ", `Halves<Problem> divide(Problem, Share) const` or, of any number, "
                        "`std::vector<Problem> divide(Problem) const`")
  CLEAVE_REQUIRE_MEMBER(HasConquer<App>, "Solution conquer(Problem) const",
                        ", which solves a trivial problem")
  CLEAVE_REQUIRE_MEMBER((HasCombine<App> || HasCombineOfMany<App>),
                        "Solution combine(Solution left, Solution right) const",
                        " or, where `divide` returns a vector, `Solution "
                        "combine(std::vector<Solution>) const`")
  CLEAVE_REQUIRE_FORM(after, HasAfter<App>, "`Solution after(const Problem&, Solution) const`")
  CLEAVE_REQUIRE(!HasAfter<App> || DividesConst<App>,
                 "cleave: the application's `divide` must take a `const Problem&`, or a Problem "
                 "that can be copied, since `after` gets the problem once it is divided")
  CLEAVE_REQUIRE_FORM(small, HasSmall<App>, "`bool small(const Problem&) const`")
  CLEAVE_REQUIRE_FORM(work, !HasDivideInMany<App> || HasWork<App>,
                      "`double work(const Problem&) const`")
  return true;
}

/// Reports the first thing that keeps `App` from sorting parts.
template <class App>
consteval bool require_split_parts() {
  CLEAVE_REQUIRE((requires { typename App::Element; }),
                 "cleave: an application that sorts parts must name the type `Element` of what it "
                 "sorts, besides `Splitter`")
  CLEAVE_REQUIRE(HasSplitterType<App>,
                 "cleave: an application that sorts parts must name its type `Splitter`, which "
                 "tells the place of an element")
  CLEAVE_REQUIRE(
      Plain<typename App::Element>,
      "cleave: the application's `Element` must be a plain type, whose bytes are its value")
  CLEAVE_REQUIRE(
      Plain<typename App::Splitter>,
      "cleave: the application's `Splitter` must be a plain type, whose bytes are its value")
  CLEAVE_REQUIRE((std::same_as<typename App::Problem, Part<typename App::Element>> &&
                  std::same_as<typename App::Solution, Part<typename App::Element>>),
                 "cleave: an application that sorts parts, as one with `Splitter` does, must have "
                 "`cleave::Part<Element>` as its Problem and Solution")
  CLEAVE_REQUIRE_MEMBER(HasSample<App>,
                        "std::vector<Splitter> sample(std::span<const Element> part, std::size_t "
                        "count, std::uint64_t seed) const",
                        "")
  CLEAVE_REQUIRE_MEMBER(HasSplitter<App>,
                        "Split<Splitter> splitter(std::vector<Splitter> samples, Share) const", "")
  CLEAVE_REQUIRE_MEMBER(
      HasPartition<App>,
      "Cut partition(std::span<Element> part, const Split<Splitter>&, ClassOrder) const", "")
  return true;
}

template <class App>
consteval bool require_form() {
  if constexpr (Mentions_visit<App>) {
    return require_search<App>();
  } else if constexpr (!require_recursion<App>()) {
    return false;
  } else if constexpr (HasSplitterType<App> || Mentions_splitter<App>) {
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
    CLEAVE_REQUIRE_FORM(sequential, HasSequential<App>, "`Solution sequential(Problem) const`")
    CLEAVE_REQUIRE_FORM(kCommutative, HasBoolCommutative<App>, "`static constexpr bool`")
    CLEAVE_REQUIRE_FORM(kMergesParts, HasBoolMergesParts<App>, "`static constexpr bool`")
    CLEAVE_REQUIRE((!requires { requires App::kCommutative; } && !Distributable<App>) ||
                       (HasCombine<App> && !Mentions_after<App>),
                   "cleave: an application with `kCommutative`, `kMergesParts` or `Splitter` must "
                   "have `Solution combine(Solution left, Solution right) const` and no `after`: "
                   "solutions of other problems are combined as well")
    CLEAVE_REQUIRE(!Distributable<App> || HasDivideInHalves<App>,
                   "cleave: an application with `kMergesParts` or `Splitter` must have "
                   "`Halves<Problem> divide(Problem) const`, with a Share or without one")
    CLEAVE_REQUIRE_FORM(sizes, HasProblemSizes<App>, "`Sizes sizes(const Problem&) const`")
    CLEAVE_REQUIRE_FORM(solution_sizes, HasSolutionSizes<App>,
                        "`Sizes solution_sizes(const Solution&) const`")
    // A Problem that does not cross for another reason stays on its rank.
    CLEAVE_REQUIRE(CrossingOf<typename App::Problem>::kFault != Fault::pointer,
                   "cleave: the application's `Problem` is or holds a pointer, a reference or a "
                   "view, whose data other ranks do not have; hold the value, or indices into data "
                   "of the application, or specialise cleave::wire<T> for the type that holds it")
    return require_crossing<typename App::Solution>(CrossingOf<typename App::Solution>());
  }
}

}  // namespace cleave::detail
