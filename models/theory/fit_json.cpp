// SPDX-License-Identifier: Apache-2.0
#include "models/theory/fit_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace cleave::models {

using nlohmann::json;

namespace {

json to_json(const Coefficients& coefficients) {
  json object = json::object();
  for (const auto& [kind, of_kind] : coefficients) {
    object[std::to_string(kind)] = std::vector<double>(of_kind.begin(), of_kind.end());
  }
  return object;
}

Form form_from(const detail::JsonFields& fields, std::span<const Curve> curves) {
  Form form;
  for (const std::string& term : fields.texts("terms")) {
    try {
      form.push_back(Basis::parse(term, curves));
    } catch (const UsageError& e) {
      fields.refuse("terms", fmt::format("has a term that cannot be read: {}", e.what()));
    }
  }
  constexpr std::size_t kMost = 4;
  if (form.empty() || form.size() > kMost) {
    fields.refuse("terms", fmt::format("must hold 1 to {} terms", kMost));
  }
  return form;
}

Coefficients coefficients_from(const detail::JsonFields& fields, std::size_t terms) {
  Coefficients coefficients;
  const detail::JsonFields object = fields.object("coefficients");
  for (const auto& [key, value] : object.raw().items()) {
    int kind = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), kind);
    if (error != std::errc() || end != key.data() + key.size() || kind < 1) {
      fields.refuse("coefficients", fmt::format("has '{}', which is not a number of ranks", key));
    }
    const std::vector<double> numbers = object.numbers(key.c_str());
    if (numbers.size() != terms || std::ranges::min(numbers) < 0) {
      object.refuse(key.c_str(), fmt::format("must be {} numbers of at least 0", terms));
    }
    coefficients[kind] = Eigen::Map<const Eigen::VectorXd>(numbers.data(), std::ssize(numbers));
  }
  if (coefficients.empty()) {
    fields.refuse("coefficients", "must not be empty");
  }
  return coefficients;
}

bool have_same_kinds(const Coefficients& a, const Coefficients& b) {
  return std::ranges::equal(a, b, {}, &Coefficients::value_type::first,
                            &Coefficients::value_type::first);
}

}  // namespace

json to_json(const Fit& fit) {
  json forms = json::array();
  for (const Form& form : fit.forms) {
    forms.push_back({{"terms", term_names(form)}});
  }
  json replicates = json::array();
  for (const Replicate& replicate : fit.replicates) {
    replicates.push_back(
        {{"form", replicate.form}, {"coefficients", to_json(replicate.coefficients)}});
  }
  json range = json::object();
  for (const auto& [name, of_name] : fit.range) {
    range[name] = {of_name.first, of_name.second};
  }
  return {{"forms", std::move(forms)},
          {"coefficients", to_json(fit.coefficients)},
          {"replicates", std::move(replicates)},
          {"range", std::move(range)},
          {"r_squared", fit.r_squared},
          {"adjusted_r_squared", fit.adjusted_r_squared},
          {"median_abs_relative_residual", fit.median_abs_relative_residual},
          {"left_out_error", fit.left_out_error}};
}

Fit fit_from(const detail::JsonFields& fields, std::span<const Curve> curves) {
  Fit fit;
  for (const detail::JsonFields& form : fields.objects("forms")) {
    fit.forms.push_back(form_from(form, curves));
  }
  if (fit.forms.empty()) {
    fields.refuse("forms", "must not be empty");
  }
  fit.coefficients = coefficients_from(fields, fit.form().size());
  for (const detail::JsonFields& replicate : fields.objects("replicates")) {
    const auto form = replicate.integer<std::size_t>("form", 0, fit.forms.size() - 1);
    fit.replicates.push_back({form, coefficients_from(replicate, fit.forms[form].size())});
    if (!have_same_kinds(fit.replicates.back().coefficients, fit.coefficients)) {
      replicate.refuse("coefficients", "must be of the same numbers of ranks as the fit's own");
    }
  }
  if (fit.replicates.size() != kReplicates) {
    fields.refuse("replicates", fmt::format("must be {}", kReplicates));
  }
  const detail::JsonFields range = fields.object("range");
  for (const auto& [name, value] : range.raw().items()) {
    const std::vector<double> of_name = range.numbers(name.c_str());
    if (of_name.size() != 2 || of_name[0] > of_name[1]) {
      range.refuse(name.c_str(), "must be [least, most]");
    }
    fit.range[name] = {of_name[0], of_name[1]};
  }
  fit.r_squared = fields.number("r_squared");
  fit.adjusted_r_squared = fields.number("adjusted_r_squared");
  fit.median_abs_relative_residual = fields.non_negative("median_abs_relative_residual");
  fit.left_out_error = fields.non_negative("left_out_error");
  return fit;
}

json to_json(const Noise& noise) {
  json lengths = json::array();
  for (const Noise::Length& length : noise.lengths()) {
    lengths.push_back({{"typical_s", length.typical_s}, {"repetitions", length.repetitions}});
  }
  return lengths;
}

Noise noise_from(const detail::JsonFields& fields, const char* name) {
  std::vector<Noise::Length> lengths;
  for (const detail::JsonFields& object : fields.objects(name)) {
    Noise::Length length{.typical_s = object.non_negative("typical_s")};
    length.repetitions = object.lists("repetitions");
    for (const std::vector<double>& repetition : length.repetitions) {
      if (repetition.empty() || std::ranges::min(repetition) < 0) {
        object.refuse("repetitions", "must hold lists of numbers of at least 0");
      }
    }
    if (length.repetitions.empty() || length.typical_s <= 0) {
      fields.refuse(name, "must hold times above 0 with their repetitions");
    }
    lengths.push_back(std::move(length));
  }
  return Noise(std::move(lengths));
}

}  // namespace cleave::models
