// SPDX-License-Identifier: Apache-2.0
#include "models/theory/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/provenance.hpp>

#include "models/theory/law_json.hpp"
#include "models/theory/parts_json.hpp"

namespace cleave::models {

using nlohmann::json;

namespace {

constexpr const char* kFormat = "cleave-model";

// The field that holds the parts.
constexpr const char* name_of(const HypercubeModel& /*parts*/) { return "hypercube"; }
constexpr const char* name_of(const SearchModel& /*parts*/) { return "search"; }
constexpr const char* name_of(const TableModel& /*parts*/) { return "table"; }

json to_json_array(const std::vector<detail::Communication>& entries) {
  json array = json::array();
  for (const detail::Communication& entry : entries) {
    array.push_back(to_json(entry));
  }
  return array;
}

json to_json(const Network& network) {
  return {{"source", network.source},
          {"exchange", to_json_array(network.exchange)},
          {"tells_hosts_apart", network.tells_hosts_apart}};
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

json to_json(const std::map<int, std::vector<double>>& noise) {
  json array = json::array();
  for (const auto& [ranks, ratios] : noise) {
    array.push_back({{"ranks", ranks}, {"elapsed_over_quiet", ratios}});
  }
  return array;
}

std::map<int, std::vector<double>> noise_from(const detail::JsonFields& fields) {
  std::map<int, std::vector<double>> noise;
  for (const detail::JsonFields& of_ranks : fields.objects("noise")) {
    std::vector<double> ratios = of_ranks.numbers("elapsed_over_quiet");
    if (ratios.empty() || std::ranges::min(ratios) <= 0) {
      of_ranks.refuse("elapsed_over_quiet", "must hold numbers above 0");
    }
    std::ranges::sort(ratios);
    noise[of_ranks.integer<int>("ranks", 1, detail::kMaxRanks)] = std::move(ratios);
  }
  return noise;
}

std::vector<detail::Communication> communications_from(const detail::JsonFields& fields,
                                                       const char* name) {
  std::vector<detail::Communication> entries;
  for (const detail::JsonFields& entry : fields.objects(name)) {
    entries.push_back(detail::communication_from(entry));
  }
  return entries;
}

Network network_from(const detail::JsonFields& fields) {
  return {.source = fields.text("source"),
          .exchange = communications_from(fields, "exchange"),
          .tells_hosts_apart = fields.boolean("tells_hosts_apart")};
}

std::vector<RunOfModel> runs_from(const detail::JsonFields& fields, const char* name) {
  std::vector<RunOfModel> runs;
  for (const detail::JsonFields& run : fields.objects(name)) {
    runs.push_back({.ranks = run.integer<int>("ranks", 1, detail::kMaxRanks),
                    .threads = run.integer<int>("threads", 1),
                    .ranks_per_host = run.integer<int>("ranks_per_host", 1, detail::kMaxRanks),
                    .sizes = detail::sizes_from(run),
                    .files = run.texts("files")});
  }
  return runs;
}

std::map<std::string, Law> log_sizes_from(const detail::JsonFields& fields) {
  std::map<std::string, Law> laws;
  if (fields.has("log_sizes")) {
    const detail::JsonFields object = fields.object("log_sizes");
    for (const auto& [name, law] : object.raw().items()) {
      laws[name] = law_from(object.object(name.c_str()), {});
    }
  }
  return laws;
}

std::map<std::string, std::string> options_from(const detail::JsonFields& fields) {
  std::map<std::string, std::string> options;
  const detail::JsonFields object = fields.object("options");
  for (const auto& [name, value] : object.raw().items()) {
    options[name] = object.text(name.c_str());
  }
  return options;
}

}  // namespace

std::string model_text(const Model& model) {
  json refused = json::array();
  for (const RefusedBlock& block : model.refused) {
    refused.push_back({{"block", name_of(block.block)}, {"reason", block.reason}});
  }
  json object = {{"format", kFormat},
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
                 {"curves", detail::to_json(model.curves)},
                 {"refused", std::move(refused)},
                 {"machine", to_json(model.network)},
                 {"noise", to_json(model.noise)},
                 {"verdict", to_json(model.verdict)},
                 {"fitted", to_json(model.fitted)},
                 {"held_out", to_json(model.held_out)},
                 {"notes", model.notes},
                 {"provenance", to_json(model.provenance)}};
  std::visit([&](const auto& parts) { object[name_of(parts)] = to_json(parts); }, model.parts);
  if (model.memory) {
    object["memory"] = to_json(*model.memory);
  }
  for (const auto& [name, law] : model.log_sizes) {
    object["log_sizes"][name] = to_json(law);
  }
  return object.dump() + '\n';
}

void write_model(const std::filesystem::path& path, const Model& model) {
  write_file(path, model_text(model));
}

Model read_model(const std::filesystem::path& path) { return model_from(path, read_file(path)); }

Model model_from(const std::filesystem::path& path, std::string_view text) {
  const json object = detail::parse_json_object(path, "", text);
  const detail::JsonFields fields(path, "", object);
  detail::check_format(fields, kFormat, kModelVersion);
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
              .curves = detail::curves_from(fields),
              .network = network_from(fields.object("machine")),
              .log_sizes = log_sizes_from(fields),
              .memory = law_if_any(fields, "memory"),
              .noise = noise_from(fields),
              .verdict = verdict_from(fields.object("verdict")),
              .fitted = runs_from(fields, "fitted"),
              .held_out = runs_from(fields, "held_out"),
              .notes = fields.texts("notes"),
              .provenance = detail::provenance_from(fields)};
  for (const detail::JsonFields& block : fields.objects("refused")) {
    model.refused.push_back({detail::block_from(block), block.text("reason")});
  }
  if (fields.has("search")) {
    model.parts = search_from(fields.object("search"));
  } else if (fields.has("table")) {
    model.parts = table_from(fields.object("table"));
  } else {
    model.parts = hypercube_from(fields.object("hypercube"), model);
  }
  return model;
}

}  // namespace cleave::models
