// SPDX-License-Identifier: Apache-2.0
#include "models/theory/what_if.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <functional>
#include <ranges>
#include <string>

#include <cleave/error.hpp>

namespace cleave::models {

namespace {

/// Multiplies `member` of each.
template <class All, class T, class... Members>
void multiply(All& all, double factor, T member, Members... members) {
  for (auto& one : all) {
    one.*member *= factor;
  }
  if constexpr (sizeof...(members) > 0) {
    multiply(all, factor, members...);
  }
}

/// Multipliers of all that has a time of its own in a model, by name.
std::map<std::string_view, std::function<void(double)>> multipliers(Model& model) {
  using detail::Communication;
  using detail::MessageSegment;
  std::map<std::string_view, std::function<void(double)>> all;
  const auto add = [&](detail::Block block, auto multiply) { all[name_of(block)] = multiply; };
  if (auto* parts = std::get_if<HypercubeModel>(&model.parts)) {
    for (BlockModel& block : parts->blocks) {
      add(block.block, [&block](double factor) { block.law.multiply(factor); });
    }
    if (parts->exchange) {
      add(detail::Block::exchange, [parts](double factor) { parts->exchange->what_if = factor; });
    }
  } else if (auto* search = std::get_if<SearchModel>(&model.parts)) {
    add(detail::Block::sequential, [search](double factor) { search->what_if_visits = factor; });
    add(detail::Block::steal, [search](double factor) { search->what_if_steals = factor; });
  }
  if (auto& entries = model.network.exchange; !entries.empty()) {
    all["l"] = [&entries](double factor) {
      multiply(entries, factor, &Communication::latency_s, &Communication::latency_error_s);
      for (Communication& e : entries) {
        multiply(e.segments, factor, &MessageSegment::latency_s, &MessageSegment::latency_error_s);
      }
    };
    all["g"] = [&entries](double factor) {
      multiply(entries, factor, &Communication::gap_s_per_byte,
               &Communication::gap_error_s_per_byte);
      for (Communication& e : entries) {
        multiply(e.segments, factor, &MessageSegment::gap_s_per_byte,
                 &MessageSegment::gap_error_s_per_byte);
      }
    };
  }
  return all;
}

}  // namespace

WhatIf parse_what_if(std::string_view text) {
  WhatIf what_if;
  while (true) {
    const auto comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const auto equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    double factor = 0;
    const auto [end, error] = std::from_chars(part.data() + std::min(equals, part.size() - 1) + 1,
                                              part.data() + part.size(), factor);
    const bool ends_with_x = end + 1 == part.data() + part.size() && part.ends_with('x');
    if (part.empty() || error != std::errc() || !ends_with_x || !(factor > 0) || factor > 1e9) {
      throw UsageError(
          fmt::format("'{}' is not NAME=FACTORx with a factor above 0, for example g=0.1x", part));
    }
    if (name != "l" && name != "g" && !detail::block_named(name)) {
      throw UsageError(fmt::format("'{}' names nothing that can change: l, g, {}", part,
                                   fmt::join(detail::kBlockNames, ", ")));
    }
    what_if[std::string(name)] = factor;
    if (comma == std::string_view::npos) {
      return what_if;
    }
    text.remove_prefix(comma + 1);
  }
}

std::vector<std::string_view> changeable_blocks(const Model& model) {
  Model copy = model;
  std::vector<std::string_view> names;
  const auto all = multipliers(copy);
  std::ranges::copy_if(detail::kBlockNames, std::back_inserter(names),
                       [&](std::string_view name) { return all.contains(name); });
  return names;
}

Model changed(Model model, const WhatIf& what_if) {
  const auto all = multipliers(model);
  for (const auto& [name, factor] : what_if) {
    const auto found = all.find(name);
    if (found == all.end()) {
      throw UsageError(fmt::format("{} of this model is not known, so that it cannot change: {} is",
                                   name, fmt::join(std::views::keys(all), ", ")));
    }
    found->second(factor);
  }
  return model;
}

}  // namespace cleave::models
