// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/tree_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <map>
#include <ranges>

#include <cleave/error.hpp>

#include "apps/uts/kernel.hpp"
#include "apps/uts/tree.hpp"
#include "apps/splitting/tree/generators.hpp"
#include "apps/splitting/tree/tree_file.hpp"

namespace cleave::spacetree {

using namespace splitting;

namespace {

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
        {"skewed", with_shape({{"min", 1}})},
        {"uniform", with_shape({})},
        {"sphere", with_shape({{"min", 2}, {"radius", 0.3}, {"x", 0.5}, {"y", 0.5}, {"z", 0.5}})},
        {"point", with_shape({{"min", 2}, {"x", 0.3}, {"y", 0.4}, {"z", 0.2}})},
        {"uts", with_shape({{"max", 31}, {"r", 7}, {"q", 0.23}})}};
  }();
  return all;
}

double number_of(const std::string& parameter, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value < 1e9)) {
    throw UsageError(
        fmt::format("--tree: {} is '{}', it must be a number from 0 to 1e9", parameter, text));
  }
  return value;
}

Parameters parameters_of(const std::string& generator, std::string text) {
  Parameters parameters = generators().at(generator);
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string item = text.substr(0, comma);
    text = comma == std::string::npos ? "" : text.substr(comma + 1);
    const std::size_t equals = item.find('=');
    const auto known = parameters.find(item.substr(0, equals));
    if (equals == std::string::npos || known == parameters.end()) {
      throw UsageError(fmt::format("--tree: '{}' is no parameter=value of {}, allowed are {}", item,
                                   generator, fmt::join(std::views::keys(parameters), ", ")));
    }
    known->second = number_of(known->first, item.substr(equals + 1));
  }
  for (const char* whole : {"k", "d", "min", "max", "seed", "r"}) {
    const auto found = parameters.find(whole);
    if (found != parameters.end() &&
        found->second != static_cast<double>(static_cast<std::int64_t>(found->second))) {
      throw UsageError(
          fmt::format("--tree: {} is {}, it must be a whole number", whole, found->second));
    }
  }
  return parameters;
}

Tree generated(const std::string& generator, const Parameters& parameters) {
  const auto whole = [&](const char* name) { return static_cast<int>(parameters.at(name)); };
  const Shape shape{.k = whole("k"), .d = whole("d")};
  const Depths depths{.l_min = parameters.count("min") > 0 ? whole("min") : 0,
                      .l_max = whole("max")};
  const auto place = [&] {
    return std::array{parameters.at("x"), parameters.at("y"), parameters.at("z")};
  };
  check(shape);
  const Curve curve(shape, usual_curve(shape));
  if (generator == "random") {
    return random_tree(curve, depths, parameters.at("p"),
                       static_cast<std::uint64_t>(parameters.at("seed")));
  }
  if (generator == "skewed") {
    return skewed_tree(curve, depths);
  }
  if (generator == "sphere") {
    return sphere_tree(curve, depths, place(), parameters.at("radius"));
  }
  if (generator == "point") {
    return point_tree(curve, depths, place());
  }
  if (generator == "uniform") {
    return random_tree(curve, {.l_min = depths.l_max, .l_max = depths.l_max}, 0, 0);
  }
  const uts::BinomialRule is_interior = uts::prins_rule(parameters.at("q"), 1);
  return tree_from_rule(
      shape, depths.l_max, uts::NodeId{0, 0, 0, 0, static_cast<std::uint32_t>(whole("r"))},
      [&](const uts::NodeId& id) { return is_interior(id.back()) != 0 ? shape.children() : 0; },
      [&](const uts::NodeId& parent, Index i) {
        const auto index = static_cast<std::uint32_t>(i);
        const uts::Siblings only{.parent = {.id = parent}, .first = index, .last = index + 1};
        uts::NodeIds ids;
        uts::child_ids_by_openssl(std::span(&only, 1), ids);
        return ids[0];
      });
}

}  // namespace

Tree tree_named(const std::string& source) {
  const std::size_t colon = source.find(':');
  const std::string generator = source.substr(0, colon);
  if (generators().count(generator) == 0) {
    return read_tree(source);
  }
  const Parameters parameters =
      parameters_of(generator, colon == std::string::npos ? "" : source.substr(colon + 1));
  try {
    return generated(generator, parameters);
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

}  // namespace cleave::spacetree
