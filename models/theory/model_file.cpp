// SPDX-License-Identifier: Apache-2.0
#include "models/theory/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include <cleave/file.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/trace_file.hpp>

namespace cleave::models {

using detail::JsonFields;
using nlohmann::json;

static void fields(JsonFields& object, Hypothesis& h) {
  std::vector<std::string> terms = term_names(h.form);
  std::map<std::string, double> factors;
  for (const auto& [ranks, factor] : h.factors) {
    factors[std::to_string(ranks)] = factor;
  }
  object("terms", terms)("weight", h.weight, 0)("coefficients", h.coefficients, 0);
  object("ranks_per_host_factors", factors, 0)("covariance", h.covariance);
  object("deviation", h.deviation, 1e-300, 1e3)("freedom", h.freedom, 1, 1e9);
  if (!object.reads()) {
    return;
  }
  constexpr std::size_t kMaxTerms = 4;
  const std::size_t count = terms.size();
  object.require(count > 0 && count <= kMaxTerms, "terms", "must hold 1 to 4 terms");
  for (const std::string& text : terms) {
    const std::optional<Basis> term = Basis::parse(text);
    object.require(term.has_value(), "terms", fmt::format("has '{}', which is no term", text));
    h.form.push_back(*term);
  }
  object.require(h.coefficients.size() == count, "coefficients", "must be one a term");
  object.require(h.covariance.size() == count * count, "covariance", "must be one a pair of terms");
  for (const auto& [text, factor] : factors) {
    int ranks = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ranks);
    object.require(error == std::errc() && end == text.data() + text.size() && ranks > 0,
                   "ranks_per_host_factors",
                   fmt::format("has '{}', which is not a number of ranks", text));
    h.factors[ranks] = factor;
  }
}

static void fields(JsonFields& object, Law& law) {
  object("forms", law.hypotheses)("range", law.range)("r_squared", law.r_squared);
  object("median_abs_relative_residual", law.median_abs_relative_residual, 0);
  object.require(
      std::ranges::any_of(law.hypotheses, [](const Hypothesis& h) { return h.weight > 0; }),
      "forms", "must hold forms whose weights are above 0");
  object.require(std::ranges::all_of(
                     law.range, [](const auto& of) { return of.second.first <= of.second.second; }),
                 "range", "must be [minimum, maximum] of each size");
}

static void fields(JsonFields& object, BlockModel& b) {
  object.choice("block", b.block, detail::kBlockNames);
  object("law", b.law)("samples", b.samples, 0);
}

static void fields(JsonFields& object, Scaling& s) {
  object.choice("block", s.block, detail::kBlockNames);
  object("size", s.size)("scale", s.scale, 0)("is_whole", s.is_whole);
}

static void fields(JsonFields& object, ExchangeModel& e) {
  constexpr int kMaxSplitterBytes = 1 << 20;
  object("factor", e.factor, 0)("factor_is_fitted", e.factor_is_fitted);
  object("splitter_bytes", e.splitter_bytes, 0, kMaxSplitterBytes)("bytes", e.bytes);
  object("half_width", e.half_width, 0);
}

static void fields(JsonFields& object, HypercubeModel& h) {
  object("blocks", h.blocks)("scaling", h.scaling)("exchange", h.exchange);
}

static void fields(JsonFields& object, SearchModel& s) {
  object("visits", s.visits)("inverse_efficiency", s.inverse_efficiency)("threads", s.threads, 1);
}

static void fields(JsonFields& object, TableModel& t) { object("law", t.law)("rows", t.rows, 1); }

static void fields(JsonFields& object, RefusedBlock& b) {
  object.choice("block", b.block, detail::kBlockNames);
  object("reason", b.reason);
}

static void fields(JsonFields& object, RunPoint& run) {
  object("ranks", run.ranks, 1, detail::kMaxRanks)("threads", run.threads, 1);
  object("ranks_per_host", run.ranks_per_host, 1, detail::kMaxRanks)("files", run.files);
  detail::sizes_field(object, run.sizes);
}

static void fields(JsonFields& object, Network& n) {
  object("source", n.source)("exchange", n.exchange)("tells_hosts_apart", n.tells_hosts_apart);
}

static void fields(JsonFields& object, Verdict& v) {
  object("trusted", v.trusted)("held_out", v.held_out, 0)("inside", v.inside, 0);
  object("median_error", v.median_error, 0)("worst", v.worst)("advice", v.advice);
  object("of_rehearsals", v.of_rehearsals);
}

/// The part of the kind that the model is of, under the kind's name.
template <class Kind>
static bool kind_field(JsonFields& object, const char* name, Model& model) {
  const bool is_there =
      object.reads() ? object.has(name) : std::holds_alternative<Kind>(model.parts);
  if (is_there) {
    object(name, object.reads() ? model.parts.emplace<Kind>() : std::get<Kind>(model.parts));
  }
  return is_there;
}

