// SPDX-License-Identifier: Apache-2.0
#include "models/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/files.hpp"
#include "models/statistics.hpp"

namespace cleave::models {

using nlohmann::json;

namespace {

constexpr const char* kFormat = "cleave-model";

json to_json(const Eigen::MatrixXd& matrix) {
  json rows = json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    const Eigen::RowVectorXd row = matrix.row(i);
    rows.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return rows;
}

json to_json(const Sample& s) {
  return {{"ranks", s.ranks}, {"run_sizes", s.run_sizes}, {"rank", s.rank},
          {"level", s.level}, {"group", s.group},         {"sizes", s.sizes},
          {"spans", s.spans}, {"bytes", s.bytes},         {"seconds", s.seconds}};
}

json to_json(const BlockFit& fitted) {
  const LinearFit& fit = fitted.fit;
  const Eigen::VectorXd errors = fit.standard_errors();
  json ranges = json::object();
  for (const auto& [name, range] : fitted.fitted_range) {
    ranges[name] = {range.first, range.second};
  }
  json object = {
      {"terms", term_names(fitted.form)},
      {"coefficients", std::vector<double>(fit.coefficients.begin(), fit.coefficients.end())},
      {"standard_errors", std::vector<double>(errors.begin(), errors.end())},
      {"covariance", to_json(fit.covariance)},
      {"weights", fit.weights == Weights::relative ? "relative" : "ordinary"},
      {"residual_deviation", fit.residual_deviation},
      {"degrees_of_freedom", fit.degrees_of_freedom},
      {"coefficient_freedom", fit.coefficient_freedom},
      {"outliers", fit.outliers},
      {"r_squared", fit.r_squared},
      {"adjusted_r_squared", fit.adjusted_r_squared},
      {"median_abs_relative_residual", fit.median_abs_relative_residual},
      {"fitted_range", std::move(ranges)}};
  if (fitted.left_out_smape) {
    object["left_out_smape"] = *fitted.left_out_smape;
  }
  if (fitted.extrapolated_smape) {
    object["extrapolated_smape"] = *fitted.extrapolated_smape;
  }
  return object;
}

json to_json(const SegmentedFit& fit) {
  json segments = json::array();
  for (const BlockFit& segment : fit.segments) {
    segments.push_back(to_json(segment));
  }
  return {{"over", fit.over},
          {"breaks", fit.breaks},
          {"segments", std::move(segments)},
          {"r_squared", fit.r_squared},
          {"adjusted_r_squared", fit.adjusted_r_squared},
          {"median_abs_relative_residual", fit.median_abs_relative_residual}};
}

json to_json(const BlockModel& block) {
  json samples = json::array();
  for (const Sample& sample : block.samples) {
    samples.push_back(to_json(sample));
  }
  return {{"block", name_of(block.block)},
          {"ranks_per_host", block.ranks_per_host},
          {"fit", to_json(block.fit)},
          {"slowest_rank", block.slowest_rank},
          {"repetition_deviation", block.repetition_deviation},
          {"noise", block.noise},
          {"samples", std::move(samples)}};
}

json to_json(const std::vector<Communication>& entries) {
  json array = json::array();
  for (const Communication& entry : entries) {
    array.push_back(to_json(entry));
  }
  return array;
}

json to_json(const ExchangeModel& exchange) {
  return {{"factor", exchange.factor},
          {"factor_error", exchange.factor_error},
          {"factor_is_fitted", exchange.factor_is_fitted},
          {"messages", exchange.messages},
          {"has_headers", exchange.has_headers},
          {"agreement_factor", exchange.agreement_factor},
          {"splitter_bytes", exchange.splitter_bytes},
          {"bytes", to_json(exchange.bytes)}};
}

json to_json(const Steals& steals) {
  json object = {{"seconds", to_json(steals.seconds)},
                 {"count", to_json(steals.count)},
                 {"deviation", steals.deviation},
                 {"bytes", steals.bytes},
                 {"most", steals.maximum}};
  if (steals.in_vain) {
    object["in_vain"] = to_json(*steals.in_vain);
  }
  return object;
}

json to_json(const StealingModel& stealing) {
  json object = {{"knows_network", stealing.knows_network},
                 {"start_up", to_json(stealing.start_up)},
                 {"termination", to_json(stealing.termination)},
                 {"ranks_per_host", stealing.ranks_per_host},
                 {"threads", stealing.threads}};
  for (const auto& [name, steals] :
       {std::pair("inside", stealing.inside), std::pair("between", stealing.between)}) {
    if (steals) {
      object[name] = to_json(*steals);
    }
  }
  return object;
}

json to_json(const std::vector<RunOfModel>& runs) {
  json array = json::array();
  for (const RunOfModel& run : runs) {
    array.push_back({{"ranks", run.ranks},
                     {"threads", run.threads},
                     {"sizes", run.sizes},
                     {"files", run.files}});
  }
  return array;
}

json names_of(const std::vector<Block>& blocks) {
  json names = json::array();
  for (const Block block : blocks) {
    names.push_back(name_of(block));
  }
  return names;
}

std::vector<std::string> texts(const JsonFields& fields, const char* name) {
  std::vector<std::string> result;
  if (!fields.has(name) || !fields.raw()[name].is_array()) {
    fields.refuse(name, "must be an array of strings");
  }
  for (const json& element : fields.raw()[name]) {
    if (!element.is_string()) {
      fields.refuse(name, "must hold strings only");
    }
    result.push_back(element.get<std::string>());
  }
  return result;
}

template <class Value>
std::map<std::string, Value> counts(const JsonFields& fields, const char* name) {
  std::map<std::string, Value> result;
  const JsonFields object = fields.object(name);
  for (const auto& [key, value] : object.raw().items()) {
    if constexpr (std::is_integral_v<Value>) {
      result[key] = object.integer<Value>(key.c_str(), 0);
    } else {
      result[key] = object.non_negative(key.c_str());
    }
  }
  return result;
}

Block block_from_text(const JsonFields& fields, const char* field, const std::string& name) {
  const std::optional<Block> block = block_named(name);
  if (!block) {
    fields.refuse(field, fmt::format("names '{}', which is not a block", name));
  }
  return *block;
}

Block block_from(const JsonFields& fields) {
  return block_from_text(fields, "block", fields.text("block"));
}

std::vector<Block> blocks_from(const JsonFields& fields, const char* name) {
  std::vector<Block> blocks;
  for (const std::string& text : texts(fields, name)) {
    blocks.push_back(block_from_text(fields, name, text));
  }
  return blocks;
}

Weights weights_from(const JsonFields& fields) {
  const std::string text = fields.text("weights");
  if (text != "relative" && text != "ordinary") {
    fields.refuse("weights", fmt::format("is '{}', expected 'relative' or 'ordinary'", text));
  }
  return text == "relative" ? Weights::relative : Weights::ordinary;
}

Form form_from(const JsonFields& fields) {
  Form form;
  for (const std::string& term : texts(fields, "terms")) {
    try {
      form.push_back(Basis::parse(term));
    } catch (const UsageError& e) {
      fields.refuse("terms", fmt::format("has a term that cannot be read: {}", e.what()));
    }
  }
  if (form.empty()) {
    fields.refuse("terms", "must not be empty");
  }
  return form;
}

Eigen::VectorXd vector_from(const JsonFields& fields, const char* name, std::size_t length) {
  const std::vector<double> values = fields.numbers(name);
  if (values.size() != length) {
    fields.refuse(name, fmt::format("must hold one number for each of {} terms", length));
  }
  return Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values));
}

