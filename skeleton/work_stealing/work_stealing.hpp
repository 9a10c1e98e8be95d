// The work-stealing executor.
#pragma once

#include <utility>

#include "skeleton/application.hpp"
#include "skeleton/comm.hpp"
#include "skeleton/options.hpp"
#include "skeleton/work_stealing/tree_search.hpp"

namespace cleave::detail {

template <class App>
typename App::Solution solve_by_work_stealing(const App& app, typename App::Problem problem,
                                              const Options& options) {
  if (Comm(options.comm).size() > 1 || options.stealing.threads > 1) {
    throw Error("work stealing runs on one rank and one thread as yet");
  }
  if (options.checkpoint) {
    throw Error("work stealing writes no snapshots as yet");
  }
  if constexpr (TreeSearch<App>) {
    return search_sequentially(app, std::move(problem));
  } else {
    return solve_sequential(app, std::move(problem));
  }
}

}  // namespace cleave::detail
