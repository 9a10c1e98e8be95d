// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/program.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/program/parse_options.hpp>
#include <cleave/program/traits.hpp>
#include <cleave/random.hpp>
#include <cleave/trace/median.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

/// A program that does nothing.
ProgramTraits sample() {
  return {.name = "sample",
          .program = "cleave-sample",
          .sizes = {{"N", 8}, {.name = "M", .max_count = 100, .is_required = false}},
          .types = {DC_Type::sequential, DC_Type::hypercube, DC_Type::work_stealing},
          .placements = {Placement::replicated, Placement::rooted}};
}

/// One whose sizes are not free, and that reads a file.
ProgramTraits stepped() {
  ProgramTraits program = sample();
  program.sizes = {
      {.name = "N", .default_count = 1024, .step = PowersOf{2}},
      {.name = "M", .default_count = 640, .is_required = false, .step = MultiplesOf{64}}};
  program.files = {{.name = "input", .description = "what is read", .is_required = true}};
  return program;
}

/// Parses as main would.
CommandLine parse(std::vector<std::string> arguments, const std::function<void(CLI::App&)>& add_own,
                  ProgramTraits program = sample()) {
  arguments.insert(arguments.begin(), "cleave-sample");
  std::vector<char*> argv(arguments.size());
  std::transform(arguments.begin(), arguments.end(), argv.begin(),
                 [](std::string& argument) { return argument.data(); });
  program.add_options = add_own;
  return parse_options(program, static_cast<int>(argv.size()), argv.data(), false).value();
}

