// SPDX-License-Identifier: Apache-2.0
#include "models/stealing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include "models/files.hpp"
#include "models/model.hpp"
#include "models/omega.hpp"
#include "models/selection.hpp"
#include "models/statistics.hpp"

namespace cleave::models {

namespace {

// Of the executor's protocol (docs/work_stealing.md).
constexpr double kMessageBytes = 32;   ///< of a request, a wave, and around nodes
constexpr double kEndingMessages = 8;  ///< in a row, for each doubling of the ranks

// Where steals are, in the reasons for which they are refused.
constexpr std::string_view kInside = "inside a rank";
constexpr std::string_view kBetween = "between ranks";

constexpr double kMinSeconds = 1e-9;  ///< what is less was not measured

/// Rounds in which work or a message reaches `count` ranks or workers.
double doublings_of(int count) { return count > 1 ? std::ceil(std::log2(count)) : 0; }

Basis power_of(const std::string& size, double power) {
  return Basis({{.size = size, .power = power}});
}

/// A message goes one way in the time of an exchange: l and g are halves of that (eq. 9).
double message_seconds(const Communication& entry, double bytes) {
  return 2 * entry.unit_seconds(bytes);
}

bool has_gaps(const LatencyGaps& gaps) { return !gaps.exchange.empty() || !gaps.alltoallv.empty(); }

/// What the network takes of one steal, of one request in vain, of all the rounds of start-up, and
/// of termination.
struct Network {
  double steal_s = 0;
  double in_vain_s = 0;
  double start_up_s = 0;
  double termination_s = 0;
};

/// `bytes`: of the nodes of an answer.
Network network_of(const LatencyGaps& gaps, int ranks, int ranks_per_host, double bytes) {
  if (ranks == 1 || !has_gaps(gaps)) {
    return {};
  }
  const Communication entry = choose_latency_gap(gaps, ranks, 0, ranks > ranks_per_host).entry;
  const double asking = message_seconds(entry, kMessageBytes);
  const double answer = message_seconds(entry, kMessageBytes + bytes);
  return {.steal_s = std::max(0.0, asking + answer),
          .in_vain_s = std::max(0.0, 2 * asking),
          .start_up_s = std::max(0.0, doublings_of(ranks) * answer),
          .termination_s = std::max(0.0, kEndingMessages * doublings_of(ranks) * asking)};
}

/// Of the nodes of one answer in `runs`.
double bytes_of_answer(std::span<const StealingRun* const> runs) {
  double bytes = 0;
  double answers = 0;
  for (const StealingRun* run : runs) {
    bytes += run->bytes_received;
    answers += run->remote_made;
  }
  return answers > 0 ? bytes / answers : 0;
}

/// A worker's share of the tree, and the requests of others that it answers meanwhile: as many as
/// it makes, on average.
NamedValues sizes_of_search(double nodes, double requests) {
  return {{"nodes", nodes}, {"requests", requests}};
}

std::vector<TrialForm> forms_of_search() {
  const Basis nodes = power_of("nodes", 1);
  return {
      {.form = {nodes}}, {.form = {Basis(), nodes}}, {.form = {nodes, power_of("requests", 1)}}};
}

std::variant<BlockModel, Refusal> fit_search(const std::vector<StealingRun>& runs,
                                             int workers_per_host, Weights weights) {
  BlockModel model{.block = Block::sequential, .ranks_per_host = workers_per_host};
  std::vector<Observation> observations;
  std::vector<double> deviations;
  for (const StealingRun& run : runs) {
    if (run.workers_per_host() != workers_per_host) {
      continue;
    }
    const NamedValues sizes =
        sizes_of_search(run.nodes() / run.all_workers(), run.requests_per_worker());
    observations.push_back({.run_sizes = run.sizes,
                            .sizes = sizes,
                            .value = median(run.search),
                            .repetitions = run.search});
    model.samples.push_back({.block = Block::sequential,
                             .ranks = run.ranks,
                             .ranks_per_host = workers_per_host,
                             .run_sizes = run.sizes,
                             .sizes = sizes,
                             .seconds = run.search});
    deviations.push_back(relative_spread(run.search));
  }
  const std::vector<std::string> varying = varying_sizes(observations);
  if (std::ranges::find(varying, "nodes") == varying.end()) {
    return Refusal{"nodes are as many in every run: measure more sizes"};
  }
  auto fitted = fit_best_form(observations, forms_of_search(), weights);
  if (auto* refusal = std::get_if<Refusal>(&fitted)) {
    return std::move(*refusal);
  }
  model.fit = SegmentedFit(std::move(std::get<BlockFit>(fitted)));
  model.repetition_deviation = median(std::move(deviations));
  return model;
}

/// Steals, their time and requests in vain grow with the number of doublings, in which work
/// spreads, and with the logarithm or the root of a worker's share, since each steal takes half of
/// what is there; what is below some share is visited before others can take of it, so the
/// logarithm may be of a ratio.
std::vector<TrialForm> forms_of_steals() {
  const Basis::Factor doublings{.size = "doublings"};
  const auto times = [&](Basis::Factor factor) { return Basis({doublings, std::move(factor)}); };
  const Basis logarithm = times({.size = "nodes", .function = Basis::Function::log2});
  return {{.form = {Basis({doublings})}},
          {.form = {logarithm}},
          {.form = {times({.size = "nodes", .power = 0.5})}},
          {.form = {Basis({doublings}), logarithm}, .sign = Sign::any, .positive_from = 1}};
}

/// What steals are of, for one of `sharers` that each have `nodes` of the tree.
NamedValues sizes_of_steals(int sharers, double nodes) {
  return {{"nodes", nodes}, {"doublings", std::log2(sharers)}};
}

/// How often one of `sharers` does what `count` counts.
double number_of(const BlockFit& count, int sharers, double nodes) {
  return std::max(0.0, count(sizes_of_steals(sharers, nodes)));
}

/// What was never seen in as many chances as `run` had is taken to come once in them.
double seen_or_once(double number, const StealingRun& run) {
  return std::max(1 / (run.counted_workers() * run.repetitions()), number);
}

/// Root of the mean square.
double root_mean_square(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) {
    squares += value * value;
  }
  return std::sqrt(squares / static_cast<double>(values.size()));
}

/// What the network takes of all steals of one of `sharers`, with `nodes` each.
double network_seconds(const Steals& steals, int sharers, double nodes, const Network& network) {
  const double in_vain = steals.in_vain ? number_of(*steals.in_vain, sharers, nodes) : 0;
  return number_of(steals.count, sharers, nodes) * network.steal_s + in_vain * network.in_vain_s;
}

/// What all steals of a worker take, among `sharers` with `nodes` each.
double seconds_of(const Steals& steals, int sharers, double nodes, const Network& network) {
  return std::max(0.0, steals.seconds(sizes_of_steals(sharers, nodes))) +
         network_seconds(steals, sharers, nodes, network);
}

/// `inside`: runs on one rank; else on several ranks of one thread each.
std::variant<Steals, Refusal> fit_steals(const std::vector<StealingRun>& all, bool inside,
                                         const LatencyGaps& gaps) {
  const auto sharers = [inside](const StealingRun& run) {
    return inside ? run.threads : run.ranks;
  };
  std::vector<const StealingRun*> runs;
  std::set<int> numbers;
  for (const StealingRun& run : all) {
    if ((inside ? run.ranks : run.threads) == 1 && sharers(run) > 1) {
      runs.push_back(&run);
      numbers.insert(sharers(run));
    }
  }
  if (runs.empty()) {
    return Refusal{inside ? "no run was on one rank with several threads"
                          : "no run was on several ranks with one thread each"};
  }
  const auto fit = [&](const auto& value_of) {
    std::vector<Observation> observations;
    for (const StealingRun* run : runs) {
      observations.push_back({.run_sizes = run->sizes,
                              .sizes = sizes_of_steals(sharers(*run), run->nodes() / sharers(*run)),
                              .value = value_of(*run)});
    }
    // Each is a mean of counts that vary by half of themselves and more: relative to what was
    // measured, the least would pull all down.
    return fit_best_form(observations, forms_of_steals(), Weights::ordinary);
  };
  Steals steals{.bytes = bytes_of_answer(runs), .maximum = *numbers.rbegin()};
  auto count =
      fit([](const StealingRun& run) { return seen_or_once(run.steals_per_worker(), run); });
  if (auto* refusal = std::get_if<Refusal>(&count)) {
    return std::move(*refusal);
  }
  steals.count = std::move(std::get<BlockFit>(count));
  if (!inside) {
    auto in_vain = fit([](const StealingRun& run) {
      return seen_or_once(run.requests_in_vain_per_worker(), run);
    });
    if (auto* refusal = std::get_if<Refusal>(&in_vain)) {
      return std::move(*refusal);
    }
    steals.in_vain = std::move(std::get<BlockFit>(in_vain));
  }
  auto seconds = fit([&](const StealingRun& run) {
    const Network network = network_of(gaps, run.ranks, run.ranks_per_host, steals.bytes);
    const double network_s = run.steals_per_worker() * network.steal_s +
                             run.requests_in_vain_per_worker() * network.in_vain_s;
    return std::max(kMinSeconds, median(run.steal) - network_s);
  });
  if (auto* refusal = std::get_if<Refusal>(&seconds)) {
    return std::move(*refusal);
  }
  steals.seconds = std::move(std::get<BlockFit>(seconds));
  std::vector<double> deviations;
  for (const StealingRun* run : runs) {
    const Network network = network_of(gaps, run->ranks, run->ranks_per_host, steals.bytes);
    const double expected =
        seconds_of(steals, sharers(*run), run->nodes() / sharers(*run), network);
    for (const double measured : run->steal) {
      deviations.push_back(expected > 0 ? measured / expected - 1 : 0);
    }
  }
  steals.deviation = root_mean_square(deviations);
  return steals;
}

NamedValues rounds_of(int ranks, int threads) {
  return {{"doublings", doublings_of(ranks)}, {"helpers", static_cast<double>(threads - 1)}};
}

/// Start-up: a constant, and more for each doubling of the ranks. Each round of a doubling takes
/// the same, or waits for the slowest of all ranks, which is the slower the more there are: the
/// largest of p exponential times grows with log p.
std::vector<TrialForm> forms_of_start_up() {
  return {{.form = {Basis()}},
          {.form = {Basis(), power_of("doublings", 1)}},
          {.form = {Basis(), power_of("doublings", 2)}}};
}

/// Termination: a constant where one rank was measured, and more for each doubling of the ranks, as
/// long as another or, as above, waiting for the slowest.
std::vector<TrialForm> forms_of_termination(const std::vector<StealingRun>& runs) {
  const auto [minimum, maximum] = std::ranges::minmax(runs, {}, &StealingRun::ranks);
  std::vector<TrialForm> trials;
  for (const double power : {1, 2}) {
    Form form;
    if (minimum.ranks == 1) {
      form.emplace_back();
    }
    if (maximum.ranks > 1) {
      form.push_back(power_of("doublings", power));
    }
    trials.push_back({.form = std::move(form)});
  }
  return trials;
}

/// A part of runs, without `network_s` of each: one of `trials`, and more for each further thread
/// of a rank if these vary.
std::variant<BlockFit, Refusal> fit_rounds(const std::vector<StealingRun>& runs,
                                           std::vector<double> StealingRun::*part,
                                           const std::vector<double>& network_s,
                                           std::vector<TrialForm> trials, Weights weights) {
  std::vector<Observation> observations;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const StealingRun& run = runs[i];
    NamedSizes run_sizes = run.sizes;
    run_sizes["ranks"] = run.ranks;
    run_sizes["threads"] = run.threads;
    observations.push_back({.run_sizes = std::move(run_sizes),
                            .sizes = rounds_of(run.ranks, run.threads),
                            .value = std::max(kMinSeconds, median(run.*part) - network_s[i])});
  }
  const std::vector<std::string> varying = varying_sizes(observations);
  if (std::ranges::find(varying, "helpers") != varying.end()) {
    for (std::size_t i = 0, count = trials.size(); i < count; ++i) {
      trials.push_back(trials[i]);
      trials.back().form.push_back(power_of("helpers", 1));
    }
  }
  return fit_best_form(observations, trials, weights);
}

