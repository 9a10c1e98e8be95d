// SPDX-License-Identifier: Apache-2.0
#include "models/theory/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <ranges>
#include <set>
#include <tuple>

#include <cleave/dc_type.hpp>
#include <cleave/trace.hpp>

#include "models/theory/prediction.hpp"

namespace cleave::models {

namespace {

using detail::Block;

/// Why a form must not be chosen by itself: two sizes always go together, so that a choice would be
/// a guess. Where runs are given `free` sizes alone, the others follow from these.
std::optional<Refusal> refuse_choice(const std::vector<Observation>& observations,
                                     std::size_t free) {
  const Observation& first = observations.front();
  const std::vector<std::string> varying = varying_sizes(observations);
  const bool is_one_run = std::ranges::all_of(
      observations, [&](const Observation& o) { return o.run_sizes == first.run_sizes; });
  if (!first.sizes.empty() && (varying.empty() || is_one_run)) {
    return Refusal{fmt::format("{} is {} in every run: measure more sizes",
                               first.sizes.begin()->first,
                               format_count(std::llround(first.sizes.begin()->second)))};
  }
  if (varying.size() < 2) {
    return std::nullopt;
  }
  Form columns = {Basis()};
  for (const std::string& size : varying) {
    columns.push_back(power(size, 1));
  }
  return refuse_dependent(columns, observations, std::min(free, varying.size()) + 1);
}

/// How many counts differ in what the runs were given; no limit where none does.
std::size_t free_sizes(const std::vector<RunPoint>& points) {
  std::map<std::string, std::set<std::int64_t>> values;
  for (const auto& [name, value] :
       std::views::join(points | std::views::transform(&RunPoint::given))) {
    values[name].insert(value);
  }
  const auto free =
      std::ranges::count_if(values, [](const auto& of) { return of.second.size() > 1; });
  return free == 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(free);
}

/// `fitted`, or nothing and the reason in the model's list.
std::optional<Law> law_or_refused(Model& model, Block block, std::variant<Law, Refusal> fitted) {
  if (auto* refusal = std::get_if<Refusal>(&fitted)) {
    model.refused.push_back({block, std::move(refusal->reason)});
    return std::nullopt;
  }
  return std::get<Law>(std::move(fitted));
}

constexpr std::array kWorkBlocks = {Block::divide,   Block::combine, Block::sequential,
                                    Block::skeleton, Block::sample,  Block::pivot,
                                    Block::partition};

/// A size of a block relative to the run's, with what a share of the ranks makes of that.
struct Ratio {
  double value = 1;
  double share = 1;
};

/// By how much whole sizes, and the whole run, explain `ratios` worse than shares; 0 if as well.
double whole_is_worse_by(std::vector<Ratio> ratios) {
  ratios.emplace_back();
  const auto misfit = [&](double exponent) {
    double sum = 0;
    double squares = 0;
    for (const Ratio& r : ratios) {
      const double left = std::log(r.value) - exponent * std::log(r.share);
      sum += left;
      squares += left * left;
    }
    return squares - sum * sum / static_cast<double>(ratios.size());
  };
  return misfit(0) - misfit(1);
}

/// An entry for each block and each of its sizes that the runs have, too. A size that one block
/// does not tell is as the size of the others.
std::vector<Scaling> fit_scaling(const std::vector<Sample>& samples) {
  constexpr double kScaleAsGood = 0.02;
  std::map<std::pair<Block, std::string>, std::vector<Ratio>> ratios;
  for (const Sample& sample : samples) {
    for (const auto& [name, value] : sample.sizes) {
      const auto run_size = sample.run_sizes.find(name);
      if (run_size != sample.run_sizes.end() && run_size->second > 0 && value > 0) {
        ratios[{sample.block, name}].push_back({value / static_cast<double>(run_size->second),
                                                static_cast<double>(sample.group) / sample.ranks});
      }
    }
  }
  std::map<std::string, double> of_all;
  for (const auto& [key, of_key] : ratios) {
    of_all[key.second] += whole_is_worse_by(of_key);
  }
  std::vector<Scaling> result;
  for (const auto& [key, of_key] : ratios) {
    const double own = whole_is_worse_by(of_key);
    const bool is_whole = (own != 0 ? own : of_all.at(key.second)) < 0;
    double values = 0;
    double wholes = 0;
    for (const Ratio& r : of_key) {
      values += r.value;
      wholes += is_whole ? 1 : r.share;
    }
    const double scale = values / wholes;
    result.push_back(
        {key.first, key.second, std::abs(scale - 1) <= kScaleAsGood ? 1 : scale, is_whole});
  }
  return result;
}

/// The largest message of each level of each run, in bytes, with the largest sizes over its ranks.
std::vector<Observation> message_bytes(const std::vector<Sample>& samples) {
  std::map<std::tuple<int, NamedSizes, int>, Observation> largest;
  for (const Sample& sample : samples) {
    Observation& level = largest[{sample.ranks, sample.run_sizes, sample.level}];
    level.run_sizes = sample.run_sizes;
    level.value = std::max(level.value, sample.bytes / sample.spans);
    for (const auto& [name, value] : sample.sizes) {
      double& size = level.sizes[name];
      size = std::max(size, value);
    }
  }
  const auto observations = std::views::values(largest);
  return {observations.begin(), observations.end()};
}

/// Fits blocks, sizes and exchanges of a model that knows its application and its network.
class HypercubeFit {
 public:
  HypercubeFit(Model& model, const Measurements& measurements, Forms forms)
      : model_(model), points_(measurements.points), samples_(measurements.samples), forms_(forms) {
    // Sizes that no run has could not be told when predicting.
    for (Sample& sample : samples_) {
      std::erase_if(sample.sizes,
                    [&](const auto& size) { return !sample.run_sizes.contains(size.first); });
    }
  }

