// SPDX-License-Identifier: Apache-2.0
#include "models/theory/asked_sizes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>

namespace cleave::models {

namespace {

/// From which other sizes follow.
std::set<std::string> given_names(const Model& model) {
  std::set<std::string> names;
  for (const auto& [told, law] : model.log_sizes) {
    names.merge(law.sizes());
  }
  return names;
}

void check_size(const std::string& name, std::int64_t value) {
  if (value < 1) {
    throw UsageError(fmt::format("size {} must be at least 1, not {}", name, value));
  }
}

}  // namespace

void check_sizes(const Model& model, const NamedSizes& sizes) {
  const std::vector<std::string> needed = model.size_names();
  std::set<std::string> given = given_names(model);
  std::erase_if(given, [&](const auto& name) { return std::ranges::count(needed, name) > 0; });
  const std::string all = fmt::format("{}{}{}", fmt::join(needed, ", "),
                                      given.empty() ? "" : ", or ", fmt::join(given, ", "));
  for (const auto& [name, value] : sizes) {
    const bool is_known = given.contains(name) || std::ranges::find(needed, name) != needed.end() ||
                          model.fitted_range(name);
    if (!is_known) {
      throw UsageError(fmt::format("size {} is not one of this model's: {}", name, all));
    }
    check_size(name, value);
  }
  for (const std::string& name : needed) {
    if (!sizes.contains(name)) {
      throw UsageError(fmt::format("size {} is missing: this model's sizes are {}", name, all));
    }
  }
}

void check_varied(const Model& model, const NamedSizes& sizes) {
  for (const auto& [name, value] : sizes) {
    const auto fitted = model.fitted_range(name);
    const auto varies = [&](const Law& law) {
      const auto range = law.range.find(name);
      return range != law.range.end() && range->second.first < range->second.second;
    };
    const bool is_known =
        !fitted || fitted->first != fitted->second || fitted->first == value ||
        (model.hypercube() != nullptr &&
         std::ranges::any_of(model.hypercube()->blocks, varies, &BlockModel::law));
    if (!is_known) {
      throw UsageError(
          fmt::format("size {} was {} in every fitted run, so that nothing is known of {}: measure "
                      "other values of it",
                      name, fitted->first, value));
    }
  }
}

std::map<std::string, Estimate> sizes_told(const Model& model, const NamedSizes& sizes) {
  NamedValues values;
  for (const auto& [name, value] : sizes) {
    values[name] = static_cast<double>(value);
  }
  std::map<std::string, Estimate> told;
  for (const auto& [name, law] : model.log_sizes) {
    const auto is_asked = [&](const auto& given) { return sizes.contains(given); };
    if (sizes.contains(name) || !std::ranges::all_of(law.sizes(), is_asked)) {
      continue;
    }
    const Estimate logarithm = law.at(values);
    if (!(logarithm.high < 2 * kLogShift)) {
      throw Error(fmt::format("{}: {} cannot be told, up to e^{:.0f}; measure larger sizes",
                              format_sizes(sizes), name, logarithm.high - kLogShift));
    }
    const auto count = [](double ln) {
      return std::max(1.0, std::round(std::exp(ln - kLogShift)));
    };
    told[name] = {.median = count(logarithm.median),
                  .low = count(logarithm.low),
                  .high = count(logarithm.high)};
  }
  return told;
}

void widen(Prediction& p, double least_s, double most_s) {
  const auto further = [&](double& end, double seconds) {
    const double width = std::hypot(std::log(end / p.seconds), std::log(seconds / p.seconds));
    end = p.seconds * std::exp(end < p.seconds ? -width : width);
  };
  further(p.low, least_s);
  further(p.run_low, least_s);
  further(p.high, most_s);
  further(p.run_high, most_s);
}

}  // namespace cleave::models