class SearchTime {
 public:
  SearchTime(const Model& model, int ranks, const NamedSizes& sizes, const PredictOptions& options)
      : model_(model),
        stealing_(*model.stealing),
        gaps_(options.latency_gaps.value_or(model.latency_gaps)),
        threads_(options.threads.value_or(model.threads)),
        ranks_per_host_(options.ranks_per_host.value_or(std::min(ranks, stealing_.ranks_per_host))),
        nodes_(static_cast<double>(sizes.at("nodes"))) {
    result_.ranks = ranks;
    result_.threads = threads_;
    result_.sizes = sizes;
    if (!stealing_.knows_network && has_gaps(gaps_) && ranks > 1) {
      throw Error(
          "the model was fitted without a machine, so that the network's part of a steal is not "
          "known: fit it with --machine");
    }
    if (ranks > model.max_ranks()) {
      result_.outside_fitted_range = true;
      remark("more ranks than were measured: that steals grow with log2 of them is assumed");
    }
    if (threads_ > stealing_.threads) {
      result_.outside_fitted_range = true;
      remark("more threads than were measured: that steals grow with log2 of them is assumed");
    }
  }

  Prediction predict() && {
    add_search();
    add_steals();
    add_rounds("start_up", Block::skeleton, stealing_.start_up, network().start_up_s);
    add_rounds("termination", Block::idle, stealing_.termination, network().termination_s);
    set_interval(result_, model_, std::move(variances_));
    return std::move(result_);
  }

