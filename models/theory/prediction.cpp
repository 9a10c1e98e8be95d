// SPDX-License-Identifier: Apache-2.0
#include "models/theory/prediction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include <cleave/trace/words.hpp>

namespace cleave::models {

namespace {

/// A relative addition to an interval for other numbers of ranks on a host than any run showed
/// (docs/explanation/model.md, "Intervals").
constexpr double kOtherRanksPerHost = 0.15;

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

/// Sizes that a search was given stand for the nodes that it had: of the nearest number of ranks.
void set_sizes_given(const Model& model, int ranks, NamedSizes& sizes) {
  const NamedSizes given = sizes;
  double nearest = std::numeric_limits<double>::infinity();
  for (const KnownRun& run : model.known) {
    const double apart = std::abs(std::log2(static_cast<double>(ranks) / run.place.ranks));
    if (!given.empty() && std::ranges::includes(run.given, given) && apart < nearest) {
      nearest = apart;
      sizes = run.place.sizes;
    }
  }
}

/// Checks what is asked, and begins `prediction` with it.
/// \return  the network that the question is about \throws UsageError
Network checked(Prediction& prediction, const Model& model, int ranks, NamedSizes sizes,
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
  if (is_search && !sizes.contains("nodes")) {
    set_sizes_given(model, ranks, sizes);
  }
  check_sizes(model, sizes);
  if (!is_search) {
    check_varied(model, sizes);
  }
  prediction.ranks = ranks;
  prediction.threads = threads;
  prediction.ranks_per_host =
      std::min(ranks, options.ranks_per_host.value_or(model.usual_ranks_per_host(ranks)));
  prediction.sizes = std::move(sizes);
  // Messages between hosts that nobody measured are those of a usual network.
  return model.hypercube() != nullptr && ranks > prediction.ranks_per_host &&
                 !model.network.knows_between_hosts()
             ? with_machine(model.network, preset_machine(kAssumedNetwork))
             : model.network;
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
                      "FILE --ranks-per-host {}, and fit that, too",
                      question.ranks, question.ranks_per_host));
}

void set_assumed(Prediction& prediction, const Network& network) {
  if (prediction.ranks > prediction.ranks_per_host && !network.assumed().empty()) {
    prediction.assumed_network = network.source;
    prediction.remarks.push_back(fmt::format(
        "messages between hosts are those of a usual network, {}; calibrate the real one "
        "for a narrower interval",
        network.source));
  }
}

Parts ask(Prediction& prediction, const Model& model, const Network& /*network*/,
          bool /*is_silent*/, const SearchModel& search) {
  require_known(search, model, prediction);
  const NamedValues sizes = sizes_of_search(static_cast<double>(prediction.sizes.at("nodes")),
                                            prediction.ranks, prediction.threads);
  const Estimate visits = search.visits->at(sizes, prediction.ranks_per_host * prediction.threads);
  const Estimate inverse = search.inverse_efficiency->at(sizes);
  const double steals_s = visits.median * std::max(0.0, inverse.median - 1);
  prediction.seconds = visits.median + steals_s;
  prediction.shares = {
      {.block = detail::Block::sequential, .seconds = visits.median, .part = "search"},
      {.block = detail::Block::steal, .seconds = steals_s, .part = "steal"}};
  return {.blocks_s = prediction.seconds,
          .blocks = std::hypot(visits.half_width(), inverse.half_width())};
}

Parts ask(Prediction& prediction, const Model& model, const Network& /*network*/,
          bool /*is_silent*/, const TableModel& table) {
  const int ranks = model.max_ranks();
  if (ranks == model.min_ranks() && prediction.ranks != ranks) {
    throw UsageError(fmt::format(
        "every run of this model's table is on {}, so that nothing is known of other numbers",
        detail::format_ranks(ranks)));
  }
  const Estimate e = table.at(table_sizes(prediction.ranks, prediction.sizes));
  prediction.seconds = e.median;
  return {.blocks_s = e.median, .blocks = e.half_width()};
}

Parts ask(Prediction& prediction, const Model& model, const Network& network, bool is_silent,
          const HypercubeModel& /*parts*/) {
  return play(prediction, model, network, is_silent);
}

bool is_fitted_on_host(const Model& model, int ranks_per_host) {
  return std::ranges::count(model.fitted, ranks_per_host, &RunPoint::ranks_per_host) > 0;
}

/// The half width where other numbers of ranks are on a host.
double other_on_host(int a, int b) {
  const double apart = std::abs(std::log2(static_cast<double>(a) / b));
  return kOtherRanksPerHost * std::sqrt(std::max(1.0, apart));
}

/// The half width for numbers of ranks on a host that no fitted run had, with a remark.
double unseen_on_host(Prediction& prediction, const Model& model) {
  const int asked = prediction.ranks_per_host;
  if (is_fitted_on_host(model, asked)) {
    return 0;
  }
  const int fitted = model.max_ranks_per_host();
  prediction.remarks.push_back(fmt::format("{} on a host: not fitted, its blocks are as with {}",
                                           detail::format_ranks(asked), fitted));
  return other_on_host(asked, fitted);
}

