// SPDX-License-Identifier: Apache-2.0
// Compile errors that say in one sentence which functor is missing or wrong. Only the first mistake
// is reported, and nothing else of DC_Call is then compiled.
#pragma once

#include <concepts>
#include <experimental/type_traits>
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
#define CLEAVE_REQUIRE_FORM(x, ok, form) \
  CLEAVE_REQUIRE(!Mentions_##x<App> || (ok), "cleave: the application's `" #x "` must be " form)

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
using ProblemMember = typename App::Problem;
template <class App>
using ProblemOf = std::experimental::detected_or_t<Anything, ProblemMember, App>;

CLEAVE_MENTIONS(after);
CLEAVE_MENTIONS(begin);
CLEAVE_MENTIONS(first_incumbent);
CLEAVE_MENTIONS(sequential);
CLEAVE_MENTIONS(sizes);
CLEAVE_MENTIONS(small);
CLEAVE_MENTIONS(solution_sizes);
CLEAVE_MENTIONS(splitter);
CLEAVE_MENTIONS(visit);

/// Reports that a Solution or Node does not cross; the compiler's notes name the part at fault.
template <class SolutionOrNode, class Part>
consteval bool require_crossing(Culprit<Part> /*culprit*/) {
  CLEAVE_REQUIRE(
      std::is_void_v<Part>,
      "cleave: Solution or Node cannot cross to another rank: it is or holds a pointer, a "
      "reference, a view or a type that cannot be looked into (private members, a constructor, a "
      "base class, a C array, a union, a const member, more than 100 members, or a "
      "container whose comparator, hash or allocator has state); hold the value, or specialise "
      "cleave::wire<T> for that type, or cleave::kPlain<T> if its bytes are its value")
  return true;
}

/// Reports the first thing that keeps `App`, which has `visit`, from searching.
template <class App>
consteval bool require_search() {
  CLEAVE_REQUIRE(HasVisit<App>,
                 "cleave: the application's `visit` must be `void visit(Node, Children<Node>&, "
                 "Solution&) const`, of a movable Node, with an `Incumbent<Bound>&` as fourth and "
                 "a `Worker&` as last where it wants them, and `std::span<Node>` as first where it "
                 "takes several; or `void visit(const Node&, LazyChildren&, Solution&) const`")
  CLEAVE_REQUIRE_MEMBER(MakesChildren<App>,
                        "Node child(const Node& parent, std::int64_t index) const",
                        ", or of `std::optional<Node>`, and a Node that can be copied, since its "
                        "`visit` takes LazyChildren")
  CLEAVE_REQUIRE_MEMBER(
      (HasBegin<App> || (!Mentions_begin<App> && std::same_as<typename App::Problem, NodeOf<App>>)),
      "void begin(Problem, Children<Node>&, Solution&) const", ", or a Problem that is its Node")
  CLEAVE_REQUIRE_MEMBER(HasCombine<App>, "Solution combine(Solution left, Solution right) const",
                        ", which adds up the totals of two workers")
  CLEAVE_REQUIRE(!Mentions_after<App>,
                 "cleave: an application with `visit` has no `after`: a node's children are not "
                 "combined before others")
  CLEAVE_REQUIRE_FORM(first_incumbent, HasFirstIncumbent<App> && HasBoundedVisit<App>,
                      "`Bound first_incumbent(const Problem&) const`, without loss to its `Bound`, "
                      "which is std::int64_t where it is not named, and its `visit` must have an "
                      "`Incumbent<Bound>&` as fourth argument")
  return require_crossing<NodeOf<App>>(culprit<NodeOf<App>>());
}

template <class App>
concept SplitsPlainParts = requires {
  typename App::Element;
  typename App::Splitter;
} && SplitsParts<App> && Plain<typename App::Element> && Plain<typename App::Splitter>;

/// Reports the first thing that keeps `App` from searching, or from dividing and conquering.
template <class App>
consteval bool require_form() {
  if constexpr (Mentions_visit<App>) {
    return require_search<App>();
  } else
    CLEAVE_REQUIRE_MEMBER(HasTrivial<App>, "bool trivial(const Problem&) const",
                          ", which tests whether conquer solves a problem directly")
  CLEAVE_REQUIRE_MEMBER(HasDivide<App>, "Halves<Problem> divide(Problem) const",
                        ", `Halves<Problem> divide(Problem, Share) const` or, of any number, "
                        "`std::vector<Problem> divide(Problem) const`; with `after` it takes a "
                        "`const Problem&`, or a Problem that can be copied")
  CLEAVE_REQUIRE_MEMBER((HasConquer<App> || HasConquer<App, WorkerOf<App>>),
                        "Solution conquer(Problem) const",
                        ", which solves a trivial problem, or `(Problem, Worker&)`")
  CLEAVE_REQUIRE_MEMBER((HasCombine<App> || HasCombineOfMany<App>),
                        "Solution combine(Solution left, Solution right) const",
                        " or, where `divide` returns a vector, `Solution "
                        "combine(std::vector<Solution>) const`")
  CLEAVE_REQUIRE_FORM(after, HasAfter<App>, "`Solution after(const Problem&, Solution) const`")
  CLEAVE_REQUIRE_FORM(small, HasSmall<App>, "`bool small(const Problem&) const`")
  CLEAVE_REQUIRE(
      !(requires { typename App::Splitter; } || Mentions_splitter<App>) || SplitsPlainParts<App>,
      "cleave: an application that sorts parts, as one with `Splitter` does, must have plain types "
      "`Element` and `Splitter`, whose bytes are their value, `cleave::Part<Element>` as its "
      "Problem and Solution, `std::vector<Splitter> sample(std::span<const Element> part, "
      "std::size_t count, std::uint64_t seed) const`, `Split<Splitter> "
      "splitter(std::vector<Splitter> samples, Share) const` and `Cut partition(std::span<Element> "
      "part, const Split<Splitter>&, ClassOrder) const`")
  return true;
}

template <class App, class Worker>
concept Takes = HasConquer<App, Worker> || SolvesWhole<App, Worker> || VisitTakes<App, Worker>;
/// A Worker, if there is one, can be made for each thread, and is taken by reference.
template <class App, class Worker = WorkerOf<App>>
concept MakesWorkers = std::is_void_v<Worker> || (std::default_initializable<Worker> &&
                                                  Takes<App, Worker> && !Takes<App, const Worker>);

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
    CLEAVE_REQUIRE_FORM(sequential, HasSequential<App>,
                        "`Solution sequential(Problem) const`, or `(Problem, Worker&)`")
    CLEAVE_REQUIRE(
        !Distributable<App> || (HasDivideInHalves<App> && HasCombine<App> && !Mentions_after<App>),
        "cleave: an application with `kMergesParts` or `Splitter` must have `Halves<Problem> "
        "divide(Problem) const`, with a Share or without one, `Solution combine(Solution left, "
        "Solution right) const` and no `after`: solutions of other problems are combined as well")
    CLEAVE_REQUIRE(MakesWorkers<App>,
                   "cleave: the application's `Worker` must be default-constructible, and the last "
                   "argument, `Worker&`, of `conquer`, `sequential` or `visit`")
    CLEAVE_REQUIRE_FORM(sizes, HasProblemSizes<App>, "`Sizes sizes(const Problem&) const`")
    CLEAVE_REQUIRE_FORM(solution_sizes, HasSolutionSizes<App>,
                        "`Sizes solution_sizes(const Solution&) const`")
    return require_crossing<typename App::Solution>(culprit<typename App::Solution>());
  }
}

}  // namespace cleave::detail
