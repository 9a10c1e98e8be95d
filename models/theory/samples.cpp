// SPDX-License-Identifier: Apache-2.0
#include "models/theory/samples.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
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

/// Block, level, rank, and of waiting the length of the awaited message: a header, or nothing.
using PlaceKey = std::tuple<detail::Block, int, int, std::int64_t>;

/// The spans of one block at one place in one repetition, added up.
struct Total {
  double seconds = 0;  ///< less the lost ones
  double lost = 0;     ///< seconds in which the thread had no core
  double bytes = 0;
  double spans = 0;
  int group = 1;
  NamedValues largest_sizes;
};
using Totals = std::map<int, std::map<PlaceKey, Total>>;  ///< by repetition

/// The time of a rank between its blocks on the hypercube is work of the skeleton: taking notes,
/// storage that is given back. Its level is the level of the block that is nearer to the root.
Totals totals_of(const Trace& trace) {
  const bool is_hypercube = trace.run.type == name_of(DC_Type::hypercube);
  Totals totals;
  std::map<std::pair<int, int>, const detail::Span*> before;  // of each repetition and rank
  for (const auto& [rank, span] : trace.spans) {
    const std::int64_t waited_for = span.block == detail::Block::wait ? span.bytes : 0;
    Total& total = totals[span.repetition][{span.block, span.level, rank, waited_for}];
    const double lost = 1e-9 * span.run_delay_ns;
    total.seconds += std::max(0.0, seconds_of(span.end_ns - span.begin_ns) - lost);
    total.lost += lost;
    total.bytes += static_cast<double>(span.bytes);
    total.spans += 1;
    total.group = span.group;
    for (const auto& [name, value] : trace.sizes_of(span)) {
      double& largest = total.largest_sizes[name];
      largest = std::max(largest, static_cast<double>(value));
    }
    const auto* const last = std::exchange(before[{span.repetition, rank}], &span);
    const detail::Span& upper = last != nullptr && last->level < span.level ? *last : span;
    if (is_hypercube && last != nullptr && span.begin_ns > last->end_ns && upper.group > 1) {
      Total& between = totals[span.repetition][{detail::Block::skeleton, upper.level, rank, 0}];
      between.seconds += seconds_of(span.begin_ns - last->end_ns);
      between.group = upper.group;
    }
  }
  return totals;
}

/// The repetitions' times without what others took. Where a thread lost its core, the blocks take
/// the longest over the ranks, those on the way down together (equation 6). A message takes the
/// least of all ranks and repetitions, since for how long a partner was away cannot be told, and so
/// does what is around all spans. Elsewhere the time is what was measured.
std::map<int, double> quiet_times(const Trace& trace, Totals& totals) {
  using enum detail::Block;
  const auto lower = [](double& least, double seconds) { least = std::min(least, seconds); };
  std::map<int, double> times;
  std::map<int, double> quiet;  // of the blocks, where a core was lost
  std::map<PlaceKey, double> messages;
  double around = std::numeric_limits<double>::infinity();
  for (const Trace::Run& run : trace.repetitions) {
    std::map<std::pair<detail::Block, int>, std::map<int, double>> work;
    double lost = 0;
    double spent = 0;  // by rank 0, from the start to the end
    for (const auto& [place, total] : totals[run.index]) {
      const auto& [block, level, rank, waited_for] = place;
      spent += rank == 0 ? total.seconds + total.lost : 0;
      lost += total.lost;
      if (block == exchange || block == wait || block == pivot || block == skeleton) {
        const PlaceKey of_all(block, level, 0, waited_for);
        lower(messages.try_emplace(of_all, total.seconds).first->second, total.seconds);
      } else {
        const bool is_down = block == divide || block == sequential || block == conquer;
        work[{is_down ? sequential : block, is_down ? 0 : level}][rank] += total.seconds;
      }
    }
    times[run.index] = seconds_of(run.elapsed_ns);
    lower(around, times[run.index] - spent);
    for (const auto& [place, of_ranks] : work) {
      if (lost > 0) {
        quiet[run.index] += std::ranges::max(std::views::values(of_ranks));
      }
    }
  }
  for (const double seconds : std::views::values(messages)) {
    around += seconds;
  }
  for (const auto& [repetition, seconds] : quiet) {
    lower(times[repetition], seconds + around);
  }
  return times;
}

/// The repetitions of one trace that are of one run.
struct Round {
  std::vector<double> seconds;
  std::vector<double> visits;
  std::map<PlaceKey, std::vector<double>> places;  ///< the same
};