static void fields(JsonFields& object, Model& m) {
  std::vector<std::pair<int, std::vector<double>>> noise(m.noise.begin(), m.noise.end());
  bool splits = m.hypercube() != nullptr && m.hypercube()->way == detail::Way::splitting;
  object.format("cleave-model", kModelVersion);
  object("app", m.app)("type", m.type)("placement", m.placement)("threads", m.threads, 1);
  object("options", m.options)("cache_bytes", m.cache_bytes, 0)("cores", m.cores, 0);
  object("given_sizes", m.given_sizes)("forms", m.forms)("refused", m.refused);
  object("machine", m.network)("memory", m.memory)("noise", noise, 1e-300);
  object("verdict", m.verdict)("fitted", m.fitted)("held_out", m.held_out)("notes", m.notes);
  object("provenance", m.provenance)("splits", splits);
  const bool has_parts = kind_field<HypercubeModel>(object, "hypercube", m) ||
                         kind_field<SearchModel>(object, "search", m) ||
                         kind_field<TableModel>(object, "table", m);
  object.require(has_parts, "hypercube", "is missing, and so are 'search' and 'table'");
  if (!object.reads()) {
    return;
  }
  for (auto& [ranks, ratios] : noise) {
    object.require(ranks > 0 && !ratios.empty(), "noise", "must be [ranks, ratios] each");
    std::ranges::sort(ratios);
    m.noise[ranks] = std::move(ratios);
  }
  if (auto* hypercube = std::get_if<HypercubeModel>(&m.parts)) {
    const std::optional<detail::Way> way = detail::way_of(m.placement, splits);
    object.require(way.has_value(), "placement", fmt::format("'{}' is not known", m.placement));
    hypercube->way = *way;
  }
}

std::string model_text(const Model& model) { return detail::json_text(model) + '\n'; }

void write_model(const std::filesystem::path& path, const Model& model) {
  write_file(path, model_text(model));
}

Model read_model(const std::filesystem::path& path) { return model_from(path, read_file(path)); }

Model model_from(const std::filesystem::path& path, std::string_view text) {
  JsonFields object = JsonFields::parse(path, "", text);
  Model model;
  fields(object, model);
  return model;
}

json to_json(const Prediction& p) {
  json shares = json::array();
  for (const BlockShare& share : p.shares) {
    shares.push_back({{"block", share.name()}, {"level", share.level}, {"seconds", share.seconds}});
  }
  json object = {{"ranks", p.ranks},
                 {"threads", p.threads},
                 {"ranks_per_host", p.ranks_per_host},
                 {"sizes", p.sizes},
                 {"seconds", p.seconds},
                 {"interval", {p.low, p.high}},
                 {"as_the_host_was", {p.run_low, p.run_high}},
                 {"is_answer", p.is_answer()},
                 {"knows_runs", p.knows_runs()},
                 {"rehearsed", p.is_rehearsed},
                 {"outside_fitted_range", p.outside_fitted_range},
                 {"remarks", p.remarks},
                 {"shares", std::move(shares)}};
  if (!p.assumed_network.empty()) {
    object["assumed_network"] = p.assumed_network;
  }
  if (p.memory_bytes) {
    object["memory_bytes_per_rank"] = *p.memory_bytes;
  }
  if (p.cache_left_bytes) {
    object["cache_left_bytes"] = *p.cache_left_bytes;
  }
  return object;
}

json to_json(const PlanChoice& choice) {
  json object = to_json(choice.prediction);
  object["speedup"] = choice.speedup;
  object["efficiency"] = choice.efficiency;
  object["core_hours"] = choice.core_hours;
  object["fits"] = choice.fits;
  return object;
}

json to_json(const JudgedRun& judged) {
  return {{"ranks", judged.run.ranks},
          {"threads", judged.run.threads},
          {"sizes", judged.run.sizes},
          {"measured", judged.measured_s},
          {"spread", judged.spread},
          {"predicted", judged.prediction.seconds},
          {"interval", {judged.prediction.low, judged.prediction.high}},
          {"is_answer", judged.prediction.is_answer()},
          {"inside", judged.inside},
          {"relative_error", judged.relative_error},
          {"held_out", judged.held_out}};
}

json to_json(const Verdict& verdict, bool by_law) {
  JsonFields fields_of_verdict;
  fields(fields_of_verdict, const_cast<Verdict&>(verdict));
  json object = fields_of_verdict.raw();
  object.emplace("trusted", nullptr);
  object["sentence"] = verdict.sentence(by_law);
  return object;
}

}  // namespace cleave::models