Eigen::MatrixXd covariance_from(const JsonFields& fields, std::size_t terms) {
  const std::string expected = fmt::format("must be {0} rows of {0} numbers", terms);
  const auto size = static_cast<Eigen::Index>(terms);
  Eigen::MatrixXd matrix(size, size);
  if (!fields.has("covariance") || !fields.raw()["covariance"].is_array() ||
      fields.raw()["covariance"].size() != terms) {
    fields.refuse("covariance", expected);
  }
  for (Eigen::Index i = 0; i < size; ++i) {
    const json& row = fields.raw()["covariance"][static_cast<std::size_t>(i)];
    if (!row.is_array() || row.size() != terms) {
      fields.refuse("covariance", expected);
    }
    for (Eigen::Index j = 0; j < size; ++j) {
      const json& value = row[static_cast<std::size_t>(j)];
      if (!value.is_number() || !std::isfinite(value.get<double>())) {
        fields.refuse("covariance", expected);
      }
      matrix(i, j) = value.get<double>();
    }
    if (matrix(i, i) < 0) {
      fields.refuse("covariance", "must not be negative on its diagonal");
    }
  }
  return matrix;
}

BlockFit fit_from(const JsonFields& fields) {
  BlockFit fitted{.form = form_from(fields)};
  const std::size_t terms = fitted.form.size();
  fitted.fit = {
      .coefficients = vector_from(fields, "coefficients", terms),
      .covariance = covariance_from(fields, terms),
      .weights = weights_from(fields),
      .residual_deviation = fields.non_negative("residual_deviation"),
      .degrees_of_freedom = fields.integer<int>("degrees_of_freedom", 1),
      .coefficient_freedom = fields.integer<int>("coefficient_freedom", 1),
      .outliers = fields.integer<int>("outliers", 0),
      .r_squared = fields.number("r_squared"),
      .adjusted_r_squared = fields.number("adjusted_r_squared"),
      .median_abs_relative_residual = fields.non_negative("median_abs_relative_residual")};
  // Derived from the covariance, so that the file cannot contradict itself.
  vector_from(fields, "standard_errors", terms);
  const JsonFields ranges = fields.object("fitted_range");
  for (const auto& [name, value] : ranges.raw().items()) {
    const std::vector<double> range = ranges.numbers(name.c_str());
    if (range.size() != 2 || range[0] > range[1]) {
      ranges.refuse(name.c_str(), "must be [least, most]");
    }
    fitted.fitted_range[name] = {range[0], range[1]};
  }
  if (fields.has("left_out_smape")) {
    fitted.left_out_smape = fields.non_negative("left_out_smape");
  }
  if (fields.has("extrapolated_smape")) {
    fitted.extrapolated_smape = fields.non_negative("extrapolated_smape");
  }
  return fitted;
}

