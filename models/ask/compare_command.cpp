// SPDX-License-Identifier: Apache-2.0
// cleave compare: models, or the runs of traces, side by side, each against the first.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/program/command_line.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/median.hpp>
#include <cleave/trace/span.hpp>

#include "models/ask/answering.hpp"
#include "models/ask/arguments.hpp"
#include "models/ask/commands.hpp"
#include "models/ask/questions.hpp"
#include "models/ask/study_folder.hpp"
#include "models/report/format.hpp"
#include "models/report/measured.hpp"
#include "models/report/text.hpp"
#include "models/theory/model_file.hpp"
#include "models/theory/statistics.hpp"

namespace cleave::models {

namespace {

/// A time with the range that it may as well have.
struct Ranged {
  double seconds = 0;
  double low = 0;
  double high = 0;
};

/// The table, and the greatest ratio of a whole run to the first file's that is above 1 for
/// certain.
struct RunsOfFiles {
  Table table;
  Json rows = Json::array();
  double max_ratio = 1;
};

/// Columns for so many files.
Table empty_table(std::size_t files) {
  Table table{.columns = {{"what"}, {"ranks", true}, {"sizes"}, {"1 (s)", true}}};
  for (std::size_t file = 2; file <= files; ++file) {
    table.columns.push_back({fmt::format("{} (s)", file), true});
    table.columns.push_back({fmt::format("{} / 1", file), true});
    table.columns.push_back({fmt::format("{} differs", file)});
  }
  return table;
}

/// One time a file, the first of which has one; what the others lack is left empty.
///
/// \return  the greatest ratio to the first that is above 1 for certain; 1 if none is
double add_row(RunsOfFiles& all, const std::string& what, int ranks, const NamedSizes& sizes,
               const std::vector<std::optional<Ranged>>& times) {
  double max_ratio = 1;
  Json in_json = Json::array();
  const auto cell = [](std::string text) { return Cell{text, text}; };
  const Ranged& first = times.front().value();
  std::vector<Cell> row = {cell(what), cell(fmt::format("{}", ranks)), cell(sizes_text(sizes)),
                           cell(format_seconds(first.seconds))};
  in_json.push_back({{"seconds", first.seconds}, {"interval", {first.low, first.high}}});
  for (std::size_t file = 1; file < times.size(); ++file) {
    const std::optional<Ranged>& other = times[file];
    if (!other) {
      row.insert(row.end(), 3, cell(""));
      in_json.push_back(nullptr);
      continue;
    }
    const bool differ = first.low > other->high || other->low > first.high;
    row.push_back(cell(format_seconds(other->seconds)));
    row.push_back(
        cell(first.seconds > 0 ? fmt::format("{:.3f}", other->seconds / first.seconds) : ""));
    row.push_back(cell(differ ? "yes" : "not for certain"));
    in_json.push_back({{"seconds", other->seconds},
                       {"interval", {other->low, other->high}},
                       {"differs", differ}});
    if (differ && first.seconds > 0) {
      max_ratio = std::max(max_ratio, other->seconds / first.seconds);
    }
  }
  all.table.rows.push_back(std::move(row));
  all.rows.push_back(
      {{"what", what}, {"ranks", ranks}, {"sizes", sizes}, {"times", std::move(in_json)}});
  return max_ratio;
}

/// \throws UsageError  if not all of them, `what` ("model"), are of one application
template <class OfApp>
void check_application(const std::vector<OfApp>& all, const std::string& what) {
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].app != all.front().app) {
      throw UsageError(fmt::format("the first {} is of {}, number {} of {}", what, all.front().app,
                                   i + 1, all[i].app));
    }
  }
}

bool is_model(const std::string& file) {
  const std::string text = read_file(file);
  const auto object = nlohmann::json::parse(text, nullptr, false);
  return object.is_object() && object.value("format", nlohmann::json()) == "cleave-model";
}

/// The times that all models predict of all runs that any was fitted to.
RunsOfFiles compare_models(const std::vector<Model>& models) {
  check_application(models, "model");
  std::set<RunKey> runs;
  for (const Model& model : models) {
    for (const RunOfModel& run : model.fitted) {
      runs.insert({run.ranks, run.sizes});
    }
  }
  RunsOfFiles comparison{.table = empty_table(models.size())};
  for (const auto& [ranks, sizes] : runs) {
    std::vector<std::optional<Ranged>> times;
    for (const Model& model : models) {
      const Prediction p = predict(model, ranks, sizes);
      times.push_back(Ranged{p.seconds, p.low, p.high});
    }
    comparison.max_ratio =
        std::max(comparison.max_ratio, add_row(comparison, "predicted", ranks, sizes, times));
  }
  return comparison;
}

/// The quiet time and the deviation of a median of as many repetitions on either side, 95 %.
Ranged ranged_median(const std::vector<double>& seconds) {
  constexpr double kDeviationsOf95 = 1.96;
  constexpr double kMedianOverMean = 1.2533;  // deviation of a median of normal noise, sqrt(pi / 2)
  const std::vector<double> quiet = faster_half(seconds);
  const double middle = detail::median(quiet);
  const double half = kDeviationsOf95 * kMedianOverMean * relative_spread(quiet) * middle /
                      std::sqrt(static_cast<double>(quiet.size()));
  return {middle, middle - half, middle + half};
}

