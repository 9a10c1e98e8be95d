// SPDX-License-Identifier: Apache-2.0
#include "models/report/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <numbers>
#include <ranges>

#include <cleave/error.hpp>
#include <cleave/trace.hpp>

#include "models/report/report.hpp"
#include "models/report/table.hpp"
#include "models/theory/prediction.hpp"

namespace cleave::models {

namespace {

/// Student's t of the logarithm of a side's time.
struct SideMean {
  double middle = 0;
  double variance = 0;  ///< of the middle
  double freedom = 1;
};

/// A value of each round, relative to what the first side takes, of the runs that both have.
std::vector<double> rounds_of(const TimesOfSide& side, const TimesOfSide& first,
                              const TimesOfSide& second) {
  std::map<int, std::vector<double>> rounds;
  for (const auto& [run, by_round] : side) {
    if (first.contains(run) && second.contains(run)) {
      const auto reference = std::views::values(first.at(run));
      const double unit = detail::median(std::vector<double>(reference.begin(), reference.end()));
      for (const auto& [round, seconds] : by_round) {
        if (unit > 0 && seconds > 0) {
          rounds[round].push_back(seconds / unit);
        }
      }
    }
  }
  std::vector<double> values;
  for (auto& [round, of_round] : rounds) {
    values.push_back(detail::median(std::move(of_round)));
  }
  return values;
}

SideMean mean_of(const std::vector<double>& rounds) {
  constexpr double kOfMedian = std::numbers::pi / 2;  // its variance over that of a mean
  const auto count = static_cast<double>(rounds.size());
  const double freedom = count - 1;
  const double floor = kFloor * kFloor;
  const double own = std::pow(relative_spread(rounds), 2);
  // Rounds that differ more than the floor of a law count alone.
  const double firmness = own > floor ? 0 : kFirmness;
  const double degrees = firmness + freedom;
  const double of_round = (firmness * floor + freedom * own) / degrees;
  return {std::log(quantile(rounds, 0.5)), kOfMedian * of_round / count, degrees};
}

constexpr const char* kWhole = "whole call";

/// By what is compared.
using TimesOfThings = std::map<std::string, TimesOfSide>;

/// Waiting is left out: other programs decide how long it takes.
bool is_compared(detail::Block block) {
  return block != detail::Block::wait && block != detail::Block::idle;
}

TimesOfThings times_of(const ComparedSide& side) {
  TimesOfThings times;
  for (std::size_t i = 0; i < side.rounds.size(); ++i) {
    const Measurements& measurements = side.rounds[i];
    const int round = static_cast<int>(i);
    for (const RunPoint& point : measurements.points) {
      times[kWhole][{point.ranks, point.threads, point.sizes}][round] =
          detail::median(point.seconds);
    }
    for (const auto& [run, blocks] : measured_blocks(measurements)) {
      for (const auto& [block, seconds] : blocks) {
        if (is_compared(block)) {
          const RunOfSide of_run{run.first, measurements.threads, run.second};
          times[std::string(name_of(block))][of_run][round] = seconds;
        }
      }
    }
  }
  return times;
}

/// The largest part of any whole call that `thing` takes.
double share_of(const TimesOfSide& thing, const TimesOfSide& whole) {
  double most = 0;
  for (const auto& [run, by_round] : thing) {
    for (const auto& [round, seconds] : by_round) {
      const double of_whole = whole.at(run).at(round);
      most = std::max(most, of_whole > 0 ? seconds / of_whole : 0);
    }
  }
  return most;
}

/// Whole calls first, then the blocks that both have and that matter, by name.
std::vector<std::string> things_of(const TimesOfThings& first, const TimesOfThings& other) {
  constexpr double kMatters = 0.02;
  std::vector<std::string> things = {kWhole};
  for (const auto& [what, times] : first) {
    if (what != kWhole && other.contains(what) && share_of(times, first.at(kWhole)) >= kMatters) {
      things.push_back(what);
    }
  }
  return things;
}

std::string run_text(const RunOfSide& run) {
  const auto& [ranks, threads, sizes] = run;
  return fmt::format("{} on {}", format_sizes(sizes), format_workers(ranks, threads));
}

/// The runs that one side has and the other lacks.
std::vector<std::string> missing(const TimesOfSide& first, const TimesOfSide& other,
                                 const std::string& first_name, const std::string& other_name) {
  std::vector<std::string> notes;
  const auto add = [&](const TimesOfSide& has, const TimesOfSide& lacks, const std::string& name) {
    std::vector<std::string> runs;
    for (const auto& [run, times] : has) {
      if (!lacks.contains(run)) {
        runs.push_back(run_text(run));
      }
    }
    if (!runs.empty()) {
      notes.push_back(fmt::format("{} lacks {}", name, fmt::join(runs, "; ")));
    }
  };
  add(first, other, other_name);
  add(other, first, first_name);
  return notes;
}

double percent_of(double ratio) { return 100 * (ratio - 1); }

}  // namespace

Difference difference_of(const TimesOfSide& first, const TimesOfSide& second, double probability) {
  const std::vector<double> before = rounds_of(first, first, second);
  const std::vector<double> after = rounds_of(second, first, second);
  Difference difference{.runs = static_cast<int>(std::ranges::count_if(
                            second, [&](const auto& run) { return first.contains(run.first); })),
                        .rounds = static_cast<int>(std::min(before.size(), after.size()))};
  if (difference.rounds == 0) {
    return difference;
  }
  const SideMean a = mean_of(before);
  const SideMean b = mean_of(after);
  const double middle = b.middle - a.middle;
  difference.ratio = std::exp(middle);
  if (difference.rounds < 2) {
    return difference;
  }
  constexpr double kNotKnown = 1e6;
  // Welch and Satterthwaite's degrees of freedom.
  const double variance = a.variance + b.variance;
  const double freedom =
      variance * variance /
      (a.variance * a.variance / a.freedom + b.variance * b.variance / b.freedom);
  const boost::math::students_t t(freedom);
  const double half = std::min(std::sqrt(variance) * quantile(complement(t, (1 - probability) / 2)),
                               std::log(kNotKnown));
  difference.low = std::exp(middle - half);
  difference.high = std::exp(middle + half);
  return difference;
}

ComparedSide side_of(std::string name, std::vector<detail::Trace> traces) {
  std::map<RunIdentity, std::size_t> seen;
  std::vector<std::vector<detail::Trace>> rounds;
  for (detail::Trace& trace : traces) {
    const std::size_t round =
        trace.repetitions.empty() ? 0 : seen[identity_of(trace.run, trace.repetitions.front())]++;
    rounds.resize(std::max(rounds.size(), round + 1));
    rounds[round].push_back(std::move(trace));
  }
  ComparedSide side{.name = std::move(name)};
  for (const std::vector<detail::Trace>& round : rounds) {
    side.rounds.push_back(collect_measurements(round));
    for (const auto& [what, values] : side.rounds.back().made_from) {
      side.made_from[what].insert(values.begin(), values.end());
    }
  }
  side.made_from.erase("size");
  side.made_from.erase("program");
  return side;
}

std::string ComparedThing::verdict() const {
  return difference.is_slower()   ? "slower"
         : difference.is_faster() ? "faster"
         : difference.is_none()   ? "no difference"
                                  : "not enough to tell";
}

std::string ComparedThing::text() const {
  const std::string middle = fmt::format("{:+.1f} %", percent_of(difference.ratio));
  return difference.rounds < 2
             ? fmt::format("{} (1 round)", middle)
             : fmt::format("{} (95 %: {:+.0f} to {:+.0f})", middle, percent_of(difference.low),
                           percent_of(difference.high));
}

double Comparison::max_ratio() const {
  double most = 1;
  for (const ComparedThing& thing : things) {
    most = std::max(most, thing.difference.is_slower() ? thing.difference.low : 1);
  }
  return most;
}

std::string Comparison::summary() const {
  std::map<std::string, std::vector<std::string>> by_verdict;
  int fewest_rounds = std::numeric_limits<int>::max();
  for (const ComparedThing& thing : things) {
    const std::string side = sides.size() > 2 ? fmt::format(" of {}", thing.side + 1) : "";
    by_verdict[thing.verdict()].push_back(fmt::format("{}{} {}", thing.what, side, thing.text()));
    fewest_rounds = std::min(fewest_rounds, thing.difference.rounds);
  }
  std::vector<std::string> parts;
  for (const char* const verdict : {"slower", "faster"}) {
    if (const auto found = by_verdict.find(verdict); found != by_verdict.end()) {
      parts.push_back(fmt::format("{}: {}", verdict, fmt::join(found->second, ", ")));
    }
  }
  if (!parts.empty()) {
    return fmt::format("{}{}{}", fmt::join(parts, "; "),
                       others.empty() ? "" : "; not by the program alone, which had another ",
                       fmt::join(others, ", "));
  }
  const std::string whole = by_verdict.begin()->second.front();
  if (by_verdict.contains("not enough to tell")) {
    return fmt::format(
        "not enough to tell: {}; {}", by_verdict["not enough to tell"].front(),
        fewest_rounds < 2 ? "two rounds or more are needed" : "more rounds make it narrower");
  }
  return "no difference: " + whole;
}

Comparison compare_sides(const std::vector<ComparedSide>& sides) {
  Comparison comparison;
  std::vector<TimesOfThings> times;
  for (const ComparedSide& side : sides) {
    const std::string& app = side.rounds.front().app;
    if (app != sides.front().rounds.front().app) {
      throw UsageError(fmt::format("{} is of {}, {} of {}", sides.front().name,
                                   sides.front().rounds.front().app, side.name, app));
    }
    comparison.sides.push_back(side.name);
    times.push_back(times_of(side));
    std::map<std::string, std::set<std::string>> differ;
    std::ranges::set_symmetric_difference(sides.front().made_from, side.made_from,
                                          std::inserter(differ, differ.end()));
    std::ranges::copy(std::views::keys(differ),
                      std::inserter(comparison.others, comparison.others.end()));
    for (const Measurements& round : side.rounds) {
      for (const std::string& note : round.notes) {
        comparison.notes.push_back(fmt::format("{}: {}", side.name, note));
      }
    }
  }
  std::size_t tests = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    tests += things_of(times.front(), times[i]).size();
  }
  // All intervals together (Bonferroni).
  const double probability = 1 - 0.05 / static_cast<double>(tests);
  for (std::size_t i = 1; i < times.size(); ++i) {
    for (const std::string& what : things_of(times.front(), times[i])) {
      const Difference difference =
          difference_of(times.front().at(what), times[i].at(what), probability);
      if (difference.runs > 0) {
        comparison.things.push_back({i, what, difference});
      }
    }
    const std::vector<std::string> notes =
        missing(times.front().at(kWhole), times[i].at(kWhole), sides.front().name, sides[i].name);
    comparison.notes.insert(comparison.notes.end(), notes.begin(), notes.end());
  }
  if (comparison.things.empty()) {
    throw Error(fmt::format("no other side has a run of the same ranks and sizes as {}",
                            sides.front().name));
  }
  return comparison;
}

Table table_of(const Comparison& comparison) {
  const bool has_others = comparison.sides.size() > 2;
  Table table{.id = "comparison",
              .title = "Against " + comparison.sides.front(),
              .columns = {{.name = "side", .is_detail = !has_others},
                          {"what"},
                          {"difference", true},
                          {"95 % from", true},
                          {"to", true},
                          {"runs", true},
                          {"rounds", true},
                          {"verdict"}}};
  const auto change = [](double ratio) {
    return std::isfinite(ratio) && ratio > 0
               ? number(ratio, fmt::format("{:+.1f} %", percent_of(ratio)))
               : text("");
  };
  for (const ComparedThing& thing : comparison.things) {
    const Difference& d = thing.difference;
    table.rows.push_back({text(std::to_string(thing.side + 1)), text(thing.what), change(d.ratio),
                          change(d.low), change(d.high), whole(d.runs), whole(d.rounds),
                          text(thing.verdict())});
  }
  return table;
}

}  // namespace cleave::models
