// SPDX-License-Identifier: Apache-2.0
#include "models/theory/what_if.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
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

Model changed(Model model, const WhatIf& what_if) {
  const auto factor_of = [&](detail::Block block) {
    const auto found = what_if.blocks.find(block);
    return found == what_if.blocks.end() ? 1 : found->second;
  };
  if (auto* parts = std::get_if<HypercubeModel>(&model.parts)) {
    for (BlockModel& block : parts->blocks) {
      block.law.multiply(factor_of(block.block));
    }
    if (parts->exchange) {
      parts->exchange->factor *= factor_of(detail::Block::exchange);
    }
  } else {
    auto& search = std::get<SearchModel>(model.parts);
    if (search.search) {
      search.search->multiply(factor_of(detail::Block::sequential));
    }
    for (std::optional<Steals>* steals : {&search.inside, &search.between}) {
      if (*steals) {
        (*steals)->seconds.multiply(factor_of(detail::Block::steal));
      }
    }
  }
  for (detail::Communication& entry : model.network.alltoallv) {
    multiply(entry, what_if);
  }
  for (detail::Communication& entry : model.network.exchange) {
    multiply(entry, what_if);
  }
  return model;
}

}  // namespace cleave::models
