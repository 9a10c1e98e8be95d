// SPDX-License-Identifier: Apache-2.0
#include "models/theory/prediction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include <cleave/trace/words.hpp>

namespace cleave::models {

namespace {

// Additions to an interval for what no run showed (docs/explanation/model.md, "Intervals"),
// relative: where data leaves a cache, for each doubling of the ranks, for other numbers of ranks
// on a host.
constexpr double kBeyondCache = 0.15;
constexpr double kBeyondRanks = 0.03;
constexpr double kOtherRanksPerHost = 0.15;

// The error of a rehearsal itself, half widths on the scale of logarithms. 16 rehearsed runs of
// three simulated platforms, 16 to 256 ranks, erred by 2.0 % in the median. A rehearsed search (UTS
// T1) erred by +0.8 and -10.4 % on 16 simulated ranks, -6 % on 64: 1.6 %, so 2, for each doubling.
constexpr double kRehearsal = kDeviationsOf95 * kDeviationsPerMedian * 0.020;
constexpr double kRehearsedSearch = kDeviationsOf95 * 0.02;

/// The part of a model that answers a question of the ranks, threads and sizes of a prediction.
struct Question {
  const Model& model;
  Network network;
  const RehearsedRun* rehearsed = nullptr;  ///< of as many threads
  const MeasuredMessages* messages = nullptr;
};

/// The rehearsed or measured call of as many ranks at these sizes; null if there is none.
template <class Of>
const Of* of_run(int ranks, const NamedSizes& sizes, const std::vector<Of>& all) {
  const auto found = std::ranges::find_if(all, [&](const Of& of) {
    return of.ranks == ranks && std::ranges::includes(of.sizes, sizes);
  });
  return found == all.end() ? nullptr : &*found;
}

/// Refuses sizes that are missing, unknown or below 1. \throws UsageError
void check_sizes(const Model& model, const NamedSizes& sizes) {
  const std::vector<std::string> needed = model.size_names();
  const std::string all = fmt::format("{}", fmt::join(needed, ", "));
  for (const auto& [name, value] : sizes) {
    if (std::ranges::count(needed, name) == 0 && !model.fitted_range(name)) {
      throw UsageError(fmt::format(
          "size {} is not one of this model's: {}; a rehearsal of {}={} would answer (--rehearse)",
          name, all, name, value));
    }
    if (value < 1) {
      throw UsageError(fmt::format("size {} must be at least 1, not {}", name, value));
    }
  }
  for (const std::string& name : needed) {
    if (!sizes.contains(name)) {
      throw UsageError(fmt::format("size {} is missing: this model's sizes are {}", name, all));
    }
  }
}

/// Refuses another value of a size that was the same in every fitted run and at every level of
/// them. \throws UsageError  naming the size
void check_varied(const Model& model, const NamedSizes& sizes) {
  for (const auto& [name, value] : sizes) {
    const auto fitted = model.fitted_range(name);
    const auto varies = [&, &size = name](const BlockModel& block) {
      const auto range = block.law.range.find(size);
      return range != block.law.range.end() && range->second.first < range->second.second;
    };
    if (fitted && fitted->first == fitted->second && fitted->first != value &&
        !(model.hypercube() && std::ranges::any_of(model.hypercube()->blocks, varies))) {
      throw UsageError(
          fmt::format("size {} was {} in every fitted run, so that nothing is known of {}: measure "
                      "other values of it",
                      name, fitted->first, value));
    }
  }
}

/// Checks what is asked, and begins `prediction` with it. \throws UsageError
Question checked(Prediction& prediction, const Model& model, int ranks, NamedSizes sizes,
                 const PredictOptions& options) {
  const bool is_search = model.search() != nullptr;
  const int threads = options.threads.value_or(model.threads);
  if (ranks < 1) {
    throw UsageError(fmt::format("ranks must be at least 1, not {}", ranks));
  }
  if (is_search ? threads < 1 : threads != model.threads) {
    throw UsageError(fmt::format(
        "threads must be {}, not {}",
        is_search ? "at least 1" : fmt::format("{}, as in the traces of this model", model.threads),
        threads));
  }
  // The sizes that a rehearsal was given stand for those that it had.
  if (const RehearsedRun* const run = of_run(ranks, sizes, options.rehearsed)) {
    for (const std::string& name : model.size_names()) {
      sizes.insert(*run->sizes.find(name));
    }
    std::erase_if(sizes, [&](const auto& size) { return !model.fitted_range(size.first); });
  }
  check_sizes(model, sizes);
  const RehearsedRun* const rehearsed =
      is_search && threads > 1 ? nullptr : of_run(ranks, sizes, options.rehearsed);
  if (rehearsed == nullptr && !is_search) {
    check_varied(model, sizes);
  }
  const MeasuredMessages* const messages = of_run(ranks, sizes, options.messages);
  const int usual = messages ? messages->ranks_per_host : model.usual_ranks_per_host(ranks);
  prediction.ranks = ranks;
  prediction.threads = threads;
  prediction.ranks_per_host = std::min(ranks, options.ranks_per_host.value_or(usual));
  prediction.sizes = std::move(sizes);
  prediction.is_rehearsed = rehearsed != nullptr;
  return {model, options.network ? *options.network : model.network, rehearsed, messages};
}

void set_search(Prediction& prediction, double visits_s, double steals_s) {
  prediction.seconds = visits_s + steals_s;
  prediction.shares = {{detail::Block::sequential, 0, visits_s, "search"},
                       {detail::Block::steal, 0, steals_s, "steal"}};
}

HalfWidths take_search(Prediction& prediction, const RehearsedSearch& search) {
  const Estimate& seconds = search.seconds;
  set_search(prediction, search.visits_s, std::max(0.0, seconds.median - search.visits_s));
  prediction.seconds = seconds.median;
  HalfWidths widths = HalfWidths::of(seconds);
  prediction.half_width_of_blocks = std::max(widths.below, widths.above);
  if (is_preset(search.network)) {
    prediction.assumed_network = search.network;
    // The loss on steals is waiting for messages, which are short.
    widths.add(prediction.shares.back().seconds / prediction.seconds *
               half_width_of(preset_machine(search.network).exchange.front(), 0));
  }
  return widths;
}

/// Refuses a question that the law cannot answer. \throws Error
void require_known(const SearchModel& search, const Model& model, const Prediction& question) {
  const auto require = [](bool is_known, std::string_view what, const std::string& reason) {
    if (!is_known) {
      throw Error(fmt::format("{} cannot be predicted: {}", what, reason));
    }
  };
  for (const auto& [block, law] : {std::pair(detail::Block::sequential, &search.visits),
                                   std::pair(detail::Block::steal, &search.inverse_efficiency)}) {
    require(law->has_value(), name_of(block), model.reason_of(block));
  }
  require(question.ranks == 1 || model.max_ranks() > 1, "steals between ranks",
          "every fitted run was on one rank");
  require(question.threads == 1 || search.threads > 1, "steals inside a rank",
          "every fitted run had one thread a rank");
  require(question.ranks <= question.ranks_per_host || model.has_left_host(),
          "a search on several hosts",
          fmt::format("every fitted run was on one host; rehearse it: --rehearse {} --network "
                      "FILE --ranks-per-host {}, and fit that or give it by --rehearsal",
                      question.ranks, question.ranks_per_host));
}

HalfWidths ask(Prediction& prediction, const Question& question, const SearchModel& search) {
  if (question.rehearsed != nullptr) {
    return take_search(prediction, *question.rehearsed->search);
  }
  require_known(search, question.model, prediction);
  const NamedValues sizes = sizes_of_search(static_cast<double>(prediction.sizes.at("nodes")),
                                            prediction.ranks, prediction.threads);
  const Estimate visits = search.visits->at(sizes, prediction.ranks_per_host * prediction.threads);
  const Estimate inverse = search.inverse_efficiency->at(sizes);
  set_search(prediction, visits.median, visits.median * std::max(0.0, inverse.median - 1));
  prediction.outside_fitted_range = prediction.threads > search.threads;
  HalfWidths widths = HalfWidths::of(visits);
  widths.add(HalfWidths::of(inverse));
  return widths;
}

HalfWidths ask(Prediction& prediction, const Question& question, const TableModel& table) {
  const Model& model = question.model;
  const int ranks = model.max_ranks();
  if (ranks == model.min_ranks() && prediction.ranks != ranks) {
    throw UsageError(fmt::format(
        "every run of this model's table is on {}, so that nothing is known of other numbers",
        detail::format_ranks(ranks)));
  }
  const Estimate e = table.law.at(table_sizes(prediction.ranks, prediction.sizes));
  prediction.seconds = e.median;
  return HalfWidths::of(e);
}

/// Adds what was measured to a play whose messages take no time.
void add_messages(Prediction& prediction, HalfWidths& widths, const MeasuredMessages& messages) {
  const Estimate& m = messages.seconds;
  const double part = m.median / (prediction.seconds + m.median);
  const HalfWidths own = HalfWidths::of(m);
  widths = {(1 - part) * widths.below + part * own.below,
            (1 - part) * widths.above + part * own.above};
  prediction.half_width_of_blocks *= 1 - part;
  prediction.shares.push_back({.block = detail::Block::exchange, .seconds = m.median});
  prediction.seconds += m.median;
  *prediction.sum_of_maxima_s += m.median;
  prediction.remarks.push_back(
      fmt::format("messages: measured as the call sends them, on {} with {} on a host",
                  detail::format_ranks(messages.ranks), messages.ranks_per_host));
}

HalfWidths ask(Prediction& prediction, const Question& question, const HypercubeModel& /*parts*/) {
  HalfWidths widths = play(prediction, question.model, question.network, question.rehearsed,
                           question.messages != nullptr);
  if (question.messages != nullptr) {
    add_messages(prediction, widths, *question.messages);
  } else if (prediction.ranks > prediction.ranks_per_host && !question.network.assumed.empty()) {
    prediction.assumed_network = question.network.assumed;
    prediction.remarks.push_back(fmt::format(
        "l and g between hosts are those of a usual network, {}; calibrate the real one "
        "for a narrower interval",
        prediction.assumed_network));
  }
  return widths;
}

/// The memory of a rank, and the largest cache that held its data in every fitted run, but does not
/// here.
void set_memory(Prediction& prediction, const Model& model, const Law& law) {
  prediction.memory_bytes = memory_bytes(law, prediction.ranks, prediction.sizes);
  // The program is the constant, data what grows with the sizes.
  const auto constant = std::ranges::find(law.form(), Basis()) - law.form().begin();
  const double program =
      constant < std::ssize(law.form())
          ? law.hypotheses.front().coefficients[static_cast<std::size_t>(constant)]
          : 0;
  double fitted = 0;
  for (const RunPoint& run : model.fitted) {
    fitted = std::max(fitted, memory_bytes(law, run.ranks, run.sizes).value_or(0));
  }
  for (const std::int64_t cache : model.cache_bytes) {
    const double held = static_cast<double>(cache) + program;
    if (fitted <= held && held < prediction.memory_bytes.value_or(0)) {
      prediction.cache_left_bytes = std::max(cache, prediction.cache_left_bytes.value_or(cache));
    }
  }
}

/// The half width for what a rehearsal does not show, with a remark: other numbers of ranks on a
/// host than were rehearsed at once.
double unseen_of_rehearsal(Prediction& prediction, const Question& question) {
  const bool is_search = question.rehearsed->search.has_value();
  const int at_once = question.rehearsed->ranks_per_host;
  const std::string ranks = detail::format_ranks(prediction.ranks);
  prediction.remarks.push_back(
      is_search ? fmt::format("rehearsed: the search of {} was measured at these sizes", ranks)
                : fmt::format("rehearsed: the blocks of {} were measured at these sizes", ranks));
  if (!prediction.levels_by_law.empty()) {
    prediction.remarks.back() += fmt::format(
        ", but those of level {}, where the rehearsal had too little memory or time: these are by "
        "the fit",
        fmt::join(prediction.levels_by_law, ", "));
  }
  if (at_once == prediction.ranks_per_host) {
    return 0;
  }
  prediction.remarks.push_back(fmt::format(
      "{} on a host: rehearsed with {} at once; rehearse {} {}",
      detail::format_ranks(prediction.ranks_per_host), at_once,
      is_search ? "with --ranks-per-host" : "under mpiexec -n", prediction.ranks_per_host));
  return kOtherRanksPerHost;
}

/// The half width for what the fitted runs do not show: data beyond a cache, and, with a remark,
/// other numbers of ranks on a host.
double unseen_of_law(Prediction& prediction, const Model& model) {
  const double beyond_cache = prediction.cache_left_bytes ? kBeyondCache : 0;
  const int asked = prediction.ranks_per_host;
  if (model.table() != nullptr ||
      std::ranges::count(model.fitted, asked, &RunPoint::ranks_per_host) > 0) {
    return beyond_cache;
  }
  const int fitted = model.max_ranks_per_host();
  prediction.remarks.push_back(fmt::format("{} on a host: not fitted, its blocks are as with {}",
                                           detail::format_ranks(asked), fitted));
  const double apart = std::abs(std::log2(static_cast<double>(asked) / fitted));
  return std::hypot(beyond_cache, kOtherRanksPerHost * std::sqrt(std::max(1.0, apart)));
}

void add_unseen(HalfWidths& widths, Prediction& prediction, const Question& question) {
  const double doublings =
      std::log2(static_cast<double>(prediction.ranks) / question.model.max_ranks());
  const double beyond_ranks = kBeyondRanks * std::sqrt(std::max(0.0, doublings));
  if (!prediction.is_rehearsed) {
    widths.add(std::hypot(beyond_ranks, unseen_of_law(prediction, question.model)));
    return;
  }
  const bool is_search = question.rehearsed->search.has_value();
  const bool is_all_measured =
      is_search || question.messages != nullptr || question.network.is_of(prediction.ranks);
  widths.add(
      std::hypot(is_all_measured ? 0 : beyond_ranks, unseen_of_rehearsal(prediction, question)));
  prediction.half_width_of_measured = std::max(widths.below, widths.above);
  widths.add(
      std::hypot(kRehearsal, is_search ? kRehearsedSearch * std::log2(prediction.ranks) : 0));
}

/// The interval of the quiet time, and that of a single run on a host as it was.
void set_intervals(Prediction& prediction, const Model& model, HalfWidths widths) {
  prediction.low = prediction.seconds * std::exp(-widths.below);
  prediction.high = prediction.seconds * std::exp(widths.above);
  const std::vector<double>& noise = model.noise_of(prediction.ranks);
  if (!noise.empty()) {
    widths.add({std::max(0.0, -std::log(quantile(noise, 0.025))),
                std::max(0.0, std::log(quantile(noise, 0.975)))});
  }
  prediction.run_low = prediction.seconds * std::exp(-widths.below);
  prediction.run_high = prediction.seconds * std::exp(widths.above);
}

}  // namespace

Prediction predict(const Model& model, int ranks, const NamedSizes& sizes,
                   const PredictOptions& options) {
  Prediction prediction;
  const Question question = checked(prediction, model, ranks, sizes, options);
  HalfWidths widths =
      std::visit([&](const auto& parts) { return ask(prediction, question, parts); }, model.parts);
  const auto require = [&](bool is_sensible, double number) {
    if (!is_sensible) {
      throw Error(fmt::format("no time can be predicted for {} and {}: the model's numbers give {}",
                              format_sizes(prediction.sizes),
                              detail::format_ranks(prediction.ranks), number));
    }
  };
  require(std::isfinite(prediction.seconds) && prediction.seconds > 0, prediction.seconds);
  if (!prediction.is_rehearsed &&
      (prediction.ranks > model.max_ranks() || model.doublings_outside(prediction.sizes) > 0.07)) {
    prediction.outside_fitted_range = true;
  }
  if (model.memory) {
    set_memory(prediction, model, *model.memory);
  }
  add_unseen(widths, prediction, question);
  set_intervals(prediction, model, widths);
  for (const double end :
       {prediction.low, prediction.high, prediction.run_low, prediction.run_high}) {
    require(std::isfinite(end), end);
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
  options.ranks_per_host = run.ranks_per_host;
  if (model.search() != nullptr) {
    options.threads = run.threads;
  }
  return predict(model, run.ranks, sizes, options);
}

Plan make_plan(const Model& model, const PlanRequest& request) {
  constexpr double kSecondsPerHour = 3600;
  if (!request.deadline_s && !request.efficiency) {
    throw UsageError("nothing to plan for: give --deadline, --efficiency or both");
  }
  PredictOptions of_one_rank = request.options;
  of_one_rank.ranks_per_host = 1;
  const double alone = predict(model, 1, request.sizes, of_one_rank).seconds;
  Plan plan;
  for (const int ranks : request.ranks) {
    PlanChoice choice;
    try {
      choice.prediction = predict(model, ranks, request.sizes, request.options);
    } catch (const UsageError&) {
      throw;
    } catch (const Error& e) {
      if (plan.choices.empty()) {
        throw;
      }
      plan.left_out =
          fmt::format("{} and more are left out: {}", detail::format_ranks(ranks), e.what());
      break;
    }
    const Prediction& p = choice.prediction;
    choice.speedup = alone / p.seconds;
    choice.efficiency = choice.speedup / ranks;
    choice.core_hours = p.seconds * ranks * p.threads / kSecondsPerHour;
    choice.fits = p.is_answer() &&
                  (!request.deadline_s || (p.knows_runs() && p.run_high <= *request.deadline_s)) &&
                  (!request.efficiency || choice.efficiency >= *request.efficiency);
    if (choice.fits && (!plan.chosen || !request.deadline_s)) {
      plan.chosen = plan.choices.size();
    }
    plan.choices.push_back(std::move(choice));
  }
  return plan;
}

}  // namespace cleave::models