 private:
  Network network() const {
    return network_of(gaps_, result_.ranks, ranks_per_host_,
                      stealing_.between ? stealing_.between->bytes : 0);
  }

  void add_search() {
    const int per_host = std::min(result_.ranks, ranks_per_host_) * threads_;
    const BlockModel& block = model_.block_model(Block::sequential, per_host);
    if (block.ranks_per_host != per_host) {
      remark(fmt::format("a node takes as long as with {} workers per host; {} were not measured",
                         block.ranks_per_host, per_host));
    }
    const NamedValues sizes = sizes_of_search(nodes_ / (result_.ranks * threads_), requests());
    const BlockFit& fit = block.fit.at(sizes);
    constexpr double kSlack = 0.05;
    const auto [minimum, maximum] = fit.fitted_range.at("nodes");
    if (sizes.at("nodes") < minimum * (1 - kSlack) || sizes.at("nodes") > maximum * (1 + kSlack)) {
      result_.outside_fitted_range = true;
    }
    const double seconds = fit(sizes);
    for (const Variance& variance : fit.variances(sizes)) {
      variances_.push_back(variance);
    }
    add_share("search", Block::sequential, seconds);
  }

  /// Of other ranks to a worker.
  double requests() const {
    if (result_.ranks == 1 || !stealing_.between) {
      return 0;
    }
    const Steals& between = *stealing_.between;
    const double nodes = nodes_ / result_.ranks;
    const double firsts = 1;
    return (firsts + number_of(between.count, result_.ranks, nodes) +
            number_of(between.in_vain.value(), result_.ranks, nodes)) /
           threads_;
  }

