// SPDX-License-Identifier: Apache-2.0
#include "models/theory/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>

#include <cleave/dc_type.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/words.hpp>

#include "models/theory/network.hpp"

namespace cleave::models {

namespace {

using detail::Trace;

bool searches_one_problem(const RunInformation& run) {
  return run.type == name_of(DC_Type::work_stealing) && run.inputs == name_of(Inputs::same) &&
         !problem_options(run.options).empty();
}

/// The counts that the command line says, as --size N=31 or --genus 31 does.
NamedSizes given_by(const std::map<std::string, std::string>& options) {
  NamedSizes given;
  for (const auto& [name, value] : options) {
    try {
      given.merge(name == "size"               ? parse_sizes(value)
                  : detail::is_size_name(name) ? NamedSizes{{name, parse_count(value)}}
                                               : NamedSizes{});
    } catch (const UsageError&) {
      continue;  // it says something else
    }
  }
  return given;
}

/// The median; of an even number the lower of the two in the middle. \pre  not empty
std::int64_t lower_median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + (std::ssize(values) + 1) / 2 - 1;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

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
using Totals = std::map<int, std::map<PlaceKey, Total>>;  ///< by repetition

/// The time of a rank between its blocks is work of the skeleton: taking notes,
/// storage that is given back. Its level is the level of the block that is nearer to the root.
void add_work_between_blocks(Totals& totals, const Trace& trace) {
  std::map<std::pair<int, int>, std::vector<const detail::Span*>> lines;
  for (const auto& [rank, span] : trace.spans) {
    lines[{span.repetition, rank}].push_back(&span);
  }
  for (auto& [line, spans] : lines) {
    const auto [repetition, rank] = line;
    std::ranges::sort(spans, {}, &detail::Span::begin_ns);
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

Totals totals_of(const Trace& trace) {
  Totals totals;
  for (const auto& [rank, span] : trace.spans) {
    const std::int64_t waited_for = span.block == detail::Block::wait ? span.bytes : 0;
    Total& total = totals[span.repetition][{span.block, span.level, rank, waited_for}];
    total.seconds += seconds_of(span.end_ns - span.begin_ns);
    total.bytes += static_cast<double>(span.bytes);
    total.spans += 1;
    total.group = span.group;
    for (const auto& [name, value] : trace.sizes_of(span)) {
      double& largest = total.largest_sizes[name];
      largest = std::max(largest, static_cast<double>(value));
    }
  }
  if (trace.run.type == name_of(DC_Type::hypercube)) {
    add_work_between_blocks(totals, trace);
  }
  return totals;
}

/// Adds what a repetition that counts took, and what its workers did.
void add_search(SearchRun& run, const Trace& trace, const Trace::Run& repetition) {
  double visits = 0;
  double workers = 0;
  for (const auto& [index, worker] : trace.workers) {
    if (index != repetition.index) {
      continue;
    }
    workers += 1;
    visits += seconds_of(worker.searching_ns);
    run.local_tried += static_cast<double>(worker.local_tried);
    run.local_made += static_cast<double>(worker.local_made);
    run.remote_tried += static_cast<double>(worker.remote_tried);
    run.remote_made += static_cast<double>(worker.remote_made);
    run.nodes_of[{worker.rank, worker.thread}] += static_cast<double>(worker.nodes);
  }
  if (workers > 0) {
    run.seconds.push_back(seconds_of(repetition.elapsed_ns));
    run.visits.push_back(visits / workers);
  }
}

/// A run point while traces are added.
struct PointData {
  RunPoint point;
  std::vector<std::int64_t> elapsed_ns;
  std::vector<double> medians_s;                  ///< of its rounds
  std::vector<std::int64_t> nodes;                ///< of a search that prunes
  std::int64_t slowest_ns = 0;                    ///< that counts
  std::map<PlaceKey, std::vector<Total>> places;  ///< one total a repetition that counts
  SearchRun search;
};
using Points = std::map<RunIdentity, PointData>;

/// Why the blocks or workers of a trace say nothing; empty if they do.
std::string lack_of(const Trace& trace) {
  if (trace.run.type != name_of(DC_Type::work_stealing)) {
    return trace.dropped > 0 ? "the blocks are left out, since some spans found no room in memory"
                             : "";
  }
  const bool has_nodes = std::ranges::all_of(trace.repetitions, [](const Trace::Run& run) {
    return run.sizes.contains("nodes") && run.sizes.at("nodes") > 0;
  });
  return trace.workers.empty() || !has_nodes
             ? "left out, since it does not say what workers or nodes it had: measure again"
             : "";
}

/// Adds the round that one trace is to the points that its repetitions belong to.
void add_round(Points& points, const Trace& trace) {
  const RunInformation& r = trace.run;
  const std::string file = trace.file.filename().string();
  std::map<RunIdentity, std::vector<double>> round;
  for (const Trace::Run& run : trace.repetitions) {
    if (run.warm_up) {
      continue;
    }
    const RunIdentity identity = identity_of(r, run);
    PointData& data = points[identity];
    data.point = {.ranks = r.ranks,
                  .threads = r.threads,
                  .ranks_per_host = r.ranks_per_host,
                  .oversubscribed = r.oversubscribed,
                  .is_rehearsed = !r.rehearsed.empty(),
                  .sizes = run.sizes,
                  .given = given_by(r.options),
                  .options = problem_options(r.options),
                  .seconds = std::move(data.point.seconds),
                  .peak_memory_bytes = std::max(data.point.peak_memory_bytes, r.peak_memory_bytes),
                  .files = std::move(data.point.files)};
    data.point.seconds.push_back(seconds_of(run.elapsed_ns));
    if (data.point.files.empty() || data.point.files.back() != file) {
      data.point.files.push_back(file);
    }
    data.elapsed_ns.push_back(run.elapsed_ns);
    round[identity].push_back(seconds_of(run.elapsed_ns));
    if (searches_one_problem(r) && run.sizes.contains("nodes")) {
      data.nodes.push_back(run.sizes.at("nodes"));
    }
  }
  for (auto& [identity, seconds] : round) {
    points[identity].medians_s.push_back(detail::median(std::move(seconds)));
  }
}

/// Adds what the blocks or workers of a trace took in the repetitions that count.
void add_parts(Points& points, const Trace& trace) {
  if (!lack_of(trace).empty()) {
    return;
  }
  Totals totals = totals_of(trace);
  for (const Trace::Run& run : trace.repetitions) {
    if (run.warm_up) {
      continue;
    }
    PointData& data = points.at(identity_of(trace.run, run));
    if (run.elapsed_ns > data.slowest_ns) {
      continue;
    }
    if (trace.run.type == name_of(DC_Type::work_stealing)) {
      const auto network = trace.run.options.find("network");
      data.search.network = network == trace.run.options.end() ? "" : network->second;
      add_search(data.search, trace, run);
      continue;
    }
    for (auto& [place, total] : totals[run.index]) {
      data.places[place].push_back(std::move(total));
    }
  }
}

Sample sample_of(const RunPoint& point, const PlaceKey& place, const std::vector<Total>& totals) {
  const auto& [block, level, rank, message_bytes] = place;
  const auto median_of = [&](double Total::*part) {
    std::vector<double> values;
    std::ranges::transform(totals, std::back_inserter(values), part);
    return detail::median(std::move(values));
  };
  Sample sample{.block = block,
                .ranks = point.ranks,
                .ranks_per_host = point.ranks_per_host,
                .oversubscribed = point.oversubscribed,
                .run_sizes = point.sizes,
                .rank = rank,
                .level = level,
                .group = totals.front().group,
                .spans = median_of(&Total::spans),
                .bytes = median_of(&Total::bytes),
                .disturbed = point.disturbed};
  std::map<std::string, std::vector<double>> sizes;
  for (const Total& total : totals) {
    sample.seconds.push_back(total.seconds);
    for (const auto& [name, value] : total.largest_sizes) {
      sizes[name].push_back(value);
    }
  }
  for (auto& [name, values] : sizes) {
    sample.sizes[name] = detail::median(std::move(values));
  }
  return sample;
}

/// Names of the sizes that the option --size gave the run of `trace`; none where it says other
/// sizes than those of the problem, which then comes from somewhere else.
std::set<std::string> given_sizes_of(const Trace& trace) {
  const auto option = trace.run.options.find("size");
  const bool is_given = option != trace.run.options.end() && !trace.repetitions.empty();
  const NamedSizes given = is_given ? given_by({*option}) : NamedSizes();
  if (given.empty() || !std::ranges::includes(trace.repetitions.front().sizes, given)) {
    return {};
  }
  const auto names = std::views::keys(given);
  return {names.begin(), names.end()};
}

/// The application of the traces, with a note of each that lacks its blocks or workers.
/// \throws UsageError  if they are not of one application
Measured measured_of(std::span<const Trace> traces) {
  if (traces.empty()) {
    throw UsageError("no traces are given");
  }
  const RunInformation& first = traces.front().run;
  Measured result{.app = first.app,
                  .type = first.type,
                  .placement = first.placement,
                  .threads = first.threads,
                  .options = problem_options(first.options),
                  .cache_bytes = first.provenance.cache_bytes,
                  .cores = first.provenance.cores,
                  .given_sizes = given_sizes_of(traces.front())};
  for (const Trace& trace : traces) {
    const auto require_same = [&](const char* what, const auto& ours, const auto& found) {
      if (ours != found) {
        throw UsageError(fmt::format("one model is of one {}: {} has '{}', the first trace '{}'",
                                     what, trace.file.string(), found, ours));
      }
    };
    require_same("application", first.app, trace.run.app);
    require_same("type", first.type, trace.run.type);
    require_same("placement", first.placement, trace.run.placement);
    if (first.type != name_of(DC_Type::work_stealing)) {
      require_same("number of threads", first.threads, trace.run.threads);
    }
    std::erase_if(result.options, [&](const auto& option) {
      const auto found = trace.run.options.find(option.first);
      return found == trace.run.options.end() || found->second != option.second;
    });
    if (given_sizes_of(trace) != result.given_sizes) {
      result.given_sizes.clear();
    }
    if (const std::string lack = lack_of(trace); !lack.empty()) {
      result.notes.push_back(fmt::format("{}: {}", trace.file.string(), lack));
    }
  }
  return result;
}

Measurements collect(std::span<const Trace> traces) {
  Measurements result{measured_of(traces), {}, {}, {}};
  Points points;
  for (const Trace& trace : traces) {
    add_round(points, trace);
  }
  if (points.empty()) {
    throw UsageError("the traces hold no counted repetition");
  }
  for (auto& [identity, data] : points) {
    data.point.disturbed = chance_disturbed(data.medians_s);
    data.slowest_ns = lower_median(data.elapsed_ns);
    if (!data.nodes.empty()) {
      data.point.sizes["nodes"] = lower_median(data.nodes);
    }
  }
  for (const Trace& trace : traces) {
    add_parts(points, trace);
  }
  for (auto& [identity, data] : points) {
    for (const auto& [place, totals] : data.places) {
      result.samples.push_back(sample_of(data.point, place, totals));
    }
    if (!data.search.seconds.empty()) {
      std::vector<double> seconds = std::move(data.search.seconds);
      static_cast<RunPoint&>(data.search) = data.point;
      data.search.seconds = std::move(seconds);
      result.searches.push_back(std::move(data.search));
    }
    result.points.push_back(std::move(data.point));
  }
  return result;
}

}  // namespace

NamedSizes lasting_sizes(const RunInformation& run, NamedSizes sizes) {
  if (searches_one_problem(run)) {
    sizes.erase("nodes");
  }
  return sizes;
}

RunIdentity identity_of(const RunInformation& run, const Trace::Run& repetition) {
  return {run.ranks,
          run.threads,
          lasting_sizes(run, repetition.sizes),
          run.ranks_per_host,
          run.oversubscribed,
          !run.rehearsed.empty(),
          run.options,
          searches_one_problem(run) ? run.seed : 0};
}

std::map<std::string, std::string> problem_options(std::map<std::string, std::string> options) {
  options.erase("network");
  return options;
}

double chance_disturbed(const std::vector<double>& round_medians_s) {
  constexpr double kAgree = 1.05;
  if (round_medians_s.size() < 2) {
    return 0.1;
  }
  const auto [least, most] = std::ranges::minmax(round_medians_s);
  return most < kAgree * least ? 0.005 : 0.2;
}

Measurements collect_measurements(std::span<const Trace> traces) {
  for (const Trace& trace : traces) {
    if (trace.run.rehearsed.empty()) {
      continue;
    }
    const auto network = trace.run.options.find("network");
    const bool is_assumed = network != trace.run.options.end() && is_preset(network->second);
    if (is_assumed || trace.run.type == name_of(DC_Type::hypercube)) {
      throw UsageError(fmt::format("{} is of a rehearsal{}: give it to cleave predict --rehearsal",
                                   trace.file.string(),
                                   is_assumed ? " on a network that is assumed, " + network->second
                                              : ", which has no time of a whole run"));
    }
  }
  return collect(traces);
}

Measurements collect_rehearsals(std::span<const Trace> traces) {
  for (const Trace& trace : traces) {
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
    if (point.oversubscribed) {
      ++left_out[point.ranks];
    }
  }
  const auto is_left_out = [](const auto& of) { return of.oversubscribed; };
  std::erase_if(measurements.points, is_left_out);
  std::erase_if(measurements.samples, is_left_out);
  std::erase_if(measurements.searches, is_left_out);
  for (const auto& [ranks, count] : left_out) {
    measurements.notes.push_back(fmt::format("{} {} at {} ranks left out: more ranks than cores",
                                             count, count == 1 ? "run" : "runs", ranks));
  }
  if (measurements.points.empty()) {
    throw Error(
        "every trace has more ranks than cores, so its times tell little; --allow-oversubscribed "
        "fits them all the same");
  }
  return measurements;
}

std::vector<Observation> observations_of(const std::vector<Sample>& samples) {
  using LevelKey = std::tuple<NamedSizes, int, int, int, NamedValues>;
  std::map<LevelKey, std::pair<std::vector<double>, double>> levels;  // medians, disturbed
  for (const Sample& sample : samples) {
    auto& [medians, disturbed] = levels[{sample.run_sizes, sample.ranks, sample.ranks_per_host,
                                         sample.level, sample.sizes_of_block()}];
    medians.push_back(detail::median(sample.seconds));
    disturbed = sample.disturbed;
  }
  std::vector<Observation> observations;
  for (auto& [key, level] : levels) {
    const auto& [run_sizes, ranks, ranks_per_host, number, sizes] = key;
    observations.push_back({.run_sizes = run_sizes,
                            .ranks_per_host = ranks_per_host,
                            .sizes = sizes,
                            .value = std::max(kShortest_s, detail::median(std::move(level.first))),
                            .disturbed = level.second});
  }
  return observations;
}

}  // namespace cleave::models
