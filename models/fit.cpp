// SPDX-License-Identifier: Apache-2.0
#include "models/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "models/critical_path.hpp"
#include "models/diagnosis.hpp"
#include "models/files.hpp"
#include "models/forms.hpp"
#include "models/memory.hpp"
#include "models/more_ranks.hpp"
#include "models/omega.hpp"
#include "models/repetitions.hpp"
#include "models/segmentation.hpp"
#include "models/statistics.hpp"

namespace cleave::models {

namespace {

bool is_modelled_by_sizes(Block block) {
  return block == Block::divide || block == Block::combine || block == Block::sequential ||
         block == Block::conquer || block == Block::skeleton || block == Block::sample ||
         block == Block::pivot || block == Block::partition;
}

/// Samples without the sizes that no run has: they could not be told when predicting.
std::vector<Sample> with_run_sizes_only(std::vector<Sample> samples) {
  for (Sample& sample : samples) {
    std::erase_if(sample.sizes,
                  [&](const auto& size) { return !sample.run_sizes.contains(size.first); });
  }
  return samples;
}

/// What the sorting form's choice of a splitter depends on; nothing of other blocks.
NamedValues sampling_sizes_of(const Sample& sample, const ExchangeModel& exchange,
                              const LatencyGaps& gaps) {
  const bool is_sampling = sample.block == Block::sample || sample.block == Block::pivot;
  const auto elements = sample.sizes.find("N");
  if (!is_sampling || exchange.splitter_bytes == 0 || elements == sample.sizes.end()) {
    return {};
  }
  const int parts = sample.block == Block::sample ? sample.group : 1;
  return sampling_sizes(sample.block, choose_latency_gap(gaps, sample.ranks, sample.level).entry,
                        sample.group, elements->second * parts, exchange.splitter_bytes);
}

/// Ranks whose sizes are the same at a level of a run measured the same thing: one observation, the
/// median of the ranks' medians. Not of all repetitions: one rank may always be slower than others,
/// and the median of two clusters is in either.
std::vector<Observation> observations_of(const std::vector<Sample>& samples) {
  struct OfLevel {
    std::vector<double> medians;
    std::vector<double> repetitions;
  };
  std::map<std::tuple<NamedSizes, int, int, NamedValues>, OfLevel> levels;
  for (const Sample& sample : samples) {
    OfLevel& of_level =
        levels[{sample.run_sizes, sample.ranks, sample.level, sizes_of_block(sample)}];
    of_level.medians.push_back(median(sample.seconds));
    of_level.repetitions.insert(of_level.repetitions.end(), sample.seconds.begin(),
                                sample.seconds.end());
  }
  std::vector<Observation> observations;
  for (auto& [key, of_level] : levels) {
    const auto& [run_sizes, ranks, level, sizes] = key;
    observations.push_back({.run_sizes = run_sizes,
                            .sizes = sizes,
                            .value = median(std::move(of_level.medians)),
                            .repetitions = std::move(of_level.repetitions)});
  }
  return observations;
}

/// Why a form must not be chosen by itself: where two sizes always go together, a choice among them
/// would be a guess that only shows when they do not.
std::optional<Refusal> refuse_choice(Block block, const std::vector<Observation>& observations,
                                     Weights weights) {
  const std::vector<std::string> varying = varying_sizes(observations);
  const NamedValues& sizes = observations.front().sizes;
  const bool has_sizes = !sizes.empty() && block != Block::skeleton;
  if (varying.empty() && has_sizes) {
    return Refusal{fmt::format("{} is {:.6g} in every run: measure more sizes",
                               sizes.begin()->first, sizes.begin()->second)};
  }
  const bool is_one_run_size =
      std::all_of(observations.begin(), observations.end(), [&](const Observation& observation) {
        return observation.run_sizes == observations.front().run_sizes;
      });
  if (is_one_run_size && has_sizes) {
    return Refusal{"all runs have the same size: measure more sizes"};
  }
  Form everything = {Basis()};
  for (const std::string& size : varying) {
    everything.push_back(Basis({{.size = size}}));
  }
  Design design{.names = term_names(everything),
                .columns = {std::ssize(observations), std::ssize(everything)},
                .measured = Eigen::VectorXd::Ones(std::ssize(observations))};
  for (Eigen::Index i = 0; i < design.columns.rows(); ++i) {
    for (Eigen::Index j = 0; j < design.columns.cols(); ++j) {
      design.columns(i, j) =
          everything[static_cast<std::size_t>(j)](observations[static_cast<std::size_t>(i)].sizes);
    }
  }
  if (varying.size() > 1) {
    const auto result = least_squares_coefficients(design, weights, Sign::any);
    if (const auto* refusal = std::get_if<Refusal>(&result)) {
      return *refusal;
    }
  }
  return std::nullopt;
}

/// A fit of one form, with its quality at the medians.
std::variant<SegmentedFit, Refusal> with_given_form(const std::vector<Observation>& observations,
                                                    const Form& form, Weights weights) {
  auto fitted = fit_form(observations, {form}, weights);
  if (auto* refusal = std::get_if<Refusal>(&fitted)) {
    return std::move(*refusal);
  }
  return SegmentedFit("", {}, {std::move(std::get<BlockFit>(fitted))}, observations);
}

std::variant<SegmentedFit, Refusal> fit_block(Block block, const std::vector<Sample>& samples,
                                              const FitOptions& options) {
  const std::vector<Observation> observations = observations_of(samples);
  if (const auto given = options.given_forms.find(block); given != options.given_forms.end()) {
    return with_given_form(observations, given->second, options.weights);
  }
  const std::vector<std::string> sampling = {"samples", "tree"};
  if (observations.front().sizes.contains(sampling.front())) {
    std::vector<std::string> known = varying_sizes(observations);
    std::erase_if(known, [&](const std::string& name) {
      return std::find(sampling.begin(), sampling.end(), name) == sampling.end();
    });
    return fit_segmented(observations, linear_forms(known), options.weights);
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : observations.front().sizes) {
    names.push_back(name);
  }
  if (options.forms == Forms::paper) {
    if (const std::optional<Form> form = paper_form(block, names)) {
      return with_given_form(observations, *form, options.weights);
    }
  }
  if (const auto refusal = refuse_choice(block, observations, options.weights)) {
    return *refusal;
  }
  const std::vector<std::string> varying = varying_sizes(observations);
  return fit_segmented(observations,
                       block == Block::skeleton ? linear_forms(varying) : candidate_forms(varying),
                       options.weights);
}

/// The median over runs and levels of BlockModel::slowest_rank.
double slowest_rank_of(const std::vector<Sample>& samples) {
  std::map<std::tuple<int, NamedSizes, int>, std::vector<const Sample*>> levels;
  for (const Sample& sample : samples) {
    levels[{sample.ranks, sample.run_sizes, sample.level}].push_back(&sample);
  }
  std::vector<double> ratios;
  for (const auto& [level, of_ranks] : levels) {
    std::vector<double> slowest(of_ranks.front()->seconds.size(), 0);
    double typical = 0;
    for (const Sample* sample : of_ranks) {
      if (sample->seconds.size() == slowest.size()) {
        std::transform(slowest.begin(), slowest.end(), sample->seconds.begin(), slowest.begin(),
                       [](double a, double b) { return std::max(a, b); });
        typical = std::max(typical, median(sample->seconds));
      }
    }
    if (of_ranks.size() > 1 && typical > 0) {
      ratios.push_back(median(std::move(slowest)) / typical);
    }
  }
  return ratios.empty() ? 1 : median(std::move(ratios));
}

/// Nothing but a rank's own computation on what its sizes say.
bool is_computation(Block block) {
  return is_modelled_by_sizes(block) && block != Block::skeleton && block != Block::pivot;
}

/// Compares what `predicted` says of each run with its repetitions. A run that
/// cannot be predicted is left out.
template <class Predicted>
std::optional<CompositionErrors> composition_errors(const std::vector<RunPoint>& points,
                                                    Predicted predicted) {
  std::vector<double> of_medians;
  std::vector<double> of_repetitions;
  for (const RunPoint& point : points) {
    std::optional<double> seconds;
    try {
      seconds = predicted(point);
    } catch (const Error&) {
      continue;  // a refused block; the model says so
    }
    if (!seconds || *seconds <= 0) {
      continue;
    }
    of_medians.push_back(std::abs(median(point.seconds) / *seconds - 1));
    for (const double repetition : point.seconds) {
      of_repetitions.push_back(std::abs(repetition / *seconds - 1));
    }
  }
  if (of_medians.empty()) {
    return std::nullopt;
  }
  return CompositionErrors{.median_abs_error = median(std::move(of_medians)),
                           .deviation = kDeviationsPerMedian * median(std::move(of_repetitions))};
}

/// Blocks that more than half of the runs show in groups that are divided further (`inner`), or on
/// a rank on its own.
std::vector<Block> blocks_shown(const std::vector<Sample>& samples, bool inner) {
  using Run = std::pair<int, NamedSizes>;
  std::set<Run> runs;
  std::map<Block, std::set<Run>> runs_by_block;
  for (const Sample& sample : samples) {
    if ((sample.group > 1) == inner) {
      runs.insert({sample.ranks, sample.run_sizes});
      runs_by_block[sample.block].insert({sample.ranks, sample.run_sizes});
    }
  }
  std::vector<Block> shown;
  for (const auto& [block, of_block] : runs_by_block) {
    const bool counts = is_modelled_by_sizes(block) || block == Block::exchange;
    const bool is_mostly_there = 2 * of_block.size() > runs.size();
    const bool is_moving = block == Block::exchange || block == Block::skeleton;
    if (counts && is_mostly_there && (inner || !is_moving)) {
      shown.push_back(block);
    }
  }
  return shown;
}

UsageError no_blocks_of(int rank) {
  return UsageError(fmt::format("the traces have no blocks of rank {}", rank));
}

Model fit_as_measured(const Measurements& measurements, const std::optional<Machine>& machine,
                      const FitOptions& options, const Provenance& provenance) {
  Model model{.app = measurements.app,
              .type = measurements.type,
              .placement = measurements.placement,
              .threads = measurements.threads,
              .options = measurements.options,
              .cache_bytes = measurements.cache_bytes,
              .given_sizes = measurements.given_sizes,
              .forms = options.forms == Forms::paper ? "paper" : "auto",
              .weights = options.weights,
              .notes = measurements.notes,
              .provenance = provenance};

  const bool is_of_one_rank = options.blocks_of_rank.has_value();
  const std::vector<NamedSizes> held_out = held_out_sizes(measurements.points, options.hold_out);
  const auto is_held_out = [&](const NamedSizes& sizes) {
    return std::find(held_out.begin(), held_out.end(), sizes) != held_out.end();
  };
  for (const RunPoint& point : measurements.points) {
    (is_held_out(point.sizes) ? model.held_out : model.fitted)
        .push_back({.ranks = point.ranks,
                    .threads = point.threads,
                    .sizes = point.sizes,
                    .files = point.files});
  }
  std::vector<RunPoint> fitted_points = measurements.points;
  std::erase_if(fitted_points, [&](const RunPoint& point) { return is_held_out(point.sizes); });
  if (measurements.type == "work_stealing") {
    std::vector<StealingRun> runs = measurements.stealing;
    std::erase_if(runs, [&](const StealingRun& run) { return is_held_out(run.sizes); });
    model.latency_gaps = machine ? latency_gaps_of(*machine) : LatencyGaps{.source = "traces"};
    if (is_of_one_rank) {
      for (StealingRun& run : runs) {
        run = seen_by_rank(run, *options.blocks_of_rank);
      }
      std::erase_if(runs, [](const StealingRun& run) { return run.seconds.empty(); });
      if (runs.empty()) {
        throw no_blocks_of(*options.blocks_of_rank);
      }
    }
    fit_stealing(model, runs, machine.has_value());
    model.memory = fit_memory(fitted_points);
    if (is_of_one_rank) {
      return model;
    }
    model.sum_of_maxima = composition_errors(fitted_points, [&](const RunPoint& point) {
      return std::optional(
          predict_stealing(model, point.ranks, point.sizes,
                           {.ranks_per_host = point.ranks_per_host, .threads = point.threads})
              .seconds);
    });
    return model;
  }
  std::vector<Sample> samples = with_run_sizes_only(measurements.samples);
  std::erase_if(samples, [&](const Sample& sample) { return is_held_out(sample.run_sizes); });

  model.latency_gaps =
      machine ? latency_gaps_of(*machine) : latency_gaps_of(samples, measurements.placement);
  const bool has_gaps =
      !model.latency_gaps.exchange.empty() || !model.latency_gaps.alltoallv.empty();
  auto exchange = fit_exchange(samples, measurements.placement, model.latency_gaps,
                               is_of_one_rank        ? ExchangeTimes::are_not_known
                               : machine && has_gaps ? ExchangeTimes::tell_factors
                                                     : ExchangeTimes::made_gaps);

  std::map<std::pair<Block, int>, std::vector<Sample>> by_block;
  for (const Sample& sample : samples) {
    const bool is_timed = !is_of_one_rank || sample.rank == *options.blocks_of_rank;
    if (is_modelled_by_sizes(sample.block) && is_timed) {
      auto& of_block = by_block[{sample.block, sample.ranks_per_host}];
      of_block.push_back(sample);
      if (const auto* moved = std::get_if<ExchangeModel>(&exchange)) {
        of_block.back().sizes.merge(sampling_sizes_of(sample, *moved, model.latency_gaps));
      }
    }
  }
  if (is_of_one_rank && by_block.empty()) {
    throw no_blocks_of(*options.blocks_of_rank);
  }
  std::vector<NoisyTime> noisy_times;
  for (auto& [key, of_block] : by_block) {
    const auto [block, ranks_per_host] = key;
    auto result = fit_block(block, of_block, options);
    if (auto* refusal = std::get_if<Refusal>(&result)) {
      model.refused.push_back({block, ranks_per_host, std::move(refusal->reason)});
    } else {
      const SegmentedFit& fit = std::get<SegmentedFit>(result);
      for (const std::string& said : diagnose(fit, observations_of(of_block))) {
        model.notes.push_back(
            fmt::format("{}, {} per host: {}", name_of(block), format_ranks(ranks_per_host), said));
      }
      const std::vector<LevelRatios> levels = ratios_by_level(of_block, fit);
      if (is_computation(block)) {
        add_noisy_times(noisy_times, levels);
      }
      model.blocks.push_back({.block = block,
                              .ranks_per_host = ranks_per_host,
                              .fit = std::move(std::get<SegmentedFit>(result)),
                              .slowest_rank = slowest_rank_of(of_block),
                              .repetition_deviation = repetition_deviation_of(of_block),
                              .noise = noise_of(levels),
                              .samples = std::move(of_block)});
    }
  }

  model.os_noise = fit_os_noise(std::move(noisy_times));
  model.inner_blocks = blocks_shown(samples, true);
  model.leaf_blocks = blocks_shown(samples, false);
  model.scaling = fit_scaling(samples);

  if (auto* fitted = std::get_if<ExchangeModel>(&exchange)) {
    model.exchange.push_back(std::move(*fitted));
  } else if (std::find(model.inner_blocks.begin(), model.inner_blocks.end(), Block::exchange) !=
             model.inner_blocks.end()) {
    model.refused.push_back({Block::exchange, 1, std::get<Refusal>(exchange).reason});
  }
  model.memory = fit_memory(fitted_points);
  if (is_of_one_rank) {
    return model;
  }
  // Together, since the interval of each is widened by its own errors once they are known.
  const auto sum = composition_errors(fitted_points, [&](const RunPoint& point) {
    return std::optional(
        predict(model, point.ranks, point.sizes, {.ranks_per_host = point.ranks_per_host}).seconds);
  });
  const auto path = composition_errors(fitted_points, [&](const RunPoint& point) {
    const auto prediction = predict_critical_path(model, point.ranks, point.sizes,
                                                  {.ranks_per_host = point.ranks_per_host});
    return prediction ? std::optional(prediction->seconds) : std::nullopt;
  });
  model.sum_of_maxima = sum;
  model.critical_path = path;
  return model;
}

}  // namespace

Model fit_model(const Measurements& measurements, const std::optional<Machine>& machine,
                const FitOptions& options, const Provenance& provenance) {
  if (options.blocks_of_rank && !machine) {
    throw UsageError(fmt::format("the blocks of rank {} alone do not tell l and g: give a machine",
                                 *options.blocks_of_rank));
  }
  Model model = fit_as_measured(measurements, machine, options, provenance);
  if (!options.blocks_of_rank) {
    look_at_more_ranks(model, measurements, [&](const Measurements& others) {
      return fit_as_measured(others, machine, options, Provenance{});
    });
  }
  return model;
}

}  // namespace cleave::models
