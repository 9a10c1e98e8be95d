// SPDX-License-Identifier: Apache-2.0
// The command line of every program, what it says of itself and its run; parts of the harness.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cleave/command_line/options.hpp>
#include <cleave/command_line/output.hpp>
#include <cleave/command_line/progress.hpp>
#include <cleave/error.hpp>
#include <cleave/program.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/random.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/words.hpp>

#include "tests/support/message_of.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

using Texts = std::vector<std::string>;

/// A program that does nothing, with an option of its own.
ProgramTraits sample() {
  ProgramTraits program{.name = "sample",
                        .program = "cleave-sample",
                        .sizes = {{"N", 8}, {.name = "M", .max_count = 100, .is_required = false}},
                        .on_hypercube = true};
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
  return parse_options(program, 1, static_cast<int>(argv.size()), argv.data(), false).value();
}

using Refusals = std::vector<std::pair<Texts, std::string>>;

/// Expects the message of each command line; "accepted" of one that is right.
void expect_refusals(const ProgramTraits& program, const Refusals& refusals) {
  for (const auto& [arguments, expected] : refusals) {
    EXPECT_EQ(testing::message_of([&] { parse(arguments, program); }),
              expected == "accepted" ? "nothing was thrown" : expected);
  }
}

TEST(CommandLine, NamesTheOptionAndTheValueThatItRefuses) {
  const std::string no_count = " is not a count: as 12, 4K, 1.5M, 2G, 1T (1024-based), 1e9, 10^9";
  expect_refusals(
      sample(),
      {{{"--own", "good", "--repetitions", "1K"}, "accepted"},
       {{"--own", "bad"}, "--own: 'bad' is bad"},
       {{"--repetitions", "0"}, "--repetitions: '0' is out of range: from 1 to 10^6"},
       {{"--repetitions", "12x"}, "--repetitions: '12x'" + no_count},
       {{"--seed", "1e30"}, "--seed: '1e30' is too large: a count is at most 9223372036854775807"},
       {{"--check", "0"}, "--check: '0' is out of range: from 1 to 10^6"},
       {{"--check", "5", "--trace", "x"}, "--trace excludes --check (see --help)"},
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
  of_parts.makes_parts = true;
  expect_refusals(of_parts, {{{"--placement", "distributed", "--type", "sequential"}, "accepted"},
                             {{"--placement", "distributed"}, "accepted"},
                             {{"--placement", "distributed", "--type", "work_stealing"},
                              "--placement: distributed is not for --type work_stealing"}});
  for (const char* const stray : {"--unknown", "stray", "--own"}) {
    EXPECT_NE(testing::message_of([&] { parse({stray}); }).find(stray), std::string::npos);
  }
}

TEST(CommandLine, OfASearchRefusesWhatDoesNotGoTogether) {
  const std::string limit =
      "--rehearse: a limit is not for a rehearsal, which solves each part as a whole";
  const std::string once_alone =
      "--checkpoint: is for one long run: leave out --repetitions and --warm-up";
  expect_refusals(
      search(),
      {{{"--resume"}, "--resume: say which folder by --checkpoint"},
       {{"--checkpoint", "x", "--type", "hypercube"},
        "--checkpoint: hypercube writes no snapshots"},
       {{"--checkpoint", "x", "--repetitions", "2"}, once_alone},
       {{"--checkpoint", "x", "--warm-up", "1"}, once_alone},
       {{"--checkpoint", "x", "--warm-up", "0", "--repetitions", "1"}, "accepted"},
       {{"--rehearse", "2", "--checkpoint", "x"},
        "--rehearse: --checkpoint is not for a rehearsal, which begins at the start"},
       {{"--rehearse", "4", "--type", "hypercube", "--max-nodes", "9"}, limit},
       {{"--rehearse", "4", "--type", "hypercube", "--max-time", "9"}, limit},
       {{"--rehearse", "4", "--type", "hypercube", "--network", "x"},
        "--network and --ranks-per-host are for a rehearsed search: add --rehearse P"},
       {{"--max-time", "soon"},
        "--max-time: 'soon' is not a time up to 1e9 s: as 90 (seconds), 20ms, 15m, 1h30m, "
        "2:00:00, 2d"}});
  const RunOptions once =
      parse({"--checkpoint", "x", "--max-time", "1.5h", "--checkpoint-every", "250ms"}, search())
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
  EXPECT_EQ(line.own, (std::map<std::string, std::string>{{"size", "M=1,N=8"}, {"own", "x"}}));
  EXPECT_EQ(line.options.seed, 4U);
  Texts words{"cleave-sample", "a b", "it's", "", "N=1"};
  EXPECT_EQ(command_line_of(5, argv_of(words).data()), R"(cleave-sample 'a b' 'it'\''s' '' N=1)");
  EXPECT_EQ(parse({"--own", "y"}).own.at("own"), "y");
}

TEST(CommandLine, ChecksSmallProblemsUnlessSizesAreGiven) {
  ProgramTraits program = sample();
  program.sizes = {{"N", 1 << 20}, {.name = "M", .default_count = 4 << 20, .is_required = false}};
  const RunOptions small = parse({"--check", "1K"}, program).options;
  EXPECT_EQ(small.check, 1024);
  EXPECT_EQ(small.sizes, (NamedSizes{{"M", 256}, {"N", 64}}));
  EXPECT_EQ(parse({"--check", "1"}).options.sizes, (NamedSizes{{"M", 1}, {"N", 1}}));
  EXPECT_EQ(parse({"--size", "N=9K", "--check", "7"}, program).options.sizes.at("N"), 9 << 10);
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
  return testing::message_of([&] { program({}); });
}

TEST(Program, SaysWhatItLacksBeforeItRuns) {
  Program<Sum> program{.make_problem = [](const NamedSizes&, std::uint64_t) {
    return std::vector<int>{1, 2};
  }};
  EXPECT_EQ(refusal_of(program),
            "the program must have `application`, which makes the application: it has no default "
            "constructor");
  program.application = [](const RunOptions&) { return Sum(0); };
  EXPECT_EQ(refusal_of(program), "nothing was thrown");
  program.make_problem = nullptr;
  EXPECT_EQ(refusal_of(program),
            "the program must have `make_problem`, which makes the problem that a run solves");
}

TEST(Program, RefusesPartsOfAProblemThatHasNone) {
  EXPECT_EQ(refusal_of({.make_problem = [](const auto&, auto) { return std::vector{1}; },
                        .make_part = [](const auto&, const auto&, auto) { return std::vector{1}; }})
                .find("`make_part` is for a problem in parts: the application must have `static"),
            0U);
}

TEST(Figures, AreWrittenInTheirOrderAsTheTypesTheyHave) {
  const std::string tree = "T1";
  const char* const kernel = "sha";
  const std::vector<std::pair<Figures, std::string>> cases = {
      {{{"tree", tree},
        {"kernel", kernel},
        {"view", std::string_view("v")},
        {"is_right", true},
        {"nodes", std::numeric_limits<std::int64_t>::min()},
        {"corners", std::numeric_limits<std::uint64_t>::max()},
        {"area", 0.5},
        {"worst", std::numeric_limits<double>::infinity()},
        {"best", nullptr}},
       R"({"tree":"T1","kernel":"sha","view":"v","is_right":true,"nodes":-9223372036854775808,)"
       R"("corners":18446744073709551615,"area":0.5,"worst":null,"best":null})"},
      {{{"one", 1}}, R"({"one":1})"},
      {{{"times", {{"steal", 1}, {"idle", 2}}}, {"pair", {"a", "b"}}},
       R"({"times":{"steal":1,"idle":2},"pair":["a","b"]})"},
      {{{"same", 1}, {"same", 2}}, R"({"same":1})"},
      {{{"one", 1}, 2}, R"([["one",1],2])"},
      {{{"values", std::vector<Figures>{1, "two"}}}, R"({"values":[1,"two"]})"},
      {std::vector{3, 4}, "[3,4]"},
      {{{"some", std::optional(5)}, {"none", std::optional<int>()}}, R"({"some":5,"none":null})"},
      {Figures(), "{}"}};
  for (const auto& [figures, text] : cases) {
    EXPECT_EQ(json_text([&](JsonFields& object) { object("figures", figures); }),
              R"({"figures":)" + std::string(text) + "}");
  }
}

std::string printed(RunReport& report, const RunOptions& options) {
  ::testing::internal::CaptureStdout();
  print_report(report, options);
  return ::testing::internal::GetCapturedStdout();
}

TEST(Report, IsReadByPeople) {
  RunReport report{.app = "sample",
                   .seconds = {0.061, 0.0625, 0.064},
                   .sizes = {{"nodes", 300'000}},
                   .figures = {{"nodes", 300'000},
                               {"nodes_per_second", 4.8e6},
                               {"tree", "T1"},
                               {"interval_95", {40979.369, 64901.7}},
                               {"steals", {{"tried", 19}, {"success", nullptr}}},
                               {"worker_seconds", {{"searching", 5400.0}, {"idle", 0.043}}},
                               {"share_of_nodes", std::vector<double>(9, 0.0625)}}};
  EXPECT_EQ(printed(report, {.ranks = 2}),
            "sample on 2 ranks, hypercube, replicated\n"
            "nodes                 300000\n"
            "time                  62.5 ms median of 3, from 61 ms to 64 ms\n"
            "rate                  4.8 M nodes/s\n"
            "tree                  T1\n"
            "interval_95           41 k, 64.9 k\n"
            "steals                tried 19, success none\n"
            "worker_seconds        searching 90 min, idle 43 ms\n"
            "share_of_nodes        0.0625, 0.0625, 0.0625, 0.0625, 0.0625, 0.0625, 0.0625,\n"
            "                      0.0625, 0.0625\n");
}

TEST(Report, OfASearchThatWasRehearsedAndEndedEarlySaysSo) {
  RunReport report{.app = "sample",
                   .seconds = {2},
                   .input_s = 0.5,
                   .reads_input = true,
                   .imbalance = 1.25,
                   .figures = {{"is_tree", true}, {"is_graph", false}},
                   .verified = false,
                   .ended = EndedEarly{.reason = "the tree has more than 5 nodes"}};
  EXPECT_EQ(printed(report, {.type = DC_Type::work_stealing, .rehearse = true}),
            "sample on 1 rank, work_stealing, replicated, rehearsed\n"
            "so far                the search was ended early\n"
            "time                  2 s median of 1, from 2 s to 2 s\n"
            "                      500 ms of input and output, outside of these\n"
            "imbalance             1.250 (maximum of any worker / mean)\n"
            "is_tree               yes\n"
            "is_graph              no\n"
            "verified              NO\n");
}

TEST(Progress, SaysHowFarAndHowLong) {
  const Moment moment{.fraction = 0.35, .step = "run 3 of 6, 340 M visits"};
  EXPECT_EQ("cleave-uts: " + text_of(moment, 129.5, 130),
            "cleave-uts: 35 %, 2.17 min gone, about 4 min to go: run 3 of 6, 340 M visits");
  EXPECT_EQ(text_of({.fraction = 0.4}, 20, 500), "40 %, 8.33 min gone, about 0 s to go")
      << "a step that goes on";
  EXPECT_EQ(text_of({}, 0, 4), "0 %, 4 s gone, end not known");
}

ProgramDescription read(const std::string& text) {
  ProgramDescription program;
  JsonFields object = JsonFields::parse("program", "", text);
  fields(object, program);
  return program;
}

TEST(ProgramDescription, IsReadAsItIsWritten) {
  const ProgramDescription program{.name = "sort",
                                   .summary = "Sorts.",
                                   .types = {"sequential", "hypercube"},
                                   .type = "hypercube",
                                   .placement = "rooted",
                                   .default_size = "N=1M",
                                   .study = {.sizes = {"-n 8", "-n 9"},
                                             .size_option = "--tree",
                                             .rounds = 4,
                                             .repetitions = 5,
                                             .warm_up = 0,
                                             .inputs = Inputs::each_new},
                                   .quick_study = {}};
  const std::string text = json_text(program);
  EXPECT_EQ(json_text(read(text)), text);
  std::string other = text;
  other.replace(other.find("\"new\""), 5, "\"old\"");
  EXPECT_THROW(read(other), FileError);
}

TEST(Count, HasThreeDigits) {
  for (const auto& [count, text] :
       {std::pair(0.0, "0"), std::pair(950.0, "950"), std::pair(999.7, "1 k"),
        std::pair(3452000.0, "3.45 M"), std::pair(1.2e16, "1.2e+04 T")}) {
    EXPECT_EQ(rounded_count(count), text);
  }
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
