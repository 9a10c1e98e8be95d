// SPDX-License-Identifier: Apache-2.0
#include "models/theory/parts_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include <cleave/trace/json_fields.hpp>

#include "models/theory/law_json.hpp"

namespace cleave::models {

using nlohmann::json;

namespace {

json to_json(const Scaling& s) {
  return {
      {"block", name_of(s.block)}, {"size", s.size}, {"scale", s.scale}, {"is_whole", s.is_whole}};
}

json to_json(const BlockModel& block) {
  return {{"block", name_of(block.block)}, {"law", to_json(block.law)}, {"samples", block.samples}};
}

/// Bytes of an element; a model that was changed by hand must not ask for more than there can be.
double splitter_bytes_from(const detail::JsonFields& fields) {
  constexpr double kMost = 1 << 20;
  const double bytes = fields.non_negative("splitter_bytes");
  if (bytes > kMost) {
    fields.refuse("splitter_bytes", fmt::format("is {}, at most {} are allowed", bytes, kMost));
  }
  return bytes;
}

}  // namespace

json to_json(const HypercubeModel& parts) {
  json blocks = json::array();
  for (const BlockModel& block : parts.blocks) {
    blocks.push_back(to_json(block));
  }
  json scaling = json::array();
  for (const Scaling& s : parts.scaling) {
    scaling.push_back(to_json(s));
  }
  json object = {{"splits", parts.way == detail::Way::splitting},
                 {"blocks", std::move(blocks)},
                 {"scaling", std::move(scaling)}};
  if (parts.exchange) {
    object["exchange"] = {{"factor", parts.exchange->factor},
                          {"factor_is_fitted", parts.exchange->factor_is_fitted},
                          {"splitter_bytes", parts.exchange->splitter_bytes},
                          {"bytes", to_json(parts.exchange->bytes)},
                          {"half_width", parts.exchange->half_width}};
  }
  return object;
}

json to_json(const SearchModel& search) {
  json object = {{"threads", search.threads}};
  if (search.visits) {
    object["visits"] = to_json(*search.visits);
  }
  if (search.inverse_efficiency) {
    object["inverse_efficiency"] = to_json(*search.inverse_efficiency);
  }
  return object;
}

json to_json(const TableModel& table) {
  return {{"law", to_json(table.law)}, {"rows", table.rows}};
}

HypercubeModel hypercube_from(const detail::JsonFields& fields, const Model& model) {
  HypercubeModel parts;
  const std::optional<detail::Way> way = detail::way_of(model.placement, fields.boolean("splits"));
  if (!way) {
    fields.refuse("placement", fmt::format("'{}' is not known", model.placement));
  }
  parts.way = *way;
  for (const detail::JsonFields& block : fields.objects("blocks")) {
    parts.blocks.push_back({.block = detail::block_from(block),
                            .law = law_from(block.object("law"), model.curves),
                            .samples = block.integer<int>("samples", 0)});
  }
  for (const detail::JsonFields& s : fields.objects("scaling")) {
    parts.scaling.push_back({.block = detail::block_from(s),
                             .size = s.text("size"),
                             .scale = s.non_negative("scale"),
                             .is_whole = s.boolean("is_whole")});
  }
  if (fields.has("exchange")) {
    const detail::JsonFields exchange = fields.object("exchange");
    parts.exchange = ExchangeModel{.factor = exchange.non_negative("factor"),
                                   .factor_is_fitted = exchange.boolean("factor_is_fitted"),
                                   .splitter_bytes = splitter_bytes_from(exchange),
                                   .bytes = law_from(exchange.object("bytes"), model.curves),
                                   .half_width = exchange.non_negative("half_width")};
  }
  return parts;
}

TableModel table_from(const detail::JsonFields& fields) {
  return {.law = law_from(fields.object("law"), {}), .rows = fields.integer<int>("rows", 1)};
}

SearchModel search_from(const detail::JsonFields& fields) {
  return {.visits = law_if_any(fields, "visits"),
          .inverse_efficiency = law_if_any(fields, "inverse_efficiency"),
          .threads = fields.integer<int>("threads", 1)};
}

}  // namespace cleave::models
