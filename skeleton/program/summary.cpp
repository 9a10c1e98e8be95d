// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include <cleave/command_line/options.hpp>
#include <cleave/command_line/output.hpp>
#include <cleave/file.hpp>
#include <cleave/program/summary.hpp>
#include <cleave/trace/duration.hpp>
#include <cleave/trace/median.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

namespace {

using Json = nlohmann::ordered_json;

std::string json_text(const Summary& summary, const RunOptions& options) {
  Json json = {{"app", summary.app},
               {"ranks", options.ranks},
               {"threads", options.threads},
               {"type", name_of(options.type)},
               {"placement", name_of(options.placement)},
               {"seed", options.seed}};
  json["sizes"] = Json::object();
  for (const Size& size : summary.sizes) {
    json["sizes"][std::string(size.name)] = size.value;
  }
  if (options.rehearse) {
    json["rehearsed"] = true;
  }
  json["seconds"] = summary.seconds;
  json["input_seconds"] = summary.input_s;
  json["output_seconds"] = summary.output_s;
  json["imbalance"] = summary.imbalance ? Json(*summary.imbalance) : Json(nullptr);
  json.update(summary.figures);
  if (summary.ended_early) {
    json["ended_early"] = *summary.ended_early;
  } else {
    json["verified"] = summary.verified ? Json(*summary.verified) : Json(nullptr);
  }
  return json.dump() + "\n";
}

std::string text_for_people(const Summary& summary, const RunOptions& options) {
  std::string text = fmt::format("{} on {}, {}, {}{}\n", summary.app, format_ranks(options.ranks),
                                 name_of(options.type), name_of(options.placement),
                                 options.rehearse ? ", rehearsed" : "");
  if (summary.ended_early) {
    text += fmt::format("{:<22}{}\n", "so far", "the search was ended early");
  }
  for (const Size& size : summary.sizes) {
    text += fmt::format("{:<22}{}\n", size.name, size.value);
  }
  const auto [minimum, maximum] =
      std::minmax_element(summary.seconds.begin(), summary.seconds.end());
  text += fmt::format("{:<22}{} median of {}, from {} to {}\n", "time",
                      format_seconds(median(summary.seconds)), summary.seconds.size(),
                      format_seconds(*minimum), format_seconds(*maximum));
  constexpr double kMoment_s = 1e-3;
  const double outside_s = (summary.reads_input ? summary.input_s : 0) + summary.output_s;
  if (outside_s >= kMoment_s) {
    text += fmt::format("{:<22}{} of input and output, outside of these\n", "",
                        format_seconds(outside_s));
  }
  if (summary.imbalance) {
    text +=
        fmt::format("{:<22}{:.3f} (maximum of any {} / mean)\n", "imbalance", *summary.imbalance,
                    options.type == DC_Type::work_stealing ? "worker" : "rank");
  }
  Json figures;
  for (const auto& [name, value] : summary.figures.items()) {
    if (std::ranges::find(summary.sizes, name, &Size::name) == summary.sizes.end()) {
      figures[name] = value;  // sizes stand above
    }
  }
  text += figures_text(figures);
  if (summary.verified) {
    text += fmt::format("{:<22}{}\n", "verified", *summary.verified ? "yes" : "NO");
  }
  return text;
}

}  // namespace

void print_summary(const Summary& summary, const RunOptions& options) {
  const bool is_told = !options.quiet && !is_standard_output(options.trace.value_or(""));
  if (!options.json && !is_told) {
    return;
  }
  write_out(options.json ? json_text(summary, options) : text_for_people(summary, options));
}

namespace {

/// What the workers did together.
WorkerStatistics sum_of(const std::vector<WorkerStatistics>& workers) {
  WorkerStatistics all;
  for (const WorkerStatistics& worker : workers) {
    all.nodes += worker.nodes;
    all.visits += worker.visits;
    all.local_tried += worker.local_tried;
    all.local_made += worker.local_made;
    all.remote_tried += worker.remote_tried;
    all.remote_made += worker.remote_made;
    all.nodes_stolen += worker.nodes_stolen;
    all.searching_ns += worker.searching_ns;
    all.stealing_ns += worker.stealing_ns;
    all.idle_ns += worker.idle_ns;
  }
  return all;
}

}  // namespace

void add_search_figures(Summary& summary, const SearchReport& report, const RunOptions& options) {
  const WorkerStatistics all = sum_of(report.workers);
  for (const Size& size : summary.sizes) {
    if (size.name == "nodes") {
      const bool is_resumed = report.snapshots.resumed_from > 0;  // the others were searched before
      const std::int64_t nodes = is_resumed ? all.nodes : size.value;
      summary.figures["nodes_per_second"] = static_cast<double>(nodes) / median(summary.seconds);
    }
  }
  if (report.workers.empty()) {
    return;
  }
  std::vector<std::int64_t> nodes;
  for (const WorkerStatistics& worker : report.workers) {
    nodes.push_back(worker.nodes);
  }
  const auto total = static_cast<double>(all.nodes);
  if (total > 0) {
    const auto maximum = static_cast<double>(*std::max_element(nodes.begin(), nodes.end()));
    summary.imbalance = maximum * static_cast<double>(nodes.size()) / total;
  }
  const std::int64_t tried = all.local_tried + all.remote_tried;
  const std::int64_t made = all.local_made + all.remote_made;
  std::vector<double> shares;
  for (const std::int64_t count : nodes) {
    shares.push_back(total > 0 ? static_cast<double>(count) / total : 0);
  }
  summary.figures["steals"] = {
      {"tried", tried},
      {"made", made},
      {"success",
       tried > 0 ? Json(static_cast<double>(made) / static_cast<double>(tried)) : Json(nullptr)},
      {"local_tried", all.local_tried},
      {"local_made", all.local_made},
      {"remote_tried", all.remote_tried},
      {"remote_made", all.remote_made},
      {"nodes_stolen", all.nodes_stolen}};
  summary.figures["worker_seconds"] = {{"searching", static_cast<double>(all.searching_ns) / 1e9},
                                       {"stealing", static_cast<double>(all.stealing_ns) / 1e9},
                                       {"idle", static_cast<double>(all.idle_ns) / 1e9}};
  summary.figures["efficiency"] = static_cast<double>(all.searching_ns) / 1e9 /
                                  (summary.seconds.back() * static_cast<double>(nodes.size()));
  summary.figures["share_of_nodes"] = shares;
  if (options.checkpoint) {
    summary.figures["snapshots"] = report.snapshots.written;
    summary.figures["snapshot_seconds"] = static_cast<double>(report.snapshots.resting_ns) / 1e9;
    summary.figures["resumed_from"] =
        report.snapshots.resumed_from > 0 ? Json(report.snapshots.resumed_from) : Json(nullptr);
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