/// A run point while traces are added.
struct PointData {
  SearchRun run;
  std::vector<double> nodes;                       ///< of a search that prunes
  std::map<PlaceKey, std::vector<Total>> places;   ///< one total a repetition
  std::map<PlaceKey, std::vector<double>> rounds;  ///< the medians of their times
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
  double lost = 0;
  double workers = 0;
  for (const auto& [index, worker] : trace.workers) {
    if (index != repetition.index) {
      continue;
    }
    workers += 1;
    visits += seconds_of(worker.searching_ns - worker.searching_delay_ns);
    lost += seconds_of(worker.searching_delay_ns + worker.waiting_delay_ns);
    run.local_tried += static_cast<double>(worker.local_tried);
    run.local_made += static_cast<double>(worker.local_made);
    run.remote_tried += static_cast<double>(worker.remote_tried);
    run.remote_made += static_cast<double>(worker.remote_made);
    run.nodes_of[{worker.rank, worker.thread}] += static_cast<double>(worker.nodes);
  }
  if (workers > 0) {
    round.visits.push_back(visits / workers);
    round.seconds.back() -= lost / workers;
  }
}

/// Adds the round that one trace is to the points that its repetitions belong to.
void add_round(Points& points, const Trace& trace) {
  const RunInformation& r = trace.run;
  const bool has_parts = lack_of(trace).empty();
  Totals totals = has_parts ? totals_of(trace) : Totals();
  const std::map<int, double> times = quiet_times(trace, totals);
  const bool is_busy = std::ranges::any_of(
      trace.spans, [](const Trace::RankSpan& of) { return of.span.run_delay_ns > 0; });
  std::map<RunIdentity, Round> rounds;
  for (const Trace::Run& repetition : trace.repetitions) {
    if (repetition.warm_up) {
      continue;
    }
    const RunIdentity identity = identity_of(r, repetition);
    Round& round = rounds[identity];
    auto& [run, nodes, places, place_rounds] = points[identity];
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
    if (searches_one_problem(r) && repetition.sizes.contains("nodes")) {
      nodes.push_back(static_cast<double>(repetition.sizes.at("nodes")));
    }
    round.seconds.push_back(times.at(repetition.index));
    if (has_parts && r.type == name_of(DC_Type::work_stealing)) {
      const auto network = r.options.find("network");
      run.network = std::filesystem::path(network == r.options.end() ? "" : network->second).stem();
      add_search(run, round, trace, repetition);
    } else {
      for (auto& [place, total] : totals[repetition.index]) {
        round.places[place].push_back(total.seconds);
        places[place].push_back(std::move(total));
      }
    }
  }
  for (auto& [identity, round] : rounds) {
    auto& [run, nodes, places, place_rounds] = points[identity];
    // Rounds that say what workers did come first, so that `visits` are of the same.
    run.seconds.insert(
        round.visits.empty() ? run.seconds.end() : run.seconds.begin() + std::ssize(run.visits),
        detail::median(std::move(round.seconds)));
    if (!round.visits.empty()) {
      run.visits.push_back(detail::median(std::move(round.visits)));
    }
    for (auto& [place, of_place] : round.places) {
      const bool may_miss_partner = is_busy && std::get<0>(place) == detail::Block::exchange;
      place_rounds[place].push_back(quantile(std::move(of_place), may_miss_partner ? 0.25 : 0.5));
    }
  }
}

