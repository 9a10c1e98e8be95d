// SPDX-License-Identifier: Apache-2.0
#include "models/theory/what_if.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <functional>
#include <string>

#include <cleave/error.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/span.hpp>

namespace cleave::models {

namespace {

double parse_factor(std::string_view part, std::string_view text) {
  double factor = 0;
  const bool ends_with_x = !text.empty() && text.back() == 'x';
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size() - (ends_with_x ? 1 : 0), factor);
  const bool is_whole = ends_with_x && error == std::errc() && end == text.data() + text.size() - 1;
  if (!is_whole || !(factor > 0) || factor > 1e9) {
    throw UsageError(
        fmt::format("'{}' is not NAME=FACTORx with a factor above 0, for example g=0.1x", part));
  }
  return factor;
}

void multiply(detail::Communication& entry, const WhatIf& what_if) {
  entry.latency_s *= what_if.latency;
  entry.latency_error_s *= what_if.latency;
  entry.gap_s_per_byte *= what_if.gap;
  entry.gap_error_s_per_byte *= what_if.gap;
  entry.worst_latency_s *= what_if.latency;
  entry.worst_gap_s_per_byte *= what_if.gap;
  for (detail::MessageSegment& segment : entry.segments) {
    segment.latency_s *= what_if.latency;
    segment.latency_error_s *= what_if.latency;
    segment.gap_s_per_byte *= what_if.gap;
    segment.gap_error_s_per_byte *= what_if.gap;
  }
}

}  // namespace

WhatIf parse_what_if(std::string_view text) {
  WhatIf what_if;
  while (true) {
    const auto comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const auto equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    const double factor = parse_factor(
        part, equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1));
    if (name == "l") {
      what_if.latency = factor;
    } else if (name == "g") {
      what_if.gap = factor;
    } else if (const std::optional<detail::Block> block = detail::block_named(name)) {
      what_if.blocks[*block] = factor;
    } else {
      throw UsageError(fmt::format("'{}' names nothing that can change: l, g, {}", part,
                                   fmt::join(detail::kBlockNames, ", ")));
    }
    if (comma == std::string_view::npos) {
      return what_if;
    }
    text.remove_prefix(comma + 1);
  }
}

namespace {

/// The blocks of `model` that have a time of their own, each with what multiplies it.
std::map<detail::Block, std::function<void(double)>> multipliers(Model& model) {
  std::map<detail::Block, std::function<void(double)>> all;
  if (auto* parts = std::get_if<HypercubeModel>(&model.parts)) {
    for (BlockModel& block : parts->blocks) {
      all[block.block] = [&block](double factor) { block.law.multiply(factor); };
    }
    if (parts->exchange) {
      all[detail::Block::exchange] = [parts](double factor) { parts->exchange->what_if = factor; };
    }
  } else if (auto* search = std::get_if<SearchModel>(&model.parts)) {
    all[detail::Block::sequential] = [search](double factor) { search->what_if_visits = factor; };
    all[detail::Block::steal] = [search](double factor) { search->what_if_steals = factor; };
  }
  return all;
}

}  // namespace

std::vector<std::string_view> changeable_blocks(const Model& model) {
  Model copy = model;
  std::vector<std::string_view> names;
  for (const auto& [block, multiply] : multipliers(copy)) {
    names.push_back(name_of(block));
  }
  return names;
}

Model changed(Model model, const WhatIf& what_if) {
  const auto all = multipliers(model);
  for (const auto& [block, factor] : what_if.blocks) {
    const auto found = all.find(block);
    if (found == all.end()) {
      throw UsageError(
          fmt::format("{} has no time of its own in this model that could change: {} have",
                      name_of(block), fmt::join(changeable_blocks(model), ", ")));
    }
    found->second(factor);
  }
  if (model.network.is_empty() && (what_if.latency != 1 || what_if.gap != 1)) {
    throw UsageError("l and g of this model are not known, so that they cannot change");
  }
  for (detail::Communication& entry : model.network.exchange) {
    multiply(entry, what_if);
  }
  return model;
}

}  // namespace cleave::models
