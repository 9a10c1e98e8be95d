// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>

#include "models/theory/prediction.hpp"

namespace cleave::models {

namespace {

/// The median, and how far the values lie apart.
Estimate estimate_of(const std::vector<double>& seconds) {
  const auto [least, most] = std::ranges::minmax(seconds);
  return {.median = std::max(detail::median(seconds), kShortest_s),
          .low = std::max(least, kShortest_s),
          .high = std::max(most, kShortest_s)};
}

void require_of(const Model& model, const detail::Trace& trace) {
  const auto require_same = [&](const char* what, const std::string& ours,
                                const std::string& theirs) {
    if (ours != theirs) {
      throw UsageError(fmt::format("{} rehearses {} {}, the model is of {}", trace.file.string(),
                                   what, theirs, ours));
    }
  };
  require_same("application", model.app, trace.run.app);
  require_same("type", model.type, trace.run.type);
  require_same("placement", model.placement, trace.run.placement);
  if (model.search() == nullptr) {
    require_same("threads", std::to_string(model.threads), std::to_string(trace.run.threads));
  }
  for (const detail::Trace::Run& run : trace.repetitions) {
    for (const std::string& name : model.size_names()) {
      if (!run.sizes.contains(name)) {
        throw UsageError(fmt::format("{} rehearses {}, without the model's size {}",
                                     trace.file.string(), format_sizes(run.sizes), name));
      }
    }
  }
  for (const auto& [name, value] : model.options) {
    const auto found = trace.run.options.find(name);
    if (name != "size" && found != trace.run.options.end()) {
      require_same(("option " + name).c_str(), value, found->second);
    }
  }
}

/// Whether it is a message of a call whose functors do nothing: to choose a splitter is one, too.
bool is_message(detail::Block block) {
  using enum detail::Block;
  return block == exchange || block == wait || block == skeleton || block == pivot;
}

}  // namespace

std::string app_of_messages(const std::string& app) { return "messages of " + app; }

MeasuredMessages measured_messages(const Measured& model, const detail::Trace& trace) {
  if (trace.run.app != app_of_messages(model.app) || trace.run.placement != model.placement) {
    throw UsageError(fmt::format(
        "{} is of {}, {}; --messages takes what cleave-calibrate --like "
        "writes of {}, {}",
        trace.file.string(), trace.run.app, trace.run.placement, model.app, model.placement));
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

std::vector<RehearsedRun> rehearsed_runs(const Model& model,
                                         std::span<const detail::Trace> traces) {
  for (const detail::Trace& trace : traces) {
    require_of(model, trace);
  }
  std::vector<RehearsedRun> runs;
  if (traces.empty()) {
    return runs;
  }
  const Measurements measurements = collect_rehearsals(traces);
  const auto add = [&](const RunPoint& point) -> RehearsedRun& {
    runs.push_back({.ranks = point.ranks,
                    .ranks_per_host = point.ranks_per_host,
                    .sizes = point.sizes,
                    .options = point.options});
    runs.back().sizes.insert(point.given.begin(), point.given.end());
    return runs.back();
  };
  for (const SearchRun& search : measurements.searches) {
    add(search).search = RehearsedSearch{.seconds = estimate_of(search.seconds),
                                         .visits_s = detail::median(search.visits),
                                         .network = search.network};
  }
  if (!runs.empty()) {
    return runs;
  }
  for (const RunPoint& point : measurements.points) {
    RehearsedRun& run = add(point);
    for (const Sample& sample : measurements.samples) {
      if (sample.ranks == run.ranks && sample.run_sizes == point.sizes &&
          sample.ranks_per_host == run.ranks_per_host) {
        run.blocks[{sample.block, sample.level}][sample.rank] = estimate_of(sample.seconds);
      }
    }
    // The leaves of ranks that were not rehearsed are in the preparation.
    for (const detail::Trace& trace : traces) {
      if (trace.run.ranks != run.ranks || trace.repetitions.back().sizes != point.sizes) {
        continue;
      }
      for (const auto& [rank, span] : trace.spans) {
        const auto sizes = trace.sizes_of(span);
        if (span.block == detail::Block::sequential) {
          run.leaves[rank] = {sizes.begin(), sizes.end()};
        }
      }
    }
  }
  return runs;
}

}  // namespace cleave::models
