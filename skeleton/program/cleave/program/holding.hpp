// SPDX-License-Identifier: Apache-2.0
// Which ranks hold what of the problem and of the solution of a run, and whose seed it is.
#pragma once

#include <cstdint>

#include <cleave/dc_type.hpp>
#include <cleave/run_options.hpp>
#include <cleave/trace.hpp>

namespace cleave::detail {

/// What a rank holds of a problem.
enum class Holding { nothing, all, part };

/// Whether every rank holds a part of the problem.
inline bool is_distributed(const RunOptions& options) {
  return options.type == DC_Type::hypercube &&
         traits_of(options.placement).problem == Holders::parts;
}

/// Whether `rank` is given the whole problem.
inline bool holds_problem(int rank, const RunOptions& options) {
  return rank == 0 || (options.type != DC_Type::sequential &&
                       traits_of(options.placement).problem == Holders::all);
}

/// What `rank` is given of the problem.
inline Holding holding_of(int rank, const RunOptions& options) {
  return is_distributed(options)        ? Holding::part
         : holds_problem(rank, options) ? Holding::all
                                        : Holding::nothing;
}

/// Whether every rank gets the whole solution by itself.
inline bool all_hold_solution(const RunOptions& options) {
  return options.type != DC_Type::sequential &&
         traits_of(options.placement).solution == Holders::all;
}

/// Of repetition `index`, the first of which is 0 and a warm-up if there is one. The last has that
/// of --seed.
inline std::uint64_t seed_of_repetition(const RunOptions& options, int index) {
  const int to_come = options.warm_up + options.repetitions - 1 - index;
  return options.inputs == Inputs::each_new
             ? options.seed + (static_cast<std::uint64_t>(to_come) << 32)
             : options.seed;
}

/// Adds the sizes of --size to those of the run, but for names that the executor has told of
/// already. It cannot tell those of a whole that is made in parts, nor those that work stealing
/// divides.
void add_asked_sizes(const RunOptions& options, Recorder& recorder);

}  // namespace cleave::detail
