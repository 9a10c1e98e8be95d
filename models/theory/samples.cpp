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

/// The repetitions of one trace that are of one run.
struct Round {
  std::vector<double> seconds;
  std::vector<double> visits;
  std::map<PlaceKey, std::vector<Total>> places;
};

double median_of(const std::vector<Total>& totals, double Total::*part) {
  std::vector<double> values;
  std::ranges::transform(totals, std::back_inserter(values), part);
  return detail::median(std::move(values));
}

/// Medians over the repetitions, or the rounds.
Total median_of(const std::vector<Total>& totals) {
  Total total{.seconds = median_of(totals, &Total::seconds),
              .bytes = median_of(totals, &Total::bytes),
              .spans = median_of(totals, &Total::spans),
              .group = totals.front().group};
  std::map<std::string, std::vector<double>> sizes;
  for (const Total& each : totals) {
    for (const auto& [name, value] : each.largest_sizes) {
      sizes[name].push_back(value);
    }
  }
  for (auto& [name, values] : sizes) {
    total.largest_sizes[name] = detail::median(std::move(values));
  }
  return total;
}

/// A run point while traces are added.
struct PointData {
  SearchRun run;
  std::vector<std::int64_t> nodes;                ///< of a search that prunes
  std::map<PlaceKey, std::vector<Total>> places;  ///< one total a round
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

/// Adds what the workers did in a repetition, and the part of it in which they visited nodes.
void add_search(SearchRun& run, Round& round, const Trace& trace, const Trace::Run& repetition) {
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
    round.visits.push_back(visits / workers);
  }
}

/// Adds the round that one trace is to the points that its repetitions belong to.
void add_round(Points& points, const Trace& trace) {
  const RunInformation& r = trace.run;
  const std::string file = trace.file.filename().string();
  const bool has_parts = lack_of(trace).empty();
  Totals totals = has_parts ? totals_of(trace) : Totals();
  std::map<RunIdentity, Round> rounds;
  for (const Trace::Run& repetition : trace.repetitions) {
    if (repetition.warm_up) {
      continue;
    }
    const RunIdentity identity = identity_of(r, repetition);
    Round& round = rounds[identity];
    auto& [run, nodes, places] = points[identity];
    run.ranks = r.ranks;
    run.threads = r.threads;
    run.ranks_per_host = r.ranks_per_host;
    run.oversubscribed = r.oversubscribed;
    run.is_rehearsed = !r.rehearsed.empty();
    run.sizes = repetition.sizes;
    run.given = given_by(r.options);
    run.options = problem_options(r.options);
    run.peak_memory_bytes = std::max(run.peak_memory_bytes, r.peak_memory_bytes);
    run.wall_seconds.push_back(seconds_of(repetition.elapsed_ns));
    if (run.files.empty() || run.files.back() != file) {
      run.files.push_back(file);
    }
    if (searches_one_problem(r) && repetition.sizes.contains("nodes")) {
      nodes.push_back(repetition.sizes.at("nodes"));
    }
    round.seconds.push_back(run.wall_seconds.back());
    if (has_parts && r.type == name_of(DC_Type::work_stealing)) {
      const auto network = r.options.find("network");
      run.network = network == r.options.end() ? "" : network->second;
      add_search(run, round, trace, repetition);
    } else {
      for (auto& [place, total] : totals[repetition.index]) {
        round.places[place].push_back(std::move(total));
      }
    }
  }
  for (auto& [identity, round] : rounds) {
    auto& [run, nodes, places] = points[identity];
    // Rounds that say what workers did come first, so that `visits` are of the same.
    run.seconds.insert(
        round.visits.empty() ? run.seconds.end() : run.seconds.begin() + std::ssize(run.visits),
        detail::median(std::move(round.seconds)));
    if (!round.visits.empty()) {
      run.visits.push_back(detail::median(std::move(round.visits)));
    }
    for (const auto& [place, of_place] : round.places) {
      places[place].push_back(median_of(of_place));
    }
  }
}

Sample sample_of(const RunPoint& point, const PlaceKey& place, const std::vector<Total>& rounds) {
  const auto& [block, level, rank, message_bytes] = place;
  const Total total = median_of(rounds);
  Sample sample{.block = block,
                .ranks = point.ranks,
                .ranks_per_host = point.ranks_per_host,
                .oversubscribed = point.oversubscribed,
                .run_sizes = point.sizes,
                .rank = rank,
                .level = level,
                .group = total.group,
                .sizes = total.largest_sizes,
                .spans = total.spans,
                .bytes = total.bytes,
                .disturbed = point.disturbed};
  std::ranges::transform(rounds, std::back_inserter(sample.seconds), &Total::seconds);
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
    auto& [run, nodes, places] = data;
    run.disturbed = chance_disturbed(run.seconds);
    if (!nodes.empty()) {
      run.sizes["nodes"] = lower_median(nodes);
    }
    for (const auto& [place, totals] : places) {
      result.samples.push_back(sample_of(run, place, totals));
    }
    result.points.push_back(run);
    if (!run.visits.empty()) {
      result.searches.push_back(std::move(run));
    }
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
  struct LevelRounds {
    std::vector<std::vector<double>> seconds;  // of the ranks, by round
    double disturbed = 0;
  };
  std::map<LevelKey, LevelRounds> levels;
  for (const Sample& sample : samples) {
    LevelRounds& level = levels[{sample.run_sizes, sample.ranks, sample.ranks_per_host,
                                 sample.level, sample.sizes_of_block()}];
    level.disturbed = sample.disturbed;
    level.seconds.resize(std::max(level.seconds.size(), sample.seconds.size()));
    for (std::size_t i = 0; i < sample.seconds.size(); ++i) {
      level.seconds[i].push_back(sample.seconds[i]);
    }
  }
  std::vector<Observation> observations;
  for (auto& [key, level] : levels) {
    const auto& [run_sizes, ranks, ranks_per_host, number, sizes] = key;
    for (std::vector<double>& of_ranks : level.seconds) {
      observations.push_back({.run_sizes = run_sizes,
                              .ranks_per_host = ranks_per_host,
                              .sizes = sizes,
                              .value = std::max(kShortest_s, detail::median(std::move(of_ranks))),
                              .disturbed = level.disturbed});
    }
  }
  return observations;
}

}  // namespace cleave::models
