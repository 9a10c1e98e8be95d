// SPDX-License-Identifier: Apache-2.0
// cleave-spacetree: plans and replays how a growing tree is split onto processors.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cleave/command_line/options.hpp>
#include <cleave/command_line/output.hpp>
#include <cleave/error.hpp>
#include <cleave/figures.hpp>
#include <cleave/file.hpp>
#include <cleave/host/host.hpp>

#include "apps/splitting/generators.hpp"
#include "apps/splitting/online.hpp"
#include "apps/splitting/plan_file.hpp"
#include "apps/splitting/planner.hpp"

namespace cleave::splitting {
namespace {

using detail::JsonFields;

constexpr int kMaxProcessors = 1 << 20;

/// The typed options; each command uses some of them.
struct Options {
  std::string tree;
  int processors = 1;
  std::string mode = "sfc";
  std::string planner = "automatic";
  std::string policy = "ahead";
  CostCoefficients cost;
  ScoreWeights score;
  double window = 0;
  bool as_json = false;
  bool front = false;
  std::string plan_file;
  std::string out;
  std::string command_line;
};

/// A split as it is printed: without its leaves.
struct PrintedSplit {
  Entry entry;
};

void fields(JsonFields& object, PrintedSplit& split) { figures(object, split.entry); }

/// One line of JSON, or the figures that are no lists as lines.
void print(const Options& o, const Figures& report,
           std::optional<std::span<const Entry>> splits = {}) {
  if (o.as_json) {
    fmt::print("{}\n", detail::json_text([&](JsonFields& object) {
                 object("version", 1);
                 report.named()(object);
                 if (splits) {
                   object("splits", std::vector<PrintedSplit>(splits->begin(), splits->end()));
                 }
               }));
    return;
  }
  Figures::Named shown = report.named();
  std::erase_if(shown.figures, [](const auto& figure) {
    return std::holds_alternative<Figures::List>(figure.second.written());
  });
  if (splits) {
    shown.figures.emplace_back("splits", splits->size());
  }
  fmt::print("{}", detail::figures_text(shown));
}

/// Prints what every command that ends with a ledger reports, and `more`, and writes its files.
void finish(const Options& o, const Ledger& ledger, const Figures& more) {
  const Tree& tree = ledger.growth().tree();
  const Balance leaves = balance(ledger.leaves_of_all());
  Figures report = {{"app", "spacetree"},
                    {"tree", o.tree},
                    {"leaves", tree.leaves()},
                    {"processors", ledger.processors()},
                    {"mode", name_of(ledger.mode())},
                    {"imbalance", static_cast<Index>(leaves.imbalance())},
                    {"max_over_mean", leaves.max_over_mean()},
                    {"cost", ledger.cost()},
                    {"sum_n", ledger.sum_n()},
                    {"sum_N", ledger.sum_N()},
                    {"score", score(o.score, ledger.cost(), leaves)}};
  for (const auto& [name, value] : more.named().figures) {
    report.set(name, value);
  }
  if (!o.out.empty()) {
    const PlanFile file(ledger, o.cost,
                        detail::provenance_here("cleave-spacetree", o.command_line, "none"));
    write_file(o.out, detail::json_text(file, 1) + '\n');
  }
  print(o, report, ledger.entries());
}

void plan(const Options& o) {
  const Tree tree = tree_named(o.tree);
  const Problem problem{.tree = tree,
                        .processors = o.processors,
                        .cost = o.cost.model(),
                        .mode = *named<Mode>(kModeNames, o.mode)};
  const Planner planner = *named<Planner>(kPlannerNames, o.planner);
  const LoadWindow window = window_around_mean(problem, o.window);
  const std::optional<Planned> planned =
      o.window == 0 ? plan_min_imbalance(problem, planner) : plan_within(problem, window, planner);
  if (!planned) {
    throw Error(
        fmt::format("{}: no plan in mode {} gives every processor {} to {} leaves; widen "
                    "--window or leave it out for the least imbalance",
                    o.tree, o.mode, window.minimum, window.maximum));
  }
  Figures report = {{"planner", name_of(planned->planner)}, {"exact", planned->exact}};
  if (o.front) {
    Figures::List front;
    for (const FrontPoint& point : plan_front(problem, planner)) {
      front.push_back({{"imbalance", point.imbalance},
                       {"cost", point.planned.cost},
                       {"exact", point.planned.exact}});
    }
    report.set("front", front);
  }
  finish(o, replay(tree, planned->plan, problem.cost), std::move(report));
}

void simulate(const Options& o) {
  const Tree tree = tree_named(o.tree);
  const Policy policy = policy_named(o.policy, o.processors, tree.children());
  finish(o, splitting::simulate(tree, o.processors, o.cost.model(), policy),
         {{"policy", o.policy}});
}

void replay(Options o) {
  const Tree tree = tree_named(o.tree);
  PlanFile recorded;
  auto file = JsonFields::parse(o.plan_file, "", read_file(o.plan_file));
  fields(file, recorded);
  o.cost = recorded.cost;
  finish(o, splitting::replay(o.plan_file, tree, recorded), {});
}

void tree(const Options& o) {
  const Tree tree = tree_named(o.tree);
  if (!o.out.empty()) {
    write_file(o.out, tree_text(tree));
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

/// A check that a value is one of `names`.
template <class Names>
CLI::IsMember one_of(const Names& names) {
  return CLI::IsMember(std::vector<std::string>(names.begin(), names.end()));
}

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
  constexpr double kMost = 1e300;
  const auto numbers = [](CLI::App* command, const char* name, std::vector<double*> values,
                          const char* help) {
    const auto take = [values](const std::vector<double>& given) {
      for (std::size_t i = 0; i < given.size(); ++i) {
        *values[i] = given[i];
      }
    };
    command->add_option_function<std::vector<double>>(name, take, help)
        ->delimiter(',')
        ->expected(2, static_cast<int>(values.size()))
        ->check(detail::Number(0, kMost));
  };
  for (CLI::App* command : {&plans, &simulates, &replays, &trees}) {
    command->footer(kExamples);
    command->add_option("--tree", o.tree, tree_source_help())->required();
    command->add_flag("--json", o.as_json, "one JSON object on one line");
  }
  for (CLI::App* command : {&plans, &simulates}) {
    command->add_option("--processors", o.processors, "P")
        ->required()
        ->check(CLI::Range(1, kMaxProcessors));
    numbers(command, "--cost", {&o.cost.a1, &o.cost.a2, &o.cost.exponent},
            "A1,A2,e of F = A1 n^e + A2 N^e [1,1,1]");
    numbers(command, "--score", {&o.score.c1, &o.score.c2},
            "C1,C2 of score = C2 cost + C1 imbalance [1,1]");
    command->add_option("--out", o.out, "write the splits as a plan file");
  }
  plans.add_option("--mode", o.mode, fmt::format("{}", fmt::join(kModeNames, ", ")))
      ->check(one_of(kModeNames));
  plans
      .add_option("--window", o.window,
                  "leaves may lie this part of the mean around it; 0: least imbalance")
      ->check(detail::Number(0, kMost));
  plans.add_option("--planner", o.planner, fmt::format("{}", fmt::join(kPlannerNames, ", ")))
      ->check(one_of(kPlannerNames));
  plans.add_flag("--front", o.front, "the whole front of cost against imbalance");
  simulates.add_option("--policy", o.policy, "name, or name:number for its parameter");
  replays.add_option("--plan", o.plan_file, "plan file")->required();
  trees.add_option("--out", o.out, "write the tree as a tree file");
  if (!detail::parse_command_line(app, argc, argv)) {
    return;
  }
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
}  // namespace cleave::splitting

int main(int argc, char** argv) {
  return cleave::detail::run_alone("cleave-spacetree", [&] { cleave::splitting::run(argc, argv); });
}