std::string refusal(const std::vector<std::string>& arguments) {
  std::string own = "x";
  try {
    parse(arguments, [&own](CLI::App& cli) {
      cli.add_option("--own", own, "an option of its own")
          ->check(ParsedBy([](const std::string& text) {
            if (text == "bad") {
              throw UsageError("'bad' is bad");
            }
          }));
    });
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CommandLine, NamesTheOptionAndTheValueThatItRefuses) {
  const std::string kNoCount = " is not a count: digits, then K, M or G (1024-based)";
  EXPECT_EQ(refusal({"--own", "good", "--repetitions", "1K"}), "accepted");
  EXPECT_EQ(refusal({"--own", "bad"}), "--own: 'bad' is bad");
  EXPECT_EQ(refusal({"--repetitions", "0"}),
            "--repetitions: '0' is out of range: from 1 to 1000000");
  EXPECT_EQ(refusal({"--repetitions", "12x"}), "--repetitions: '12x'" + kNoCount);
  EXPECT_EQ(refusal({"--warm-up", "-1"}), "--warm-up: '-1'" + kNoCount);
  EXPECT_EQ(refusal({"--seed", "1e30"}), "--seed: '1e30'" + kNoCount);
  EXPECT_EQ(refusal({"--type", "magic"}),
            "--type: magic not in {sequential,hypercube,work_stealing}");
  EXPECT_EQ(refusal({"--placement", "here"}),
            "--placement: here not in {replicated,rooted,distributed}");
  EXPECT_EQ(refusal({"--inputs", "new"}), "accepted");
  EXPECT_EQ(refusal({"--inputs", "old"}), "--inputs: old not in {same,new}");
  EXPECT_EQ(refusal({"--threads", "1"}), "accepted");
  EXPECT_EQ(refusal({"--threads", "2", "--type", "work_stealing"}), "accepted");
  EXPECT_EQ(refusal({"--threads", "2", "--type", "sequential"}),
            "--threads: sequential of cleave-sample runs one thread a rank, take --type "
            "work_stealing");
  EXPECT_EQ(refusal({"--size", "M=3"}), "--size: N is missing, for example --size M=1,N=8");
  EXPECT_EQ(refusal({"--size", "N=3,M=101"}), "--size: 'N=3,M=101' is too large: at most M=100");
  EXPECT_EQ(refusal({"--placement", "distributed"}),
            "--placement: distributed is not for cleave-sample: its problem has no parts, which "
            "`make_part` of a Program makes");
  EXPECT_EQ(refusal({"--trace", "-", "--json"}),
            "--trace - and --json both write to standard output: give --trace a file, or leave one "
            "out");
  EXPECT_EQ(refusal({"--network", "x", "--ranks-per-host", "2"}),
            "--network and --ranks-per-host are for a rehearsed search: add --rehearse P");
  EXPECT_EQ(refusal({"--threads", "2"}),
            "--threads: hypercube of cleave-sample runs one thread a rank, give the application "
            "`small` or take --type work_stealing");
}

TEST(CommandLine, APlacementIsThatOfItsType) {
  ProgramTraits of_parts = sample();
  of_parts.placements.push_back(Placement::distributed);
  const auto placement_of = [&](const std::string& type) {
    return parse({"--placement", "distributed", "--type", type}, nullptr, of_parts)
        .options.placement;
  };
  EXPECT_EQ(placement_of("hypercube"), Placement::distributed);
  EXPECT_EQ(placement_of("sequential"), Placement::distributed);
  try {
    placement_of("work_stealing");
    ADD_FAILURE() << "it is accepted";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--placement: distributed is not for --type work_stealing");
  }
}

TEST(CommandLine, RefusesWhatItDoesNotKnow) {
  EXPECT_NE(refusal({"--unknown"}).find("--unknown"), std::string::npos);
  EXPECT_NE(refusal({"stray"}).find("stray"), std::string::npos);
  EXPECT_NE(refusal({"--own"}).find("--own"), std::string::npos);
  EXPECT_NE(refusal({"--repetition", "3"}).find("--repetition (see --help)"), std::string::npos);
}

TEST(CommandLine, NamesTheRangeOfACountAndOfATime) {
  EXPECT_EQ(Count(5)("6"), "");
  EXPECT_EQ(Count(5)("4"), "'4' is out of range: at least 5");
  EXPECT_EQ(Duration(1, 60)("5"), "");
  EXPECT_EQ(Duration(1, 60)("2m"), "'2m' is out of range: from 1 s to 60 s");
}

TEST(CommandLine, OffersAShellWhatMayFollow) {
  CLI::App cli("sample", "sample");
  std::string path;
  std::string kind;
  bool quiet = false;
  CLI::App& plan = *cli.add_subcommand("plan", "");
  cli.add_subcommand("show", "");
  plan.add_option("--out", path, "a file");
  plan.add_option("--kind", kind, "")->check(CLI::IsMember({"one", "two"}));
  plan.add_flag("--quiet", quiet, "");
  plan.add_flag("--hidden", quiet, "")->group("");
  const auto after = [&cli](std::vector<std::string> words) {
    std::vector<char*> argv;
    std::ranges::transform(words, std::back_inserter(argv),
                           [](std::string& word) { return word.data(); });
    return completions_after(cli, static_cast<int>(argv.size()), argv.data());
  };
  EXPECT_EQ(after({"sample"}), "plan\nshow\n--help\t\n");
  EXPECT_EQ(after({"sample", "--json", "plan"}),
            "--help\t\n--out\tFILE\n--kind\tone two\n--quiet\t\n");
}

TEST(CommandLine, OfASearchRefusesWhatDoesNotGoTogether) {
  ProgramTraits searching = sample();
  searching.searches = true;
  searching.type = DC_Type::work_stealing;
  const auto refusal_of_search = [&](const std::vector<std::string>& arguments) -> std::string {
    try {
      parse(arguments, nullptr, searching);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal_of_search({"--resume"}), "--resume: say which folder by --checkpoint");
  EXPECT_EQ(refusal_of_search({"--checkpoint", "x", "--type", "hypercube"}),
            "--checkpoint: hypercube writes no snapshots");
  EXPECT_EQ(refusal_of_search({"--checkpoint", "x", "--repetitions", "2"}),
            "--repetitions: must be 1 with --checkpoint, which is for one long run");
  EXPECT_EQ(refusal_of_search({"--checkpoint", "x", "--warm-up", "1"}),
            "--warm-up: must be 0 with --checkpoint, which is for one long run");
  EXPECT_EQ(refusal_of_search({"--rehearse", "2", "--checkpoint", "x"}),
            "--rehearse: --checkpoint is not for a rehearsal, which begins at the start");
  EXPECT_EQ(refusal_of_search({"--rehearse", "4096", "--network", "x"})
                .find("--rehearse: 4096 ranks are more than this host has cores ("),
            0U);
  const RunOptions once = parse({"--checkpoint", "x"}, nullptr, searching).options;
  EXPECT_EQ(once.repetitions, 1);
  EXPECT_EQ(once.warm_up, 0);
  const auto refusal_on_hypercube = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--rehearse", "4", "--type", "hypercube"});
    return refusal_of_search(arguments);
  };
  for (const char* const limit : {"--max-nodes", "--max-memory", "--max-time"}) {
    EXPECT_EQ(refusal_on_hypercube({limit, "9"}),
              "--rehearse: a limit is not for a rehearsal, which solves each part as a whole");
  }
  EXPECT_EQ(refusal_on_hypercube({"--network", "x"}),
            "--network and --ranks-per-host are for --rehearse of a search: cleave predict takes a "
            "machine");
}

TEST(CommandLine, KeepsOwnOptionsAsGivenOrByDefault) {
  std::string first = "1";
  int second = 2;
  const CommandLine line = parse({"--b", "3", "--seed", "4"}, [&](CLI::App& cli) {
    cli.add_option("--a", first, "first");
    cli.add_option("--b", second, "second");
  });
  EXPECT_EQ(line.own, (std::vector<std::pair<std::string, std::string>>{
                          {"size", "M=1,N=8"}, {"a", "1"}, {"b", "3"}}));
  EXPECT_EQ(second, 3);
  EXPECT_EQ(line.options.seed, 4U);
}

std::string refusal_of_stepped(const std::vector<std::string>& arguments,
                               const ProgramTraits& program = stepped()) {
  try {
    parse(arguments, nullptr, program);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CommandLine, RefusesSizesBetweenTheirSteps) {
  const auto refusal_of_size = [](const char* size) {
    return refusal_of_stepped({"--input", "/dev/null", "--size", size});
  };
  EXPECT_EQ(refusal_of_size("N=2K,M=128"), "accepted");
  EXPECT_EQ(refusal_of_size("N=1000"),
            "--size: 'N=1000': N must be one of the powers of 2, for example N=1K");
  EXPECT_EQ(refusal_of_size("N=1K,M=100"),
            "--size: 'N=1K,M=100': M must be one of the multiples of 64, for example M=128");
  ProgramTraits wrong = stepped();
  wrong.sizes[0].default_count = 1000;
  EXPECT_EQ(refusal_of_stepped({}, wrong),
            "size N: the default 1000 is not one of the powers of 2");
  wrong.sizes[0].step = PowersOf{1};
  EXPECT_EQ(refusal_of_stepped({}, wrong), "size N: there are no powers of 1");
}

TEST(CommandLine, RequiresAFileThatIsThereButToDescribeItself) {
  EXPECT_EQ(refusal_of_stepped({}), "--input is required: what is read");
  EXPECT_EQ(refusal_of_stepped({"--describe"}), "accepted");
  EXPECT_EQ(refusal_of_stepped({"--input", "/no/file"}), "--input: File does not exist: /no/file");
  EXPECT_EQ(parse({"--input", "/dev/null"}, nullptr, stepped()).options.files.at("input"),
            "/dev/null");
}

using Texts = std::vector<std::string>;

TEST(DefaultStudy, HasAllowedSizesAlone) {
  ProgramTraits program = stepped();
  program.sizes.pop_back();
  EXPECT_EQ(default_study(program, false).sizes,
            (Texts{"N=8", "N=16", "N=32", "N=64", "N=128", "N=256", "N=512", "N=1K"}));
  EXPECT_EQ(default_study(program, true).sizes.back(), "N=128");
  program.sizes = stepped().sizes;
  for (const std::string& text : default_study(program, false).sizes) {
    const NamedSizes sizes = parse_sizes(text);
    EXPECT_EQ(sizes.at("M") % 64, 0) << text;
  }
  program.searches = true;
  program.sizes = {{.name = "N", .default_count = 12, .step = MultiplesOf{4}}};
  EXPECT_EQ(default_study(program, false).sizes, (Texts{"N=4", "N=8", "N=12"}));
  program.sizes = {{"N", 9}, {"K", 3}};
  EXPECT_EQ(default_study(program, true).sizes,
            (Texts{"K=3,N=3", "K=3,N=4", "K=3,N=5", "K=3,N=6", "K=3,N=7", "K=3,N=8"}));
}

TEST(DefaultStudy, IsEmptyWhereNothingVaries) {
  ProgramTraits program = sample();
  program.sizes.clear();
  EXPECT_EQ(default_study(program, false).sizes, Texts());
}

TEST(DefaultStudy, IsOfTheFilesThatTheProgramNames) {
  ProgramTraits program = stepped();
  program.files[0].study = {"small.txt", "large one.txt"};
  const Study study = default_study(program, false);
  EXPECT_EQ(study.size_option, "--input");
  EXPECT_EQ(study.sizes, (Texts{"small.txt", "large one.txt"}));
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

TEST(CounterRandom, IsTheSameOnEveryMachine) {
  // From the same formula in another language.
  const CounterRandom random(1);
  EXPECT_EQ(random(0), 13830413928045401970U);
  EXPECT_EQ(random(1), 6869446166584666695U);
  EXPECT_NE(CounterRandom(2)(0), random(0));
}

TEST(CounterRandom, FillsARangeEvenly) {
  const CounterRandom random(1);
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

TEST(Options, TakeTimesAsPeopleTypeThem) {
  ProgramTraits searching = sample();
  searching.searches = true;
  searching.type = DC_Type::work_stealing;
  std::array<std::string, 5> arguments = {"cleave-sample", "--max-time", "1h30m",
                                          "--checkpoint-every", "250ms"};
  std::array<char*, 5> argv{};
  std::ranges::transform(arguments, argv.begin(), [](std::string& text) { return text.data(); });
  const auto line = parse_options(searching, 5, argv.data(), false);
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->options.max_s, 5400);
  EXPECT_EQ(line->options.checkpoint_every_s, 0.25);
  arguments[2] = "soon";
  argv[2] = arguments[2].data();
  EXPECT_THROW(parse_options(searching, 5, argv.data(), false), UsageError);
}

}  // namespace
}  // namespace cleave
