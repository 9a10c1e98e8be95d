// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/generators.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <ranges>

#include <cleave/error.hpp>
#include <cleave/file.hpp>

namespace cleave::splitting {

namespace {

/// `refines` says whether a cell refines. Called once a cell, level by level, in curve order.
Tree grow_tree(const Curve& curve, Depths depths,
               const std::function<bool(const Cell& cell)>& refines) {
  if (depths.l_min < 0 || depths.l_min > depths.l_max || depths.l_max > curve.deepest_level()) {
    throw Error(fmt::format("levels {} to {}, they must rise within 0 to {}", depths.l_min,
                            depths.l_max, curve.deepest_level()));
  }
  std::vector<std::vector<std::uint8_t>> levels;
  std::vector<Cell> cells = {Cell{}};
  while (!cells.empty() && cells.front().level < depths.l_max) {
    auto& row = levels.emplace_back();
    std::vector<Cell> next;
    for (const Cell& cell : cells) {
      const bool refined = cell.level < depths.l_min || refines(cell);
      row.push_back(refined ? 1 : 0);
      for (int i = 0; refined && i < curve.shape().children(); ++i) {
        next.push_back(curve.child(cell, i));
      }
    }
    if (next.empty()) {
      levels.pop_back();
    }
    cells = std::move(next);
  }
  return Tree(curve.shape(), std::move(levels));
}

using Parameters = std::map<std::string, double>;

/// By generator: its parameters with their defaults.
const std::map<std::string, Parameters>& generators() {
  static const std::map<std::string, Parameters> all = [] {
    const auto with_shape = [](Parameters more) {
      more.insert({{"k", 2}, {"d", 2}, {"max", 6}});
      return more;
    };
    return std::map<std::string, Parameters>{
        {"random", with_shape({{"min", 2}, {"p", 0.6}, {"seed", 1}})},
        {"uniform", with_shape({})},
        {"sphere", with_shape({{"min", 2}, {"radius", 0.3}, {"x", 0.5}, {"y", 0.5}, {"z", 0.5}})},
        {"point", with_shape({{"min", 2}, {"x", 0.3}, {"y", 0.4}, {"z", 0.2}})}};
  }();
  return all;
}

void set_parameter(Parameters& parameters, const std::string& generator, std::string_view item) {
  const std::size_t equals = item.find('=');
  const auto known = parameters.find(std::string(item.substr(0, equals)));
  if (equals == std::string_view::npos || known == parameters.end()) {
    throw UsageError(fmt::format("--tree: '{}' is no parameter=value of {}, allowed are {}", item,
                                 generator, fmt::join(std::views::keys(parameters), ", ")));
  }
  auto& [name, value] = *known;
  const std::string_view text = item.substr(equals + 1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value < 1e9)) {
    throw UsageError(
        fmt::format("--tree: {} is '{}', it must be a number from 0 to 1e9", name, text));
  }
  constexpr std::array kWhole = {"k", "d", "min", "max", "seed"};
  if (std::ranges::count(kWhole, name) > 0 && value != std::floor(value)) {
    throw UsageError(fmt::format("--tree: {} is {}, it must be a whole number", name, value));
  }
}

Tree generated(const std::string& generator, Parameters parameters) {
  const auto whole = [&](const char* name) { return static_cast<int>(parameters[name]); };
  const Shape shape{.k = whole("k"), .d = whole("d")};
  const Depths depths{.l_min = whole(generator == "uniform" ? "max" : "min"),
                      .l_max = whole("max")};
  const Curve curve(shape);
  if (generator == "sphere" || generator == "point") {
    const std::array place = {parameters["x"], parameters["y"], parameters["z"]};
    return sphere_tree(curve, depths, place, parameters["radius"]);
  }
  return random_tree(curve, depths, parameters["p"],
                     static_cast<std::uint64_t>(parameters["seed"]));
}

}  // namespace

Tree random_tree(const Curve& curve, Depths depths, double probability, std::uint64_t seed) {
  if (!(probability >= 0 && probability <= 1)) {
    throw Error(fmt::format("probability {}, it must be from 0 to 1", probability));
  }
  std::mt19937_64 random(seed);
  // Not std::bernoulli_distribution, whose draws may differ between standard libraries.
  const double scale = std::ldexp(1.0, -53);
  return grow_tree(curve, depths, [&](const Cell&) {
    return static_cast<double>(random() >> 11) * scale < probability;
  });
}

Tree sphere_tree(const Curve& curve, Depths depths, std::array<double, 3> centre, double radius) {
  return grow_tree(curve, depths, [&](const Cell& cell) {
    const double edge = std::pow(static_cast<double>(curve.shape().k), -cell.level);
    double nearest = 0;  // squares of the distances from the centre to the cell
    double farthest = 0;
    for (int axis = 0; axis < curve.shape().d; ++axis) {
      const double low = cell.at[axis] * edge - centre[axis];
      const double high = low + edge;
      nearest += std::pow(std::max({0.0, low, -high}), 2);
      farthest += std::pow(std::max(std::abs(low), std::abs(high)), 2);
    }
    return nearest <= radius * radius && radius * radius <= farthest;
  });
}

Tree tree_named(const std::string& source) {
  const std::size_t colon = source.find(':');
  const std::string generator = source.substr(0, colon);
  const auto known = generators().find(generator);
  if (known == generators().end()) {
    return parse_tree(source, read_file(source));
  }
  Parameters parameters = known->second;
  if (colon != std::string::npos) {
    for (const auto item : std::views::split(std::string_view(source).substr(colon + 1), ',')) {
      set_parameter(parameters, generator, std::string_view(item.begin(), item.end()));
    }
  }
  try {
    return generated(generator, std::move(parameters));
  } catch (const Error& e) {
    throw UsageError(fmt::format("--tree {}: {}", source, e.what()));
  }
}

std::string tree_source_help() {
  std::string text = "a tree file, or a generator with parameters after a colon:";
  for (const auto& [name, parameters] : generators()) {
    text += fmt::format(" {} ({})", name, fmt::join(std::views::keys(parameters), ", "));
  }
  return text;
}

}  // namespace cleave::splitting