SegmentedFit segmented_from(const JsonFields& fields) {
  SegmentedFit fit;
  fit.over = fields.text("over");
  fit.breaks = fields.numbers("breaks");
  for (const JsonFields& segment : fields.objects("segments")) {
    fit.segments.push_back(fit_from(segment));
  }
  if (fit.segments.size() != fit.breaks.size() + 1) {
    fields.refuse("segments",
                  fmt::format("must be one more than the {} breaks", fit.breaks.size()));
  }
  if (!std::is_sorted(fit.breaks.begin(), fit.breaks.end())) {
    fields.refuse("breaks", "must ascend");
  }
  if (fit.over.empty() != fit.breaks.empty()) {
    fields.refuse("over", "must name what the breaks are of, and nothing where there are none");
  }
  fit.r_squared = fields.number("r_squared");
  fit.adjusted_r_squared = fields.number("adjusted_r_squared");
  fit.median_abs_relative_residual = fields.non_negative("median_abs_relative_residual");
  return fit;
}

Sample sample_from(const JsonFields& fields, Block block, int ranks_per_host) {
  Sample sample{.block = block,
                .ranks = fields.integer<int>("ranks", 1),
                .ranks_per_host = ranks_per_host,
                .run_sizes = counts<std::int64_t>(fields, "run_sizes"),
                .rank = fields.integer<int>("rank", 0),
                .level = fields.integer<int>("level", 0),
                .group = fields.integer<int>("group", 1),
                .sizes = counts<double>(fields, "sizes"),
                .spans = fields.non_negative("spans"),
                .bytes = fields.non_negative("bytes"),
                .seconds = fields.numbers("seconds")};
  if (sample.seconds.empty()) {
    fields.refuse("seconds", "must not be empty");
  }
  return sample;
}

BlockModel block_model_from(const JsonFields& fields) {
  BlockModel model{.block = block_from(fields),
                   .ranks_per_host = fields.integer<int>("ranks_per_host", 1),
                   .fit = segmented_from(fields.object("fit")),
                   .slowest_rank = fields.non_negative("slowest_rank"),
                   .repetition_deviation = fields.non_negative("repetition_deviation"),
                   .noise = fields.numbers("noise")};
  for (const JsonFields& sample : fields.objects("samples")) {
    model.samples.push_back(sample_from(sample, model.block, model.ranks_per_host));
  }
  return model;
}

