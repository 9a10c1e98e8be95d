// SPDX-License-Identifier: Apache-2.0
// A call of an application that is known to be well-formed, by the executor of a type.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include <cleave/application.hpp>
#include <cleave/blocks/agree_on_call.hpp>
#include <cleave/blocks/agree_on_failure.hpp>
#include <cleave/blocks/blocks.hpp>
#include <cleave/blocks/boxed.hpp>
#include <cleave/blocks/call_options.hpp>
#include <cleave/blocks/one_rank.hpp>
#include <cleave/comm.hpp>
#include <cleave/comm/virtual_ranks.hpp>
#include <cleave/error.hpp>
#include <cleave/hypercube/hypercube.hpp>
#include <cleave/stealing/work_stealing.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// By an executor of several ranks, once all agree on the call.
template <class App>
typename App::Solution solve_on_ranks(DC_Type type, const App& app, typename App::Problem problem,
                                      const CallOptions& options) {
  switch (type) {
    case DC_Type::sequential:
      break;
    case DC_Type::hypercube:
      if constexpr (DivideInHalvesAndConquer<App>) {
        return solve_on_hypercube(app, std::move(problem), options);
      } else {
        throw Error("the hypercube divides in halves, which this application does not");
      }
    case DC_Type::work_stealing:
      return solve_by_work_stealing(app, std::move(problem), options,
                                    MpiMessages(Comm(options.comm)));
  }
  throw Error("not a DC_Type");
}

/// `solve(app, problem)`, of the application in boxes where it needs them. Collective.
template <class App, class Solve>
typename App::Solution in_boxes_if_needed(const App& app, typename App::Problem&& problem,
                                          const CallOptions& options, const Messages& ranks,
                                          Solve&& solve) {
  if constexpr (NeedsBoxes<App>) {
    const Boxed<App> boxed(app);
    Blocks<Boxed<App>> blocks(boxed, options);
    auto box = blocks.attempt("Problem", Level{}, [&] {
      return typename Boxed<App>::Problem([&] { return std::move(problem); });
    });
    agree_on_failure(ranks, blocks);
    const auto solution = solve(boxed, *std::move(box));
    blocks.attempt("Solution", Level{}, [&] { return &*solution; });  // made where there is none
    agree_on_failure(ranks, blocks);
    return solution.take();
  } else {
    return solve(app, std::move(problem));
  }
}

/// DC_Call (dc_call.hpp), with hooks. What the move of the solution to the caller throws, this rank
/// throws alone.
template <class App>
typename App::Solution call(DC_Type type, const App& app, typename App::Problem&& problem,
                            const CallOptions& options) {
  if (type == DC_Type::sequential) {
    return solve_on_one_rank(app, std::move(problem), options);
  }
  agree_on_call<App>(type, problem, options);
  const MpiMessages comm(Comm(options.comm));
  return in_boxes_if_needed(
      app, std::move(problem), options, comm, [&](const auto& of, auto&& given) {
        return solve_on_ranks(type, of, std::forward<decltype(given)>(given), options);
      });
}

/// The same by work stealing on virtual ranks; what they are given is not compared.
template <class App>
typename App::Solution call_on(const VirtualMessages& ranks, const App& app,
                               typename App::Problem&& problem, const CallOptions& options) {
  std::array<std::int64_t, 2> agreed{};
  ranks.allreduce_min(agreed);  // takes the time of that agreement
  return in_boxes_if_needed(
      app, std::move(problem), options, ranks, [&](const auto& of, auto&& given) {
        return solve_by_work_stealing(of, std::forward<decltype(given)>(given), options, ranks);
      });
}

}  // namespace cleave::detail
