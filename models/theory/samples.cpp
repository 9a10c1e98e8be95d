// SPDX-License-Identifier: Apache-2.0
#include "models/theory/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include <cleave/dc_type.hpp>
#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/median.hpp>
#include <cleave/trace/span.hpp>
#include <cleave/trace/trace_file.hpp>

#include "models/theory/network.hpp"
#include "models/theory/statistics.hpp"
#include "models/theory/trace_run.hpp"

namespace cleave::models {

namespace {

/// Block, level, rank, and of waiting the length of the message that is waited for: a header, or
/// nothing where all agree on something.
using PlaceKey = std::tuple<detail::Block, int, int, std::int64_t>;

/// The spans of one block at one place in one repetition, added up.
struct Total {
  double seconds = 0;
  double bytes = 0;
  double spans = 0;
  int group = 1;
  NamedValues largest_sizes;
};

struct PointData {
  RunPoint point;
  std::map<PlaceKey, std::vector<Total>> places;  ///< one total a repetition
};

void add_span(Total& total, const detail::Trace& trace, const detail::Span& span) {
  total.seconds += seconds_of(span.end_ns - span.begin_ns);
  total.bytes += static_cast<double>(span.bytes);
  total.spans += 1;
  total.group = span.group;
  for (const auto& [name, value] : trace.sizes_of(span)) {
    double& largest = total.largest_sizes[name];
    largest = std::max(largest, static_cast<double>(value));
  }
}

void require_same(const std::string& what, const std::string& first, const detail::Trace& trace,
                  const std::string& found) {
  if (first != found) {
    throw UsageError(fmt::format("one model is of one {}: {} has '{}', the first trace '{}'", what,
                                 trace.file.string(), found, first));
  }
}

PlaceKey place_of(const detail::Span& span, int rank) {
  return {span.block, span.level, rank, span.block == detail::Block::wait ? span.bytes : 0};
}

/// What a rank of the hypercube does between its blocks is work of the skeleton: taking notes,
/// storage that is given back. Its level is that of the two that is nearer to the root.
void add_work_between_blocks(std::map<int, std::map<PlaceKey, Total>>& totals,
                             const detail::Trace& trace) {
  std::map<std::pair<int, int>, std::vector<const detail::Span*>> lines;
  for (const auto& [rank, span] : trace.spans) {
    lines[{span.repetition, rank}].push_back(&span);
  }
  for (auto& [line, spans] : lines) {
    const auto [repetition, rank] = line;
    std::sort(spans.begin(), spans.end(), [](const detail::Span* a, const detail::Span* b) {
      return a->begin_ns < b->begin_ns;
    });
    for (std::size_t i = 1; i < spans.size(); ++i) {
      const detail::Span& before = *spans[i - 1];
      const detail::Span& after = *spans[i];
      const detail::Span& upper = after.level < before.level ? after : before;
      if (after.begin_ns > before.end_ns && upper.group > 1) {
        Total& total = totals[repetition][{detail::Block::skeleton, upper.level, rank, 0}];
        total.seconds += seconds_of(after.begin_ns - before.end_ns);
        total.group = upper.group;
      }
    }
  }
}

/// Adds the repetitions of one trace to the points that they belong to, and what their blocks took
/// where they count.
void add_trace(std::map<RunIdentity, PointData>& points, const detail::Trace& trace,
               const QuietRepetitions& quiet) {
  std::map<int, std::map<PlaceKey, Total>> totals;
  for (const auto& [rank, span] : trace.spans) {
    add_span(totals[span.repetition][place_of(span, rank)], trace, span);
  }
  if (trace.run.type == name_of(DC_Type::hypercube)) {
    add_work_between_blocks(totals, trace);
  }
  for (const detail::Trace::Run& run : trace.repetitions) {
    if (run.warm_up) {
      continue;
    }
    const RunInformation& r = trace.run;
    const RunIdentity identity = identity_of(r, run);
    auto& [point, places] = points[identity];
    point.disturbed = quiet.chance_disturbed(identity);
    point.ranks = r.ranks;
    point.threads = r.threads;
    point.ranks_per_host = r.ranks_per_host;
    point.oversubscribed = r.oversubscribed;
    point.is_rehearsed = !r.rehearsed.empty();
    point.sizes = quiet.sizes_of(identity, run);
    point.given = given_by(r.options);
    point.options = problem_options(r.options);
    point.peak_memory_bytes = std::max(point.peak_memory_bytes, r.peak_memory_bytes);
    point.seconds.push_back(seconds_of(run.elapsed_ns));
    const std::string file = trace.file.filename().string();
    if (point.files.empty() || point.files.back() != file) {
      point.files.push_back(file);
    }
    if (trace.dropped == 0 && quiet.counts(trace, run)) {
      for (const auto& [place, total] : totals[run.index]) {
        places[place].push_back(total);
      }
    }
  }
}

template <class Member>
double median_of(const std::vector<Total>& totals, Member member) {
  std::vector<double> values;
  for (const Total& total : totals) {
    values.push_back(total.*member);
  }
  return detail::median(std::move(values));
}

NamedValues median_sizes(const std::vector<Total>& totals) {
  std::map<std::string, std::vector<double>> values;
  for (const Total& total : totals) {
    for (const auto& [name, value] : total.largest_sizes) {
      values[name].push_back(value);
    }
  }
  NamedValues medians;
  for (auto& [name, of_name] : values) {
    medians[name] = detail::median(std::move(of_name));
  }
  return medians;
}

Sample sample_of(const RunPoint& point, const PlaceKey& place, const std::vector<Total>& totals) {
  const auto& [block, level, rank, message_bytes] = place;
  Sample sample{.block = block,
                .ranks = point.ranks,
                .ranks_per_host = point.ranks_per_host,
                .oversubscribed = point.oversubscribed,
                .run_sizes = point.sizes,
                .rank = rank,
                .level = level,
                .group = totals.front().group,
                .sizes = median_sizes(totals),
                .spans = median_of(totals, &Total::spans),
                .bytes = median_of(totals, &Total::bytes),
                .disturbed = point.disturbed};
  for (const Total& total : totals) {
    sample.seconds.push_back(total.seconds);
  }
  return sample;
}

/// Names of the sizes that the option --size gave the run of `trace`; none where it says other
/// sizes than those of the problem, which then comes from somewhere else.
std::set<std::string> given_sizes_of(const detail::Trace& trace) {
  const auto option = trace.run.options.find("size");
  if (option == trace.run.options.end() || option->second.empty() || trace.repetitions.empty()) {
    return {};
  }
  const NamedSizes& sizes = trace.repetitions.front().sizes;
  std::set<std::string> names;
  try {
    for (const auto& [name, value] : parse_sizes(option->second)) {
      const auto found = sizes.find(name);
      if (found == sizes.end() || found->second != value) {
        return {};
      }
      names.insert(name);
    }
  } catch (const UsageError&) {
    return {};  // an application of its own, whose option says something else
  }
  return names;
}

}  // namespace

NamedValues sizes_of_block(const Sample& sample) {
  return sample.block == detail::Block::skeleton ? NamedValues{{"bytes", sample.bytes}}
                                                 : sample.sizes;
}

namespace {

Measurements collect(std::span<const detail::Trace> traces) {
  if (traces.empty()) {
    throw UsageError("no traces are given");
  }
  const RunInformation& first = traces.front().run;
  Measurements result{.app = first.app,
                      .type = first.type,
                      .placement = first.placement,
                      .threads = first.threads,
                      .options = first.options,
                      .cache_bytes = traces.front().run.provenance.cache_bytes,
                      .cores = traces.front().run.provenance.cores,
                      .costs = first.costs,
                      .given_sizes = given_sizes_of(traces.front())};
  result.options.erase("network");  // of a rehearsal, not of the application
  const bool steals = first.type == name_of(DC_Type::work_stealing);
  const QuietRepetitions quiet(traces);
  std::map<RunIdentity, PointData> points;
  for (const detail::Trace& trace : traces) {
    require_same("application", first.app, trace, trace.run.app);
    require_same("type", first.type, trace, trace.run.type);
    require_same("placement", first.placement, trace, trace.run.placement);
    if (!steals) {
      require_same("number of threads", std::to_string(first.threads), trace,
                   std::to_string(trace.run.threads));
    }
    std::erase_if(result.options, [&](const auto& option) {
      const auto found = trace.run.options.find(option.first);
      return found == trace.run.options.end() || found->second != option.second;
    });
    if (given_sizes_of(trace) != result.given_sizes) {
      result.given_sizes.clear();
    }
    if (trace.dropped > 0 && !steals) {
      result.notes.push_back(
          fmt::format("{}: the blocks are left out, since some spans found no room in memory",
                      trace.file.string()));
    }
    add_trace(points, trace, quiet);
  }
  if (points.empty()) {
    throw UsageError("the traces hold no counted repetition");
  }
  for (auto& [key, data] : points) {
    if (!steals) {
      for (const auto& [place, totals] : data.places) {
        result.samples.push_back(sample_of(data.point, place, totals));
      }
    }
    result.points.push_back(std::move(data.point));
  }
  if (steals) {
    SearchRuns collected = collect_search_runs(traces, quiet);
    result.searches = std::move(collected.runs);
    result.notes.insert(result.notes.end(), collected.notes.begin(), collected.notes.end());
  }
  return result;
}

}  // namespace

Measurements collect_measurements(std::span<const detail::Trace> traces) {
  for (const detail::Trace& trace : traces) {
    if (!trace.run.rehearsed.empty() && trace.run.type == name_of(DC_Type::hypercube)) {
      throw UsageError(fmt::format(
          "{} is of a rehearsal, which has no time of a whole run: give it to cleave predict "
          "--rehearsal",
          trace.file.string()));
    }
    const auto network = trace.run.options.find("network");
    if (!trace.run.rehearsed.empty() && network != trace.run.options.end() &&
        is_preset(network->second)) {
      throw UsageError(fmt::format(
          "{} was rehearsed on a network that is assumed, {}, so that a law of it would seem surer "
          "than it is: give it to cleave predict --rehearsal",
          trace.file.string(), network->second));
    }
  }
  return collect(traces);
}

Measurements collect_rehearsals(std::span<const detail::Trace> traces) {
  for (const detail::Trace& trace : traces) {
    if (trace.run.rehearsed.empty()) {
      throw UsageError(fmt::format("{} is of a run: a rehearsal is made by the option --rehearse",
                                   trace.file.string()));
    }
  }
  return collect(traces);
}

Measurements without_oversubscribed(Measurements measurements) {
  std::map<int, int> left_out;
  for (const RunPoint& point : measurements.points) {
    left_out[point.ranks] += point.oversubscribed ? 1 : 0;
  }
  std::erase_if(measurements.points, [](const RunPoint& point) { return point.oversubscribed; });
  std::erase_if(measurements.samples, [](const Sample& sample) { return sample.oversubscribed; });
  std::erase_if(measurements.searches, [](const SearchRun& run) { return run.oversubscribed; });
  for (const auto& [ranks, count] : left_out) {
    if (count > 0) {
      measurements.notes.push_back(fmt::format("{} {} at {} ranks left out: more ranks than cores",
                                               count, count == 1 ? "run" : "runs", ranks));
    }
  }
  if (measurements.points.empty()) {
    throw Error(
        "every trace has more ranks than cores, so its times tell little; --allow-oversubscribed "
        "fits them all the same");
  }
  return measurements;
}

}  // namespace cleave::models