std::vector<Communication> communications_from(const JsonFields& fields, const char* name) {
  std::vector<Communication> entries;
  for (const JsonFields& entry : fields.objects(name)) {
    entries.push_back(communication_from(entry));
  }
  return entries;
}

std::optional<CompositionErrors> composition_from(const JsonFields& fields, const char* name) {
  if (!fields.has(name)) {
    return std::nullopt;
  }
  const JsonFields errors = fields.object(name);
  return CompositionErrors{.median_abs_error = errors.non_negative("median_abs_error"),
                           .deviation = errors.non_negative("deviation")};
}

std::optional<Steals> steals_from(const JsonFields& fields, const char* name,
                                  bool with_requests_in_vain) {
  if (!fields.has(name)) {
    return std::nullopt;
  }
  const JsonFields steals = fields.object(name);
  return Steals{.seconds = fit_from(steals.object("seconds")),
                .count = fit_from(steals.object("count")),
                .in_vain = with_requests_in_vain ? std::optional(fit_from(steals.object("in_vain")))
                                                 : std::nullopt,
                .deviation = steals.non_negative("deviation"),
                .bytes = steals.non_negative("bytes"),
                .maximum = steals.integer<int>("most", 2)};
}

std::optional<StealingModel> stealing_from(const JsonFields& fields) {
  if (!fields.has("stealing")) {
    return std::nullopt;
  }
  const JsonFields object = fields.object("stealing");
  return StealingModel{.knows_network = object.boolean("knows_network"),
                       .inside = steals_from(object, "inside", false),
                       .between = steals_from(object, "between", true),
                       .start_up = fit_from(object.object("start_up")),
                       .termination = fit_from(object.object("termination")),
                       .ranks_per_host = object.integer<int>("ranks_per_host", 1),
                       .threads = object.integer<int>("threads", 1)};
}

std::vector<RunOfModel> runs_from(const JsonFields& fields, const char* name) {
  std::vector<RunOfModel> runs;
  for (const JsonFields& run : fields.objects(name)) {
    runs.push_back({.ranks = run.integer<int>("ranks", 1),
                    .threads = run.has("threads") ? run.integer<int>("threads", 1) : 1,
                    .sizes = counts<std::int64_t>(run, "sizes"),
                    .files = texts(run, "files")});
  }
  return runs;
}

std::set<std::string> given_sizes_from(const JsonFields& fields) {
  const std::vector<std::string> names = texts(fields, "given_sizes");
  return {names.begin(), names.end()};
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
  json blocks = json::array();
  for (const BlockModel& block : model.blocks) {
    blocks.push_back(to_json(block));
  }
  json refused = json::array();
  for (const RefusedBlock& block : model.refused) {
    refused.push_back({{"block", name_of(block.block)},
                       {"ranks_per_host", block.ranks_per_host},
                       {"reason", block.reason}});
  }
  json scaling = json::array();
  for (const Scaling& s : model.scaling) {
    scaling.push_back({{"block", name_of(s.block)},
                       {"size", s.size},
                       {"scale", s.scale},
                       {"exponent", s.exponent},
                       {"imbalance", s.imbalance},
                       {"measured", s.measured},
                       {"split_deviation", s.split_deviation}});
  }
  json exchange = json::array();
  for (const ExchangeModel& moved : model.exchange) {
    exchange.push_back(to_json(moved));
  }
  json memory = json::array();
  if (model.memory) {
    memory.push_back(to_json(*model.memory));
  }
  json os_noise = json::array();
  for (const OsNoise& d : model.os_noise) {
    os_noise.push_back({{"length_s", d.length_s}, {"per_second", d.per_second}});
  }
  json composition = json::object();
  for (const auto& [name, errors] : {std::pair("sum_of_maxima", model.sum_of_maxima),
                                     std::pair("critical_path", model.critical_path)}) {
    if (errors) {
      composition[name] = {{"median_abs_error", errors->median_abs_error},
                           {"deviation", errors->deviation}};
    }
  }
  json object = {{"format", kFormat},
                 {"version", kModelVersion},
                 {"app", model.app},
                 {"type", model.type},
                 {"placement", model.placement},
                 {"threads", model.threads},
                 {"options", model.options},
                 {"cache_bytes", model.cache_bytes},
                 {"given_sizes", model.given_sizes},
                 {"forms", model.forms},
                 {"weights", model.weights == Weights::relative ? "relative" : "ordinary"},
                 {"inner_blocks", names_of(model.inner_blocks)},
                 {"leaf_blocks", names_of(model.leaf_blocks)},
                 {"blocks", std::move(blocks)},
                 {"refused", std::move(refused)},
                 {"scaling", std::move(scaling)},
                 {"os_noise", std::move(os_noise)},
                 {"machine",
                  {{"source", model.latency_gaps.source},
                   {"alltoallv", to_json(model.latency_gaps.alltoallv)},
                   {"exchange", to_json(model.latency_gaps.exchange)}}},
                 {"exchange", std::move(exchange)},
                 {"memory", std::move(memory)},
                 {"composition", std::move(composition)},
                 {"deviation_per_doubling", model.deviation_per_doubling},
                 {"drift_per_doubling", model.drift_per_doubling},
                 {"fitted", to_json(model.fitted)},
                 {"held_out", to_json(model.held_out)},
                 {"notes", model.notes},
                 {"provenance", to_json(model.provenance)}};
  if (model.stealing) {
    object["stealing"] = to_json(*model.stealing);
  }
  write_file(path, object.dump(1) + '\n');
}

