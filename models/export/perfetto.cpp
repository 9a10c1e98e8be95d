// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include <cleave/dc_type.hpp>
#include <cleave/trace/json_fields.hpp>

#include "models/export/exports.hpp"

namespace cleave::models {

using detail::JsonFields;

namespace {

/// A span on the track of its rank, or of its rank's worker.
struct PlacedSpan {
  int rank = 0;
  int worker = 0;             ///< 0 except in a search
  std::int64_t begin_ns = 0;  ///< since the first span, on rank 0's clock
  std::int64_t end_ns = 0;
  const detail::Span* span = nullptr;
};

/// All spans by rank, worker, repetition and begin; the longer first. Times that no clock shows
/// (2^63 ns are 292 years) wrap around.
std::vector<PlacedSpan> placed_spans(const detail::Trace& trace, bool has_workers) {
  std::vector<PlacedSpan> all;
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  for (const auto& [rank, span] : trace.spans) {
    const auto index = static_cast<std::size_t>(rank);
    const std::int64_t offset_ns =
        index < trace.run.clock_offset_ns.size() ? trace.run.clock_offset_ns[index] : 0;
    all.push_back({.rank = rank,
                   .worker = has_workers ? int{span.level} : 0,
                   .begin_ns = span.begin_ns - offset_ns,
                   .end_ns = span.end_ns - offset_ns,
                   .span = &span});
    first_ns = std::min(first_ns, all.back().begin_ns);
  }
  for (PlacedSpan& placed : all) {
    placed.begin_ns -= first_ns;
    placed.end_ns -= first_ns;
  }
  std::ranges::sort(all, {}, [](const PlacedSpan& s) {
    return std::tuple(s.rank, s.worker, s.span->repetition, s.begin_ns, -s.end_ns);
  });
  return all;
}

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

/// An event that names a process, or a thread of it.
std::string name_event(const char* what, int rank, const std::string& name,
                       std::optional<int> thread = {}) {
  return detail::json_text([&](JsonFields& event) {
    event("name", what)("ph", "M")("pid", rank)("tid", thread);
    event("args", [&](JsonFields& arguments) { arguments("name", name); });
  });
}

}  // namespace

std::string to_trace_events(const detail::Trace& trace) {
  // A search gives the worker of a rank as the level.
  const bool has_workers = trace.run.type == name_of(DC_Type::work_stealing);
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  bool is_first = true;
  const auto add = [&](const std::string& event) {
    text += is_first ? "\n" : ",\n";
    text += event;
    is_first = false;
  };
  int rank_before = -1;
  int worker_before = -1;
  for (const PlacedSpan& placed : placed_spans(trace, has_workers)) {
    const auto& [rank, worker, begin_ns, end_ns, span] = placed;
    const bool is_new_rank = rank != rank_before;
    if (is_new_rank) {
      add(name_event("process_name", rank, fmt::format("rank {}", rank)));
    }
    if (is_new_rank || worker != worker_before) {
      add(name_event("thread_name", rank,
                     fmt::format("{} {}", has_workers ? "worker" : "thread", worker), worker));
    }
    rank_before = rank;
    worker_before = worker;
    add(detail::json_text([&](JsonFields& event) {
      event("name", name_of(span->block))("cat", "block")("ph", "X");
      event("ts", microseconds(begin_ns))("dur", microseconds(end_ns - begin_ns));
      event("pid", rank)("tid", worker)("args", [&](JsonFields& arguments) {
        arguments("repetition", span->repetition)("level", span->level)("group", span->group);
        arguments("bytes", span->bytes)("sizes", trace.sizes_of(*span));
      });
    }));
  }
  return text + "\n]}\n";
}

}  // namespace cleave::models