  /// \param has_machine  whether l and g come from elsewhere
  HypercubeModel fit(bool has_machine) {
    HypercubeModel result;
    const bool splits = !samples_of(Block::partition).empty();
    result.way = detail::way_of(model_.placement, splits).value_or(detail::Way::replicated);
    if (splits) {
      add_sampling_sizes();
    }
    for (const Block block : kWorkBlocks) {
      const std::vector<Sample> samples = samples_of(block);
      if (samples.empty()) {
        continue;
      }
      if (auto law = law_or_refused(model_, block, fit_block(block, samples))) {
        result.blocks.push_back({block, *std::move(law), static_cast<int>(samples.size())});
      }
    }
    std::erase_if(samples_, &Sample::is_rehearsed);
    result.scaling = fit_scaling(samples_);
    result.exchange = fit_exchange(has_machine);
    return result;
  }

 private:
  std::vector<Sample> samples_of(Block block) const {
    std::vector<Sample> of_block;
    std::ranges::copy_if(samples_, std::back_inserter(of_block),
                         [&](const Sample& sample) { return sample.block == block; });
    return of_block;
  }

  /// Adds the size of a splitter's choice in the place of N, and notes the bytes of a sample.
  void add_sampling_sizes() {
    std::vector<double> bytes;
    for (Sample& sample : samples_) {
      const auto found = sample.sizes.find("N");
      const double elements = found == sample.sizes.end() ? 0 : found->second;
      if (sample.block == Block::sample) {
        sample.sizes["samples"] = sampled(elements * sample.group) / sample.group;
      } else if (sample.block == Block::pivot) {
        sample.sizes["samples"] = sampled(elements);
        if (elements > 0) {
          bytes.push_back(std::round(sample.bytes / sampled(elements)));
        }
      }
    }
    splitter_bytes_ = bytes.empty() ? 0 : detail::median(std::move(bytes));
  }

  std::variant<Law, Refusal> fit_block(Block block, const std::vector<Sample>& samples) const {
    std::vector<Sample> of_runs;
    std::vector<Sample> rehearsed;
    std::ranges::partition_copy(samples, std::back_inserter(rehearsed), std::back_inserter(of_runs),
                                &Sample::is_rehearsed);
    std::vector<Observation> observations = observations_of(of_runs);
    if (block == Block::pivot) {
      take_out_messages(observations, of_runs);
    }
    if (block == Block::skeleton) {  // works on messages, and a rehearsal has none
      return fit_law(observations, linear_forms(varying_sizes(observations)));
    }
    std::ranges::move(observations_of(rehearsed), std::back_inserter(observations));
    if (block == Block::sample || block == Block::pivot) {
      return fit_law(observations, linear_forms({"samples"}));
    }
    if (forms_ == Forms::paper) {
      const auto names = std::views::keys(observations.front().sizes);
      if (const std::optional<Form> form = paper_form(block, {names.begin(), names.end()})) {
        return fit_law(observations, {{*form, 0}}, Weights::ordinary);
      }
    }
    if (auto refusal = refuse_choice(observations, free_sizes(points_))) {
      return *std::move(refusal);
    }
    return fit_law(observations, candidate_forms(observations));
  }

