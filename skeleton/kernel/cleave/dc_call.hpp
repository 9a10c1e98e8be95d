// SPDX-License-Identifier: Apache-2.0
// DC_Call: divide-and-conquer over the ranks of a communicator, from five sequential functions.
//
// What an application supplies is in application.hpp, what it means is `solve_sequential` there,
// how it is run is in kernel/. An application that searches a tree may supply
// one functor instead (tree_search.hpp). The skeleton is that of Printista and Saez,
// "Measuring the Component of a Divide and Conquer Skeleton".
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <cleave/application.hpp>
#include <cleave/contract/require_application.hpp>
#include <cleave/error.hpp>
#include <cleave/kernel/any_app.hpp>
#include <cleave/kernel/blocks.hpp>
#include <cleave/kernel/link.hpp>
#include <cleave/options.hpp>
#include <cleave/schedule/schedule.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// DC_Call of an application that is known to be well-formed.
/// \param problem_hash  of `cheap_hash`
ErasedValue call(DC_Type type, const AnyApp& app, std::uint64_t problem_hash, const Given& given,
                 const CallOptions& options);

/// DC_Call on ranks that are all here, with one thread each; what they are given is not compared.
ErasedValue call_on(const SearchMessages& ranks, const AnyApp& app, const Given& given,
                    const CallOptions& options, DC_Type type = DC_Type::work_stealing);

/// Solves a rank's own part of a problem on its threads: by work stealing on this rank alone. Empty
/// for one thread. \throws Error  if the application is not for several
Solver solver_of(const AnyApp& app, const CallOptions& options);

/// \throws Error  if the application cannot go the way of the placement
Way way_for(Placement asked, const AppTraits& application);

/// One DC_Call on one rank.
/// \param ranks   this rank among the others
/// \param solver  solves this rank's own part, unless it is empty
/// \param given   makes what this rank has of the problem; not called where it has nothing
/// \return  what this rank gets; default-constructed where that is nothing
ErasedValue solve_on_hypercube(const AnyApp& app, const CallOptions& options, const Messages& ranks,
                               const Solver& solver, const Given& given);

/// This rank throws alone what the move of the solution to the caller throws.
template <class App>
typename App::Solution call(DC_Type type, const App& app, typename App::Problem&& problem,
                            const CallOptions& options) {
  if constexpr (SplitsParts<App>) {
    problem.set_uniform(false);  // its elements may have changed since an earlier call
  }
  const std::uint64_t hash = cheap_hash(problem);
  return call(
             type, AppOf<App>(app), hash,
             [&] { return ErasedValue::of<typename App::Problem>(std::move(problem)); }, options)
      .template take<typename App::Solution>();
}

template <class App>
typename App::Solution call_on(const SearchMessages& ranks, const App& app,
                               typename App::Problem&& problem, const CallOptions& options,
                               DC_Type type = DC_Type::work_stealing) {
  return call_on(
             ranks, AppOf<App>(app),
             [&] { return ErasedValue::of<typename App::Problem>(std::move(problem)); }, options,
             type)
      .template take<typename App::Solution>();
}

/// Five functions as an application: each is called as the member of that name.
template <class P, class Trivial, class Divide, class Conquer, class Combine, class Sequential>
struct Functors {
  using Problem = P;
  using Solution = std::remove_cvref_t<std::invoke_result_t<const Conquer&, P>>;

  Trivial trivial;
  Divide divide;
  Conquer conquer;
  Combine combine;
  Sequential sequential;
};

}  // namespace cleave::detail

namespace cleave {

/// Runs `app` on `problem`.
///
/// Collective over `options.comm` except for DC_Type::sequential. With Placement::rooted the
/// problem of rank 0 counts, and the other ranks get a default-constructed solution; with
/// Placement::distributed each rank passes its part (`Distributable`). Cost on p ranks:
/// docs/explanation/model.md, eq. 6. Two agreements of 2 log2(p) messages, at the start and at the
/// end; four of work stealing. Problems and solutions are moved to the heap.
///
/// \throws FunctorError    on every rank, the same one, if a functor, the sizes, a copy or a move
///                         throws on any rank, a thread cannot be started, or a message cannot be
///                         stored (DC_Type::sequential passes it on unchanged). What the move of
///                         the solution to the caller throws, one rank throws alone
/// \throws Interrupted     on every rank, once a search that was asked to stop has left a snapshot
/// \throws Error           on every rank, if a search was ended early in another way, the executor
///                         cannot run an application of this form, or ranks make different calls
/// \throws Error           if MPI reports a failure
template <class App, class Problem = detail::ProblemOf<App>>
auto DC_Call(DC_Type type, const App& app, Problem problem, const Options& options = {}) {
  if constexpr (!detail::require_application<App, Problem>()) {
    return detail::Anything{};
  } else {
    return detail::call(type, app, std::move(problem), detail::CallOptions{options});
  }
}

/// The published form: five functions instead of an application, called as const by several threads
/// at once. The types of problem and solution are those of `problem` and of what `conquer` returns.
/// `divide` may take a Share or not.
template <class Problem, class Trivial, class Divide, class Conquer, class Combine,
          class Sequential>
auto DC_Call(DC_Type type, Problem problem, Trivial trivial, Divide divide, Conquer conquer,
             Combine combine, Sequential sequential, const Options& options = {}) {
  constexpr bool kAreFive = !std::same_as<Sequential, Options>;
  constexpr bool kConquers = requires {
    requires std::default_initializable<
        std::remove_cvref_t<std::invoke_result_t<const Conquer&, Problem>>>;
  };
  static_assert(kAreFive,
                "cleave: DC_Call takes five functions before its options: `sequential`, which "
                "solves a whole subproblem on one rank, is missing");
  static_assert(!kAreFive || kConquers,
                "cleave: the function `conquer` must take a Problem and return its Solution, "
                "which is default-constructible, and not be mutable");
  if constexpr (kAreFive && kConquers) {
    return DC_Call(type,
                   detail::Functors<Problem, Trivial, Divide, Conquer, Combine, Sequential>{
                       std::move(trivial), std::move(divide), std::move(conquer),
                       std::move(combine), std::move(sequential)},
                   std::move(problem), options);
  } else {
    return detail::Anything{};
  }
}

}  // namespace cleave
