// SPDX-License-Identifier: Apache-2.0
// DC_Type::sequential: the whole problem on the calling rank, as one block.
#pragma once

#include <exception>
#include <utility>

#include <cleave/application.hpp>
#include <cleave/blocks/blocks.hpp>
#include <cleave/blocks/call_options.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// A tree search as it is, without blocks: its visits are too short.
template <TreeSearch App>
  requires(!DivideAndConquer<App>)
typename App::Solution solve_on_one_rank(const App& app, typename App::Problem problem,
                                         const CallOptions& options) {
  auto total = search_sequentially(app, std::move(problem), limits_of(options.stealing));
  if (options.recorder != nullptr) {
    options.recorder->add_run_sizes(sizes_of_solution(app, total));
  }
  return total;
}

/// By the `sequential` functor where there is one, else by a search where there is `visit`. What a
/// functor throws passes unchanged.
template <DivideAndConquer App>
typename App::Solution solve_on_one_rank(const App& app, typename App::Problem problem,
                                         const CallOptions& options) {
  Blocks<App> blocks(app, options);
  Recorder* const recorder = options.recorder;
  if (recorder != nullptr) {
    recorder->add_run_sizes(blocks.problem_sizes(problem));
  }
  auto solution = blocks.solve(std::move(problem), Level{});
  if (solution && recorder != nullptr) {
    recorder->add_run_sizes(blocks.solution_sizes(*solution));
  }
  if (blocks.failure()) {
    std::rethrow_exception(blocks.failure()->exception);
  }
  return *std::move(solution);
}

}  // namespace cleave::detail
