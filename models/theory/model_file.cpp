// SPDX-License-Identifier: Apache-2.0
#include "models/theory/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ranges>

#include <cleave/file.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/trace_file.hpp>

namespace cleave::models {

using detail::JsonFields;

static void fields(JsonFields& object, Basis::Factor& f) {
  object("size", f.size)("is_log", f.is_log)("power", f.power, -10, 10);
}

static void fields(JsonFields& object, Hypothesis& h) {
  std::vector<std::vector<Basis::Factor>> terms;
  std::ranges::transform(h.form, std::back_inserter(terms), &Basis::factors);
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
  h.form = Form(terms.begin(), terms.end());
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

static void fields(JsonFields& object, Observation& point) {
  object("sizes", point.sizes, 1)("seconds", point.value, 1e-300);
}

static void fields(JsonFields& object, TableModel& t) {
  object("points", t.points)("law", t.law);
  const auto is_like_first = [&](const Observation& p) {
    return p.sizes.contains(kRanksSize) &&
           std::ranges::equal(std::views::keys(p.sizes), std::views::keys(t.points[0].sizes));
  };
  object.require(!t.points.empty() && std::ranges::all_of(t.points, is_like_first), "points",
                 "must all have the same sizes, among them ranks");
}

static void fields(JsonFields& object, RefusedBlock& b) {
  object.choice("block", b.block, detail::kBlockNames);
  object("reason", b.reason);
}

static void fields(JsonFields& object, RunPoint& run) {
  object("ranks", run.ranks, 1, detail::kMaxRanks)("threads", run.threads, 1);
  object("ranks_per_host", run.ranks_per_host, 1, detail::kMaxRanks);
  detail::sizes_field(object, run.sizes);
}

static void fields(JsonFields& object, KnownRun& run) {
  Place& place = run.place;
  object.choice("kind", run.kind, kKnownNames)("ranks", place.ranks, 1, detail::kMaxRanks);
  object("threads", place.threads, 1)("ranks_per_host", run.ranks_per_host, 1, detail::kMaxRanks);
  object("sizes", place.sizes)("given", run.given)("options", run.options)("log_ratio", run.value,
                                                                           -1e3, 1e3);
  object("deviation", run.deviation, 1e-9, 1e9);
}

static void fields(JsonFields& object, Network& n) {
  object("source", n.source)("exchange", n.exchange)("tells_hosts_apart", n.tells_hosts_apart);
}

static void fields(JsonFields& object, Check& c) {
  object("ranks", c.ranks, 1, detail::kMaxRanks)("threads", c.threads, 1);
  detail::sizes_field(object, c.sizes);
  object("is_rehearsed", c.is_rehearsed)("reach", c.reach, 0)("measured", c.measured_s, 1e-300);
  object("predicted", c.predicted_s, 1e-300)("low", c.low, 1e-300)("high", c.high, 1e-300);
}

static void fields(JsonFields& object, Verdict& v) {
  object("checks", v.checks);
  object.require(std::ranges::is_sorted(v.checks, {}, &Check::reach), "checks",
                 "must be in the order of their reach");
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
  object("options", m.options)("cores", m.cores, 0);
  object("given_sizes", m.given_sizes)("forms", m.forms)("refused", m.refused);
  object("machine", m.network)("memory", m.memory)("noise", noise, 1e-300)("scatter", m.scatter, 0);
  object("verdict", m.verdict)("known", m.known)("fitted", m.fitted)("notes", m.notes);
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

}  // namespace cleave::models