/// Multiplies the parts, and their half widths, by what near known runs say of them.
void correct(Prediction& prediction, const Model& model, Parts& parts) {
  const bool is_on_host = is_fitted_on_host(model, prediction.ranks_per_host);
  std::vector<Known> of_blocks;
  std::vector<Known> of_messages;
  for (const KnownRun& run : model.known) {
    const bool is_message = run.kind == KnownRun::Kind::messages;
    Known& r = (is_message ? of_messages : of_blocks).emplace_back(run);
    if (run.ranks_per_host != prediction.ranks_per_host && (is_message || !is_on_host)) {
      r.deviation =
          std::hypot(r.deviation, other_on_host(run.ranks_per_host, prediction.ranks_per_host) /
                                      kDeviationsOf95);
    }
  }
  const auto by = [&](double& half_width, const std::vector<Known>& residuals) {
    const Correction c = correction_at(prediction.place(), residuals, half_width / kDeviationsOf95);
    half_width = kDeviationsOf95 * c.deviation;
    return std::exp(c.mean);
  };
  const double blocks = by(parts.blocks, of_blocks);
  const double messages = by(parts.messages, of_messages);
  for (BlockShare& share : prediction.shares) {
    share.seconds *= share.is_message ? messages : blocks;
  }
  parts.blocks_s *= blocks;
  parts.messages_s *= messages;
  const double before_s = std::exchange(prediction.seconds, parts.blocks_s + parts.messages_s);
  if (prediction.sum_of_maxima_s) {
    *prediction.sum_of_maxima_s *= prediction.seconds / before_s;
  }
}

/// The interval of the quiet time, and that of a single run on a host as it was.
void set_intervals(Prediction& prediction, const Model& model, double half_width) {
  prediction.low = prediction.seconds * std::exp(-half_width);
  prediction.high = prediction.seconds * std::exp(half_width);
  const std::vector<double> noise = nearest_to(prediction.ranks, model.noise, {});
  const double least = noise.empty() ? 0 : std::min(0.0, std::log(quantile(noise, 0.025)));
  const double most = noise.empty() ? 0 : std::max(0.0, std::log(quantile(noise, 0.975)));
  prediction.run_low = prediction.seconds * std::exp(-std::hypot(half_width, least));
  prediction.run_high = prediction.seconds * std::exp(std::hypot(half_width, most));
}

}  // namespace

Prediction predict(const Model& model, int ranks, const NamedSizes& sizes,
                   const PredictOptions& options) {
  Prediction prediction;
  const Network network = checked(prediction, model, ranks, sizes, options);
  Parts parts = std::visit(
      [&](const auto& of) { return ask(prediction, model, network, options.is_silent, of); },
      model.parts);
  set_assumed(prediction, network);
  prediction.reach = model.reach(prediction.place());
  prediction.state = model.verdict.state(prediction.reach);
  if (model.memory) {
    prediction.memory_bytes = memory_bytes(*model.memory, ranks, prediction.sizes);
  }
  if (model.table() == nullptr) {
    parts.blocks = std::hypot(parts.blocks, unseen_on_host(prediction, model));
    correct(prediction, model, parts);
    parts.blocks = std::hypot(parts.blocks, kDeviationsOf95 * model.scatter);
  }
  set_intervals(
      prediction, model,
      (parts.blocks_s * parts.blocks + parts.messages_s * parts.messages) / prediction.seconds);
  if (prediction.state == State::checked && is_wide(prediction.low, prediction.high)) {
    prediction.state = State::not_checked;
  }
  if (!(prediction.low > 0 && std::isfinite(prediction.run_high))) {
    throw Error(fmt::format("no time can be predicted for {} and {}: the model's numbers give {}",
                            format_sizes(prediction.sizes), detail::format_ranks(prediction.ranks),
                            prediction.seconds));
  }
  return prediction;
}

Prediction predict(const Model& model, const RunPoint& run) {
  const auto threads = model.search() != nullptr ? std::optional(run.threads) : std::nullopt;
  return predict(model, run.ranks, run.sizes,
                 {.ranks_per_host = run.ranks_per_host, .threads = threads});
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
    choice.nodes = model.table() != nullptr ? ranks : (ranks - 1) / p.ranks_per_host + 1;
    choice.node_bytes = p.memory_bytes.value_or(0) * p.ranks_per_host;
    choice.missed = request.deadline_s && p.run_high > *request.deadline_s          ? "too long"
                    : request.efficiency && choice.efficiency < *request.efficiency ? "too idle"
                    : choice.node_bytes > request.max_node_bytes                    ? "memory"
                                                                                    : "";
    plan.choices.push_back(std::move(choice));
  }
  const auto by_seconds = [](const PlanChoice& choice) { return choice.prediction.seconds; };
  const auto fastest = std::ranges::min_element(plan.choices, {}, by_seconds);
  if (fastest + 1 != plan.choices.end()) {
    plan.left_out = fmt::format("more ranks than {} save no time", fastest->prediction.ranks);
    plan.choices.erase(fastest + 1, plan.choices.end());
  }
  const auto rank_of = [&](const PlanChoice& c) {  // the least is taken
    const int first = request.deadline_s ? c.nodes : -c.prediction.ranks;
    return std::tuple(!c.fits(), first, c.prediction.seconds);
  };
  const auto best = std::ranges::min_element(plan.choices, {}, rank_of);
  if (best->fits()) {
    plan.chosen = best - plan.choices.begin();
  }
  return plan;
}

}  // namespace cleave::models
