// SPDX-License-Identifier: Apache-2.0
// The command line of every program, what it says of itself, and small parts of the harness.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/program.hpp>
#include <cleave/random.hpp>
#include <cleave/trace/median.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

using Texts = std::vector<std::string>;

/// A program that does nothing, with an option of its own.
ProgramTraits sample() {
  ProgramTraits program{.name = "sample",
                        .program = "cleave-sample",
                        .sizes = {{"N", 8}, {.name = "M", .max_count = 100, .is_required = false}},
                        .types = {DC_Type::sequential, DC_Type::hypercube, DC_Type::work_stealing},
                        .placements = {Placement::replicated, Placement::rooted}};
  program.add_options = [](CLI::App& cli) {
    cli.add_option_function<std::string>(
           "--own", [](const std::string&) {}, "an option of its own")
        ->check(ParsedBy([](const std::string& text) {
          if (text == "bad") {
            throw UsageError("'bad' is bad");
          }
        }))
        ->default_str("x");
  };
  return program;
}

ProgramTraits search() {
  ProgramTraits program = sample();
  program.searches = true;
  program.type = DC_Type::work_stealing;
  return program;
}

std::vector<char*> argv_of(Texts& words) {
  std::vector<char*> argv;
  std::ranges::transform(words, std::back_inserter(argv),
                         [](std::string& word) { return word.data(); });
  return argv;
}

/// Parses as main would.
CommandLine parse(Texts arguments, const ProgramTraits& program = sample()) {
  arguments.insert(arguments.begin(), "cleave-sample");
  std::vector<char*> argv = argv_of(arguments);
  return parse_options(program, static_cast<int>(argv.size()), argv.data(), false).value();
}

using Refusals = std::vector<std::pair<Texts, std::string>>;

/// Expects the message of each command line; "accepted" of one that is right.
void expect_refusals(const ProgramTraits& program, const Refusals& refusals) {
  for (const auto& [arguments, expected] : refusals) {
    std::string found = "accepted";
    try {
      parse(arguments, program);
    } catch (const UsageError& error) {
      found = error.what();
    }
    EXPECT_EQ(found, expected);
  }
}

TEST(CommandLine, NamesTheOptionAndTheValueThatItRefuses) {
  const std::string no_count = " is not a count: digits, then K, M or G (1024-based)";
  expect_refusals(
      sample(),
      {{{"--own", "good", "--repetitions", "1K"}, "accepted"},
       {{"--own", "bad"}, "--own: 'bad' is bad"},
       {{"--repetitions", "0"}, "--repetitions: '0' is out of range: from 1 to 1000000"},
       {{"--repetitions", "12x"}, "--repetitions: '12x'" + no_count},
       {{"--seed", "1e30"}, "--seed: '1e30'" + no_count},
       {{"--type", "magic"}, "--type: magic not in {sequential,hypercube,work_stealing}"},
       {{"--placement", "here"}, "--placement: here not in {replicated,rooted,distributed}"},
       {{"--inputs", "new"}, "accepted"},
       {{"--threads", "2", "--type", "work_stealing"}, "accepted"},
       {{"--threads", "2", "--type", "sequential"},
        "--threads: sequential of cleave-sample runs one thread a rank, take --type "
        "work_stealing"},
       {{"--threads", "2"},
        "--threads: hypercube of cleave-sample runs one thread a rank, give the application "
        "`small` or take --type work_stealing"},
       {{"--size", "M=3"}, "--size: N is missing, for example --size M=1,N=8"},
       {{"--size", "N=3,M=101"}, "--size: 'N=3,M=101' is too large: at most M=100"},
       {{"--size", "K=3"}, "--size: 'K' is not a size of this application: N, M"},
       {{"--placement", "distributed"},
        "--placement: distributed is not for cleave-sample: its problem has no parts, which "
        "`make_part` of a Program makes"},
       {{"--trace", "-", "--json"},
        "--trace - and --json both write to standard output: give --trace a file, or leave one "
        "out"},
       {{"--trace", ""}, "--trace: '' is not the name of a file or folder"},
       {{"--network", "x"},
        "--network and --ranks-per-host are for a rehearsed search: add --rehearse P"}});
  ProgramTraits of_parts = sample();
  of_parts.placements.push_back(Placement::distributed);
  expect_refusals(of_parts, {{{"--placement", "distributed", "--type", "sequential"}, "accepted"},
                             {{"--placement", "distributed"}, "accepted"},
                             {{"--placement", "distributed", "--type", "work_stealing"},
                              "--placement: distributed is not for --type work_stealing"}});
  for (const char* const stray : {"--unknown", "stray", "--own"}) {
    try {
      parse({stray});
      ADD_FAILURE() << stray;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(stray), std::string::npos);
    }
  }
}

