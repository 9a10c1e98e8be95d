// SPDX-License-Identifier: Apache-2.0
// cleave fit: traces and a machine to a model, or a table of run times.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include <cleave/command_line/options.hpp>
#include <cleave/dc_type.hpp>
#include <cleave/error.hpp>
#include <cleave/host/provenance_here.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/provenance.hpp>
#include <cleave/trace/span.hpp>

#include "models/ask/answering.hpp"
#include "models/ask/arguments.hpp"
#include "models/ask/commands.hpp"
#include "models/report/table.hpp"
#include "models/study/study_folder.hpp"
#include "models/study/study_plan.hpp"
#include "models/theory/catalogue.hpp"
#include "models/theory/judge.hpp"
#include "models/theory/model_file.hpp"

namespace cleave::models {

namespace {

struct FitCommandArguments {
  std::vector<std::string> traces;
  std::string machine;
  std::string out;
  FitArguments fit;
  TableArguments table;
  Answering answering;
};

std::string terms_text(const Law& law, std::string_view unit, double factor = 1) {
  const Hypothesis& first = law.hypotheses.front();
  std::string text;
  for (std::size_t i = 0; i < first.form.size(); ++i) {
    text += fmt::format("{}{:.3g}{} * {}", i == 0 ? "" : " + ",
                        factor * first.coefficients[static_cast<Eigen::Index>(i)], unit,
                        first.form[i].text());
  }
  return text;
}

void print_search(const SearchModel& search) {
  constexpr std::size_t kTerms = 28;
  const auto print = [](const std::string& part, const std::string& where,
                        const std::string& terms) {
    fmt::print("{}", wrapped(fmt::format("{:<10}  {:<14}  {}", part, where, terms), kTerms));
  };
  if (search.visits) {
    for (const auto& [workers, factor] : search.visits->hypotheses.front().factors) {
      print("search", fmt::format("{} per host", workers),
            terms_text(*search.visits, " s", factor));
    }
  }
  if (search.inverse_efficiency) {
    print("efficiency", "", fmt::format("1 / ({})", terms_text(*search.inverse_efficiency, "")));
  }
}

/// The laws of a call on the hypercube by their blocks, or that of a table.
std::vector<std::pair<std::string_view, const Law*>> laws_of(const Model& model) {
  if (const TableModel* table = model.table()) {
    return {{"run", &table->law}};
  }
  std::vector<std::pair<std::string_view, const Law*>> laws;
  for (const BlockModel& block : model.hypercube()->blocks) {
    laws.emplace_back(name_of(block.block), &block.law);
  }
  return laws;
}

void print_laws(const Model& model) {
  Table table{
      .columns = {{"block"}, {"terms"}, {"likely", true}, {"of forms", true}, {"residual", true}}};
  for (const auto& [name, law] : laws_of(model)) {
    table.rows.push_back(
        {text(std::string(name)), text(law->text()), percent(law->hypotheses.front().weight),
         count(std::ssize(law->hypotheses)), percent(law->median_abs_relative_residual)});
  }
  fmt::print("\n{}", to_terminal(table));
}

void print_fit(const Model& model) {
  fmt::print("{}", wrapped(model.verdict.sentence()));
  if (const SearchModel* search = model.search()) {
    print_search(*search);
  } else {
    print_laws(model);
  }
  for (const RefusedBlock& block : model.refused) {
    fmt::print("{}",
               wrapped(fmt::format("{:<10}  refused: {}", name_of(block.block), block.reason)));
  }
  fmt::print("{}", notes_text(model.notes));
}

Json to_json(const Model& model, const std::filesystem::path& file) {
  Json blocks = Json::array();
  if (model.search() == nullptr) {
    for (const auto& [name, law] : laws_of(model)) {
      blocks.push_back({{"block", name},
                        {"terms", law->text()},
                        {"weight", law->hypotheses.front().weight},
                        {"median_residual", law->median_abs_relative_residual},
                        {"forms", law->hypotheses.size()}});
    }
  } else {
    const SearchModel& search = *model.search();
    const auto add = [&blocks](const char* name, const std::optional<Law>& law) {
      if (law) {
        blocks.push_back({{"block", name}, {"terms", law->text()}});
      }
    };
    add("search", search.visits);
    add("inverse_efficiency", search.inverse_efficiency);
  }
  Json refused = Json::array();
  for (const RefusedBlock& block : model.refused) {
    refused.push_back({{"block", name_of(block.block)}, {"reason", block.reason}});
  }
  return {{"app", model.app},
          {"type", model.type},
          {"written", file.string()},
          {"verdict", to_json(model.verdict)},
          {"blocks", std::move(blocks)},
          {"refused", std::move(refused)},
          {"notes", model.notes}};
}

/// That of the command line, else the one of the study; empty if there is none.
std::string machine_file(const FitCommandArguments& arguments,
                         const std::optional<std::filesystem::path>& folder) {
  if (!arguments.machine.empty()) {
    return machine_of(arguments.machine).string();
  }
  const std::string file = folder ? machine_of(*folder).string() : "";
  return std::filesystem::exists(file) ? file : "";
}

/// Whether the measurements have what --machine, --form and --forms are for.
void check_options(const FitCommandArguments& arguments, const Measurements& measurements) {
  const FitArguments& fit = arguments.fit;
  const bool prescribes = !fit.given_forms.empty() || fit.forms != "auto";
  if (measurements.type == kTableType && (prescribes || !arguments.machine.empty())) {
    throw UsageError(
        "a table has no blocks and no network: --machine, --forms and --form are for traces");
  }
  if (measurements.type == name_of(DC_Type::work_stealing) && prescribes) {
    throw UsageError("a search has no blocks: --forms and --form are for calls on the hypercube");
  }
  const NamedSizes& sizes = measurements.points.front().sizes;
  std::vector<std::string> names;
  std::ranges::copy(std::views::keys(sizes), std::back_inserter(names));
  if (fit.forms == "paper" && !has_paper_forms(names)) {
    throw UsageError(
        fmt::format("--forms paper: Printista and Saez have forms of N, and of N and M, not of {}",
                    format_sizes(sizes)));
  }
}

void run(FitCommandArguments& arguments, const std::string& command_line) {
  require_option(arguments.traces, "a study's folder, a trace or a table",
                 "cleave fit sort-study, or cleave fit *.trace.jsonl --out sort.model.json");
  const std::optional<std::filesystem::path> folder = only_folder(arguments.traces);
  if (!folder) {
    require_option(arguments.out, "--out", "--out sort.model.json");
  }
  const FitOptions options = arguments.fit.options();
  const std::vector<std::string> files = traces_of(arguments.traces);
  const std::string machine_read = machine_file(arguments, folder);
  std::vector<std::string> inputs = files;
  inputs.push_back(machine_read);
  arguments.answering.set_output("--out", arguments.out, inputs);
  const std::optional<detail::Machine> machine = read_machine_if_given(machine_read);
  const Measurements measurements =
      arguments.fit.measurements(read_measurements(files, arguments.table.choice));
  check_options(arguments, measurements);
  const std::filesystem::path out = arguments.out.empty()
                                        ? model_to_write(*folder, file_name_of(measurements.app))
                                        : std::filesystem::path(arguments.out);
  Model model = fit_model(measurements, machine, options,
                          detail::provenance_here("cleave fit", command_line, "none"));
  if (folder && !model.verdict.trusted) {
    const Verdict by_rehearsals =
        judge(model, measurements.points, {.rehearsed = rehearsed_in(*folder, model)});
    if (by_rehearsals.trusted) {
      model.verdict = by_rehearsals;
    }
  }
  write_model(out, model);
  arguments.answering.print(to_json(model, out));
  if (arguments.answering.is_for_people()) {
    print_fit(model);
    if (arguments.out.empty()) {
      fmt::print("written: {}\n", detail::one_line(out.string()));
    }
  }
}

}  // namespace

void add_fit_command(CLI::App& program, const std::string& command_line) {
  auto arguments = std::make_shared<FitCommandArguments>();
  CLI::App* command =
      program.add_subcommand("fit", "Fit a model to traces, or to a table of run times");
  command->add_option(
      "traces", arguments->traces,
      "Traces (*.trace.jsonl) of one application, or a study's folder; or run times as CSV");
  command->add_option("--machine", arguments->machine,
                      "Calibrated latency and gap; without it those in the study's folder, else "
                      "they are fitted to the traces");
  command->add_option("--out", arguments->out,
                      "The model to write (*.model.json); without it that of the study's folder");
  arguments->fit.add_to(*command);
  command
      ->add_option("--hold-out", arguments->fit.hold_out,
                   "Which sizes are kept from the fit, to test it; beyond: those of more than a "
                   "third of the largest")
      ->check(CLI::IsMember({"none", "every-second", "beyond"}))
      ->capture_default_str();
  arguments->table.add_to(*command);
  arguments->answering.add_to(*command);
  command->footer(
      "Examples:\n"
      "  cleave fit sort-study\n"
      "  cleave fit *.trace.jsonl --machine here.machine.json --out sort.model.json\n"
      "  cleave fit times.csv --hold-out beyond --out times.model.json\n"
      "  cleave fit sort-study --form \"sequential=1,N*log2(N)\" --hold-out beyond --json");
  command->callback([arguments, command_line] { run(*arguments, command_line); });
}

}  // namespace cleave::models
