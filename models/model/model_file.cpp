// SPDX-License-Identifier: Apache-2.0
#include "models/model/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/model/fit_json.hpp"

namespace cleave::models {

using nlohmann::json;

namespace {

constexpr const char* kFormat = "cleave-model";

json to_json_array(const std::vector<Communication>& entries) {
  json array = json::array();
  for (const Communication& entry : entries) {
    array.push_back(to_json(entry));
  }
  return array;
}

json to_json(const Network& network) {
  return {{"source", network.source},
          {"alltoallv", to_json_array(network.alltoallv)},
          {"exchange", to_json_array(network.exchange)},
          {"tells_hosts_apart", network.tells_hosts_apart}};
}

json to_json(const Scaling& s) {
  return {{"block", name_of(s.block)}, {"size", s.size},           {"scale", s.scale},
          {"exponent", s.exponent},    {"imbalance", s.imbalance}, {"measured", s.measured}};
}

json to_json(const BlockModel& block) {
  return {{"block", name_of(block.block)},
          {"fit", to_json(block.fit)},
          {"noise", to_json(block.noise)},
          {"repetition_deviation", block.repetition_deviation},
          {"samples", block.samples}};
}

json to_json(const HypercubeModel& parts) {
  json blocks = json::array();
  for (const BlockModel& block : parts.blocks) {
    blocks.push_back(to_json(block));
  }
  json scaling = json::array();
  for (const Scaling& s : parts.scaling) {
    scaling.push_back(to_json(s));
  }
  json object = {
      {"splits", parts.way == Way::splitting},
      {"blocks", std::move(blocks)},
      {"scaling", std::move(scaling)},
      {"division", {{"mean", parts.division.mean}, {"deviation", parts.division.deviation}}}};
  if (parts.exchange) {
    object["exchange"] = {{"factor", parts.exchange->factor},
                          {"factor_is_fitted", parts.exchange->factor_is_fitted},
                          {"splitter_bytes", parts.exchange->splitter_bytes},
                          {"bytes", to_json(parts.exchange->bytes)},
                          {"noise", to_json(parts.exchange->noise)}};
  }
  return object;
}

json to_json(const Steals& steals) {
  json object = {{"seconds", to_json(steals.seconds)},
                 {"count", to_json(steals.count)},
                 {"bytes", steals.bytes},
                 {"most", steals.maximum}};
  if (steals.in_vain) {
    object["in_vain"] = to_json(*steals.in_vain);
  }
  return object;
}

json to_json(const SearchModel& search) {
  json object = {{"knows_network", search.knows_network},
                 {"ranks_per_host", search.ranks_per_host},
                 {"threads", search.threads},
                 {"noise", search.noise}};
  for (const auto& [name, fit] :
       {std::pair("search", &search.search), std::pair("start_up", &search.start_up),
        std::pair("termination", &search.termination)}) {
    if (*fit) {
      object[name] = to_json(**fit);
    }
  }
  for (const auto& [name, steals] :
       {std::pair("inside", &search.inside), std::pair("between", &search.between)}) {
    if (*steals) {
      object[name] = to_json(**steals);
    }
  }
  return object;
}

json to_json(const std::vector<RunOfModel>& runs) {
  json array = json::array();
  for (const RunOfModel& run : runs) {
    array.push_back({{"ranks", run.ranks},
                     {"threads", run.threads},
                     {"ranks_per_host", run.ranks_per_host},
                     {"sizes", run.sizes},
                     {"files", run.files}});
  }
  return array;
}

NamedSizes sizes_from(const JsonFields& fields) {
  NamedSizes sizes;
  const JsonFields object = fields.object("sizes");
  for (const auto& [name, value] : object.raw().items()) {
    sizes[name] = object.integer<std::int64_t>(name.c_str(), 0);
  }
  return sizes;
}

Block block_from(const JsonFields& fields) {
  const std::string name = fields.text("block");
  const std::optional<Block> block = block_named(name);
  if (!block) {
    fields.refuse("block", fmt::format("names '{}', which is not a block", name));
  }
  return *block;
}

Weights weights_from(const JsonFields& fields) {
  const std::string text = fields.text("weights");
  if (text != "relative" && text != "ordinary") {
    fields.refuse("weights", fmt::format("is '{}', expected 'relative' or 'ordinary'", text));
  }
  return text == "relative" ? Weights::relative : Weights::ordinary;
}

std::vector<Communication> communications_from(const JsonFields& fields, const char* name) {
  std::vector<Communication> entries;
  for (const JsonFields& entry : fields.objects(name)) {
    entries.push_back(communication_from(entry));
  }
  return entries;
}

Network network_from(const JsonFields& fields) {
  return {.source = fields.text("source"),
          .alltoallv = communications_from(fields, "alltoallv"),
          .exchange = communications_from(fields, "exchange"),
          .tells_hosts_apart = fields.boolean("tells_hosts_apart")};
}

/// Bytes of an element; a model that was changed by hand must not ask for more than there can be.
double splitter_bytes_from(const JsonFields& fields) {
  constexpr double kMost = 1 << 20;
  const double bytes = fields.non_negative("splitter_bytes");
  if (bytes > kMost) {
    fields.refuse("splitter_bytes", fmt::format("is {}, at most {} are allowed", bytes, kMost));
  }
  return bytes;
}

HypercubeModel hypercube_from(const JsonFields& fields, const Model& model) {
  HypercubeModel parts;
  const std::optional<Way> way = detail::way_of(model.placement, fields.boolean("splits"));
  if (!way) {
    fields.refuse("placement", fmt::format("'{}' is not known", model.placement));
  }
  parts.way = *way;
  for (const JsonFields& block : fields.objects("blocks")) {
    parts.blocks.push_back({.block = block_from(block),
                            .fit = fit_from(block.object("fit"), model.curves),
                            .noise = noise_from(block, "noise"),
                            .repetition_deviation = block.non_negative("repetition_deviation"),
                            .samples = block.integer<int>("samples", 0)});
  }
  for (const JsonFields& s : fields.objects("scaling")) {
    parts.scaling.push_back({.block = block_from(s),
                             .size = s.text("size"),
                             .scale = s.non_negative("scale"),
                             .exponent = s.number("exponent"),
                             .imbalance = s.non_negative("imbalance"),
                             .measured = s.boolean("measured")});
  }
  const JsonFields division = fields.object("division");
  parts.division = {.mean = division.number("mean"),
                    .deviation = division.non_negative("deviation")};
  if (fields.has("exchange")) {
    const JsonFields exchange = fields.object("exchange");
    parts.exchange = ExchangeModel{.factor = exchange.non_negative("factor"),
                                   .factor_is_fitted = exchange.boolean("factor_is_fitted"),
                                   .splitter_bytes = splitter_bytes_from(exchange),
                                   .bytes = fit_from(exchange.object("bytes"), model.curves),
                                   .noise = noise_from(exchange, "noise")};
  }
  return parts;
}

std::optional<Fit> fit_if_any(const JsonFields& fields, const char* name) {
  return fields.has(name) ? std::optional(fit_from(fields.object(name), {})) : std::nullopt;
}

std::optional<Steals> steals_from(const JsonFields& fields, const char* name) {
  if (!fields.has(name)) {
    return std::nullopt;
  }
  const JsonFields steals = fields.object(name);
  return Steals{.seconds = fit_from(steals.object("seconds"), {}),
                .count = fit_from(steals.object("count"), {}),
                .in_vain = fit_if_any(steals, "in_vain"),
                .bytes = steals.non_negative("bytes"),
                .maximum = steals.integer<int>("most", 2)};
}

SearchModel search_from(const JsonFields& fields) {
  return {.search = fit_if_any(fields, "search"),
          .knows_network = fields.boolean("knows_network"),
          .inside = steals_from(fields, "inside"),
          .between = steals_from(fields, "between"),
          .start_up = fit_if_any(fields, "start_up"),
          .termination = fit_if_any(fields, "termination"),
          .ranks_per_host = fields.integer<int>("ranks_per_host", 1),
          .threads = fields.integer<int>("threads", 1),
          .noise = fields.numbers("noise")};
}

std::vector<RunOfModel> runs_from(const JsonFields& fields, const char* name) {
  std::vector<RunOfModel> runs;
  for (const JsonFields& run : fields.objects(name)) {
    runs.push_back({.ranks = run.integer<int>("ranks", 1),
                    .threads = run.integer<int>("threads", 1),
                    .ranks_per_host = run.integer<int>("ranks_per_host", 1),
                    .sizes = sizes_from(run),
                    .files = run.texts("files")});
  }
  return runs;
}

std::map<std::string, std::string> options_from(const JsonFields& fields) {
  std::map<std::string, std::string> options;
  const JsonFields object = fields.object("options");
  for (const auto& [name, value] : object.raw().items()) {
    options[name] = object.text(name.c_str());
  }
  return options;
}

}  // namespace

void write_model(const std::filesystem::path& path, const Model& model) {
  json refused = json::array();
  for (const RefusedBlock& block : model.refused) {
    refused.push_back({{"block", name_of(block.block)}, {"reason", block.reason}});
  }
  json object = {
      {"format", kFormat},
      {"version", kModelVersion},
      {"app", model.app},
      {"type", model.type},
      {"placement", model.placement},
      {"threads", model.threads},
      {"options", model.options},
      {"cache_bytes", model.cache_bytes},
      {"cores", model.cores},
      {"given_sizes", model.given_sizes},
      {"forms", model.forms},
      {"weights", model.weights == Weights::relative ? "relative" : "ordinary"},
      {"curves", detail::to_json(model.curves)},
      {"refused", std::move(refused)},
      {"machine", to_json(model.network)},
      {"calibration", {{"error", model.calibration.error}, {"runs", model.calibration.runs}}},
      {"fitted", to_json(model.fitted)},
      {"held_out", to_json(model.held_out)},
      {"notes", model.notes},
      {"provenance", to_json(model.provenance)}};
  if (const HypercubeModel* hypercube = model.hypercube()) {
    object["hypercube"] = to_json(*hypercube);
  } else {
    object["search"] = to_json(*model.search());
  }
  if (model.memory) {
    object["memory"] = to_json(*model.memory);
  }
  write_file(path, object.dump() + '\n');
}

Model read_model(const std::filesystem::path& path) {
  const json object = parse_json_object(path, "", read_file(path));
  const JsonFields fields(path, "", object);
  check_format(fields, kFormat, kModelVersion);
  const std::vector<std::string> given_sizes = fields.texts("given_sizes");
  Model model{.app = fields.text("app"),
              .type = fields.text("type"),
              .placement = fields.text("placement"),
              .threads = fields.integer<int>("threads", 1),
              .options = options_from(fields),
              .cache_bytes = fields.integers("cache_bytes", 0),
              .cores = fields.integer<int>("cores", 0),
              .given_sizes = {given_sizes.begin(), given_sizes.end()},
              .forms = fields.text("forms"),
              .weights = weights_from(fields),
              .curves = detail::curves_from(fields),
              .network = network_from(fields.object("machine")),
              .memory = fit_if_any(fields, "memory"),
              .fitted = runs_from(fields, "fitted"),
              .held_out = runs_from(fields, "held_out"),
              .notes = fields.texts("notes"),
              .provenance = provenance_from(fields)};
  for (const JsonFields& block : fields.objects("refused")) {
    model.refused.push_back({block_from(block), block.text("reason")});
  }
  const JsonFields calibration = fields.object("calibration");
  model.calibration = {.error = calibration.non_negative("error"),
                       .runs = calibration.integer<int>("runs", 0)};
  if (fields.has("search")) {
    model.parts = search_from(fields.object("search"));
  } else {
    model.parts = hypercube_from(fields.object("hypercube"), model);
  }
  return model;
}

}  // namespace cleave::models
