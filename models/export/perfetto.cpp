// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "models/export/exports.hpp"
#include "models/report/timeline.hpp"

namespace cleave::models {

using nlohmann::json;

namespace {

/// The number that Perfetto reads as `ns`: it takes it times 1000 and cuts off what is behind the
/// point (CoerceToTs in its importer of JSON). The double nearest to ns / 1000 may lie below; spans
/// that touch would then overlap by a nanosecond, and Perfetto would drop one of them.
double microseconds(std::int64_t ns) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  double value = static_cast<double>(ns) / 1000;
  while (ns > 0 && ns < kExact && static_cast<std::int64_t>(value * 1000) < ns) {
    value = std::nextafter(value, std::numeric_limits<double>::infinity());
  }
  return value;
}

json name_event(const char* what, int rank, std::string name) {
  return {{"name", what}, {"ph", "M"}, {"pid", rank}, {"args", {{"name", std::move(name)}}}};
}

}  // namespace

std::string to_trace_events(const detail::Trace& trace) {
  const Timeline timeline = timeline_of(trace);
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  bool is_first = true;
  const auto add = [&](const json& event) {
    text += is_first ? "\n" : ",\n";
    text += event.dump();
    is_first = false;
  };
  const PlacedSpan* before = nullptr;
  for (const PlacedSpan& placed : timeline.spans) {
    const auto& [rank, worker, begin_ns, end_ns, span] = placed;
    const bool is_new_rank = before == nullptr || rank != before->rank;
    if (is_new_rank) {
      add(name_event("process_name", rank, fmt::format("rank {}", rank)));
    }
    if (is_new_rank || worker != before->worker) {
      json event =
          name_event("thread_name", rank,
                     fmt::format("{} {}", timeline.has_workers ? "worker" : "thread", worker));
      event["tid"] = worker;
      add(event);
    }
    before = &placed;
    add({{"name", name_of(span->block)},
         {"cat", "block"},
         {"ph", "X"},
         {"ts", microseconds(begin_ns)},
         {"dur", microseconds(end_ns - begin_ns)},
         {"pid", rank},
         {"tid", worker},
         {"args",
          {{"repetition", span->repetition},
           {"level", span->level},
           {"group", span->group},
           {"bytes", span->bytes},
           {"sizes", trace.sizes_of(*span)}}}});
  }
  return text + "\n]}\n";
}

}  // namespace cleave::models