  void add_steals() {
    double seconds = 0;
    if (threads_ > 1) {
      seconds += steals(stealing_.inside, kInside, threads_, nodes_ / (result_.ranks * threads_));
    }
    if (result_.ranks > 1) {
      seconds += steals(stealing_.between, kBetween, result_.ranks, nodes_ / result_.ranks);
    }
    add_share("steal", Block::steal, seconds);
  }

  std::string reason_of_none(std::string_view where) const {
    for (const RefusedBlock& refused : model_.refused) {
      if (refused.block == Block::steal && refused.reason.starts_with(where)) {
        return refused.reason;
      }
    }
    return fmt::format("{}: the traces show none", where);
  }

  /// The time that a worker spends on steals among `sharers`, whose interval it widens.
  double steals(const std::optional<Steals>& of, std::string_view where, int sharers,
                double nodes) {
    if (!of) {
      throw Error(fmt::format("steals cannot be predicted {}", reason_of_none(where)));
    }
    const auto on = [&](int number) { return seconds_of(*of, number, nodes, network()); };
    const double seconds = on(sharers);
    const double noise = of->deviation * seconds;
    variances_.push_back({noise * noise, std::numeric_limits<double>::infinity()});
    if (sharers > of->maximum) {  // growth beyond what was measured is as uncertain as it is large
      const double assumed = seconds - on(of->maximum);
      variances_.push_back({assumed * assumed, std::numeric_limits<double>::infinity()});
    }
    return seconds;
  }

  void add_rounds(std::string_view part, Block block, const BlockFit& fit, double network_s) {
    const NamedValues sizes = rounds_of(result_.ranks, threads_);
    const double seconds = fit(sizes) + network_s;
    const double noise = fit.fit.residual_deviation * seconds;
    variances_.push_back({noise * noise, static_cast<double>(fit.fit.degrees_of_freedom)});
    add_share(part, block, seconds);
  }

