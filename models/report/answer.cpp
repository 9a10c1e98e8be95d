// SPDX-License-Identifier: Apache-2.0
#include "models/report/answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <cleave/error.hpp>
#include <cleave/trace.hpp>

#include "models/report/table.hpp"

namespace cleave::models {

namespace {

/// "4", "1907".
std::string times_text(double reach) {
  const double times = std::exp2(reach);
  return times < 1000 ? fmt::format("{:.3g}", times) : fmt::format("{:.0f}", times);
}

/// "checked", "4 times beyond what is known: not checked".
std::string state_text(const Prediction& p) {
  const std::string_view state = name_of(p.state);
  return p.reach < kSamePlace
             ? std::string(state)
             : fmt::format("{} times beyond what is known: {}", times_text(p.reach), state);
}

/// Words for all that an answer rests on and nobody measured.
std::string caveats(const Prediction& p) {
  const std::string& network = p.assumed_network;
  return fmt::format("; {}{}", state_text(p),
                     network.empty() ? "" : fmt::format(", {} between hosts assumed", network));
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
  const auto by_volume = [&](const RunPoint& run) { return volume(model, run.sizes); };
  return model.known_sizes(std::ranges::max_element(model.fitted, {}, by_volume)->sizes);
}

std::vector<std::pair<std::string_view, double>> seconds_by_block(const Prediction& prediction) {
  std::vector<std::pair<std::string_view, double>> blocks;
  for (const BlockShare& share : prediction.shares) {
    auto known =
        std::ranges::find(blocks, share.name(), [](const auto& block) { return block.first; });
    if (known == blocks.end()) {
      known = blocks.insert(known, {share.name(), 0});
    }
    known->second += share.seconds;
  }
  return blocks;
}

std::optional<std::pair<std::string_view, double>> held_back_by(const Prediction& prediction) {
  const auto blocks = seconds_by_block(prediction);
  const auto most = std::ranges::max_element(blocks, {}, [](auto& block) { return block.second; });
  return most == blocks.end()
             ? std::nullopt
             : std::optional(std::pair(most->first, most->second / prediction.seconds));
}

std::string bytes_text(double bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < kUnits.size(); ++unit) {
    bytes /= 1024;
  }
  return fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

std::string runs_text(const Prediction& p) {
  return fmt::format("95 % of runs between {} and {}", detail::format_seconds(p.run_low),
                     detail::format_seconds(p.run_high));
}

std::string answer_line(const Prediction& p) {
  const auto most = held_back_by(p);
  const std::string held_back =
      most ? fmt::format(", {:.0f} % of it {}", 100 * most->second, most->first) : "";
  const std::string asked =
      fmt::format("{}{}{}", format_sizes(p.sizes), p.sizes.empty() ? "" : " on ",
                  format_workers(p.ranks, p.threads));
  return fmt::format("{}: {} when quiet (95 %: {} to {}); as this host was, {}{}{}", asked,
                     detail::format_seconds(p.seconds), detail::format_seconds(p.low),
                     detail::format_seconds(p.high), runs_text(p), held_back, caveats(p));
}

JudgedRun judge_run(const Model& model, const RunPoint& run) {
  JudgedRun judged{.run = run,
                   .prediction = predict(model, run),
                   .measured_s = detail::median(run.seconds),
                   .spread = relative_spread(run.seconds)};
  judged.held_out = std::ranges::none_of(model.fitted, [&](const RunPoint& of) {
    return of.ranks == run.ranks && of.threads == run.threads && of.sizes == run.sizes;
  });
  const Prediction& p = judged.prediction;
  if (judged.measured_s > 0) {
    judged.relative_error = p.seconds / judged.measured_s - 1;
    judged.inside = p.low <= judged.measured_s && judged.measured_s <= p.high;
  }
  return judged;
}

std::string sentence_of(const Verdict& verdict, double reach) {
  const auto [all, holds] = verdict.speaking(reach);
  if (all.empty()) {
    return "not checked: nothing was held out; runs of three sizes or more, or rehearsals, are "
           "needed for it";
  }
  std::vector<double> errors;
  std::ranges::transform(all, std::back_inserter(errors), &Check::error);
  const double farthest = all.back().reach;
  const std::string counts = fmt::format(
      "{} of {} held out lie in their intervals{}, median error {:.1f} %",
      std::ranges::count(all, true, &Check::is_inside), all.size(),
      farthest < kSamePlace ? "" : fmt::format(", up to {} times beyond", times_text(farthest)),
      100 * detail::median(std::move(errors)));
  if (verdict.state(reach) == State::failed) {
    const Check& worst = *std::ranges::max_element(
        all, {}, [](const Check& c) { return c.is_inside() ? 0 : c.error(); });
    return fmt::format(
        "failed: {}; {}, {} {} {}, predicted {} ({} to {}). Run or rehearse sizes "
        "nearer to those asked about",
        counts, detail::format_ranks(worst.ranks), format_sizes(worst.sizes),
        worst.is_rehearsed ? "rehearsed" : "measured", detail::format_seconds(worst.measured_s),
        detail::format_seconds(worst.predicted_s), detail::format_seconds(worst.low),
        detail::format_seconds(worst.high));
  }
  const std::string why = reach > farthest + kSamePlace
                              ? times_text(reach) + " times beyond what is known"
                              : "nothing that far lies in an interval of at most a factor of 10";
  return (holds ? "checked: " : "not checked: " + why + "; ") + counts;
}

std::string sentence_of(const Model& model, const Prediction& said) {
  return said.state == State::not_checked && model.verdict.state(said.reach) == State::checked
             ? fmt::format(
                   "not checked: the interval on {} spans a factor of {:.3g}: it says little",
                   format_workers(said.ranks, said.threads), said.high / said.low)
             : sentence_of(model.verdict, said.reach);
}

std::pair<State, std::string> verdict_of(const Model& model, const std::vector<Answer>& answers,
                                         double reach) {
  const State state = model.verdict.state(reach);
  const auto wide = std::ranges::find_if(answers, [&](const Answer& answer) {
    return answer.prediction &&
           answer.prediction->state != model.verdict.state(answer.prediction->reach);
  });
  return state != State::failed && wide != answers.end()
             ? std::pair(wide->prediction->state, sentence_of(model, *wide->prediction))
             : std::pair(state, sentence_of(model.verdict, reach));
}

namespace {

std::string ranks_text(const std::set<int>& some, const std::set<int>& all) {
  const int first = *some.begin();
  const int last = *some.rbegin();
  const auto without_gap = std::distance(all.find(first), all.upper_bound(last));
  if (some.size() > 2 && without_gap == std::ssize(some)) {
    return fmt::format("{} to {} ranks", first, last);
  }
  return fmt::format("{} {}", fmt::join(some, ", "), last == 1 ? "rank" : "ranks");
}

}  // namespace

std::vector<std::string> notes_of(const std::vector<Answer>& answers) {
  std::set<int> all;
  std::vector<std::pair<std::string, std::set<int>>> notes;
  for (const Answer& answer : answers) {
    all.insert(answer.ranks);
    for (const std::string& text : answer.notes) {
      auto known = std::ranges::find(notes, text, [](const auto& note) { return note.first; });
      if (known == notes.end()) {
        known = notes.insert(known, {text, {}});
      }
      known->second.insert(answer.ranks);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [text, ranks] : notes) {
    texts.push_back(ranks == all ? text : fmt::format("at {}: {}", ranks_text(ranks, all), text));
  }
  return texts;
}

namespace {

/// Each number of ranks, with whether it comes first.
std::map<int, bool> ranks_of_answers(const Model& model) {
  if (model.table() == nullptr) {
    return {{1, false}, {2, true}, {4, false}, {8, true}, {16, false}, {32, false}, {64, true}};
  }
  const int most = model.max_ranks();
  std::map<int, bool> ranks = {{most, true}};
  if (model.min_ranks() < most) {
    for (const RunPoint& run : model.fitted) {
      ranks.try_emplace(run.ranks, false);
    }
    for (const int times : {2, 4}) {
      ranks.emplace(std::min(most, detail::kMaxRanks / times) * times, true);
    }
  }
  return ranks;
}

/// Sizes whose run tells two models apart: all that were fitted times 2, 4 or 8, or a part of them.
NamedSizes telling_sizes(const Model& one, const Model& other, double scatter) {
  for (const double factor : {2., 4., 8., 1. / 4, 1. / 16}) {
    NamedSizes sizes = largest_fitted(one);
    for (auto& [name, count] : sizes) {
      const auto [least, most] = *one.fitted_range(name);
      const auto from = static_cast<double>(factor > 1 ? most : least);
      count = std::llround(from * (most > least ? factor : 1));
    }
    if (std::ranges::all_of(sizes, [](const auto& size) { return size.second > 0; }) &&
        std::abs(std::log(predict(one, one.max_ranks(), sizes).seconds /
                          predict(other, one.max_ranks(), sizes).seconds)) > scatter) {
      return sizes;
    }
  }
  return {};
}

}  // namespace

std::optional<FormsApart> forms_apart(const Model& model, const Prediction& said) {
  constexpr double kLikely = 0.1;
  if (model.hypercube() == nullptr || said.reach == 0) {
    return std::nullopt;
  }
  double widest = 1.2;
  std::optional<FormsApart> apart;
  for (std::size_t i = 0; i < model.hypercube()->blocks.size(); ++i) {
    const BlockModel& block = model.hypercube()->blocks[i];
    const Hypothesis& first = block.law.hypotheses.front();
    Model one = model;
    Model other = model;
    const auto seconds_by = [&](Model& with, const Hypothesis& form) {
      std::get<HypercubeModel>(with.parts).blocks[i].law.hypotheses = {form};
      return predict(with, said.ranks, said.sizes).seconds;
    };
    const double seconds = seconds_by(one, first);
    for (const Hypothesis& form : block.law.hypotheses) {
      const double another = form.weight < kLikely ? seconds : seconds_by(other, form);
      const double ratio = std::max(another / seconds, seconds / another);
      if (ratio > widest) {
        widest = ratio;
        const double scatter = 2 * kDeviationsOf95 * std::max(first.deviation, form.deviation);
        const NamedSizes telling = telling_sizes(one, other, std::max(scatter, kFloor));
        apart = {
            fmt::format("{} is {} or {}: {} to {}{}", name_of(block.block), text_of(first.form),
                        text_of(form.form), detail::format_seconds(std::min(seconds, another)),
                        detail::format_seconds(std::max(seconds, another)),
                        telling.empty() ? "" : "; " + format_sizes(telling) + " would tell"),
            telling};
      }
    }
  }
  return apart;
}

Answer answer_of(const Model& model, Prediction prediction) {
  Answer answer{.ranks = prediction.ranks,
                .line = answer_line(prediction),
                .verdict = sentence_of(model, prediction),
                .notes = prediction.remarks,
                .comes_first = true};
  if (const std::optional<FormsApart> apart = forms_apart(model, prediction)) {
    answer.notes.push_back(apart->text);
    answer.telling = apart->telling;
  }
  answer.prediction = std::move(prediction);
  return answer;
}

Answer answer_or_reason(const Model& model, const Place& place) {
  try {
    return answer_of(model, predict(model, place.ranks, place.sizes, {.threads = place.threads}));
  } catch (const UsageError&) {
    throw;
  } catch (const Error& e) {
    return {.ranks = place.ranks,
            .line = fmt::format("{} on {}: {}", format_sizes(place.sizes),
                                detail::format_ranks(place.ranks), e.what()),
            .comes_first = true};
  }
}

std::vector<Answer> answers_of(const Model& model) {
  const NamedSizes sizes = largest_fitted(model);
  std::vector<Answer> answers;
  for (const auto& [ranks, comes_first] : ranks_of_answers(model)) {
    answers.push_back(answer_or_reason(model, {ranks, model.threads, sizes}));
    answers.back().comes_first = comes_first;
  }
  return answers;
}

std::vector<Answer> answers_of_rehearsals(const Model& model) {
  using Kind = KnownRun::Kind;
  // Options tell the problem of a search, which may visit other nodes each time.
  const auto is_same = [&](const KnownRun& a, const KnownRun& b) {
    return a.options == b.options && (model.search() != nullptr || a.place.sizes == b.place.sizes);
  };
  std::vector<KnownRun> asked = model.known;
  std::erase_if(asked, [&](const KnownRun& run) {
    return run.kind != Kind::rehearsal || std::ranges::any_of(model.known, [&](const KnownRun& of) {
             return of.kind == Kind::run && of.place.ranks == run.place.ranks && is_same(of, run);
           });
  });
  std::vector<Answer> answers;
  for (const KnownRun& run : model.known) {
    if (run.kind == Kind::rehearsal &&
        std::ranges::any_of(asked, [&](const KnownRun& of) { return is_same(of, run); })) {
      answers.push_back(answer_or_reason(model, run.place));
    }
  }
  std::ranges::stable_sort(answers, {}, &Answer::ranks);
  return answers;
}

}  // namespace cleave::models
