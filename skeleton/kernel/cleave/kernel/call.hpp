// SPDX-License-Identifier: Apache-2.0
// A call of an application that is known to be well-formed, by the executor of a type.
#pragma once

#include <cstdint>
#include <utility>

#include <cleave/dc_type.hpp>
#include <cleave/kernel/any_app.hpp>
#include <cleave/kernel/blocks.hpp>
#include <cleave/kernel/link.hpp>
#include <cleave/options.hpp>
#include <cleave/schedule/schedule.hpp>

namespace cleave::detail {

/// DC_Call (dc_call.hpp), with hooks.
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
/// \param ranks    this rank among the others
/// \param way      that the application can go
/// \param solver   solves this rank's own part, unless it is empty
/// \param given    makes what this rank has of the problem
/// \param holders  who has it; what other ranks have counts for nothing
/// \return  what this rank gets; default-constructed where that is nothing
ErasedValue solve_on_hypercube(const AnyApp& app, const CallOptions& options, const Messages& ranks,
                               Way way, const Solver& solver, const Given& given, Holders holders);

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

}  // namespace cleave::detail