TEST(CommandLine, OfASearchRefusesWhatDoesNotGoTogether) {
  const std::string limit =
      "--rehearse: a limit is not for a rehearsal, which solves each part as a whole";
  expect_refusals(
      search(),
      {{{"--resume"}, "--resume: say which folder by --checkpoint"},
       {{"--checkpoint", "x", "--type", "hypercube"},
        "--checkpoint: hypercube writes no snapshots"},
       {{"--checkpoint", "x", "--repetitions", "2"},
        "--repetitions: must be 1 with --checkpoint, which is for one long run"},
       {{"--checkpoint", "x", "--warm-up", "1"},
        "--warm-up: must be 0 with --checkpoint, which is for one long run"},
       {{"--rehearse", "2", "--checkpoint", "x"},
        "--rehearse: --checkpoint is not for a rehearsal, which begins at the start"},
       {{"--rehearse", "4", "--type", "hypercube", "--max-nodes", "9"}, limit},
       {{"--rehearse", "4", "--type", "hypercube", "--max-time", "9"}, limit},
       {{"--rehearse", "4", "--type", "hypercube", "--network", "x"},
        "--rehearse: --network and --ranks-per-host are for a search: cleave predict takes a "
        "machine"},
       {{"--max-time", "soon"},
        "--max-time: 'soon' is not a time above 0 and up to 1e9 s: give seconds, or 20ms, 90s, "
        "15m, 1h30m, 2d"}});
  const RunOptions once =
      parse({"--checkpoint", "x", "--max-time", "1h30m", "--checkpoint-every", "250ms"}, search())
          .options;
  EXPECT_EQ(once.repetitions, 1);
  EXPECT_EQ(once.warm_up, 0);
  EXPECT_EQ(once.max_s, 5400);
  EXPECT_EQ(once.checkpoint_every_s, 0.25);
}

TEST(CommandLine, NamesTheRangeOfACountATimeAndANumber) {
  EXPECT_EQ(Count(5)("6"), "");
  EXPECT_EQ(Count(5)("4"), "'4' is out of range: at least 5");
  EXPECT_EQ(Duration(1, 60)("5"), "");
  EXPECT_EQ(Duration(1, 60)("2m"), "'2m' is out of range: from 1 s to 60 s");
  EXPECT_EQ(Number(0, 1)("0.5"), "");
  EXPECT_NE(Number(0, 1)("nan"), "");
}

TEST(CommandLine, OffersAShellWhatMayFollow) {
  CLI::App cli("sample", "sample");
  std::string path;
  bool quiet = false;
  CLI::App& plan = *cli.add_subcommand("plan", "");
  cli.add_subcommand("show", "");
  plan.add_option("--out", path, "a file");
  plan.add_option("--kind", path, "")->check(CLI::IsMember({"one", "two"}));
  plan.add_flag("--quiet", quiet, "");
  plan.add_flag("--hidden", quiet, "")->group("");
  const auto after = [&cli](Texts words) {
    std::vector<char*> argv = argv_of(words);
    return completions_after(cli, static_cast<int>(argv.size()), argv.data());
  };
  EXPECT_EQ(after({"sample"}), "plan\nshow\n--help\t\n");
  EXPECT_EQ(after({"sample", "--json", "plan"}),
            "--help\t\n--out\tFILE\n--kind\tone two\n--quiet\t\n");
}

