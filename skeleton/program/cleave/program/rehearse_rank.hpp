// SPDX-License-Identifier: Apache-2.0
// A rehearsed rank of an application.
#pragma once

#include <cstdint>
#include <functional>

#include <cleave/comm.hpp>
#include <cleave/kernel/any_app.hpp>
#include <cleave/kernel/rehearsal.hpp>
#include <cleave/program/any_run.hpp>
#include <cleave/run_options.hpp>
#include <cleave/trace.hpp>

namespace cleave::detail {

/// A rank that this process has rehearsed.
struct RehearsedRank {
  int rank = 0;
  Recorder recorder{rehearsed_ns};
  Leaves leaves{};
  int first_level = 0;   ///< Rehearsal::first_level
  int level_offset = 0;  ///< Rehearsal::level_offset
};

/// What a rank is given, of the input of a seed.
using MakerOfSeed = std::function<std::function<ErasedValue(int rank)>(std::uint64_t seed)>;

/// Prepares the rank and makes its calls, with `Inputs::each_new` each for itself, unless a
/// preparation takes too much to be repeated. Collective over `world`.
/// \param max_bytes  that the preparation may take
RehearsedRank rehearse_rank(const Comm& world, const AnyApp& app, const RunOptions& options,
                            CallOptions call, int rank, std::int64_t max_bytes,
                            const MakerOfSeed& make_of);

}  // namespace cleave::detail
