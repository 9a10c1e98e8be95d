// SPDX-License-Identifier: Apache-2.0
// A call of an application that is known to be well-formed, by the executor of a type.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include <cleave/application.hpp>
#include <cleave/blocks/agree_on_call.hpp>
#include <cleave/blocks/agree_on_failure.hpp>
#include <cleave/blocks/blocks.hpp>
#include <cleave/blocks/boxed.hpp>
#include <cleave/blocks/call_options.hpp>
#include <cleave/blocks/in_functor.hpp>
#include <cleave/blocks/in_halves.hpp>
#include <cleave/blocks/one_rank.hpp>
#include <cleave/comm.hpp>
#include <cleave/error.hpp>
#include <cleave/hosts.hpp>
#include <cleave/hypercube/hypercube.hpp>
#include <cleave/stealing/work_stealing.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// What solves a rank's own part of a problem on its threads: work stealing on this rank alone.
/// Empty for one thread. \throws Error  if the application is not for several
template <class App>
Leaf<App> leaf_of(const App& app, const CallOptions& options) {
  const int threads = options.stealing.threads;
  if (threads == 1) {
    return nullptr;
  }
  if constexpr (!SharesOwnPart<App>) {
    throw Error(
        "several threads of a rank are not for this application on the hypercube: its Problem "
        "cannot cross, or it has `sequential` and no `bool small(const Problem&) const`, which "
        "says what one thread solves by it");
  } else {
    CallOptions alone{{.comm = MPI_COMM_SELF, .stealing = options.stealing}};
    alone.stealing.statistics = nullptr;
    alone.bound_to = options.bound_to;
    const bool is_polite = hosts_of(Comm(options.comm)).polite(threads);
    return [&app, alone = std::move(alone), is_polite](typename App::Problem problem) {
      try {
        return solve_by_work_stealing(app, std::move(problem), alone,
                                      MpiMessages(Comm(MPI_COMM_SELF), is_polite));
      } catch (const FunctorError& e) {
        throw BlockFailed(e.block(), e.message());
      }
    };
  }
}

/// By an executor of several ranks.
/// \param call  what the first message tells (agree_on_call.hpp); none where all have agreed
template <class App>
typename App::Solution solve_on_ranks(DC_Type type, const App& app, typename App::Problem problem,
                                      const CallOptions& options, const CallIdentity* call) {
  switch (type) {
    case DC_Type::sequential:
      break;
    case DC_Type::hypercube:
      if constexpr (RunsOnHypercube<App>) {
        return solve_on_hypercube(app, std::move(problem), options, leaf_of(app, options), call);
      } else {
        throw Error(
            "the hypercube runs no search: take work_stealing, or give it `divide` in halves as "
            "well");
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

/// Whether two ranks of this call tell each other in their first message what they call.
template <class App>
bool tells_call_first(DC_Type type, const CallOptions& options, int ranks) {
  return RunsOnHypercube<App> && !NeedsBoxes<App> && type == DC_Type::hypercube &&
         options.placement == Placement::replicated && options.stealing.threads == 1 &&
         !std::isnan(options.stealing.max_s) && first_message_tells_call(Way::replicated, ranks);
}

/// DC_Call (dc_call.hpp), with hooks. What the move of the solution to the caller throws, this rank
/// throws alone.
template <class App>
typename App::Solution call(DC_Type type, const App& app, typename App::Problem&& problem,
                            const CallOptions& options) {
  if constexpr (SplitsParts<App>) {
    problem.set_uniform(false);  // its elements may have changed since an earlier call
  }
  if (type != DC_Type::sequential) {
    const Comm comm(options.comm);
    if (tells_call_first<App>(type, options, comm.size())) {
      const CallIdentity identity = identity_of<App>(type, problem, options);
      try {
        return solve_on_ranks(type, app, std::move(problem), options, &identity);
      } catch (const OtherCall&) {
        identity.refuse(comm);
      }
    }
    agree_on_call<App>(type, problem, options);
  }
  if (std::isnan(options.stealing.max_s)) {
    throw Error("max_s is the longest time in seconds that a search may take, not nan");
  }
  if (type == DC_Type::sequential) {
    return solve_on_one_rank(app, std::move(problem), options);
  }
  const MpiMessages comm(Comm(options.comm));
  return in_boxes_if_needed(
      app, std::move(problem), options, comm, [&](const auto& of, auto&& given) {
        return solve_on_ranks(type, of, std::forward<decltype(given)>(given), options, nullptr);
      });
}

/// The same by work stealing on ranks that are all here; what they are given is not compared.
template <class App>
typename App::Solution call_on(const SearchMessages& ranks, const App& app,
                               typename App::Problem&& problem, const CallOptions& options) {
  std::array<std::int64_t, 2> agreed{};
  ranks.allreduce_min(agreed);  // takes the time of that agreement
  return in_boxes_if_needed(
      app, std::move(problem), options, ranks, [&](const auto& of, auto&& given) {
        return solve_by_work_stealing(of, std::forward<decltype(given)>(given), options, ranks);
      });
}

}  // namespace cleave::detail