TEST(CommandLine, KeepsOwnOptionsAsGivenOrByDefault) {
  const CommandLine line = parse({"--seed", "4"});
  EXPECT_EQ(line.own,
            (std::vector<std::pair<std::string, std::string>>{{"size", "M=1,N=8"}, {"own", "x"}}));
  EXPECT_EQ(line.options.seed, 4U);
  EXPECT_EQ(parse({"--own", "y"}).own.back().second, "y");
}

TEST(DefaultStudy, IsOfSizesUpToTheDefault) {
  ProgramTraits program = search();
  program.sizes = {{"N", 9}, {"K", 3}};
  EXPECT_EQ(default_study(program, true).sizes,
            (Texts{"K=3,N=3", "K=3,N=4", "K=3,N=5", "K=3,N=6", "K=3,N=7", "K=3,N=8"}));
  program = sample();
  program.sizes = {{"N", 1024}};
  EXPECT_EQ(default_study(program, false).sizes.back(), "N=1K");
  EXPECT_EQ(default_study(program, true).sizes.back(), "N=128");
  EXPECT_EQ(default_study(program, false).sizes.size(), 11U);
  program.sizes.clear();
  EXPECT_EQ(default_study(program, false).sizes, Texts());
}

/// Adds up numbers; has no default constructor.
struct Sum {
  using Problem = std::vector<int>;
  using Solution = int;
  explicit Sum(int of_none) : of_none(of_none) {}
  bool trivial(const Problem& numbers) const { return numbers.size() < 2; }
  int conquer(const Problem& numbers) const { return numbers.empty() ? of_none : numbers[0]; }
  Halves<Problem> divide(const Problem& numbers) const {
    const auto middle = numbers.begin() + std::ssize(numbers) / 2;
    return {{numbers.begin(), middle}, {middle, numbers.end()}};
  }
  int combine(int left, int right) const { return left + right; }
  int of_none;
};

std::string refusal_of(const Program<Sum>& program) {
  try {
    program({});
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Program, SaysWhatItLacksBeforeItRuns) {
  Program<Sum> program{.make_problem = [](const NamedSizes&, std::uint64_t) {
    return std::vector<int>{1, 2};
  }};
  EXPECT_EQ(refusal_of(program),
            "the program must have `application`, which makes the application: it has no default "
            "constructor");
  program.application = [](const RunOptions&) { return Sum(0); };
  EXPECT_EQ(refusal_of(program), "accepted");
  program.make_problem = nullptr;
  EXPECT_EQ(refusal_of(program),
            "the program must have `make_problem`, which makes the problem that a run solves");
}

TEST(CounterRandom, IsTheSameOnEveryMachineAndFillsARangeEvenly) {
  // From the same formula in another language.
  const CounterRandom random(1);
  EXPECT_EQ(random(0), 13830413928045401970U);
  EXPECT_EQ(random(1), 6869446166584666695U);
  EXPECT_NE(CounterRandom(2)(0), random(0));
  std::array<int, 10> counts{};
  for (std::uint64_t i = 0; i < 100000; ++i) {
    ++counts.at(below(static_cast<std::uint32_t>(random(i)), 10));
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 10000, 500);  // five standard deviations
  }
  EXPECT_EQ(below(0xffffffff, 10), 9U);
  EXPECT_EQ(below(~std::uint64_t{0}, std::uint64_t{10}), 9U);
  EXPECT_EQ(below(std::uint64_t{1} << 63, std::uint64_t{1} << 40), std::uint64_t{1} << 39);
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoInTheMiddle) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
}

}  // namespace
}  // namespace cleave
