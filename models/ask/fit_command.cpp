// SPDX-License-Identifier: Apache-2.0
// cleave fit: traces and a machine to a model, or a table of run times.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ranges>

#include <cleave/command_line/options.hpp>
#include <cleave/dc_type.hpp>
#include <cleave/host/host.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/json_fields.hpp>

#include "models/ask/arguments.hpp"
#include "models/report/table.hpp"
#include "models/study/study_folder.hpp"
#include "models/study/study_plan.hpp"
#include "models/theory/fit.hpp"
#include "models/theory/law.hpp"
#include "models/theory/model_file.hpp"
#include "models/theory/prediction.hpp"

namespace cleave::models {

namespace {

/// A law of a model by its block or part.
struct NamedLaw {
  std::string_view name;
  const Law* law;
};

void fields(detail::JsonFields& object, NamedLaw& named) {
  const Law& law = *named.law;
  object("block", named.name)("terms", law.text())("weight", law.hypotheses.front().weight);
  object("median_residual", law.median_abs_relative_residual)("forms", law.hypotheses.size());
}

struct FitArguments {
  std::vector<std::string> traces;
  std::string machine;
  std::string out;
  std::string forms = "auto";
  bool allow_oversubscribed = false;
  TableChoice table;
  Answering answering;
};

std::vector<NamedLaw> laws_of(const Model& model) {
  std::vector<NamedLaw> laws;
  const auto add = [&](std::string_view name, const std::optional<Law>& law) {
    if (law) {
      laws.push_back({name, &*law});
    }
  };
  if (const TableModel* table = model.table()) {
    add("run", table->law);
  } else if (const SearchModel* search = model.search()) {
    add("search", search->visits);
    add("inverse_efficiency", search->inverse_efficiency);
  } else {
    for (const BlockModel& block : model.hypercube()->blocks) {
      laws.push_back({name_of(block.block), &block.law});
    }
  }
  return laws;
}

void print_fit(const Model& model) {
  fmt::print("{}", wrapped(sentence_of(model.verdict, model.verdict.reach())));
  Table table{
      .columns = {{"block"}, {"terms"}, {"likely", true}, {"of forms", true}, {"residual", true}}};
  for (const auto& [name, law] : laws_of(model)) {
    table.rows.push_back(
        {text(std::string(name)), text(law->text()), percent(law->hypotheses.front().weight),
         count(std::ssize(law->hypotheses)), percent(law->median_abs_relative_residual)});
  }
  if (!table.rows.empty()) {
    fmt::print("\n{}", to_terminal(table));
  }
  for (const RefusedBlock& block : model.refused) {
    fmt::print("{}", wrapped(fmt::format("{} refused: {}", name_of(block.block), block.reason)));
  }
  fmt::print("{}", notes_text(model.notes));
}

}  // namespace

static void fields(detail::JsonFields& object, RefusedBlock& refused) {
  object("block", name_of(refused.block))("reason", refused.reason);
}

namespace {

void write_fit(detail::JsonFields& object, const Model& model, const std::string& file) {
  object("app", model.app)("type", model.type)("written", file);
  verdict_field(object, model, {}, model.verdict.reach());
  object("blocks", laws_of(model))("refused", model.refused)("notes", model.notes);
}

/// The machine file: --machine, else the study's; empty if there is none.
std::string machine_file(const FitArguments& arguments, const std::string& folder) {
  if (!arguments.machine.empty()) {
    return machine_of(arguments.machine).string();
  }
  const std::string file = folder.empty() ? "" : machine_of(folder).string();
  return std::filesystem::exists(file) ? file : "";
}

/// Whether the measurements have what --machine and --forms are for.
void check_options(const FitArguments& arguments, const Measurements& measurements) {
  const bool is_paper = arguments.forms == "paper";
  const NamedSizes& sizes = measurements.points.front().sizes;
  const auto names = std::views::keys(sizes);
  const bool is_search = measurements.type == name_of(DC_Type::work_stealing);
  detail::refuse_first(
      {{measurements.type == kTableType && (is_paper || !arguments.machine.empty()),
        "a table has no blocks and no network: --machine and --forms are for traces"},
       {is_search && is_paper, "a search has no blocks: --forms is for calls on the hypercube"},
       {is_paper && !paper_form(detail::Block::combine, {names.begin(), names.end()}),
        fmt::format("--forms paper: Printista and Saez have forms of N, and of N and M, not of {}",
                    format_sizes(sizes))}});
}

void run(FitArguments& arguments, const std::string& command_line) {
  require_option(arguments.traces, "a study's folder, a trace or a table",
                 "cleave fit sort-study, or cleave fit *.trace.jsonl --out sort.model.json");
  const std::string folder = is_folder(arguments.traces.front()) ? arguments.traces.front() : "";
  if (folder.empty()) {
    require_option(arguments.out, "--out", "--out sort.model.json");
  }
  const FitOptions options{.forms = arguments.forms == "paper" ? Forms::paper : Forms::automatic};
  std::vector<std::string> files = traces_of(arguments.traces);
  if (!folder.empty()) {
    std::ranges::transform(
        files_with(std::filesystem::path(folder) / kRehearsalsOfStudy, kTraceEnding),
        std::back_inserter(files), [](const std::filesystem::path& file) { return file.string(); });
  }
  const std::string machine_read = machine_file(arguments, folder);
  std::vector<std::string> inputs = files;
  inputs.push_back(machine_read);
  arguments.answering.set_output("--out", arguments.out, inputs);
  const std::optional<detail::Machine> machine = read_machine_if_given(machine_read);
  Measurements measurements = read_measurements(files, arguments.table);
  if (!arguments.allow_oversubscribed) {
    measurements = without_oversubscribed(std::move(measurements));
  }
  check_options(arguments, measurements);
  if (measurements.type == kTableType) {
    leave_out_odd(measurements);
  }
  const std::filesystem::path out = arguments.out.empty()
                                        ? model_to_write(folder, file_name_of(measurements.app))
                                        : std::filesystem::path(arguments.out);
  Model model = fit_model(measurements, machine, options,
                          detail::provenance_here("cleave fit", command_line, "none"));
  if (const TableModel* table = model.table()) {
    std::ranges::copy(findings_of(*table), std::back_inserter(model.notes));
  }
  write_model(out, model);
  arguments.answering.print(
      [&](detail::JsonFields& object) { write_fit(object, model, out.string()); });
  if (arguments.answering.is_for_people()) {
    print_fit(model);
    if (arguments.out.empty()) {
      fmt::print("written: {}\n", detail::one_line(out.string()));
    }
  }
}

}  // namespace

void add_fit_command(CLI::App& program, const std::string& command_line) {
  auto arguments = std::make_shared<FitArguments>();
  CLI::App* command =
      program.add_subcommand("fit", "Fit a model to traces, or to a table of run times");
  command->add_option(
      "traces", arguments->traces,
      "Traces (*.trace.jsonl) of one application, its rehearsals, too, and what cleave-calibrate "
      "--like wrote; or a study's folder; or run times as CSV");
  command->add_option("--machine", arguments->machine,
                      "Calibrated latency and gap; without it those in the study's folder, else "
                      "they are fitted to the traces");
  command->add_option("--out", arguments->out,
                      "The model to write (*.model.json); without it that of the study's folder");
  command->add_option("--forms", arguments->forms, "How the terms of a block are decided")
      ->check(CLI::IsMember({"auto", "paper"}))
      ->capture_default_str();
  command->add_flag("--allow-oversubscribed", arguments->allow_oversubscribed,
                    "Also fit runs with more ranks than cores");
  command->add_option("--only", arguments->table.only, "The series of a table that has several");
  arguments->answering.add_to(*command);
  command->footer(
      "Examples:\n  cleave fit *.trace.jsonl --machine here.machine.json --out sort.model.json");
  command->callback([arguments, command_line] { run(*arguments, command_line); });
}

}  // namespace cleave::models
