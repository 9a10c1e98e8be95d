// SPDX-License-Identifier: Apache-2.0
// cleave compare: what was measured of versions of a program, side by side, each against the first.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <cleave/command_line/options.hpp>
#include <cleave/trace/json_fields.hpp>

#include "models/ask/arguments.hpp"
#include "models/report/comparison.hpp"
#include "models/report/table.hpp"
#include "models/study/study_folder.hpp"
#include "models/study/study_run.hpp"

namespace cleave::models {

static std::optional<double> if_finite(double ratio) {
  return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

static void fields(detail::JsonFields& object, const ComparedThing& thing) {
  const Difference& d = thing.difference;
  object("side", thing.side + 1)("what", thing.what).or_null("ratio", if_finite(d.ratio));
  object.or_null("interval", d.rounds < 2
                                 ? std::nullopt
                                 : std::optional(std::pair(if_finite(d.low), if_finite(d.high))));
  object("runs", d.runs)("rounds", d.rounds)("verdict", thing.verdict());
}

static void fields(detail::JsonFields& object, const Comparison& comparison) {
  object("files", comparison.sides)("rows", comparison.things);
  object.or_null("max_ratio", if_finite(comparison.max_ratio()));
  object("summary", comparison.summary())("notes", comparison.notes);
}

namespace {

struct CompareArguments {
  std::vector<std::string> files;
  std::optional<double> max_ratio;
  SideRunOptions run;
  bool chooses_runs = false;
  Answering answering;
};

/// Whether a side is a program, which is run, rather than a trace or a study's folder.
bool is_program(const std::string& file) {
  return !is_folder(file) && !file.ends_with(kTraceEnding) && ::access(file.c_str(), X_OK) == 0;
}

/// The sides that lie in files: traces or studies' folders.
std::vector<ComparedSide> read_sides(const std::vector<std::string>& files) {
  std::vector<ComparedSide> sides;
  for (const std::string& file : files) {
    const std::vector<std::string> traces = traces_of({file});
    if (are_tables(traces)) {
      throw UsageError(fmt::format("{} holds no traces: give traces or studies' folders", file));
    }
    sides.push_back(side_of(file, read_traces(traces)));
  }
  return sides;
}

void run(CompareArguments& arguments) {
  const Answering& answering = arguments.answering;
  if (arguments.files.size() < 2) {
    throw UsageError(
        "two or more files or folders are required, for example cleave compare old-study "
        "new-study");
  }
  const bool runs = is_program(arguments.files.front());
  if (!runs && arguments.chooses_runs) {
    throw UsageError("--ranks, --sizes and --rounds are of programs that are run, which " +
                     arguments.files.front() + " is not");
  }
  const Comparison comparison =
      compare_sides(runs ? run_sides(arguments.files, arguments.run) : read_sides(arguments.files));
  for (std::size_t i = 0; i < comparison.sides.size(); ++i) {
    answering.say(fmt::format("{}: {}\n", i + 1, detail::one_line(comparison.sides[i])));
  }
  answering.say(
      fmt::format("\n{}\n{}", wrapped(comparison.summary()), to_terminal(table_of(comparison))));
  answering.say(notes_text(comparison.notes));
  answering.print([&](detail::JsonFields& object) { fields(object, comparison); });
  const double ratio = comparison.max_ratio();
  if (ratio > arguments.max_ratio.value_or(1)) {
    throw Error(arguments.max_ratio
                    ? fmt::format("at least {:.3f} times as long, for certain; --max-ratio is {:g}",
                                  ratio, *arguments.max_ratio)
                    : comparison.summary() + (comparison.others.empty() ? " for certain" : ""));
  }
}

}  // namespace

void add_compare_command(CLI::App& program) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = program.add_subcommand(
      "compare", "Versions of a program side by side: each against the first");
  command->add_option("files", arguments->files,
                      "Two or more studies' folders or traces, or programs, which run in turn");
  command->add_option("--ranks", arguments->run.ranks, "Ranks of a program")
      ->capture_default_str()
      ->check(CLI::Range(1, detail::kMaxRanks));
  command->add_option("--sizes", arguments->run.sizes,
                      "Sizes of programs; without it those of the first one's quick study");
  command->add_option("--rounds", arguments->run.rounds, "Times that programs run")
      ->capture_default_str()
      ->check(CLI::Range(2, 1000));
  command
      ->add_option("--max-ratio", arguments->max_ratio,
                   "End with status 1 only if something takes more than so many times as long, "
                   "for certain; without it if anything takes longer for certain")
      ->transform(detail::Number(1, 1e6));
  arguments->answering.add_to(*command);
  command->footer("Examples:\n  cleave compare ./old ./new --rounds 12");
  command->callback([arguments, command] {
    for (const char* const option : {"--ranks", "--sizes", "--rounds"}) {
      arguments->chooses_runs |= command->count(option) > 0;
    }
    run(*arguments);
  });
}

}  // namespace cleave::models
