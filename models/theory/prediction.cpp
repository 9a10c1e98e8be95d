// SPDX-License-Identifier: Apache-2.0
#include "models/theory/prediction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include <cleave/trace/count_text.hpp>
#include <cleave/trace/median.hpp>
#include <cleave/trace/words.hpp>

#include "models/theory/asked_sizes.hpp"
#include "models/theory/memory.hpp"
#include "models/theory/player.hpp"
#include "models/theory/statistics.hpp"

namespace cleave::models {

namespace {

/// A question once it was checked.
struct Question {
  const Model& model;
  Network network;
  int ranks = 1;
  int ranks_per_host = 1;
  int threads = 1;
  NamedSizes sizes;
  const RehearsedRun* rehearsed = nullptr;  ///< of as many threads
  const MeasuredMessages* messages = nullptr;

  double nodes() const { return static_cast<double>(sizes.at("nodes")); }
};

/// What was rehearsed or measured of as many ranks at these sizes; null if nothing was.
template <class Of>
const Of* of_run(int ranks, const NamedSizes& sizes, const std::vector<Of>& all) {
  const auto found = std::ranges::find_if(all, [&](const Of& of) {
    return of.ranks == ranks && std::ranges::includes(of.sizes, sizes);
  });
  return found == all.end() ? nullptr : &*found;
}

Question checked(const Model& model, int ranks, const NamedSizes& sizes,
                 const PredictOptions& options) {
  if (ranks < 1) {
    throw UsageError(fmt::format("ranks must be at least 1, not {}", ranks));
  }
  if (options.threads && model.search() == nullptr && *options.threads != model.threads) {
    throw UsageError(fmt::format("threads must be {}, as in the traces of this model, not {}",
                                 model.threads, *options.threads));
  }
  if (options.threads.value_or(1) < 1) {
    throw UsageError(fmt::format("threads must be at least 1, not {}", *options.threads));
  }
  check_sizes(model, sizes);
  NamedSizes of_runs = sizes;
  std::erase_if(of_runs, [&](const auto& size) { return !model.fitted_range(size.first); });
  const int threads = options.threads.value_or(model.threads);
  const bool is_rehearsable = model.search() == nullptr || threads == 1;
  const RehearsedRun* const rehearsed =
      is_rehearsable ? of_run(ranks, of_runs, options.rehearsed) : nullptr;
  if (rehearsed == nullptr && model.search() == nullptr) {
    check_varied(model, sizes);
  }
  const MeasuredMessages* const messages = of_run(ranks, of_runs, options.messages);
  const int usual = messages ? messages->ranks_per_host : model.usual_ranks_per_host(ranks);
  return {.model = model,
          .network = options.network ? *options.network : model.network,
          .ranks = ranks,
          .ranks_per_host = std::min(ranks, options.ranks_per_host.value_or(usual)),
          .threads = threads,
          .sizes = sizes,
          .rehearsed = rehearsed,
          .messages = messages};
}

double square(double value) { return value * value; }

/// Half widths on the scale of logarithms.
struct HalfWidths {
  double below = 0;
  double above = 0;

