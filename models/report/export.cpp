// SPDX-License-Identifier: Apache-2.0
#include "models/report/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "models/report/text.hpp"
#include "models/traces/trace_run.hpp"

namespace cleave::models {

using nlohmann::json;

namespace {

std::string extra_p_line(const json& params, const std::string& callpath, double seconds) {
  return json{{"params", params}, {"callpath", callpath}, {"metric", "time"}, {"value", seconds}}
             .dump() +
         '\n';
}

std::int64_t offset_of(const Trace& trace, int rank) {
  const auto index = static_cast<std::size_t>(rank);
  return index < trace.run.clock_offset_ns.size() ? trace.run.clock_offset_ns[index] : 0;
}

/// What is longer than fits one machine word would wrap around; no clock runs for centuries.
double microseconds(std::int64_t from_ns, std::int64_t to_ns) {
  return (static_cast<double>(to_ns) - static_cast<double>(from_ns)) / 1000;
}

}  // namespace

std::string to_extra_p(std::span<const Trace> traces) {
  std::string text;
  for (const Trace& trace : traces) {
    // Seconds by repetition, block, level and rank.
    std::map<std::tuple<int, Block, int>, std::map<int, double>> totals;
    for (const auto& [rank, span] : trace.spans) {
      totals[{span.repetition, span.block, span.level}][rank] +=
          seconds_of(span.end_ns - span.begin_ns);
    }
    for (const Trace::Run& run : trace.repetitions) {
      if (run.warm_up) {
        continue;
      }
      json params = {{"p", trace.run.ranks}};
      for (const auto& [name, value] : run.sizes) {
        params[name] = value;
      }
      text += extra_p_line(params, "DC_Call", seconds_of(run.elapsed_ns));
      std::map<Block, double> of_block;
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

std::string to_trace_events(const Trace& trace) {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  // A search gives the worker of a rank as the level.
  const bool has_workers = trace.run.type == "work_stealing";
  const auto track_of = [&](const Span& span) { return has_workers ? int{span.level} : 0; };
  std::map<int, std::set<int>> tracks;  // by rank
  for (const auto& [rank, span] : trace.spans) {
    first_ns = std::min(first_ns, span.begin_ns - offset_of(trace, rank));
    tracks[rank].insert(track_of(span));
  }
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  bool is_first = true;
  const auto add = [&](const json& event) {
    text += is_first ? "\n" : ",\n";
    text += event.dump();
    is_first = false;
  };
  for (const auto& [rank, of_rank] : tracks) {
    add({{"name", "process_name"},
         {"ph", "M"},
         {"pid", rank},
         {"args", {{"name", fmt::format("rank {}", rank)}}}});
    for (const int track : of_rank) {
      add({{"name", "thread_name"},
           {"ph", "M"},
           {"pid", rank},
           {"tid", track},
           {"args", {{"name", fmt::format("{} {}", has_workers ? "worker" : "thread", track)}}}});
    }
  }
  for (const auto& [rank, span] : trace.spans) {
    add({{"name", name_of(span.block)},
         {"cat", "block"},
         {"ph", "X"},
         {"ts", microseconds(first_ns, span.begin_ns - offset_of(trace, rank))},
         {"dur", microseconds(span.begin_ns, span.end_ns)},
         {"pid", rank},
         {"tid", track_of(span)},
         {"args",
          {{"repetition", span.repetition},
           {"level", span.level},
           {"group", span.group},
           {"bytes", span.bytes},
           {"sizes", trace.sizes_of(span)}}}});
  }
  return text + "\n]}\n";
}

std::string to_span_csv(std::span<const Trace> traces) {
  std::set<std::string> names;
  for (const Trace& trace : traces) {
    for (const std::vector<std::string>& list : trace.size_names) {
      names.insert(list.begin(), list.end());
    }
  }
  Table table{.columns = {{"file"},
                          {"app"},
                          {"ranks", true},
                          {"repetition", true},
                          {"warm_up"},
                          {"rank", true},
                          {"level", true},
                          {"group", true},
                          {"block"},
                          {"begin_ns", true},
                          {"end_ns", true},
                          {"bytes", true}}};
  for (const std::string& name : names) {
    table.columns.push_back({name, true});
  }
  for (const Trace& trace : traces) {
    std::set<int> warm_ups;
    for (const Trace::Run& run : trace.repetitions) {
      if (run.warm_up) {
        warm_ups.insert(run.index);
      }
    }
    for (const auto& [rank, span] : trace.spans) {
      const NamedSizes sizes = trace.sizes_of(span);
      std::vector<Cell> row;
      const auto add = [&row](std::string exact) { row.push_back({"", std::move(exact)}); };
      add(trace.file.filename().string());
      add(trace.run.app);
      add(std::to_string(trace.run.ranks));
      add(std::to_string(span.repetition));
      add(warm_ups.contains(span.repetition) ? "true" : "false");
      add(std::to_string(rank));
      add(std::to_string(span.level));
      add(std::to_string(span.group));
      add(std::string(name_of(span.block)));
      add(std::to_string(span.begin_ns));
      add(std::to_string(span.end_ns));
      add(std::to_string(span.bytes));
      for (const std::string& name : names) {
        const auto found = sizes.find(name);
        add(found == sizes.end() ? "" : std::to_string(found->second));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return to_csv(table);
}

}  // namespace cleave::models
