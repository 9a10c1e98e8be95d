// SPDX-License-Identifier: Apache-2.0
// cleave plan: how many ranks to ask for, what each choice costs, and a batch script.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include <cleave/command_line/options.hpp>
#include <cleave/file.hpp>
#include <cleave/trace/json_fields.hpp>

#include "models/ask/arguments.hpp"
#include "models/report/answer.hpp"
#include "models/report/table.hpp"
#include "models/study/program_description.hpp"
#include "models/study/slurm.hpp"
#include "models/theory/prediction.hpp"

namespace cleave::models {

namespace {

struct PlanArguments {
  QuestionArguments question;
  std::vector<int> ranks = parse_ranks("1,2,...,1024");
  std::string size;
  std::optional<double> deadline_s;
  std::optional<double> efficiency;
  std::string slurm;
  std::string checkpoint;
  std::optional<double> memory_bytes;
  bool anyway = false;
  Answering answering;
};

std::string hours(double hours) { return hours < 0.01 ? "<0.01" : fmt::format("{:.2f}", hours); }

/// Why a row is not taken, or that it might be.
Table table_of(const Plan& plan, bool is_table) {
  Table table{.columns = {{""},
                          {"nodes", true, is_table},
                          {"ranks", true},
                          {"threads", true, plan.choices.front().prediction.threads == 1},
                          {"time", true},
                          {"a run to", true},
                          {"efficiency", true},
                          {is_table ? "core hours" : "node hours", true},
                          {"memory of a node", true, is_table}}};
  for (const PlanChoice& c : plan.choices) {
    const Prediction& p = c.prediction;
    const bool is_chosen = plan.chosen && &c == &plan.choices[*plan.chosen];
    table.rows.push_back({text(is_chosen  ? "->"
                               : c.fits() ? "fits"
                                          : std::string(c.missed)),
                          whole(c.nodes), whole(p.ranks), whole(p.threads), seconds(p.seconds),
                          seconds(p.run_high), text(fmt::format("{:.3f}", c.efficiency)),
                          text(hours(is_table ? c.core_hours : c.nodes * p.seconds / 3600)),
                          text(c.node_bytes > 0 ? bytes_text(c.node_bytes) : "")});
  }
  hide_equal(table);
  table.columns.front().is_detail = false;
  return table;
}

/// "Ask for 1 node of 32 ranks: 4 min (...), 447 GiB of 512 GiB a node. 2 nodes save 37 %."
std::string request_text(const Plan& plan, bool is_table, double max_node_bytes) {
  const PlanChoice& chosen = plan.choices[*plan.chosen];
  const Prediction& p = chosen.prediction;
  const auto nodes_of = [&](const PlanChoice& c) {
    return is_table ? detail::format_ranks(c.prediction.ranks)
                    : fmt::format("{} {}", c.nodes, c.nodes == 1 ? "node" : "nodes");
  };
  const std::string workers =
      is_table ? "" : " of " + format_workers(std::min(p.ranks, p.ranks_per_host), p.threads);
  const std::string memory =
      chosen.node_bytes == 0
          ? ""
          : fmt::format(", {}{} a node", bytes_text(chosen.node_bytes),
                        std::isfinite(max_node_bytes) ? " of " + bytes_text(max_node_bytes) : "");
  const auto saved = [&](const PlanChoice& c) {
    return 100 * (1 - c.prediction.seconds / p.seconds);
  };
  const auto more = std::ranges::find_if(
      plan.choices, [&](const PlanChoice& c) { return c.nodes > chosen.nodes && saved(c) >= 5; });
  const std::string rest =
      more != plan.choices.end()
          ? fmt::format("{} save {:.0f} %.", nodes_of(*more), saved(*more))
          : fmt::format("More {} save less than 5 %.", is_table ? "ranks" : "nodes");
  return fmt::format("Ask for {}{}: {} (95 % of runs: {} to {}){}. {}", nodes_of(chosen), workers,
                     detail::format_seconds(p.seconds), detail::format_seconds(p.run_low),
                     detail::format_seconds(p.run_high), memory, rest);
}

/// Why nothing was chosen: what was asked, and how near the choices come to it.
std::string unmet(const Plan& plan, const PlanRequest& request) {
  const auto end_of_runs = [](const PlanChoice& choice) { return choice.prediction.run_high; };
  const PlanChoice& first = *std::ranges::min_element(plan.choices, {}, end_of_runs);
  const PlanChoice& best = *std::ranges::max_element(plan.choices, {}, &PlanChoice::efficiency);
  std::vector<std::string> asked;
  if (request.deadline_s) {
    asked.push_back(
        fmt::format("be done in {} with 95 % probability (at the earliest {}, with --ranks {})",
                    detail::format_seconds(*request.deadline_s),
                    detail::format_seconds(end_of_runs(first)), first.prediction.ranks));
  }
  if (request.efficiency) {
    asked.push_back(fmt::format("have an efficiency of {} (at most {:.2f}, with --ranks {})",
                                *request.efficiency, best.efficiency, best.prediction.ranks));
  }
  if (std::isfinite(request.max_node_bytes)) {
    const PlanChoice& least = *std::ranges::min_element(plan.choices, {}, &PlanChoice::node_bytes);
    asked.push_back(fmt::format("need {} a node (at least {}, with --ranks {})",
                                bytes_text(request.max_node_bytes), bytes_text(least.node_bytes),
                                least.prediction.ranks));
  }
  return fmt::format("none of {} numbers of ranks is predicted to {}", plan.choices.size(),
                     fmt::join(asked, " and to "));
}

void run(PlanArguments& arguments) {
  require_option(arguments.question.study, "a model or a study's folder",
                 "cleave plan sort-study --deadline 60s --size N=1G");
  PlanRequest request{.ranks = arguments.ranks,
                      .deadline_s = arguments.deadline_s,
                      .efficiency = arguments.efficiency};
  arguments.answering.set_output("--slurm", arguments.slurm, {arguments.question.study});
  const Model model = arguments.question.read();
  request.options = arguments.question.options();
  if (!model.size_names().empty()) {
    require_option(arguments.size, "--size", "--size N=1G");
  }
  request.sizes = sizes_asked(model, arguments.size, {2, 8, 64});
  detail::refuse_first({{arguments.memory_bytes && !model.memory,
                         "--memory: the traces do not tell how much a rank needs"}});
  request.max_node_bytes = arguments.memory_bytes.value_or(request.max_node_bytes);
  const Plan plan = make_plan(model, request);
  const bool is_refused = plan.chosen && !arguments.anyway &&
                          plan.choices[*plan.chosen].prediction.state != State::checked;
  if (plan.chosen && !is_refused && !arguments.slurm.empty()) {
    const std::string beside = "cleave-" + model.app;
    std::error_code error;  // as of a name that is too long
    const bool is_ours = std::filesystem::exists(program_folder() / beside, error);
    write_file(arguments.slurm, slurm_script(model, plan.choices[*plan.chosen],
                                             {.program = is_ours ? beside : "./" + model.app,
                                              .mpi_type = CLEAVE_SLURM_MPI_TYPE,
                                              .checkpoint = arguments.checkpoint}));
  }
  std::vector<Answer> answers;
  double reach = 0;  // of what is chosen, else the farthest
  for (const PlanChoice& choice : plan.choices) {
    answers.push_back({.ranks = choice.prediction.ranks, .notes = choice.prediction.remarks});
    reach = std::max(reach, choice.prediction.reach);
  }
  if (plan.chosen) {
    answers[*plan.chosen] = answer_of(model, plan.choices[*plan.chosen].prediction);
    reach = answers[*plan.chosen].prediction->reach;
  }
  arguments.answering.print([&](detail::JsonFields& object) {
    verdict_field(object, model, answers, reach);
    object("choices", plan.choices);
    object.or_null("ranks",
                   plan.chosen ? std::optional(answers[*plan.chosen].ranks) : std::nullopt);
    if (!plan.left_out.empty()) {
      object("left_out", plan.left_out);
    }
  });
  const bool is_table = model.table() != nullptr;  // which knows of no nodes
  std::vector<std::string> notes = notes_of(answers);
  notes.push_back(plan.left_out);
  std::erase(notes, "");
  constexpr std::ptrdiff_t kLines = 23;  // and the prompt
  const std::string table = fmt::format("{}\n{}", wrapped(verdict_of(model, answers, reach).second),
                                        to_terminal(table_of(plan, is_table)));
  const std::string asked =
      plan.chosen && !is_refused
          ? '\n' + wrapped(request_text(plan, is_table, request.max_node_bytes))
          : "";
  arguments.answering.say(
      table + notes_text(notes, kLines - std::ranges::count(table + asked, '\n')) + asked);
  if (is_refused) {
    throw Error("nothing is planned that is not checked; --anyway does: " +
                sentence_of(model, plan.choices[*plan.chosen].prediction));
  }
  if (!plan.chosen) {
    throw Error(unmet(plan, request));
  }
}

}  // namespace

void add_plan_command(CLI::App& program) {
  auto arguments = std::make_shared<PlanArguments>();
  CLI::App* command =
      program.add_subcommand("plan", "How many ranks keep a deadline or are used well");
  arguments->question.add_to(*command);
  command->add_option("--size", arguments->size, "Size of the whole problem, e.g. N=1G")->join(',');
  add_numbers(*command, "--ranks", arguments->ranks, "Numbers of ranks to choose among")
      ->default_str("1,2,...,1024");
  command
      ->add_option("--deadline", arguments->deadline_s,
                   "Time to be done in with 95 % probability: 20ms, 60s, 15m, 1.5h")
      ->transform(detail::Duration())
      ->type_name("TIME");
  command
      ->add_option("--efficiency", arguments->efficiency,
                   "Least speed-up over one rank divided by ranks")
      ->transform(detail::Number(0, 2));
  command->add_option("--memory", arguments->memory_bytes, "Memory of a node, e.g. 512G")
      ->transform(detail::Count(1));
  CLI::Option* const slurm =
      command->add_option("--slurm", arguments->slurm, "Batch script to write for the choice");
  command
      ->add_option("--checkpoint", arguments->checkpoint,
                   "Folder for snapshots: the batch script stops a search before its time limit, "
                   "queues it again and goes on")
      ->needs(slurm);
  command->add_flag("--anyway", arguments->anyway, "Plan what held-out runs do not bear out");
  arguments->answering.add_to(*command);
  command->footer(
      "Examples:\n  cleave plan sort-study --size N=1G --deadline 5m --slurm sort.sbatch");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace cleave::models
