// SPDX-License-Identifier: Apache-2.0
// cleave-spacetree: plans and replays how a growing tree is split onto processors.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include <cleave/command_line/options.hpp>
#include <cleave/command_line/output.hpp>
#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/host/provenance_here.hpp>

#include "apps/splitting/drawing.hpp"
#include "apps/splitting/options.hpp"
#include "apps/splitting/policies.hpp"
#include "apps/splitting/tree_source.hpp"
#include "apps/splitting/ledger/plan_file.hpp"
#include "apps/splitting/ledger/score.hpp"
#include "apps/splitting/ledger/surface.hpp"
#include "apps/splitting/offline/hierarchy.hpp"
#include "apps/splitting/offline/planner.hpp"
#include "apps/splitting/online/simulate.hpp"
#include "apps/splitting/tree/tree_file.hpp"

namespace cleave::spacetree {
namespace {

using namespace splitting;
using nlohmann::json;

constexpr int kMaxProcessors = 1 << 20;

/// What every command that ends with a ledger reports.
json report_of(const Options& o, const Ledger& ledger) {
  const Tree& tree = ledger.growth().tree();
  std::vector<Index> surface;
  Index pieces = 0;
  json report;
  const bool has_cells = tree.l_max() <= (tree.shape().k == 2 ? 31 : 20);
  if (has_cells) {
    for (const PartShape& shape : part_shapes(ledger, curve_of(o, tree))) {
      surface.push_back(shape.surface);
      pieces = std::max(pieces, shape.pieces);
    }
    report["surface"] = std::accumulate(surface.begin(), surface.end(), Index{0});
    report["most_pieces"] = pieces;
  } else if (o.score.c3 > 0) {
    throw UsageError(
        fmt::format("--c3 is {}, it must be 0 for a tree of {} levels", o.score.c3, tree.l_max()));
  }
  const Balance leaves = balance(ledger.leaves_of_all());
  const Balance loads = balance(ledger.leaves_of_all(), surface, o.score.c3);
  json splits = json::array();
  for (const Entry& entry : ledger.entries()) {
    splits.push_back(to_json(entry));
  }
  report["app"] = "spacetree";
  report["tree"] = o.tree;
  report["leaves"] = tree.leaves();
  report["processors"] = ledger.processors();
  report["mode"] = name_of(ledger.mode());
  report["imbalance"] = static_cast<Index>(leaves.imbalance());
  report["max_over_mean"] = leaves.max_over_mean();
  report["cost"] = ledger.cost();
  report["sum_n"] = ledger.sum_n();
  report["sum_N"] = ledger.sum_N();
  report["score"] = score(o.score, ledger.cost(), loads);
  report["splits"] = std::move(splits);
  if (o.cores > 0) {
    report["edges_across_nodes"] = edges_across_nodes(ledger, o.cores);
  }
  return report;
}

/// One line of JSON, or the figures at the top level as lines.
void print(const Options& o, const json& report) {
  if (o.as_json) {
    fmt::print("{}\n", report.dump());
    return;
  }
  if (o.quiet) {
    return;
  }
  nlohmann::ordered_json figures;
  for (const auto& [name, value] : report.items()) {
    if (name == "splits") {
      figures[name] = value.size();
    } else if (!value.is_array()) {
      figures[name] = value;
    }
  }
  fmt::print("{}", detail::figures_text(figures));
}

void write_outputs(const Options& o, const Ledger& ledger) {
  const Tree& tree = ledger.growth().tree();
  if (!o.out.empty()) {
    write_plan(o.out, ledger, o.cost,
               detail::provenance_here("cleave-spacetree", o.command_line, "none"));
  }
  if (o.pictures.empty()) {
    return;
  }
  const Curve curve = curve_of(o, tree);
  Ledger again(tree, ledger.processors(), ledger.mode(), o.cost.model());
  auto entry = ledger.entries().begin();
  for (int stage = 0; stage <= tree.l_max(); ++stage) {
    for (; entry != ledger.entries().end() && entry->split.stage == stage; ++entry) {
      again.split(entry->split.giver, entry->split.receiver, entry->split.leaves);
    }
    write_file(fmt::format("{}-stage-{}.svg", o.pictures, stage), stage_picture(again, curve));
    if (stage < tree.l_max()) {
      again.advance();
    }
  }
}

json front_of(const Options& o, const Problem& problem) {
  const std::vector<FrontPoint> front = plan_front(problem, *planner_named(o.planner));
  if (!o.front_picture.empty()) {
    write_file(o.front_picture,
               front_picture(front, fmt::format("{}, P = {}, F = {}", o.tree, problem.processors,
                                                problem.cost.name)));
  }
  json points = json::array();
  for (const FrontPoint& point : front) {
    points.push_back({{"imbalance", point.imbalance},
                      {"cost", point.planned.cost},
                      {"exact", point.planned.exact}});
  }
  return points;
}

Planned planned_for(const Options& o, const Problem& problem) {
  if (o.cores > 0) {
    const LoadWindow window = window_around_mean(problem, o.window);
    if (auto planned = plan_chains_on_chains(problem, window, o.cores)) {
      return std::move(*planned);
    }
    throw Error(fmt::format("{}: no plan on nodes of {} cores with {} to {} leaves a processor",
                            o.tree, o.cores, window.minimum, window.maximum));
  }
  if (o.window == 0) {
    return plan_min_imbalance(problem, *planner_named(o.planner));
  }
  const LoadWindow window = window_around_mean(problem, o.window);
  if (auto planned = plan_within(problem, window, *planner_named(o.planner))) {
    return std::move(*planned);
  }
  throw Error(
      fmt::format("{}: no plan in mode {} gives every processor {} to {} leaves; widen "
                  "--window or leave it out for the least imbalance",
                  o.tree, o.mode, window.minimum, window.maximum));
}

void plan(const Options& o) {
  const Tree tree = tree_named(o.tree);
  const Problem problem{.tree = tree,
                        .processors = o.processors,
                        .cost = o.cost.model(),
                        .mode = *mode_named(o.mode)};
  const Planned planned = planned_for(o, problem);
  const Ledger ledger = replay(tree, planned.plan, problem.cost);
  json report = report_of(o, ledger);
  report["planner"] = name_of(planned.planner);
  report["exact"] = planned.exact;
  if (o.front || !o.front_picture.empty()) {
    report["front"] = front_of(o, problem);
  }
  write_outputs(o, ledger);
  print(o, report);
}

void simulate(const Options& o) {
  const Tree tree = tree_named(o.tree);
  const CostModel cost = o.cost.model();
  const Policy policy = policy_named(o.policy, o.processors, tree.children(), cost);
  const Ledger ledger =
      o.guided ? simulate_guided(tree, o.processors, cost, {policy, allow_lightest_part})
               : splitting::simulate(tree, o.processors, cost, policy);
  json report = report_of(o, ledger);
  report["policy"] = o.policy;
  report["guided"] = o.guided;
  write_outputs(o, ledger);
  print(o, report);
}

void replay(const Options& o) {
  const Tree tree = tree_named(o.tree);
  const RecordedPlan recorded = read_plan(o.plan_file);
  const Ledger ledger = replay_recorded(o.plan_file, tree, recorded);
  Options as_recorded = o;
  as_recorded.cost = recorded.cost;
  write_outputs(as_recorded, ledger);
  print(o, report_of(as_recorded, ledger));
}

void tree(const Options& o) {
  const Tree tree = tree_named(o.tree);
  if (!o.out.empty()) {
    write_tree(o.out, tree);
  }
  print(o, {{"app", "spacetree"},
            {"tree", o.tree},
            {"k", tree.shape().k},
            {"d", tree.shape().d},
            {"leaves", tree.leaves()},
            {"nodes", tree.nodes()},
            {"l_min", tree.l_min()},
            {"l_max", tree.l_max()},
            {"fingerprint", tree.fingerprint()}});
}

constexpr const char* kExamples =
    "Examples:\n"
    "  cleave-spacetree plan --tree random:max=8 --processors 16 --out r.plan.json\n"
    "  cleave-spacetree simulate --tree uniform:max=5 --processors 4 --policy ahead";

void run(int argc, char** argv) {
  Options o;
  o.command_line = detail::command_line_of(argc, argv);
  CLI::App app("Plans how a growing tree is split onto processors", "cleave-spacetree");
  app.require_subcommand(1);
  app.footer(kExamples);

  CLI::App& plans = *app.add_subcommand("plan", "least cost when the whole tree is known");
  CLI::App& simulates = *app.add_subcommand("simulate", "run an online policy");
  CLI::App& replays = *app.add_subcommand("replay", "check a plan file and what it costs");
  CLI::App& trees = *app.add_subcommand("tree", "write a tree file, say what a tree is");
  for (CLI::App* command : {&plans, &simulates, &replays, &trees}) {
    add_common(*command, o);
  }
  for (CLI::App* command : {&plans, &simulates}) {
    add_cost(*command, o);
  }
  for (CLI::App* command : {&plans, &simulates, &replays}) {
    add_report(*command, o);
  }
  for (CLI::App* command : {&plans, &simulates}) {
    command->add_option("--processors", o.processors, "P")
        ->required()
        ->check(CLI::Range(1, kMaxProcessors));
  }
  plans.add_option("--mode", o.mode, "sfc, any, run, subtree or parent_owned")
      ->check(one_of(kModeNames));
  plans.add_option("--window", o.window,
                   "leaves may lie this part of the mean around it; 0: least imbalance");
  plans.add_option("--planner", o.planner, fmt::format("{}", fmt::join(kPlannerNames, ", ")))
      ->check(one_of(kPlannerNames));
  plans.add_flag("--front", o.front, "the whole front of cost against imbalance");
  plans.add_option("--front-picture", o.front_picture, "write the front as an SVG plot");
  simulates.add_option("--policy", o.policy, "name, or name:number for its parameter");
  simulates.add_flag("--guided", o.guided,
                     "the open leaves of the processor with the fewest leaves refine first");
  replays.add_option("--plan", o.plan_file, "plan file")->required();
  trees.add_option("--out", o.out, "write the tree as a tree file");
  for (CLI::App* command : {&plans, &simulates, &replays, &trees}) {
    command->footer(kExamples);
  }
  if (!detail::parse_command_line(app, argc, argv)) {
    return;
  }
  check_options(o);
  if (plans.parsed()) {
    plan(o);
  } else if (simulates.parsed()) {
    simulate(o);
  } else if (replays.parsed()) {
    replay(o);
  } else {
    tree(o);
  }
}

}  // namespace
}  // namespace cleave::spacetree

int main(int argc, char** argv) {
  return cleave::detail::run_alone("cleave-spacetree", [&] { cleave::spacetree::run(argc, argv); });
}
