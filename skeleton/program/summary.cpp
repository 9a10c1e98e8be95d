// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include <cleave/command_line/output.hpp>
#include <cleave/file.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string text_for_scripts(const RunReport& report, const Json& figures,
                             const RunOptions& options) {
  Json json = {{"app", report.app},
               {"ranks", options.ranks},
               {"threads", options.threads},
               {"type", name_of(options.type)},
               {"placement", name_of(options.placement)},
               {"seed", options.seed},
               {"sizes", Json::object()}};
  for (const Size& size : report.sizes) {
    json["sizes"][std::string(size.name)] = size.value;
  }
  if (!report.rehearsed.empty()) {
    json["rehearsed"] = report.rehearsed;
    json["seconds_without_messages"] = report.seconds;
    return json.dump() + "\n";
  }
  if (options.rehearse) {
    json["rehearsed"] = true;
  }
  json["seconds"] = report.seconds;
  if (!report.kept_state.empty()) {
    json["kept_state"] = report.kept_state;
  }
  json["input_seconds"] = report.input_s;
  json["output_seconds"] = report.output_s;
  json["imbalance"] = or_null(report.imbalance);
  json.update(figures);
  if (report.ended) {
    json["ended_early"] = report.ended->reason;
  } else {
    json["verified"] = or_null(report.verified);
  }
  return json.dump() + "\n";
}

std::string text_for_people(const RunReport& report, Json figures, const RunOptions& options) {
  const auto& ranks = report.rehearsed;
  std::string text = fmt::format(
      "{}{}, {}, {}{}{}{}\n", report.app,
      ranks.empty() ? " on " + format_ranks(options.ranks)
                    : fmt::format(", {} {} of {} rehearsed", ranks.size() == 1 ? "rank" : "ranks",
                                  fmt::join(ranks, ", "), options.ranks),
      name_of(options.type), name_of(options.placement),
      ranks.empty() && options.rehearse ? ", rehearsed" : "", report.kept_state.empty() ? "" : ", ",
      report.kept_state);
  const auto add = [&text](std::string_view label, const std::string& words) {
    text += fmt::format("{:<22}{}\n", label, words);
  };
  if (report.ended) {
    add("so far", "the search was ended early");
  }
  for (const Size& size : report.sizes) {
    add(size.name, std::to_string(size.value));
    figures.erase(std::string(size.name));
  }
  const auto [minimum, maximum] = std::ranges::minmax(report.seconds);
  const std::string spread =
      fmt::format("from {} to {}", format_seconds(minimum), format_seconds(maximum));
  add("time", fmt::format("{} median of {}, {}", format_seconds(median(report.seconds)),
                          report.seconds.size(), ranks.empty() ? spread : "without messages"));
  constexpr double kMoment_s = 1e-3;
  const double outside_s = (report.reads_input ? report.input_s : 0) + report.output_s;
  if (outside_s >= kMoment_s) {
    add("", format_seconds(outside_s) + " of input and output, outside of these");
  }
  if (report.imbalance) {
    add("imbalance", fmt::format("{:.3f} (maximum of any {} / mean)", *report.imbalance,
                                 options.type == DC_Type::work_stealing ? "worker" : "rank"));
  }
  text += figures_text(figures);
  if (report.verified) {
    add("verified", *report.verified ? "yes" : "NO");
  }
  return text;
}

/// Adds what a search did. Sets the imbalance, that of its workers.
void add_search_figures(Json& figures, RunReport& report, const RunOptions& options) {
  using Worker = WorkerStatistics;
  const auto sum = [&](std::int64_t Worker::*figure) {
    return std::transform_reduce(report.workers.begin(), report.workers.end(), std::int64_t{0},
                                 std::plus(), std::mem_fn(figure));
  };
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) / 1e9; };
  const auto total = static_cast<double>(sum(&Worker::nodes));
  const bool is_resumed = report.snapshots.resumed_from > 0;  // other nodes were searched before
  for (const Size& size : report.sizes) {
    if (size.name == "nodes") {
      figures["nodes_per_second"] =
          (is_resumed ? total : static_cast<double>(size.value)) / median(report.seconds);
    }
  }
  if (report.workers.empty()) {
    return;
  }
  std::vector<double> shares;
  for (const Worker& worker : report.workers) {
    shares.push_back(total > 0 ? static_cast<double>(worker.nodes) / total : 0);
  }
  const auto workers = static_cast<double>(shares.size());
  if (total > 0) {
    report.imbalance = std::ranges::max(shares) * workers;
  }
  const std::int64_t tried = sum(&Worker::local_tried) + sum(&Worker::remote_tried);
  const std::int64_t made = sum(&Worker::local_made) + sum(&Worker::remote_made);
  const double searching_s = seconds(sum(&Worker::searching_ns));
  figures["steals"] = {
      {"tried", tried},
      {"made", made},
      {"success",
       tried > 0 ? Json(static_cast<double>(made) / static_cast<double>(tried)) : Json(nullptr)},
      {"local_tried", sum(&Worker::local_tried)},
      {"local_made", sum(&Worker::local_made)},
      {"remote_tried", sum(&Worker::remote_tried)},
      {"remote_made", sum(&Worker::remote_made)},
      {"nodes_stolen", sum(&Worker::nodes_stolen)}};
  figures["worker_seconds"] = {{"searching", searching_s},
                               {"stealing", seconds(sum(&Worker::stealing_ns))},
                               {"idle", seconds(sum(&Worker::idle_ns))}};
  figures["efficiency"] = searching_s / (report.seconds.back() * workers);
  figures["share_of_nodes"] = shares;
  if (options.checkpoint) {
    figures["snapshots"] = report.snapshots.written;
    figures["snapshot_seconds"] = seconds(report.snapshots.resting_ns);
    figures["resumed_from"] = is_resumed ? Json(report.snapshots.resumed_from) : Json(nullptr);
  }
}

}  // namespace

void print_report(RunReport& report, const RunOptions& options) {
  Json figures = report.figures.json();
  add_search_figures(figures, report, options);
  if (options.json) {
    write_out(text_for_scripts(report, figures, options));
  } else if (!options.quiet && !is_standard_output(options.trace.value_or(""))) {
    write_out(text_for_people(report, std::move(figures), options));
  }
}

void print_warnings(std::string_view program, const std::vector<std::string>& warnings,
                    const RunOptions& options) {
  for (const std::string& warning : warnings) {
    if (!options.quiet) {
      fmt::print(stderr, "{}: warning: {}\n", program, warning);
    }
  }
}

}  // namespace cleave::detail