  void add_share(std::string_view part, Block block, double seconds) {
    result_.shares.push_back({.block = block, .seconds = seconds, .part = part});
    result_.seconds += seconds;
  }

  void remark(std::string text) { result_.remarks.push_back(std::move(text)); }

  const Model& model_;
  const StealingModel& stealing_;
  LatencyGaps gaps_;
  int threads_;
  int ranks_per_host_;
  double nodes_;
  Prediction result_;
  std::vector<Variance> variances_;
};

}  // namespace

void fit_stealing(Model& model, const std::vector<StealingRun>& runs, bool knows_network) {
  std::set<int> workers_per_host;
  std::set<int> threads;
  std::set<int> ranks;
  for (const StealingRun& run : runs) {
    workers_per_host.insert(run.workers_per_host());
    threads.insert(run.threads);
    ranks.insert(run.ranks);
  }
  if (runs.empty()) {
    model.refused.push_back({Block::sequential, 1, "no trace says what its workers did"});
    return;
  }
  model.threads = threads.size() == 1 ? *threads.begin() : 1;
  for (const int number : workers_per_host) {
    auto fitted = fit_search(runs, number, model.weights);
    if (auto* refusal = std::get_if<Refusal>(&fitted)) {
      model.refused.push_back({Block::sequential, number, std::move(refusal->reason)});
    } else {
      model.blocks.push_back(std::move(std::get<BlockModel>(fitted)));
    }
  }
  StealingModel stealing{.knows_network = knows_network, .threads = *threads.rbegin()};
  for (const StealingRun& run : runs) {
    stealing.ranks_per_host = std::max(stealing.ranks_per_host, run.ranks_per_host);
  }
  for (const bool inside : {true, false}) {
    if (inside ? *threads.rbegin() == 1 : *ranks.rbegin() == 1) {
      continue;
    }
    auto fitted = fit_steals(runs, inside, model.latency_gaps);
    if (auto* refusal = std::get_if<Refusal>(&fitted)) {
      model.refused.push_back(
          {Block::steal, 1, fmt::format("{}: {}", inside ? kInside : kBetween, refusal->reason)});
    } else {
      (inside ? stealing.inside : stealing.between) = std::move(std::get<Steals>(fitted));
    }
  }
  std::vector<double> start_up_s;
  std::vector<double> termination_s;
  const double bytes = stealing.between ? stealing.between->bytes : 0;
  for (const StealingRun& run : runs) {
    const Network network = network_of(model.latency_gaps, run.ranks, run.ranks_per_host, bytes);
    start_up_s.push_back(network.start_up_s);
    termination_s.push_back(network.termination_s);
  }
  auto start_up =
      fit_rounds(runs, &StealingRun::start_up, start_up_s, forms_of_start_up(), model.weights);
  auto termination = fit_rounds(runs, &StealingRun::termination, termination_s,
                                forms_of_termination(runs), model.weights);
  for (auto* fitted : {&start_up, &termination}) {
    if (auto* refusal = std::get_if<Refusal>(fitted)) {
      model.refused.push_back(
          {fitted == &start_up ? Block::skeleton : Block::idle, 1, std::move(refusal->reason)});
      return;
    }
  }
  stealing.start_up = std::move(std::get<BlockFit>(start_up));
  stealing.termination = std::move(std::get<BlockFit>(termination));
  model.stealing = std::move(stealing);
  model.leaf_blocks = {Block::sequential};
  model.inner_blocks = {Block::steal};
}

Prediction predict_stealing(const Model& model, int ranks, const NamedSizes& sizes,
                            const PredictOptions& options) {
  if (options.threads.value_or(1) < 1) {
    throw UsageError(fmt::format("threads must be at least 1, not {}", *options.threads));
  }
  model.block_model(Block::sequential, 1);  // says why there is none
  if (!model.stealing) {
    throw Error(model.refused.empty()
                    ? "the model says nothing of steals: fit it again"
                    : fmt::format("{} cannot be predicted: {}", name_of(model.refused.back().block),
                                  model.refused.back().reason));
  }
  check_request(model, ranks, sizes);
  return SearchTime(model, ranks, sizes, options).predict();
}

}  // namespace cleave::models
