// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>

#include <cleave/command_line/output.hpp>
#include <cleave/file.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

namespace {

std::string text_for_scripts(const RunReport& report, const Figures& figures,
                             const RunOptions& options) {
  return json_text([&](JsonFields& object) {
    object("version", 1)("app", report.app)("ranks", options.ranks)("threads", options.threads);
    object("type", name_of(options.type))("placement", name_of(options.placement));
    object("seed", options.seed)("sizes", [&](JsonFields& sizes) {
      for (const Size& size : report.sizes) {
        sizes(std::string(size.name), size.value);
      }
    });
    if (!report.rehearsed.empty()) {
      object("rehearsed", report.rehearsed)("seconds_without_messages", report.seconds);
      return;
    }
    if (options.rehearse) {
      object("rehearsed", true);
    }
    object("seconds", report.seconds);
    if (!report.kept_state.empty()) {
      object("kept_state", report.kept_state);
    }
    object("input_seconds", report.input_s)("output_seconds", report.output_s);
    object.or_null("imbalance", report.imbalance);
    figures.named()(object);
    if (report.ended) {
      object("ended_early", report.ended->reason);
    } else {
      object.or_null("verified", report.verified);
    }
  });
}

std::string text_for_people(const RunReport& report, Figures::Named named,
                            const RunOptions& options) {
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
    add(size.name, format_count(size.value));
    std::erase_if(named.figures, [&](const auto& figure) { return figure.first == size.name; });
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
  text += figures_text(named);
  if (report.verified) {
    add("verified", *report.verified ? "yes" : "NO");
  }
  return text;
}

/// Adds what a search did. Sets the imbalance, that of its workers.
void add_search_figures(Figures& figures, RunReport& report, const RunOptions& options) {
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
      figures.set("nodes_per_second",
                  (is_resumed ? total : static_cast<double>(size.value)) / median(report.seconds));
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
  const auto success = tried > 0
                           ? std::optional(static_cast<double>(made) / static_cast<double>(tried))
                           : std::nullopt;
  figures.set("steals", {{"tried", tried},
                         {"made", made},
                         {"success", success},
                         {"local_tried", sum(&Worker::local_tried)},
                         {"local_made", sum(&Worker::local_made)},
                         {"remote_tried", sum(&Worker::remote_tried)},
                         {"remote_made", sum(&Worker::remote_made)},
                         {"nodes_stolen", sum(&Worker::nodes_stolen)}});
  figures.set("worker_seconds", {{"searching", searching_s},
                                 {"stealing", seconds(sum(&Worker::stealing_ns))},
                                 {"idle", seconds(sum(&Worker::idle_ns))}});
  figures.set("efficiency", searching_s / (report.seconds.back() * workers));
  figures.set("share_of_nodes", shares);
  if (options.checkpoint) {
    const std::int64_t from = report.snapshots.resumed_from;
    figures.set("snapshots", report.snapshots.written);
    figures.set("snapshot_seconds", seconds(report.snapshots.resting_ns));
    figures.set("resumed_from", is_resumed ? std::optional(from) : std::nullopt);
  }
}

}  // namespace

void print_report(RunReport& report, const RunOptions& options) {
  Figures figures = report.figures;
  add_search_figures(figures, report, options);
  if (options.json) {
    write_out(text_for_scripts(report, figures, options) + '\n');
  } else if (!options.quiet && !is_standard_output(options.trace.value_or(""))) {
    write_out(text_for_people(report, figures.named(), options));
  }
}

void print_warnings(std::string_view program, const std::vector<std::string>& warnings,
                    const RunOptions& options) {
  for (const std::string& warning : options.quiet ? std::vector<std::string>() : warnings) {
    fmt::print(stderr, "{}: warning: {}\n", program, warning);
  }
}

}  // namespace cleave::detail