  void add(double other_below, double other_above) {
    below = std::sqrt(square(below) + square(other_below));
    above = std::sqrt(square(above) + square(other_above));
  }
};

HalfWidths take_search(Prediction& prediction, const RehearsedSearch& search) {
  const Estimate& seconds = search.seconds;
  prediction.seconds = seconds.median;
  prediction.shares = {
      {detail::Block::sequential, 0, search.visits_s, "search"},
      {detail::Block::steal, 0, std::max(0.0, seconds.median - search.visits_s), "steal"}};
  prediction.is_rehearsed = true;
  HalfWidths widths{.below = std::log(seconds.median / seconds.low),
                    .above = std::log(seconds.high / seconds.median)};
  prediction.half_width_of_blocks = std::max(widths.below, widths.above);
  if (is_preset(search.network)) {
    prediction.assumed_network = search.network;
    // What is lost on steals is waiting for messages, which are short.
    const double of_network = prediction.shares.back().seconds / prediction.seconds *
                              half_width_of(preset_machine(search.network).exchange.front(), 0);
    widths.add(of_network, of_network);
  }
  return widths;
}

/// What the law cannot say. \throws Error
void require_search(const Question& question) {
  const Model& model = question.model;
  const SearchModel& search = *model.search();
  const auto refuse = [](std::string_view what, const std::string& reason) {
    throw Error(fmt::format("{} cannot be predicted: {}", what, reason));
  };
  if (!search.visits) {
    refuse(name_of(detail::Block::sequential), model.reason_of(detail::Block::sequential));
  }
  if (!search.inverse_efficiency) {
    refuse(name_of(detail::Block::steal), model.reason_of(detail::Block::steal));
  }
  if (question.ranks > 1 && model.max_ranks() == 1) {
    refuse("steals between ranks", "every fitted run was on one rank");
  }
  if (question.threads > 1 && search.threads == 1) {
    refuse("steals inside a rank", "every fitted run had one thread a rank");
  }
  if (question.ranks > question.ranks_per_host && !model.has_left_host()) {
    refuse("a search on several hosts",
           fmt::format("every fitted run was on one host; rehearse it: --rehearse {} --network "
                       "FILE --ranks-per-host {}, and fit that or give it by --rehearsal",
                       question.ranks, question.ranks_per_host));
  }
}

/// The law of searches.
HalfWidths ask_search(Prediction& prediction, const Question& question) {
  if (question.rehearsed != nullptr) {
    return take_search(prediction, *question.rehearsed->search);
  }
  require_search(question);
  const SearchModel& search = *question.model.search();
  const NamedValues sizes = sizes_of_search(question.nodes(), question.ranks, question.threads);
  const Estimate visits = search.visits->at(sizes, question.ranks_per_host * question.threads);
  const Estimate inverse = search.inverse_efficiency->at(sizes);
  const double visits_s = search.what_if_visits * visits.median;
  const double steals_s = search.what_if_steals * visits.median * std::max(0.0, inverse.median - 1);
  prediction.seconds = visits_s + steals_s;
  prediction.shares = {{detail::Block::sequential, 0, visits_s, "search"},
                       {detail::Block::steal, 0, steals_s, "steal"}};
  prediction.outside_fitted_range = question.threads > search.threads;
  HalfWidths widths{.below = std::log(visits.median / visits.low),
                    .above = std::log(visits.high / visits.median)};
  widths.add(std::log(inverse.median / inverse.low), std::log(inverse.high / inverse.median));
  return widths;
}

/// Adds what was measured to a play whose messages take no time.
void add_messages(Prediction& prediction, HalfWidths& widths, const MeasuredMessages& messages) {
  const Estimate& m = messages.seconds;
  const double part = m.median / (prediction.seconds + m.median);
  widths.below = (1 - part) * widths.below + part * std::log(m.median / m.low);
  widths.above = (1 - part) * widths.above + part * std::log(m.high / m.median);
  prediction.half_width_of_blocks *= 1 - part;
  prediction.shares.push_back({.block = detail::Block::exchange, .seconds = m.median});
  prediction.seconds += m.median;
  *prediction.sum_of_maxima_s += m.median;
  prediction.remarks.push_back(
      fmt::format("messages: measured as the call sends them, on {} with {} on a host",
                  detail::format_ranks(messages.ranks), messages.ranks_per_host));
}

HalfWidths play_hypercube(Prediction& prediction, const Question& question) {
  Played played = play(question.model, question.network, question.ranks, question.ranks_per_host,
                       question.sizes, question.rehearsed, question.messages != nullptr);
  prediction.seconds = played.seconds;
  prediction.shares = std::move(played.shares);
  prediction.sum_of_maxima_s = played.sum_of_maxima_s;
  prediction.outside_fitted_range = played.is_outside_fitted_range;
  prediction.remarks = std::move(played.remarks);
  prediction.is_rehearsed = question.rehearsed != nullptr;
  prediction.levels_by_law = std::move(played.levels_by_law);
  prediction.half_width_of_blocks = played.half_width_of_blocks;
  prediction.message_bytes = std::move(played.message_bytes);
  HalfWidths widths{.below = played.half_width_below, .above = played.half_width_above};
  if (question.messages != nullptr) {
    add_messages(prediction, widths, *question.messages);
  } else if (question.ranks > question.ranks_per_host) {
    prediction.assumed_network = question.network.assumed;
  }
  return widths;
}

std::optional<std::int64_t> cache_left(const Model& model, const Question& question) {
  double max_fitted = 0;
  for (const RunOfModel& run : model.fitted) {
    max_fitted = std::max(max_fitted, data_bytes(*model.memory, run.ranks, run.sizes));
  }
  const double data = data_bytes(*model.memory, question.ranks, question.sizes);
  std::optional<std::int64_t> left;
  for (const std::int64_t cache : model.cache_bytes) {
    const auto bytes = static_cast<double>(cache);
    if (max_fitted <= bytes && bytes < data) {
      left = std::max(cache, left.value_or(cache));
    }
  }
  return left;
}

HalfWidths ask_table(Prediction& prediction, const Question& question) {
  const Model& model = question.model;
  const int ranks = model.max_ranks();
  if (ranks == model.min_ranks() && question.ranks != ranks) {
    throw UsageError(fmt::format(
        "every run of this model's table is on {}, so that nothing is known of other numbers",
        detail::format_ranks(ranks)));
  }
  const Estimate said = model.table()->law.at(table_sizes(question.ranks, question.sizes));
  prediction.seconds = said.median;
  return {.below = std::log(said.median / said.low), .above = std::log(said.high / said.median)};
}

HalfWidths ask(Prediction& prediction, const Question& question) {
  return question.model.search() != nullptr  ? ask_search(prediction, question)
         : question.model.table() != nullptr ? ask_table(prediction, question)
                                             : play_hypercube(prediction, question);
}

/// Whether the fitted runs had so many ranks on a host.
bool was_measured(const Model& model, int ranks_per_host) {
  return std::ranges::any_of(
      model.fitted, [&](const RunOfModel& run) { return run.ranks_per_host == ranks_per_host; });
}

// What no run showed adds to an interval (docs/explanation/model.md, "Intervals"), relative: where
// data leaves a cache, for each doubling of the ranks, for other numbers of ranks on a host.
constexpr double kBeyondCache = 0.15;
constexpr double kBeyondRanks = 0.03;
constexpr double kOtherRanksPerHost = 0.15;

// What a rehearsal itself misses, half widths on the scale of logarithms. 16 rehearsed runs of
// three simulated platforms, 16 to 256 ranks, erred by 2.0 % in the median. A rehearsed search (UTS
// T1) erred by +0.8 and -10.4 % on 16 simulated ranks, -6 % on 64: 1.6 %, so 2, for each doubling.
constexpr double kRehearsal = kDeviationsOf95 * kDeviationsPerMedian * 0.020;
constexpr double kRehearsedSearch = kDeviationsOf95 * 0.02;

double missed_by_rehearsal(const Question& question) {
  const double doublings = question.rehearsed->search ? std::log2(question.ranks) : 0;
  return std::sqrt(square(kRehearsal) + square(kRehearsedSearch * doublings));
}

/// Its blocks were seen, with as many ranks on a host as were rehearsed at once.
void add_unseen_of_rehearsal(double& added, Prediction& prediction, const Question& question) {
  const bool is_search = question.rehearsed->search.has_value();
  const std::string but =
      prediction.levels_by_law.empty()
          ? ""
          : fmt::format(
                ", but those of level {}, where the rehearsal had too little memory or time: "
                "these are by the fit",
                fmt::join(prediction.levels_by_law, ", "));
  prediction.remarks.push_back(fmt::format(
      "rehearsed: {} of {} {} measured at these sizes{}", is_search ? "the search" : "the blocks",
      detail::format_ranks(question.ranks), is_search ? "was" : "were", but));
  const int at_once = question.rehearsed->ranks_per_host;
  if (at_once == question.ranks_per_host) {
    return;
  }
  added += square(kOtherRanksPerHost);
  prediction.remarks.push_back(fmt::format(
      "{} on a host: rehearsed with {} at once; rehearse {} {}",
      detail::format_ranks(question.ranks_per_host), at_once,
      is_search ? "with --ranks-per-host" : "under mpiexec -n", question.ranks_per_host));
}

void add_unseen(HalfWidths& widths, Prediction& prediction, const Question& question) {
  const Model& model = question.model;
  const bool is_all_measured =
      prediction.is_rehearsed && (question.rehearsed->search || question.messages != nullptr ||
                                  question.network.is_of(question.ranks));
  const double doublings = std::log2(static_cast<double>(question.ranks) / model.max_ranks());
  double added = is_all_measured ? 0 : square(kBeyondRanks * std::max(0.0, doublings));
  if (prediction.is_rehearsed) {
    add_unseen_of_rehearsal(added, prediction, question);
    widths.add(std::sqrt(added), std::sqrt(added));
    prediction.half_width_of_measured = std::max(widths.below, widths.above);
    const double missed = missed_by_rehearsal(question);
    widths.add(missed, missed);
    return;
  }
  if (prediction.cache_left_bytes) {
    added += square(kBeyondCache);
  }
  if (model.table() == nullptr && !was_measured(model, question.ranks_per_host)) {
    const double apart = std::abs(
        std::log2(static_cast<double>(question.ranks_per_host) / model.max_ranks_per_host()));
    added += square(kOtherRanksPerHost) * std::max(1.0, apart);
    prediction.remarks.push_back(fmt::format("{} on a host: not fitted, its blocks are as with {}",
                                             detail::format_ranks(question.ranks_per_host),
                                             model.max_ranks_per_host()));
  }
  widths.add(std::sqrt(added), std::sqrt(added));
}

/// The interval of the quiet time, and that of a single run on a host as it was.
void set_intervals(Prediction& prediction, const Question& question, HalfWidths widths) {
  prediction.low = prediction.seconds * std::exp(-widths.below);
  prediction.high = prediction.seconds * std::exp(widths.above);
  const std::vector<double>& noise = question.model.noise_of(question.ranks);
  if (!noise.empty()) {
    widths.add(std::max(0.0, -std::log(quantile(noise, 0.025))),
               std::max(0.0, std::log(quantile(noise, 0.975))));
  }
  prediction.run_low = prediction.seconds * std::exp(-widths.below);
  prediction.run_high = prediction.seconds * std::exp(widths.above);
}

Prediction answer(const Question& question) {
  const Model& model = question.model;
  Prediction prediction{.ranks = question.ranks,
                        .threads = question.threads,
                        .ranks_per_host = question.ranks_per_host,
                        .sizes = question.sizes};
  HalfWidths widths = ask(prediction, question);
  const auto refuse_unless = [&](bool is_sensible, double number) {
    if (!is_sensible) {
      throw Error(fmt::format("no time can be predicted for {} and {}: the model's numbers give {}",
                              format_sizes(question.sizes), detail::format_ranks(question.ranks),
                              number));
    }
  };
  refuse_unless(std::isfinite(prediction.seconds) && prediction.seconds > 0, prediction.seconds);
  if (!prediction.is_rehearsed &&
      (question.ranks > model.max_ranks() || model.doublings_outside(question.sizes) > 0.07)) {
    prediction.outside_fitted_range = true;
  }
  if (model.memory && is_memory_known(*model.memory, question.sizes)) {
    prediction.memory_bytes = memory_bytes(*model.memory, question.ranks, question.sizes);
    prediction.cache_left_bytes = cache_left(model, question);
  }
  if (!prediction.assumed_network.empty()) {
    prediction.remarks.push_back(fmt::format(
        "l and g between hosts are those of a usual network, {}; calibrate the real one "
        "for a narrower interval",
        prediction.assumed_network));
  }
  add_unseen(widths, prediction, question);
  set_intervals(prediction, question, widths);
  for (const double end :
       {prediction.low, prediction.high, prediction.run_low, prediction.run_high}) {
    refuse_unless(std::isfinite(end), end);
  }
  return prediction;
}

PredictOptions as_run(const Model& model, const RunPoint& run, PredictOptions options) {
  options.ranks_per_host = run.ranks_per_host;
  if (model.search() != nullptr) {
    options.threads = run.threads;
  }
  return options;
}

}  // namespace

Prediction predict(const Model& model, int ranks, const NamedSizes& sizes,
                   const PredictOptions& options) {
  std::map<std::string, Estimate> told = sizes_told(model, sizes);
  NamedSizes all = sizes;
  if (const RehearsedRun* const run = of_run(ranks, sizes, options.rehearsed)) {
    for (const auto& [name, value] : run->sizes) {
      if (told.erase(name) > 0) {
        all[name] = value;
      }
    }
  }
  const auto at = [&](double Estimate::*end) {
    for (const auto& [name, size] : told) {
      all[name] = static_cast<std::int64_t>(size.*end);
    }
    return answer(checked(model, ranks, all, options));
  };
  Prediction prediction = at(&Estimate::median);
  if (!told.empty()) {
    widen(prediction, at(&Estimate::low).seconds, at(&Estimate::high).seconds);
  }
  for (const auto& [name, size] : told) {
    prediction.remarks.push_back(
        fmt::format("{}: {} {} (95 %: {} to {}), by a fit to the {} of the runs",
                    format_sizes(sizes), detail::rounded_count(size.median), name,
                    detail::rounded_count(size.low), detail::rounded_count(size.high), name));
  }
  return prediction;
}

Prediction predict(const Model& model, const RunPoint& run, PredictOptions options) {
  NamedSizes sizes = run.sizes;
  // A rehearsal of the same search has visited other nodes where bounds prune.
  const auto rehearsed = std::ranges::find_if(options.rehearsed, [&](const RehearsedRun& of) {
    return of.search && of.ranks == run.ranks && of.options == run.options;
  });
  if (rehearsed != options.rehearsed.end() && !run.options.empty()) {
    sizes["nodes"] = rehearsed->sizes.at("nodes");
  }
  return predict(model, run.ranks, sizes, as_run(model, run, std::move(options)));
}

}  // namespace cleave::models