/// What one trace says of one run.
struct MeasuredRun {
  Ranged whole;
  std::map<detail::Block, Ranged> blocks;
};

using MeasuredRuns = std::map<RunKey, MeasuredRun>;

MeasuredRuns measured_runs(const Measurements& measurements) {
  MeasuredRuns runs;
  const auto blocks = measured_blocks(measurements);
  for (const RunPoint& point : measurements.points) {
    const RunKey key{point.ranks, point.sizes};
    MeasuredRun& run = runs[key];
    run.whole = ranged_median(point.seconds);
    const Ranged& whole = run.whole;
    if (const auto of_run = blocks.find(key); of_run != blocks.end()) {
      // A block is as uncertain as the whole call.
      const double part = whole.seconds > 0 ? (whole.high - whole.seconds) / whole.seconds : 0;
      for (const auto& [block, seconds] : of_run->second) {
        run.blocks[block] = {seconds, seconds * (1 - part), seconds * (1 + part)};
      }
    }
  }
  return runs;
}

/// The whole calls and each block of all runs that the first trace and any other have.
RunsOfFiles compare_runs(const std::vector<Measurements>& traces) {
  check_application(traces, "trace");
  std::vector<MeasuredRuns> all;
  for (const Measurements& trace : traces) {
    all.push_back(measured_runs(trace));
  }
  RunsOfFiles comparison{.table = empty_table(all.size())};
  for (const auto& [key, first] : all.front()) {
    // The run of each trace, and of it what `time` finds; a row where two have it.
    const auto add_times = [&, &run_key = key](const std::string& what, auto&& time) {
      std::vector<std::optional<Ranged>> times;
      for (const MeasuredRuns& runs : all) {
        const auto run = runs.find(run_key);
        times.push_back(run == runs.end() ? std::nullopt : time(run->second));
      }
      if (std::any_of(times.begin() + 1, times.end(),
                      [](const auto& t) { return t.has_value(); })) {
        return add_row(comparison, what, run_key.first, run_key.second, times);
      }
      return 1.0;
    };
    const double ratio =
        add_times("whole call", [](const MeasuredRun& run) { return std::optional(run.whole); });
    comparison.max_ratio = std::max(comparison.max_ratio, ratio);
    for (const auto& of_first : first.blocks) {
      const detail::Block block = of_first.first;
      add_times(std::string(name_of(block)), [block](const MeasuredRun& run) {
        const auto found = run.blocks.find(block);
        return found == run.blocks.end() ? std::nullopt : std::optional(found->second);
      });
    }
  }
  if (comparison.table.rows.empty()) {
    throw Error("no other trace has a run of the same ranks and sizes as the first");
  }
  return comparison;
}

void run(const std::vector<std::string>& given, std::optional<double> max_ratio,
         const Answering& answering) {
  if (given.size() < 2) {
    throw UsageError(
        "two or more files or folders are required, for example cleave compare sort-study "
        "other-study");
  }
  std::vector<std::string> files;
  for (const std::string& path : given) {
    files.push_back(model_of(path).string());
  }
  const bool are_models = is_model(files.front());
  std::vector<Model> models;
  std::vector<Measurements> traces;
  for (const std::string& file : files) {
    if (is_model(file) != are_models) {
      throw UsageError(fmt::format("{} is a {}, {} is not: give models only or traces only",
                                   files.front(), are_models ? "model" : "trace", file));
    }
    if (are_models) {
      models.push_back(read_model(file));
    } else {
      traces.push_back(collect_measurements(read_traces({file})));
    }
  }
  const RunsOfFiles comparison = are_models ? compare_models(models) : compare_runs(traces);
  for (std::size_t i = 0; i < files.size(); ++i) {
    answering.say(fmt::format("{}: {}\n", i + 1, detail::one_line(files[i])));
  }
  answering.say(to_terminal(comparison.table));
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    for (const std::string& note : traces[i].notes) {
      notes.push_back(fmt::format("{}: {}", i + 1, note));
    }
  }
  answering.say(notes_text(notes));
  answering.print({{"files", files},
                   {"rows", comparison.rows},
                   {"max_ratio", comparison.max_ratio},
                   {"notes", notes}});
  if (max_ratio && comparison.max_ratio > *max_ratio) {
    throw Error(fmt::format("a run takes {:.3f} times as long as in {}, more than --max-ratio {:g}",
                            comparison.max_ratio, files.front(), *max_ratio));
  }
}

}  // namespace

void add_compare_command(CLI::App& program) {
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* command = program.add_subcommand(
      "compare", "Models, or the runs of traces, side by side: each against the first");
  command->add_option("files", *files,
                      "Two or more models or studies' folders, or two or more traces");
  auto max_ratio = std::make_shared<std::optional<double>>();
  command
      ->add_option("--max-ratio", *max_ratio,
                   "End with status 1 if a whole run takes more than so many times as long as in "
                   "the first file, for certain")
      ->check(CLI::Range(1.0, 1e6));
  auto answering = std::make_shared<Answering>();
  answering->add_to(*command);
  command->footer(
      "Examples:\n"
      "  cleave compare sort-study other-study\n"
      "  cleave compare before.trace.jsonl after.trace.jsonl\n"
      "  cleave compare base-study new-study --max-ratio 1.1 --json");
  command->callback([files, max_ratio, answering] { run(*files, *max_ratio, *answering); });
}

}  // namespace cleave::models