  /// l and g of the messages of `sample`; nothing where they are not known.
  std::optional<detail::Communication> entry_of(const Sample& sample) const {
    const bool leaves_host = sample.group > sample.ranks_per_host;
    if (model_.network.is_empty() || (leaves_host && !model_.network.knows_between_hosts())) {
      return std::nullopt;
    }
    return entry_for(model_.network, sample.ranks, sample.level, leaves_host);
  }

  /// The time of a pivot's messages is known by l and g. Where that is more than was measured, the
  /// rest counts as a share of it that is too small to be told.
  void take_out_messages(std::vector<Observation>& observations,
                         const std::vector<Sample>& samples) const {
    constexpr double kLeastRest = 0.01;
    for (Observation& o : observations) {
      const Sample& sample = *std::ranges::find_if(samples, [&](const Sample& of) {
        return of.run_sizes == o.run_sizes && of.sizes == o.sizes;
      });
      if (const auto entry = entry_of(sample)) {
        const double messages = choose_seconds(*entry, sample.group, sample.bytes, splitter_bytes_);
        o.value = std::max(kLeastRest * o.value, o.value - messages);
      }
    }
  }

  /// With the factor, where l and g come from elsewhere, and the error of exchanges by their time.
  std::optional<ExchangeModel> fit_exchange(bool has_machine) const {
    constexpr double kNotCompared = 0.15;
    constexpr double kLeast = 0.04;
    std::vector<Sample> exchanges = samples_of(Block::exchange);
    std::erase_if(exchanges, [](const Sample& s) { return s.spans <= 0 || s.bytes <= 0; });
    if (exchanges.empty()) {
      return std::nullopt;
    }
    const std::vector<Observation> bytes = message_bytes(exchanges);
    ExchangeModel exchange{
        .factor = paper_factor(model_.placement),
        .splitter_bytes = splitter_bytes_,
        .bytes = std::get<Law>(fit_law(bytes, linear_forms(varying_sizes(bytes)))),
        .half_width = kNotCompared};
    std::vector<double> ratios;
    std::vector<double> seconds;
    for (const Sample& sample : exchanges) {
      const std::optional<detail::Communication> entry = entry_of(sample);
      const double unit = entry ? entry->unit_seconds(sample.bytes / sample.spans) : 0;
      const double all_s = detail::median(sample.seconds);
      if (unit > 0 && all_s > 0) {
        ratios.push_back(all_s / sample.spans / unit);
        seconds.push_back(all_s);
      }
    }
    if (ratios.empty()) {
      return exchange;
    }
    if (has_machine) {
      exchange.factor = detail::median(ratios);
      exchange.factor_is_fitted = true;
    }
    double squares = 0;
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      squares += seconds[i] * std::pow(std::log(ratios[i] / exchange.factor), 2);
    }
    const double sum_s = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    exchange.half_width = std::max(kLeast, kDeviationsOf95 * std::sqrt(squares / sum_s));
    return exchange;
  }

