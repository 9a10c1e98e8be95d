// SPDX-License-Identifier: Apache-2.0
#include "models/theory/law_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace cleave::models {

using nlohmann::json;

namespace {

json to_json(const Hypothesis& h) {
  json factors = json::object();
  for (const auto& [ranks_per_host, factor] : h.factors) {
    factors[std::to_string(ranks_per_host)] = factor;
  }
  json covariance = json::array();
  for (Eigen::Index i = 0; i < h.covariance.rows(); ++i) {
    const Eigen::VectorXd row = h.covariance.row(i);
    covariance.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return {{"terms", term_names(h.form)},
          {"weight", h.weight},
          {"coefficients", std::vector<double>(h.coefficients.begin(), h.coefficients.end())},
          {"ranks_per_host_factors", std::move(factors)},
          {"covariance", std::move(covariance)},
          {"deviation", h.deviation},
          {"freedom", h.freedom}};
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

Eigen::VectorXd vector_of(const std::vector<double>& numbers) {
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), std::ssize(numbers));
}

std::map<int, double> factors_from(const detail::JsonFields& fields) {
  std::map<int, double> factors;
  const detail::JsonFields object = fields.object("ranks_per_host_factors");
  for (const auto& [key, value] : object.raw().items()) {
    int ranks = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), ranks);
    if (error != std::errc() || end != key.data() + key.size() || ranks < 1) {
      object.refuse(key.c_str(), "is not a number of ranks");
    }
    factors[ranks] = object.non_negative(key.c_str());
  }
  return factors;
}

Hypothesis hypothesis_from(const detail::JsonFields& fields, std::span<const Curve> curves) {
  Hypothesis h{.form = form_from(fields, curves),
               .weight = fields.non_negative("weight"),
               .factors = factors_from(fields),
               .deviation = fields.non_negative("deviation"),
               .freedom = fields.number("freedom")};
  const std::size_t terms = h.form.size();
  const std::vector<double> coefficients = fields.numbers("coefficients");
  if (coefficients.size() != terms || std::ranges::min(coefficients) < 0) {
    fields.refuse("coefficients", fmt::format("must be {} numbers of at least 0", terms));
  }
  h.coefficients = vector_of(coefficients);
  const std::vector<std::vector<double>> rows = fields.lists("covariance");
  h.covariance.resize(std::ssize(coefficients), std::ssize(coefficients));
  if (rows.size() != terms ||
      std::ranges::any_of(rows, [terms](const auto& row) { return row.size() != terms; })) {
    fields.refuse("covariance", fmt::format("must be {0} lists of {0} numbers", terms));
  }
  for (std::size_t i = 0; i < terms; ++i) {
    h.covariance.row(static_cast<Eigen::Index>(i)) = vector_of(rows[i]).transpose();
  }
  if (!(h.freedom >= 1) || h.freedom > 1e9) {
    fields.refuse("freedom", "must be 1 to 1e9");
  }
  if (!(h.deviation > 0) || h.deviation > 1e3) {
    fields.refuse("deviation", "must be above 0 and at most 1000");
  }
  return h;
}

}  // namespace

json to_json(const Law& law) {
  json hypotheses = json::array();
  for (const Hypothesis& h : law.hypotheses) {
    hypotheses.push_back(to_json(h));
  }
  json range = json::object();
  for (const auto& [name, of_name] : law.range) {
    range[name] = {of_name.first, of_name.second};
  }
  return {{"forms", std::move(hypotheses)},
          {"range", std::move(range)},
          {"r_squared", law.r_squared},
          {"median_abs_relative_residual", law.median_abs_relative_residual}};
}

Law law_from(const detail::JsonFields& fields, std::span<const Curve> curves) {
  Law law;
  double weights = 0;
  for (const detail::JsonFields& form : fields.objects("forms")) {
    law.hypotheses.push_back(hypothesis_from(form, curves));
    weights += law.hypotheses.back().weight;
  }
  if (!(weights > 0)) {
    fields.refuse("forms", "must hold forms whose weights are above 0");
  }
  const detail::JsonFields range = fields.object("range");
  for (const auto& [name, value] : range.raw().items()) {
    const std::vector<double> of_name = range.numbers(name.c_str());
    if (of_name.size() != 2 || of_name[0] > of_name[1]) {
      range.refuse(name.c_str(), "must be [least, most]");
    }
    law.range[name] = {of_name[0], of_name[1]};
  }
  law.r_squared = fields.number("r_squared");
  law.median_abs_relative_residual = fields.non_negative("median_abs_relative_residual");
  return law;
}

std::optional<Law> law_if_any(const detail::JsonFields& fields, const char* name) {
  return fields.has(name) ? std::optional(law_from(fields.object(name), {})) : std::nullopt;
}

}  // namespace cleave::models
