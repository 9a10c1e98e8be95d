// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include <cleave/dc_type.hpp>
#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>

#include "models/theory/samples.hpp"

namespace cleave::models {

namespace {

/// The median, and how far the values lie apart.
Estimate estimate_of(const std::vector<double>& seconds) {
  const auto [least, most] = std::ranges::minmax(seconds);
  return {.median = std::max(detail::median(seconds), kShortest_s),
          .low = std::max(least, kShortest_s),
          .high = std::max(most, kShortest_s)};
}

/// Whether it is a message of a call whose functors do nothing: to choose a splitter is one, too.
bool is_message(detail::Block block) {
  using enum detail::Block;
  return block == exchange || block == wait || block == skeleton || block == pivot;
}

}  // namespace

std::string app_of_messages(const std::string& app) { return "messages of " + app; }

MeasuredMessages measured_messages(const Measured& measured, const detail::Trace& trace) {
  if (trace.run.app != app_of_messages(measured.app) || trace.run.placement != measured.placement) {
    throw UsageError(fmt::format("{} is of {}, {}: the other traces are of {}, {}",
                                 trace.file.string(), trace.run.app, trace.run.placement,
                                 measured.app, measured.placement));
  }
  std::map<int, std::map<int, double>> work;  // by repetition, of each rank
  for (const auto& [rank, span] : trace.spans) {
    work[span.repetition][rank] +=
        is_message(span.block) ? 0 : seconds_of(span.end_ns - span.begin_ns);
  }
  MeasuredMessages messages{.ranks = trace.run.ranks,
                            .ranks_per_host = trace.run.ranks_per_host,
                            .sizes = trace.repetitions.back().sizes};
  std::vector<double> seconds;
  for (const detail::Trace::Run& run : trace.repetitions) {
    if (!run.warm_up) {
      const auto of_ranks = std::views::values(work[run.index]);
      const double longest = of_ranks.empty() ? 0 : std::ranges::max(of_ranks);
      seconds.push_back(seconds_of(run.elapsed_ns) - longest);
    }
  }
  std::ranges::sort(seconds);  // what others took cannot be told here: the faster half counts
  seconds.resize((seconds.size() + 1) / 2);
  messages.seconds = estimate_of(seconds);
  return messages;
}

void set_rehearsals_apart(Measurements& measurements,
                          const std::vector<const detail::Trace*>& traces) {
  if (measurements.type != name_of(DC_Type::hypercube)) {
    return;
  }
  for (const RunPoint& point : measurements.points) {
    if (!point.is_rehearsed) {
      continue;
    }
    RehearsedRun run{.ranks = point.ranks,
                     .ranks_per_host = point.ranks_per_host,
                     .sizes = point.sizes,
                     .given = point.given,
                     .options = point.options};
    for (const Sample& sample : measurements.samples) {
      if (sample.is_rehearsed && sample.ranks == run.ranks && sample.run_sizes == run.sizes &&
          sample.ranks_per_host == run.ranks_per_host) {
        run.blocks[{sample.block, sample.level}][sample.rank] = estimate_of(sample.seconds);
      }
    }
    // The leaves of ranks that were not rehearsed are in the preparation.
    for (const detail::Trace* const trace : traces) {
      if (trace->run.rehearsed.empty() || trace->run.ranks != run.ranks ||
          trace->repetitions.back().sizes != run.sizes) {
        continue;
      }
      for (const auto& [rank, span] : trace->spans) {
        const auto sizes = trace->sizes_of(span);
        if (span.block == detail::Block::sequential) {
          run.leaves[rank] = {sizes.begin(), sizes.end()};
        }
      }
    }
    measurements.rehearsed.push_back(std::move(run));
  }
  std::erase_if(measurements.points, [](const RunPoint& point) { return point.is_rehearsed; });
  if (measurements.points.empty()) {
    throw UsageError(fmt::format("{} is of a rehearsal: give traces of a few runs, too",
                                 traces.front()->file.string()));
  }
}

}  // namespace cleave::models
