// SPDX-License-Identifier: Apache-2.0
// A run as it was rehearsed at its very sizes (`--rehearse`, docs/reference/programs.md): of the
// hypercube its blocks on some ranks, a search as a whole. No law is asked then.
#pragma once

#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cleave/trace.hpp>

#include "models/theory/model.hpp"

namespace cleave::detail {
struct Trace;
}

namespace cleave::models {

struct RehearsedSearch {
  Estimate seconds;     ///< of the whole call
  double visits_s = 0;  ///< of these, what a worker visits nodes, on average
  std::string network;  ///< the name of its file, perhaps of a preset
};

struct RehearsedRun {
  int ranks = 1;
  int ranks_per_host = 1;  ///< that were rehearsed at once, or that a search was rehearsed with
  NamedSizes sizes;        ///< with what it was given
  std::map<std::string, std::string> options{};  ///< that say what is solved
  bool is_asked = false;                         ///< whether a report is to answer for this run
  /// The quiet times by block and level, of each rehearsed rank.
  std::map<std::pair<detail::Block, int>, std::map<int, Estimate>> blocks;
  std::map<int, NamedValues> leaves;  ///< the sizes of what each rank solves alone
  std::optional<RehearsedSearch> search{};

  /// Which rehearsed rank stands for `rank`: itself, else the nearest before it, else the first.
  /// Null where the block was not rehearsed.
  const std::pair<const int, Estimate>* find(detail::Block block, int level, int rank) const {
    const auto found = blocks.find({block, level});
    if (found == blocks.end()) {
      return nullptr;
    }
    const auto after = found->second.upper_bound(rank);
    return &*(after == found->second.begin() ? after : std::prev(after));
  }
};

/// All messages of a call, as they were measured where it is to run (`cleave-calibrate --like`).
struct MeasuredMessages {
  int ranks = 1;
  int ranks_per_host = 1;
  NamedSizes sizes;
  Estimate seconds;
};

/// The application that a trace of the messages of `app` names.
std::string app_of_messages(const std::string& app);

/// The times of the calls of `trace` but for their blocks.
/// \throws UsageError  if it is not of the messages of `model`'s application and placement
MeasuredMessages measured_messages(const Model& model, const detail::Trace& trace);

/// One for each number of ranks and sizes.
/// \throws UsageError  if a trace is of no rehearsal, or of another application, type, placement or
///                     options than `model`
std::vector<RehearsedRun> rehearsed_runs(const Model& model, std::span<const detail::Trace> traces);

}  // namespace cleave::models
