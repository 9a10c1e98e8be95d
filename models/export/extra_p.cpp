// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "models/export/exports.hpp"
#include "models/theory/trace_run.hpp"

namespace cleave::models {

using nlohmann::json;

namespace {

std::string extra_p_line(const json& params, const std::string& callpath, double seconds) {
  return json{{"params", params}, {"callpath", callpath}, {"metric", "time"}, {"value", seconds}}
             .dump() +
         '\n';
}

}  // namespace

std::string to_extra_p(std::span<const detail::Trace> traces) {
  std::string text;
  for (const detail::Trace& trace : traces) {
    // Seconds by repetition, block, level and rank.
    std::map<std::tuple<int, detail::Block, int>, std::map<int, double>> totals;
    for (const auto& [rank, span] : trace.spans) {
      totals[{span.repetition, span.block, span.level}][rank] +=
          seconds_of(span.end_ns - span.begin_ns);
    }
    for (const detail::Trace::Run& run : trace.repetitions) {
      if (run.warm_up) {
        continue;
      }
      json params = {{"p", trace.run.ranks}};
      for (const auto& [name, value] : run.sizes) {
        params[name] = value;
      }
      text += extra_p_line(params, "DC_Call", seconds_of(run.elapsed_ns));
      std::map<detail::Block, double> of_block;
      for (const auto& [place, by_rank] : totals) {
        const auto& [repetition, block, level] = place;
        if (repetition == run.index) {
          double longest = 0;
          for (const auto& [rank, seconds] : by_rank) {
            longest = std::max(longest, seconds);
          }
          of_block[block] += longest;
        }
      }
      for (const auto& [block, seconds] : of_block) {
        text += extra_p_line(params, fmt::format("DC_Call->{}", name_of(block)), seconds);
      }
    }
  }
  return text;
}

}  // namespace cleave::models