  Model& model_;
  const std::vector<RunPoint>& points_;
  std::vector<Sample> samples_;
  Forms forms_;
  double splitter_bytes_ = 0;
};

/// The loss of workers on steals for each of their nodes, in units of the visit of a node. It grows
/// with the doublings of those who share the tree. Since each steal takes half of what is there, it
/// also grows with the logarithm or the root of a worker's share.
std::vector<Form> losses_by(const std::string& sharers) {
  const Basis::Factor doublings{.size = sharers, .is_log = true};
  const Basis::Factor a_node{.size = "nodes", .power = -1};
  const Basis alone({doublings, a_node});
  const Basis logarithm({doublings, {.size = "nodes", .is_log = true}, a_node});
  const Basis root({doublings, {.size = "nodes", .power = -0.5}});
  const Basis square({{.size = sharers, .is_log = true, .power = 2}, a_node});
  return {{},
          {alone},
          {logarithm},
          {root},
          {square},
          {alone, logarithm},
          {alone, root},
          {square, logarithm}};
}

bool varies(const std::vector<Observation>& observations, const std::string& size) {
  return std::ranges::count(varying_sizes(observations), size) > 0;
}

/// A time a node, perhaps a constant, or the requests of other ranks that are answered meanwhile.
/// Or a node takes the longer the deeper its tree is: the depth grows as the logarithm of nodes.
std::vector<PricedForm> forms_of_visits(const std::vector<Observation>& observations) {
  const Basis nodes = power("nodes", 1);
  const Basis nodes_by_depth = power("nodes", 1, 1);
  std::vector<PricedForm> forms = {{{nodes}, 0}, {{Basis(), nodes}, 1}, {{nodes_by_depth}, 1}};
  if (varies(observations, "ranks")) {
    forms.push_back({{nodes, power("ranks", 0, 1)}, 1});
  }
  return forms;
}

/// 1, and what is lost: to begin and to end, among ranks and among the threads of a rank.
std::vector<PricedForm> forms_of_inverse_efficiency(const std::vector<Observation>& observations) {
  constexpr std::size_t kMostTerms = 4;
  const auto losses = [&](const char* sharers) {
    return varies(observations, sharers) ? losses_by(sharers) : std::vector<Form>{{}};
  };
  std::vector<PricedForm> forms;
  for (const Form& start : {Form{}, Form{power("nodes", -1)}}) {
    for (const Form& of_ranks : losses("ranks")) {
      for (const Form& of_threads : losses("threads")) {
        PricedForm form{.form = {Basis()}};
        for (const Form* part : {&start, &of_ranks, &of_threads}) {
          form.form.insert(form.form.end(), part->begin(), part->end());
        }
        if (form.form.size() <= kMostTerms) {
          form.price = static_cast<double>(form.form.size() - 1);
          forms.push_back(std::move(form));
        }
      }
    }
  }
  return forms;
}

SearchModel fit_search(Model& model, const std::vector<SearchRun>& runs) {
  SearchModel result;
  if (runs.empty()) {
    model.refused.push_back({Block::sequential, "no trace says what its workers did"});
    return result;
  }
  // Only real runs tell the time of a node beside other workers of a host.
  const bool has_real = !std::ranges::all_of(runs, &SearchRun::is_rehearsed);
  std::vector<Observation> visits;
  std::vector<Observation> inverse_efficiency;
  for (const SearchRun& run : runs) {
    for (std::size_t round = 0; round < run.visits.size(); ++round) {
      const double visits_s = std::max(kShortest_s, run.visits[round]);
      Observation observation{.run_sizes = run.sizes,
                              .sizes = sizes_of_search(run.nodes(), run.ranks, run.threads),
                              .value = run.seconds[round] / visits_s};
      observation.run_sizes["ranks"] = run.ranks;
      observation.run_sizes["threads"] = run.threads;
      inverse_efficiency.push_back(observation);
      if (!run.is_rehearsed || !has_real) {
        observation.run_sizes = run.sizes;
        observation.ranks_per_host = run.ranks_per_host * run.threads;
        observation.value = visits_s;
        visits.push_back(std::move(observation));
      }
    }
  }
  const auto [least, most] = std::ranges::minmax(runs, {}, &SearchRun::threads);
  model.threads = least.threads == most.threads ? least.threads : 1;
  result.threads = most.threads;
  if (std::ranges::all_of(runs, [&](const auto& r) { return r.sizes == runs.front().sizes; })) {
    model.refused.push_back(
        {Block::sequential, "nodes are as many in every run: measure more sizes"});
    return result;
  }
  result.visits =
      law_or_refused(model, Block::sequential, fit_law(visits, forms_of_visits(visits)));
  result.inverse_efficiency =
      law_or_refused(model, Block::steal,
                     fit_law(inverse_efficiency, forms_of_inverse_efficiency(inverse_efficiency)));
  return result;
}

/// Scatter of all runs together, on the scale of logarithms; at least the floor of a law.
double scatter_of(const std::vector<RunPoint>& points) {
  double squares = 0;
  double freedom = 0;
  for (const RunPoint& point : points) {
    double mean = 0;  // of the rounds so far
    double count = 0;
    for (const double seconds : point.seconds) {
      const double off = std::log(std::max(seconds, kShortest_s)) - mean;
      squares += off * off * count / (count + 1);
      mean += off / ++count;
    }
    freedom += count - 1;
  }
  return std::max(kFloor, freedom > 0 ? std::sqrt(squares / freedom) : 0);
}

/// Calls `use` with each of `runs` but what it refuses: a part was refused, and the model says so.
void for_each_known(const auto& runs, const auto& use) {
  for (const auto& run : runs) {
    try {
      use(run);
    } catch (const Error&) {
      continue;
    }
  }
}

/// The times of the fitted runs' repetitions over their quiet times; of rehearsals none.
std::map<int, std::vector<double>> noise_of(const Model& model,
                                            const std::vector<RunPoint>& points) {
  std::map<int, std::vector<double>> noise;
  for_each_known(points, [&](const RunPoint& point) {
    const double seconds = point.is_rehearsed ? 0 : predict(model, point).seconds;
    for (std::size_t i = 0; i < point.wall_seconds.size() && seconds > 0; ++i) {
      noise[point.ranks].push_back(point.wall_seconds[i] / seconds);
    }
  });
  for (auto& [ranks, of_ranks] : noise) {
    std::ranges::sort(of_ranks);
  }
  return noise;
}

}  // namespace

