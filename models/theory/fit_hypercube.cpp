// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <ranges>
#include <tuple>

#include <cleave/schedule/schedule.hpp>
#include <cleave/trace.hpp>

#include "models/theory/fit.hpp"
#include "models/theory/law.hpp"
#include "models/theory/statistics.hpp"

namespace cleave::models {

namespace {

constexpr std::array<detail::Block, 7> kWorkBlocks = {
    detail::Block::divide,   detail::Block::combine, detail::Block::sequential,
    detail::Block::skeleton, detail::Block::sample,  detail::Block::pivot,
    detail::Block::partition};

/// Half width of exchanges, on the scale of logarithms, that no trace was compared with.
constexpr double kNotCompared = 0.15;

/// Whether the block only moves data.
bool only_moves(detail::Block block) {
  return block == detail::Block::sample || block == detail::Block::pivot ||
         block == detail::Block::skeleton;
}

/// A size of a block in the groups of one level of one run, relative to the run's: logarithms of
/// the group's share of the ranks, and of the mean over its ranks.
struct Ratio {
  double log_share = 0;
  double log_mean = 0;
};

/// By how much whole sizes explain `ratios` worse than shares; 0 where they cannot be told apart.
/// Where all shares are the same, the line goes through the whole run.
double whole_is_worse_by(const std::vector<Ratio>& ratios) {
  const bool is_one_share = std::ranges::all_of(
      ratios, [&](const Ratio& r) { return r.log_share == ratios.front().log_share; });
  const auto misfit = [&](double exponent) {
    double sum = 0;
    double squares = 0;
    for (const Ratio& r : ratios) {
      const double left = r.log_mean - exponent * r.log_share;
      sum += left;
      squares += left * left;
    }
    return is_one_share ? squares : squares - sum * sum / static_cast<double>(ratios.size());
  };
  return misfit(0) - misfit(1);
}

/// An entry for each block and each of its sizes that the runs have, too. A size that one block
/// does not tell is as the size of the others.
std::vector<Scaling> fit_scaling(const std::vector<Sample>& samples) {
  constexpr double kScaleAsGood = 0.02;
  using SizeOfBlock = std::pair<detail::Block, std::string>;
  std::map<std::tuple<SizeOfBlock, NamedSizes, int, int, int>, std::vector<double>> levels;
  for (const Sample& sample : samples) {
    for (const auto& [name, value] : sample.sizes) {
      const auto run_size = sample.run_sizes.find(name);
      if (run_size != sample.run_sizes.end() && run_size->second > 0) {
        levels[{{sample.block, name}, sample.run_sizes, sample.ranks, sample.group, sample.level}]
            .push_back(value / static_cast<double>(run_size->second));
      }
    }
  }
  std::map<SizeOfBlock, std::vector<Ratio>> ratios;
  for (const auto& [level, values] : levels) {
    const auto& [key, run_sizes, ranks, group, number] = level;
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    if (sum > 0) {
      ratios[key].push_back({std::log(static_cast<double>(group) / ranks),
                             std::log(sum / static_cast<double>(values.size()))});
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
    std::vector<double> scales;
    for (const Ratio& r : of_key) {
      scales.push_back(std::exp(r.log_mean - (is_whole ? 0 : r.log_share)));
    }
    const double scale = detail::median(std::move(scales));
    result.push_back(
        {key.first, key.second, std::abs(scale - 1) <= kScaleAsGood ? 1 : scale, is_whole});
  }
  return result;
}

class HypercubeFit {
 public:
  HypercubeFit(Model& model, const Measurements& measurements, Forms forms)
      : model_(model),
        samples_(measurements.samples),
        forms_(forms),
        free_sizes_(free_sizes(measurements.points)) {
    // Sizes that no run has could not be told when predicting.
    for (Sample& sample : samples_) {
      std::erase_if(sample.sizes,
                    [&](const auto& size) { return !sample.run_sizes.contains(size.first); });
      all_s_ += detail::median(sample.seconds);
    }
  }

  void fit(bool has_machine) {
    const bool splits = !samples_of(detail::Block::partition).empty();
    result_.way = detail::way_of(model_.placement, splits).value_or(detail::Way::replicated);
    if (splits) {
      splitter_bytes_ = splitter_bytes(samples_);
      add_sampling_sizes();
    }
    for (const detail::Block block : kWorkBlocks) {
      const std::vector<Sample> samples = samples_of(block);
      if (samples.empty()) {
        continue;
      }
      auto law = fit_block(block, samples);
      if (auto* refusal = std::get_if<Refusal>(&law)) {
        model_.refused.push_back({block, std::move(refusal->reason)});
        continue;
      }
      note_misfit(block, samples, std::get<Law>(law));
      result_.blocks.push_back({.block = block,
                                .law = std::get<Law>(std::move(law)),
                                .samples = static_cast<int>(samples.size())});
    }
    result_.scaling = fit_scaling(samples_);
    fit_exchange(has_machine);
    model_.parts = std::move(result_);
  }

 private:
  std::vector<Sample> samples_of(detail::Block block) const {
    std::vector<Sample> of_block;
    std::ranges::copy_if(samples_, std::back_inserter(of_block),
                         [&](const Sample& sample) { return sample.block == block; });
    return of_block;
  }

  /// The size that the choice of a splitter depends on, in the place of N.
  void add_sampling_sizes() {
    for (Sample& sample : samples_) {
      const auto elements = sample.sizes.find("N");
      if (elements == sample.sizes.end()) {
        continue;
      }
      if (sample.block == detail::Block::sample) {
        sample.sizes["samples"] = sampled(elements->second * sample.group) / sample.group;
      } else if (sample.block == detail::Block::pivot) {
        sample.sizes["samples"] = sampled(elements->second);
      }
    }
  }

  std::variant<Law, Refusal> fit_block(detail::Block block,
                                       const std::vector<Sample>& samples) const {
    std::vector<Observation> observations = observations_of(samples);
    if (block == detail::Block::pivot) {
      take_out_messages(observations, samples);
    }
    const std::vector<std::string> varying = varying_sizes(observations);
    if (only_moves(block)) {
      return fit_law(observations, linear_forms(block == detail::Block::skeleton
                                                    ? varying
                                                    : std::vector<std::string>{"samples"}));
    }
    if (forms_ == Forms::paper) {
      const auto names = std::views::keys(observations.front().sizes);
      if (const std::optional<Form> form = paper_form(block, {names.begin(), names.end()})) {
        return fit_law(observations, {{*form, 0}}, Weights::ordinary);
      }
    }
    if (auto refusal = refuse_choice(observations, free_sizes_)) {
      return *std::move(refusal);
    }
    return fit_law(observations, candidate_forms(observations, Of::block));
  }

  /// Says so where a block takes much of the runs and its law does not follow them.
  void note_misfit(detail::Block block, const std::vector<Sample>& samples, const Law& law) {
    constexpr double kShare = 0.05;
    constexpr double kMuch = 0.1;
    double own_s = 0;
    for (const Sample& sample : samples) {
      own_s += detail::median(sample.seconds);
    }
    if (own_s > kShare * all_s_ && law.median_abs_relative_residual > kMuch) {
      model_.notes.push_back(fmt::format(
          "{}: half of the measured times are more than {:.0f} % off the fit: its time depends on "
          "something else than {}",
          name_of(block), 100 * law.median_abs_relative_residual,
          sizes_of(law.form()).empty() ? "a constant" : "its sizes"));
    }
  }

  /// l and g of the messages of `sample`; nothing if they leave a host and nobody knows those.
  std::optional<detail::Communication> entry_of(const Sample& sample) const {
    const bool leaves_host = sample.group > sample.ranks_per_host;
    if (leaves_host && !model_.network.knows_between_hosts()) {
      return std::nullopt;
    }
    return entry_for(model_.network, sample.ranks, sample.level, leaves_host);
  }

  /// The time of a pivot's messages is known by l and g. Where that is more than was measured, the
  /// rest counts as a share of it that is too small to be told.
  void take_out_messages(std::vector<Observation>& observations,
                         const std::vector<Sample>& samples) const {
    constexpr double kLeastRest = 0.01;
    if (model_.network.is_empty()) {
      return;
    }
    std::map<std::pair<NamedSizes, NamedValues>, const Sample*> of;
    for (const Sample& sample : samples) {
      of.try_emplace({sample.run_sizes, sample.sizes_of_block()}, &sample);
    }
    for (Observation& o : observations) {
      const Sample& sample = *of.at({o.run_sizes, o.sizes});
      const std::optional<detail::Communication> entry = entry_of(sample);
      if (!entry) {
        continue;
      }
      const double messages = choose_seconds(*entry, sample.group, sample.bytes, splitter_bytes_);
      o.value = std::max(kLeastRest * o.value, o.value - messages);
    }
  }

  void fit_exchange(bool has_machine) {
    std::vector<Sample> exchanges = samples_;
    std::erase_if(exchanges, [](const Sample& sample) {
      return sample.block != detail::Block::exchange || sample.spans <= 0 || sample.bytes <= 0;
    });
    if (exchanges.empty()) {
      return;
    }
    const std::vector<Observation> bytes = message_bytes(exchanges);
    auto fitted = fit_law(bytes, linear_forms(varying_sizes(bytes)));
    ExchangeModel exchange{.factor = paper_factor(model_.placement),
                           .splitter_bytes = splitter_bytes_,
                           .bytes = std::move(std::get<Law>(fitted)),
                           .half_width = kNotCompared};
    if (!model_.network.is_empty()) {
      compare_with_network(exchange, exchanges, has_machine);
    }
    result_.exchange = std::move(exchange);
  }

  /// The factor, where l and g come from elsewhere, and how far exchanges are off then: long ones
  /// count as much as they take.
  void compare_with_network(ExchangeModel& exchange, const std::vector<Sample>& samples,
                            bool has_machine) const {
    std::vector<double> ratios;
    std::vector<double> seconds;
    for (const Sample& sample : samples) {
      const std::optional<detail::Communication> entry = entry_of(sample);
      const double unit = entry ? entry->unit_seconds(sample.bytes / sample.spans) : 0;
      const double all_s = detail::median(sample.seconds);
      if (unit > 0 && all_s > 0) {
        ratios.push_back(all_s / sample.spans / unit);
        seconds.push_back(all_s);
      }
    }
    if (ratios.empty()) {
      return;
    }
    if (has_machine) {
      exchange.factor = detail::median(ratios);
      exchange.factor_is_fitted = true;
    }
    double squares = 0;
    double sum_s = 0;
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      squares += seconds[i] * std::pow(std::log(ratios[i] / exchange.factor), 2);
      sum_s += seconds[i];
    }
    constexpr double kLeast = 0.04;
    exchange.half_width = std::max(kLeast, kDeviationsOf95 * std::sqrt(squares / sum_s));
  }

  Model& model_;
  std::vector<Sample> samples_;
  Forms forms_;
  std::size_t free_sizes_;
  double all_s_ = 0;  ///< of all blocks
  HypercubeModel result_;
  double splitter_bytes_ = 0;
};

}  // namespace

void fit_hypercube(Model& model, const Measurements& measurements, Forms forms, bool has_machine) {
  HypercubeFit(model, measurements, forms).fit(has_machine);
}

}  // namespace cleave::models
