// SPDX-License-Identifier: Apache-2.0
// cleave compare: models, or what was measured of versions of a program, side by side, each against
// the first.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/file.hpp>

#include "models/ask/arguments.hpp"
#include "models/ask/commands.hpp"
#include "models/report/comparison.hpp"
#include "models/report/report.hpp"
#include "models/report/table.hpp"
#include "models/study/launcher.hpp"
#include "models/study/side_runs.hpp"
#include "models/study/study_folder.hpp"
#include "models/theory/model_file.hpp"
#include "models/theory/prediction.hpp"
#include "models/theory/prediction_json.hpp"

namespace cleave::models {

namespace {

struct CompareArguments {
  std::vector<std::string> files;
  std::optional<double> max_ratio;
  bool runs = false;
  SideRunOptions run;
  bool markdown = false;
  Answering answering;
};

bool is_model(const std::string& file) {
  if (is_folder(file)) {
    return false;
  }
  const auto object = nlohmann::json::parse(read_file(file), nullptr, false);
  return object.is_object() && object.value("format", nlohmann::json()) == "cleave-model";
}

/// The times that all models predict of all runs that any was fitted to.
Table table_of_models(const std::vector<Model>& models, Json& rows) {
  std::set<std::pair<int, NamedSizes>> runs;
  for (const Model& model : models) {
    const Model& first = models.front();
    const bool are_tables = model.table() != nullptr && first.table() != nullptr &&
                            model.size_names() == first.size_names();
    if (model.app != first.app && !are_tables) {  // a table is named after its file
      throw UsageError(
          fmt::format("the first model is of {}, another of {}", first.app, model.app));
    }
    for (const RunOfModel& run : model.fitted) {
      runs.insert({run.ranks, run.sizes});
    }
  }
  Table table{.columns = {{"ranks", true}, {"sizes"}, {"1", true}}};
  for (std::size_t i = 2; i <= models.size(); ++i) {
    table.columns.push_back({fmt::format("{}", i), true});
    table.columns.push_back({fmt::format("{} / 1", i), true});
    table.columns.push_back({fmt::format("{} differs", i)});
  }
  for (const auto& [ranks, sizes] : runs) {
    std::vector<Cell> row = {whole(ranks), text(format_sizes(sizes))};
    Json times = Json::array();
    std::optional<Prediction> first;
    for (const Model& model : models) {
      const Prediction p = predict(model, ranks, sizes);
      row.push_back(time_of(p));
      times.push_back(Json(to_json(p)));
      if (first) {
        const bool differs = first->low > p.high || p.low > first->high;
        row.push_back(known(first->is_answer() && p.is_answer(),
                            text(fmt::format("{:.3f}", p.seconds / first->seconds))));
        row.push_back(text(differs ? "yes" : "not for certain"));
        times.back()["differs"] = differs;
      }
      first = first ? first : p;
    }
    table.rows.push_back(std::move(row));
    rows.push_back({{"what", "predicted"}, {"ranks", ranks}, {"sizes", sizes}, {"times", times}});
  }
  return table;
}

void compare_models(const CompareArguments& arguments) {
  if (arguments.max_ratio || arguments.markdown) {
    throw UsageError(
        "--max-ratio and --markdown are for what was measured: give studies' folders or traces");
  }
  std::vector<Model> models;
  for (const std::string& file : arguments.files) {
    if (!is_model(file)) {
      throw UsageError(fmt::format("{} is a model, {} is not: give models only, or none",
                                   arguments.files.front(), file));
    }
    models.push_back(read_model(file));
  }
  Json rows = Json::array();
  const Table table = table_of_models(models, rows);
  Json verdicts = Json::array();
  for (std::size_t i = 0; i < models.size(); ++i) {
    const Verdict& verdict = models[i].verdict;
    verdicts.push_back(Json(to_json(verdict, true)));
    arguments.answering.say(
        wrapped(fmt::format("{}: {}: {}", i + 1, detail::one_line(arguments.files[i]),
                            verdict.sentence(true)),
                3));
  }
  arguments.answering.say('\n' + to_terminal(table));
  arguments.answering.print({{"files", arguments.files}, {"verdicts", verdicts}, {"rows", rows}});
}

void compare_measured(const CompareArguments& arguments, const std::vector<ComparedSide>& sides) {
  const Comparison comparison = compare_sides(sides);
  const Answering& answering = arguments.answering;
  if (arguments.markdown) {
    answering.say(
        fmt::format("**{}**\n\n{}", comparison.summary(), to_markdown(table_of(comparison))));
  } else {
    for (std::size_t i = 0; i < comparison.sides.size(); ++i) {
      answering.say(fmt::format("{}: {}\n", i + 1, detail::one_line(comparison.sides[i])));
    }
    answering.say(
        fmt::format("\n{}\n{}", wrapped(comparison.summary()), to_terminal(table_of(comparison))));
  }
  answering.say(notes_text(comparison.notes));
  answering.print(Json(to_json(comparison)));
  const double ratio = comparison.max_ratio();
  if (ratio > arguments.max_ratio.value_or(1)) {
    throw Error(arguments.max_ratio
                    ? fmt::format("at least {:.3f} times as long, for certain; --max-ratio is {:g}",
                                  ratio, *arguments.max_ratio)
                    : fmt::format("{} for certain", comparison.summary()));
  }
}

void run(CompareArguments& arguments) {
  const std::vector<std::string>& files = arguments.files;
  if (files.size() < 2) {
    throw UsageError(
        "two or more files or folders are required, for example cleave compare old-study "
        "new-study");
  }
  if (arguments.runs) {
    catch_interrupts();
    compare_measured(arguments, run_sides(files, arguments.run));
  } else if (is_model(files.front())) {
    compare_models(arguments);
  } else {
    std::vector<ComparedSide> sides;
    for (const std::string& file : files) {
      if (is_model(file)) {
        throw UsageError(fmt::format("{} is a model, {} is not: give models only, or none", file,
                                     files.front()));
      }
      const std::vector<std::string> traces = traces_of({file});
      if (are_tables(traces)) {
        throw UsageError(fmt::format(
            "{0} is a table: give traces, studies' folders, or models as cleave fit {0} --out {1} "
            "makes",
            file, std::filesystem::path(file).replace_extension(".model.json").string()));
      }
      sides.push_back(side_of(file, read_traces(traces)));
    }
    compare_measured(arguments, sides);
  }
}

}  // namespace

void add_compare_command(CLI::App& program) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = program.add_subcommand(
      "compare", "Versions of a program, or models, side by side: each against the first");
  command->add_option("files", arguments->files,
                      "Two or more studies' folders or traces; or models; with --run programs");
  CLI::Option* const run_option = command->add_flag(
      "--run", arguments->runs, "Run the programs in turn, round by round, and compare them");
  command->add_option("--ranks", arguments->run.ranks, "Ranks of --run")
      ->capture_default_str()
      ->check(CLI::Range(1, detail::kMaxRanks))
      ->needs(run_option);
  command
      ->add_option("--sizes", arguments->run.sizes,
                   "Sizes of --run; without it those of the first program's quick study")
      ->needs(run_option);
  command->add_option("--rounds", arguments->run.rounds, "Rounds of --run")
      ->capture_default_str()
      ->check(CLI::Range(2, 1000))
      ->needs(run_option);
  command
      ->add_option("--max-ratio", arguments->max_ratio,
                   "End with status 1 only if something takes more than so many times as long, "
                   "for certain; without it if anything takes longer for certain")
      ->transform(detail::Number(1, 1e6));
  command->add_flag("--markdown", arguments->markdown, "Print Markdown, as for a pull request");
  arguments->answering.add_to(*command);
  command->footer(
      "Examples:\n"
      "  cleave compare old-study new-study\n"
      "  cleave compare --run ./old ./new --rounds 12 --markdown\n"
      "  cleave compare old-study new-study --max-ratio 1.1 --json");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace cleave::models
