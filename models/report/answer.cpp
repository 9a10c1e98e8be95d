// SPDX-License-Identifier: Apache-2.0
#include "models/report/answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/duration.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/words.hpp>

#include "models/report/cells.hpp"

namespace cleave::models {

namespace {

/// What the answer rests on that was not measured.
std::string caveats(const Prediction& p) {
  std::vector<std::string> texts;
  if (p.is_rehearsed) {
    texts.emplace_back("rehearsed");
  }
  if (p.outside_fitted_range) {
    texts.emplace_back("beyond what was fitted");
  }
  if (p.cache_left_bytes) {
    texts.push_back(fmt::format("past the {:.4g} MiB cache",
                                static_cast<double>(*p.cache_left_bytes) / (1 << 20)));
  }
  if (!p.assumed_network.empty()) {
    texts.push_back(fmt::format("{} between hosts assumed", p.assumed_network));
  }
  return texts.empty() ? "" : fmt::format("; {}", fmt::join(texts, ", "));
}

/// Those of `sizes` that the model knows.
NamedSizes of_model(const Model& model, const NamedSizes& sizes) {
  NamedSizes known;
  for (const std::string& name : model.size_names()) {
    known[name] = sizes.at(name);
  }
  return known;
}

/// Those of `sizes` that the fitted runs have, or the model knows.
NamedSizes of_runs(const Model& model, const NamedSizes& sizes) {
  NamedSizes known = of_model(model, sizes);
  for (const auto& [name, value] : sizes) {
    if (model.fitted_range(name)) {
      known[name] = value;
    }
  }
  return known;
}

double volume(const Model& model, const NamedSizes& sizes) {
  double product = 1;
  for (const std::string& name : model.size_names()) {
    product *= static_cast<double>(sizes.at(name));
  }
  return product;
}

}  // namespace

NamedSizes largest_fitted(const Model& model) {
  const auto by_volume = [&](const RunOfModel& run) { return volume(model, run.sizes); };
  return of_model(model, std::ranges::max_element(model.fitted, {}, by_volume)->sizes);
}

std::vector<std::pair<std::string_view, double>> seconds_by_block(const Prediction& prediction) {
  std::vector<std::pair<std::string_view, double>> blocks;
  for (const BlockShare& share : prediction.shares) {
    const auto same = [&](const auto& block) { return block.first == share.name(); };
    const auto found = std::ranges::find_if(blocks, same);
    if (found == blocks.end()) {
      blocks.emplace_back(share.name(), share.seconds);
    } else {
      found->second += share.seconds;
    }
  }
  return blocks;
}

std::string runs_text(const Prediction& p) {
  return p.knows_runs()
             ? fmt::format("95 % of runs between {} and {}", detail::format_seconds(p.run_low),
                           detail::format_seconds(p.run_high))
             : "the times of single runs are not known";
}

std::string answer_line(const Prediction& p) {
  const auto blocks = seconds_by_block(p);
  using NamedTime = std::pair<std::string_view, double>;
  const auto most = std::ranges::max_element(blocks, {}, &NamedTime::second);
  const std::string held_back =
      most == blocks.end()
          ? ""
          : fmt::format(", {:.0f} % of it {}", 100 * most->second / p.seconds, most->first);
  const std::string asked =
      fmt::format("{}{}{}", format_sizes(p.sizes), p.sizes.empty() ? "" : " on ",
                  format_workers(p.ranks, p.threads));
  if (!p.is_answer()) {
    return fmt::format("{}: not known: what was fitted allows too wide a range of times{}", asked,
                       caveats(p));
  }
  return fmt::format("{}: {} when quiet (95 %: {} to {}); as this host was, {}{}{}", asked,
                     detail::format_seconds(p.seconds), detail::format_seconds(p.low),
                     detail::format_seconds(p.high), runs_text(p), held_back, caveats(p));
}

Prediction predict_for_answer(const Model& model, int ranks, const NamedSizes& sizes,
                              const PredictOptions& options) {
  PredictOptions asked = options;
  const Network& network = options.network ? *options.network : model.network;
  if (model.hypercube() != nullptr && ranks > model.usual_ranks_per_host(ranks) &&
      !network.knows_between_hosts()) {
    asked.network = with_assumed(network, kAssumedForAnswers);
  }
  return predict(model, ranks, sizes, asked);
}

namespace {

/// Each with whether it comes first.
std::map<int, bool> ranks_of_answers(const Model& model) {
  if (model.table() == nullptr) {
    return {{1, false}, {2, true}, {4, false}, {8, true}, {16, false}, {32, false}, {64, true}};
  }
  const int most = model.max_ranks();
  std::map<int, bool> ranks = {{most, true}};
  if (model.min_ranks() < most) {
    for (const RunOfModel& run : model.fitted) {
      ranks.try_emplace(run.ranks, false);
    }
    for (const int times : {2, 4}) {
      ranks.emplace(std::min(most, detail::kMaxRanks / times) * times, true);
    }
  }
  return ranks;
}

/// What can be told of one run, or why it cannot.
Answer answer_of(const Model& model, int ranks, const NamedSizes& sizes,
                 const PredictOptions& options) {
  Answer answer{.ranks = ranks};
  try {
    answer.prediction = predict_for_answer(model, ranks, sizes, options);
    answer.line = answer_line(*answer.prediction);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& e) {
    answer.line =
        fmt::format("{} on {}: {}", format_sizes(sizes), detail::format_ranks(ranks), e.what());
  }
  return answer;
}

}  // namespace

std::vector<Answer> answers_of(const Model& model) {
  const NamedSizes sizes = largest_fitted(model);
  std::vector<Answer> answers;
  for (const auto& [ranks, comes_first] : ranks_of_answers(model)) {
    answers.push_back(answer_of(model, ranks, sizes, {}));
    answers.back().comes_first = comes_first;
  }
  return answers;
}

std::vector<Answer> answers_of(const Model& model, const PredictOptions& options) {
  std::vector<Answer> answers;
  for (const RehearsedRun& run : options.rehearsed) {
    if (run.is_asked) {
      PredictOptions of_run = options;
      if (std::ranges::find(options.messages, run.ranks, &MeasuredMessages::ranks) ==
          options.messages.end()) {
        of_run.ranks_per_host = run.ranks_per_host;
      }
      answers.push_back(answer_of(model, run.ranks, of_runs(model, run.sizes), of_run));
      answers.back().comes_first = true;
    }
  }
  return answers;
}

}  // namespace cleave::models