TableModel table_of(const std::vector<RunPoint>& points) {
  TableModel table;
  for (const RunPoint& point : points) {
    table.points.push_back(
        {.sizes = table_sizes(point.ranks, point.sizes), .value = detail::median(point.seconds)});
  }
  return table;
}

TableModel fit_table(const std::vector<RunPoint>& points) {
  constexpr std::size_t kMany = 20;
  constexpr double kWorse = 1.33;
  TableModel table = table_of(points);
  const std::vector<std::string> varying = varying_sizes(table.points);
  if (varying.empty()) {
    throw Error("the table has one size and number of ranks: measure more of them");
  }
  if (points.size() < kMany || varying == std::vector<std::string>{kRanksSize}) {
    return table;
  }
  const auto law_of = [](const TableModel& of) {
    return std::get<Law>(fit_law(of.points, candidate_forms(of.points)));
  };
  const auto off_of = [&](const TableModel& inner) {
    double off = 0;
    for (const Observation& point : table.points | std::views::drop(inner.points.size())) {
      off += std::abs(std::log(inner.at(point.sizes).median / point.value));
    }
    return off;
  };
  // The law answers where it tells the outermost quarter of the points as well.
  TableModel carried = table;
  carried.points.resize(points.size() - points.size() / 4);
  if (off_of({carried.points, law_of(carried)}) < kWorse * off_of(carried)) {
    table.law = law_of(table);
  }
  return table;
}

std::optional<Law> fit_memory(const std::vector<RunPoint>& points) {
  std::vector<Observation> observations;
  for (const RunPoint& point : points) {
    if (point.peak_memory_bytes > 0) {
      observations.push_back({.run_sizes = point.sizes,
                              .sizes = memory_sizes(point.ranks, point.sizes),
                              .value = static_cast<double>(point.peak_memory_bytes)});
    }
  }
  auto law = fit_law(observations, linear_forms(varying_sizes(observations)));
  return std::holds_alternative<Law>(law) ? std::optional(std::get<Law>(std::move(law)))
                                          : std::nullopt;
}