Sample sample_of(const RunPoint& point, const PlaceKey& place, const std::vector<Total>& totals,
                 std::vector<double> rounds) {
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
                .is_rehearsed = point.is_rehearsed,
                .run_sizes = point.sizes,
                .rank = rank,
                .level = level,
                .group = totals.front().group,
                .spans = median_of(&Total::spans),
                .bytes = median_of(&Total::bytes),
                .seconds = std::move(rounds)};
  std::map<std::string, std::vector<double>> sizes;
  for (const Total& total : totals) {
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

/// The things that a run was made from, by name: of a file that an option names, its content.
std::map<std::string, std::string> made_from(const RunInformation& run) {
  const bool is_search = run.type == name_of(DC_Type::work_stealing);
  std::map<std::string, std::string> made = {
      {"application", run.app},
      {"type", run.type},
      {"placement", run.placement},
      {"number of threads", is_search ? "any" : std::to_string(run.threads)},
      {"host", run.provenance.host},
      {"processor", run.provenance.processor},
      {"MPI library", run.provenance.mpi_library},
      {"version of Cleave", run.provenance.version},
      {"cores outnumbered", run.oversubscribed ? "yes" : "no"}};
  made.insert(run.files.begin(), run.files.end());
  made.insert(run.options.begin(), run.options.end());
  return made;
}

/// The application of the traces, with a note of each that lacks its blocks or workers, and of
/// several hosts or programs.
/// \throws UsageError  if they are not of one application
Measured measured_of(const std::vector<const Trace*>& traces) {
  if (traces.empty()) {
    throw UsageError("no traces are given");
  }
  const RunInformation& first = traces.front()->run;
  Measured result{.app = first.app,
                  .type = first.type,
                  .placement = first.placement,
                  .threads = first.threads,
                  .options = problem_options(first.options),
                  .cores = first.provenance.cores,
                  .given_sizes = given_sizes_of(*traces.front())};
  for (const Trace* const trace : traces) {
    auto made = made_from(trace->run);
    for (const char* const what : {"application", "type", "placement", "number of threads"}) {
      if (const std::string ours = made_from(first).at(what); made.at(what) != ours) {
        throw UsageError(fmt::format("one model is of one {}: {} has '{}', the first trace '{}'",
                                     what, trace->file.string(), made.at(what), ours));
      }
    }
    for (auto& [what, value] : made) {
      result.made_from[what].insert(std::move(value));
    }
    if (given_sizes_of(*trace) != result.given_sizes) {
      result.given_sizes.clear();
    }
    if (const std::string lack = lack_of(*trace); !lack.empty()) {
      result.notes.push_back(fmt::format("{}: {}", trace->file.string(), lack));
    }
  }
  std::erase_if(result.options,
                [&](const auto& option) { return result.made_from[option.first].size() > 1; });
  for (const char* const what : {"processor", "MPI library", "version of Cleave", "program"}) {
    if (const auto& all = result.made_from[what]; all.size() > 1) {
      result.notes.push_back(fmt::format("runs of more than one {} are fitted as one: {}", what,
                                         fmt::join(all, "; ")));
    }
  }
  return result;
}

Measurements collect(const std::vector<const Trace*>& traces) {
  Measurements result{measured_of(traces), {}, {}, {}, {}};
  Points points;
  std::int64_t longest_ns = 0;  // what delays a shorter first repetition is no state
  for (const Trace* const trace : traces) {
    if (const auto& all = trace->repetitions;
        all.size() > 1 && trace->run.inputs == "same" && all[0].elapsed_ns > longest_ns) {
      longest_ns = all[0].elapsed_ns;
      result.kept_state = detail::kept_state(longest_ns, all[1].elapsed_ns);
    }
    add_round(points, *trace);
  }
  if (points.empty()) {
    throw UsageError("the traces hold no counted repetition");
  }
  for (auto& [identity, data] : points) {
    auto& [run, nodes, places, rounds] = data;
    if (!nodes.empty()) {
      run.sizes["nodes"] = std::llround(detail::median(nodes));
    }
    for (const auto& [place, totals] : places) {
      result.samples.push_back(sample_of(run, place, totals, std::move(rounds[place])));
    }
    result.points.push_back(run);
    if (!run.visits.empty()) {
      result.searches.push_back(std::move(run));
    }
  }
  return result;
}

}  // namespace

RunIdentity identity_of(const RunInformation& run, const Trace::Run& repetition) {
  NamedSizes sizes = repetition.sizes;
  if (searches_one_problem(run)) {
    sizes.erase("nodes");
  }
  return {run.ranks,          run.threads,
          std::move(sizes),   run.ranks_per_host,
          run.oversubscribed, !run.rehearsed.empty(),
          run.options,        searches_one_problem(run) ? run.seed : 0};
}

std::map<std::string, std::string> problem_options(std::map<std::string, std::string> options) {
  options.erase("network");
  return options;
}

Measurements collect_measurements(std::span<const Trace> traces, std::span<const Trace> more) {
  std::vector<const Trace*> calls;
  std::vector<const Trace*> messages;
  for (const std::span<const Trace> some : {traces, more}) {
    for (const Trace& trace : some) {
      (trace.run.app.starts_with(app_of_messages("")) ? messages : calls).push_back(&trace);
    }
  }
  Measurements result = collect(calls);
  set_rehearsals_apart(result, calls);
  for (const Trace* const trace : messages) {
    result.messages.push_back(measured_messages(result, *trace));
  }
  return result;
}

Measurements without_oversubscribed(Measurements measurements) {
  const auto is_left_out = [](const auto& of) { return of.oversubscribed; };
  const auto count = std::erase_if(measurements.points, is_left_out);
  std::erase_if(measurements.samples, is_left_out);
  std::erase_if(measurements.searches, is_left_out);
  if (count > 0) {
    measurements.notes.push_back(
        fmt::format("{} {} left out: more ranks than cores", count, count == 1 ? "run" : "runs"));
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
  std::map<LevelKey, std::vector<std::vector<double>>> levels;  // of the ranks, by round
  for (const Sample& sample : samples) {
    const bool is_skeleton = sample.block == detail::Block::skeleton;  // which finds room for bytes
    auto& rounds = levels[{sample.run_sizes, sample.ranks, sample.ranks_per_host, sample.level,
                           is_skeleton ? NamedValues{{"bytes", sample.bytes}} : sample.sizes}];
    rounds.resize(std::max(rounds.size(), sample.seconds.size()));
    for (std::size_t i = 0; i < sample.seconds.size(); ++i) {
      rounds[i].push_back(sample.seconds[i]);
    }
  }
  std::vector<Observation> observations;
  for (auto& [key, rounds] : levels) {
    const auto& [run_sizes, ranks, ranks_per_host, number, sizes] = key;
    for (std::vector<double>& of_ranks : rounds) {
      observations.push_back({.run_sizes = run_sizes,
                              .ranks_per_host = ranks_per_host,
                              .sizes = sizes,
                              .value = std::max(kShortest_s, detail::median(std::move(of_ranks)))});
    }
  }
  return observations;
}

}  // namespace cleave::models