Model read_model(const std::filesystem::path& path) {
  const json object = parse_json_object(path, "", read_file(path));
  const JsonFields fields(path, "", object);
  check_format(fields, kFormat, kModelVersion);
  Model model{.app = fields.text("app"),
              .type = fields.text("type"),
              .placement = fields.text("placement"),
              .threads = fields.integer<int>("threads", 1),
              .options = options_from(fields),
              .cache_bytes = fields.integers("cache_bytes", 0),
              .given_sizes = given_sizes_from(fields),
              .forms = fields.text("forms"),
              .weights = weights_from(fields),
              .inner_blocks = blocks_from(fields, "inner_blocks"),
              .leaf_blocks = blocks_from(fields, "leaf_blocks"),
              .fitted = runs_from(fields, "fitted"),
              .held_out = runs_from(fields, "held_out"),
              .notes = texts(fields, "notes"),
              .provenance = provenance_from(fields)};
  for (const JsonFields& block : fields.objects("blocks")) {
    model.blocks.push_back(block_model_from(block));
  }
  for (const JsonFields& block : fields.objects("refused")) {
    model.refused.push_back(
        {block_from(block), block.integer<int>("ranks_per_host", 1), block.text("reason")});
  }
  for (const JsonFields& s : fields.objects("scaling")) {
    model.scaling.push_back({.block = block_from(s),
                             .size = s.text("size"),
                             .scale = s.non_negative("scale"),
                             .exponent = s.number("exponent"),
                             .imbalance = s.non_negative("imbalance"),
                             .measured = s.boolean("measured"),
                             .split_deviation = s.non_negative("split_deviation")});
  }
  for (const JsonFields& d : fields.objects("os_noise")) {
    model.os_noise.push_back(
        {.length_s = d.non_negative("length_s"), .per_second = d.non_negative("per_second")});
  }
  for (const JsonFields& fit : fields.objects("memory")) {
    model.memory = fit_from(fit);
  }
  model.stealing = stealing_from(fields);
  const JsonFields composition = fields.object("composition");
  model.sum_of_maxima = composition_from(composition, "sum_of_maxima");
  model.critical_path = composition_from(composition, "critical_path");
  model.deviation_per_doubling = fields.non_negative("deviation_per_doubling");
  model.drift_per_doubling = fields.non_negative("drift_per_doubling");
  const JsonFields machine = fields.object("machine");
  model.latency_gaps = {.source = machine.text("source"),
                        .alltoallv = communications_from(machine, "alltoallv"),
                        .exchange = communications_from(machine, "exchange")};
  for (const JsonFields& moved : fields.objects("exchange")) {
    model.exchange.push_back({.factor = moved.non_negative("factor"),
                              .factor_error = moved.non_negative("factor_error"),
                              .factor_is_fitted = moved.boolean("factor_is_fitted"),
                              .messages = moved.non_negative("messages"),
                              .has_headers = moved.boolean("has_headers"),
                              .agreement_factor = moved.non_negative("agreement_factor"),
                              .splitter_bytes = moved.non_negative("splitter_bytes"),
                              .bytes = fit_from(moved.object("bytes"))});
  }
  return model;
}

}  // namespace cleave::models