namespace {

/// The measurements of runs and rehearsals of which `is_in` is true. Messages are in all.
Measurements part_of(const Measurements& all,
                     const std::function<bool(int ranks, const NamedSizes&)>& is_in) {
  Measurements part = all;
  std::erase_if(part.points, [&](const auto& of) { return !is_in(of.ranks, of.sizes); });
  std::erase_if(part.samples, [&](const auto& of) { return !is_in(of.ranks, of.run_sizes); });
  std::erase_if(part.searches, [&](const auto& of) { return !is_in(of.ranks, of.sizes); });
  std::erase_if(part.rehearsed, [&](const auto& of) { return !is_in(of.ranks, of.sizes); });
  return part;
}

/// The standard deviation of what a rehearsal misses: 16 rehearsed runs of three simulated
/// platforms, 16 to 256 ranks, erred by 2.0 % in the median.
constexpr double kRehearsal = kDeviationsPerMedian * 0.020;
/// A rehearsed search (UTS T1) erred by +0.8 and -10.4 % on 16 simulated ranks, -6 % on 64: 1.6 %,
/// so 2, for each doubling.
constexpr double kRehearsedSearch = 0.02;

double messages_in(const Prediction& prediction) {
  double seconds = 0;
  for (const BlockShare& share : prediction.shares) {
    seconds += share.is_message ? share.seconds : 0;
  }
  return seconds;
}

KnownRun known_at(const Prediction& by_law, KnownRun::Kind kind, double ratio, double deviation,
                  const NamedSizes& given = {},
                  const std::map<std::string, std::string>& options = {}) {
  return {
      {by_law.place(), std::log(ratio), deviation}, kind, by_law.ranks_per_host, given, options};
}

/// The time without messages is what is left of that of a run; a search has it in all. Where its
/// network is assumed, its loss on steals is waiting for messages, which are short.
KnownRun known_of(const Model& model, const RunPoint& run) {
  constexpr double kLeastPart = 0.1;
  const Prediction p = predict(model, run);
  const double measured_s = std::max(detail::median(run.seconds), kShortest_s);
  const double messages_s = messages_in(p);
  const double blocks_s = p.seconds - messages_s;
  const HypercubeModel* const parts = model.hypercube();
  double deviation = std::hypot(
      measured_s * model.scatter,
      parts && parts->exchange ? messages_s * parts->exchange->half_width / kDeviationsOf95 : 0);
  if (run.is_rehearsed) {
    deviation = std::hypot(
        deviation, measured_s * std::hypot(kRehearsal, kRehearsedSearch * std::log2(run.ranks)));
    deviation += p.assumed_network.empty()
                     ? 0
                     : p.shares.back().seconds / kDeviationsOf95 *
                           half_width_of(preset_machine(p.assumed_network).exchange.front(), 0);
  }
  return known_at(
      p, run.is_rehearsed ? KnownRun::Kind::rehearsal : KnownRun::Kind::run,
      std::max((measured_s - messages_s) / blocks_s, kLeastPart * measured_s / p.seconds),
      deviation / blocks_s, run.given, run.options);
}

KnownRun known_of(const Model& model, const MeasuredMessages& messages) {
  const Prediction p = predict(model, messages.ranks, model.known_sizes(messages.sizes),
                               {.ranks_per_host = messages.ranks_per_host});
  return known_at(p, KnownRun::Kind::messages, messages.seconds.median / messages_in(p),
                  std::hypot(kFloor, messages.seconds.half_width() / kDeviationsOf95));
}

/// A rehearsal without messages.
struct Played {
  Prediction by_law;
  double own_s = 0;  ///< with its own blocks
  double deviation = 0;
};

Played played(const Model& model, const RehearsedRun& run) {
  Played result{.by_law = predict(model, run.ranks, model.known_sizes(run.sizes),
                                  {.ranks_per_host = run.ranks_per_host, .is_silent = true})};
  Prediction own = result.by_law;
  own.shares.clear();
  const Parts parts = play(own, model, model.network, true, &run);
  result.own_s = own.seconds;
  result.deviation = std::hypot(kRehearsal, parts.blocks / kDeviationsOf95);
  return result;
}

KnownRun known_of(const Model& model, const RehearsedRun& run) {
  const Played p = played(model, run);
  return known_at(p.by_law, KnownRun::Kind::rehearsal, p.own_s / p.by_law.seconds, p.deviation,
                  run.given, run.options);
}

/// All that is known, each beside the laws.
std::vector<KnownRun> known_of(const Model& model, const Measurements& measurements) {
  std::vector<KnownRun> known;
  const auto add = [&](const auto& run) { known.push_back(known_of(model, run)); };
  for_each_known(measurements.points, add);
  for_each_known(measurements.rehearsed, add);
  for_each_known(measurements.messages, add);
  std::erase_if(known, [](const KnownRun& run) {
    return !std::isfinite(run.value) || !std::isfinite(run.deviation);
  });
  return known;
}

Model fit_all(const Measurements& measurements, const std::optional<detail::Machine>& machine,
              const FitOptions& options) {
  Model model;
  static_cast<Measured&>(model) = measurements;
  model.forms = options.forms == Forms::paper ? "paper" : "auto";
  model.fitted = measurements.points;
  model.memory = fit_memory(measurements.points);
  if (measurements.type == kTableType) {
    model.parts = fit_table(measurements.points);
  } else if (measurements.type == name_of(DC_Type::work_stealing)) {
    model.parts = fit_search(model, measurements.searches);
    for (const SearchRun& run : measurements.searches) {
      model.network.source = is_preset(run.network) ? run.network : model.network.source;
    }
  } else {
    model.network =
        machine ? network_of(*machine) : network_of(measurements.samples, measurements.placement);
    model.parts = HypercubeFit(model, measurements, options.forms).fit(machine.has_value());
  }
  model.scatter = scatter_of(measurements.points);
  model.known = known_of(model, measurements);
  model.noise = noise_of(model, measurements.points);
  return model;
}

/// Runs and rehearsals that `model` was not fitted to, as far as it can predict them.
std::vector<Check> checks_by(const Model& model, const Measurements& held_out) {
  std::vector<Check> checks;
  for_each_known(held_out.points, [&](const RunPoint& run) {
    checks.push_back(check_of(predict(model, run), detail::median(run.seconds), run.is_rehearsed));
  });
  for_each_known(held_out.rehearsed, [&](const RehearsedRun& run) {
    const Played p = played(model, run);
    checks.push_back(check_of(p.by_law, p.own_s, true));
  });
  return checks;
}

/// Runs of the largest size, the product of all, and rehearsals of as large ones, by a model of the
/// others; none where these are of one size. Ranks are a size of a table.
std::vector<Check> checks_of_largest(const Measurements& measurements,
                                     const std::optional<detail::Machine>& machine,
                                     const FitOptions& options) {
  const NamedSizes first = measurements.points.front().sizes;
  const bool is_by_ranks = std::ranges::all_of(
      measurements.points, [&](const RunPoint& point) { return point.sizes == first; });
  const auto volume_of = [&](int ranks, const NamedSizes& sizes) {
    double volume = is_by_ranks && measurements.type == kTableType ? ranks : 1;
    for (const auto& [name, value] : sizes) {
      volume *= std::max(static_cast<double>(value), 1.0);
    }
    return volume;
  };
  std::set<double> volumes;
  for (const RunPoint& point : measurements.points) {
    volumes.insert(point.is_rehearsed ? 0 : volume_of(point.ranks, point.sizes));
  }
  volumes.erase(0);
  constexpr std::size_t kLeastSizes = 3;
  if (volumes.size() < kLeastSizes) {
    return {};
  }
  const auto is_large = [&](int ranks, const NamedSizes& sizes) {
    return volume_of(ranks, sizes) >= *volumes.rbegin();
  };
  try {
    const Model model = fit_all(part_of(measurements, std::not_fn(is_large)), machine, options);
    return checks_by(model, part_of(measurements, is_large));
  } catch (const Error&) {
    return {};  // the smaller sizes alone determine no law
  }
}

/// Runs that were rehearsed, too: by all that is known but themselves.
std::vector<Check> checks_of_rehearsed(const Model& model, const Measurements& measurements) {
  std::vector<Check> checks;
  Model without = model;
  for (const RunPoint& run : measurements.points) {
    const Place place{run.ranks, run.threads, model.known_sizes(run.sizes)};
    without.known = model.known;
    std::erase_if(without.known, [&](const KnownRun& of) {
      return of.kind == KnownRun::Kind::run && doublings_between(of.place, place) < kSamePlace;
    });
    if (!run.is_rehearsed && !without.known.empty() && without.reach(place) < kSamePlace) {
      Measurements alone;
      alone.points = {run};
      std::ranges::move(checks_by(without, alone), std::back_inserter(checks));
    }
  }
  return checks;
}

}  // namespace

Model fit_model(const Measurements& measurements, const std::optional<detail::Machine>& machine,
                const FitOptions& options, const detail::Provenance& provenance) {
  Model model = fit_all(measurements, machine, options);
  model.provenance = provenance;
  std::vector<Check>& checks = model.verdict.checks;
  checks = checks_of_largest(measurements, machine, options);
  std::ranges::move(checks_of_rehearsed(model, measurements), std::back_inserter(checks));
  std::ranges::stable_sort(checks, {}, &Check::reach);
  return model;
}

}  // namespace cleave::models
