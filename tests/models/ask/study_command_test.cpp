// SPDX-License-Identifier: Apache-2.0
// `cleave study` as a person uses it, and its folder in place of its files.
#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/models/ask/command_fixture.hpp"

namespace cleave::models {
namespace {

TEST_F(Command, AStudyRunsFitsAndReports) {
  const std::string study = install();
  const Result result = run(study + " --machine m.machine.json --out s", "./cleave");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(fs::exists(folder_ / "s" / "report.html"));
  EXPECT_TRUE(fs::exists(folder_ / "s" / "sort.model.json"));
  EXPECT_TRUE(fs::exists(folder_ / "s" / "traces" / "sort-N-1M-p1-2.trace.jsonl"));
  EXPECT_EQ(result.err, "") << "no line a run";
  EXPECT_NE(words_of(result.out).find("trusted: 12 of 12 held-out runs"), std::string::npos)
      << result.out;
  for (const int ranks : {2, 8, 64}) {
    EXPECT_TRUE(fs::exists(folder_ / "s" / "rehearsals" /
                           fmt::format("sort-N-32M-r{}-1.trace.jsonl", ranks)));
    const std::string words = words_of(result.out);
    const auto at = words.find(fmt::format("N=32M on {} ranks: ", ranks));
    ASSERT_NE(at, std::string::npos) << result.out;
    EXPECT_NE(words.substr(at, 200).find("; rehearsed"), std::string::npos) << result.out;
  }
  expect_fits_a_terminal(result);
}

TEST_F(Command, AStudySaysOnceWhatItsRehearsalsWarnOf) {
  const std::string study = install() + " --machine m.machine.json --out s";
  const std::string warning = "synthetic: warning: rank 0 does other work in repetition 2\n";
  EXPECT_EQ(run(study + " -- --warn", "./cleave").err, warning);
  EXPECT_EQ(run(study + " --fresh --quiet -- --warn", "./cleave").err, "");
}

TEST_F(Command, AStudyRunsASizeUntilItsTwoQuickestRoundsAgree) {
  const std::string fixed = install();
  const std::string study =
      fixed.substr(0, fixed.find(" --rounds")) + " --machine m.machine.json --out s";
  // Of other length in each of the rounds 1 to 3, on 1 rank and on 2.
  const Result result = run(study + " -- --disturbed-size N=4M --disturbed-until 3", "./cleave");
  EXPECT_EQ(result.status, 0) << result.err;
  const auto has_trace = [&](const std::string& size, int ranks, int round) {
    return fs::exists(folder_ / "s" / "traces" /
                      fmt::format("sort-N-{}-p{}-{}.trace.jsonl", size, ranks, round));
  };
  EXPECT_TRUE(has_trace("4M", 1, 5) && has_trace("4M", 2, 5));
  EXPECT_FALSE(has_trace("4M", 1, 6) || has_trace("4M", 2, 6));
  EXPECT_TRUE(has_trace("8M", 1, 2));
  EXPECT_FALSE(has_trace("8M", 1, 3));
  EXPECT_TRUE(
      run(study + " --rounds 3 --fresh -- --disturbed-size N=4M --disturbed-until 3", "./cleave")
          .status == 0);
  EXPECT_TRUE(has_trace("4M", 1, 3) && has_trace("8M", 1, 3)) << "as many as are asked for";
  EXPECT_FALSE(has_trace("4M", 1, 4));
}

TEST_F(Command, AStudyRunsEverythingOnceAndNothingAgainBeyondItsBudget) {
  const std::string fixed = install();
  const std::string study =
      fixed.substr(0, fixed.find(" --rounds")) + " --machine m.machine.json --out s";
  const auto traces = [&](int round) {
    return std::ranges::count_if(
        fs::recursive_directory_iterator(folder_ / "s"), [&](const fs::directory_entry& entry) {
          return entry.path().string().ends_with(fmt::format("-{}.trace.jsonl", round));
        });
  };
  const Result once = run(study + " --budget 0.001s", "./cleave");
  EXPECT_EQ(once.status, 0) << once.err;
  EXPECT_GE(traces(1), 12);
  EXPECT_EQ(traces(2), 0);
  const Result twice = run(study + " --budget 1h", "./cleave");
  EXPECT_EQ(twice.status, 0) << twice.err;
  EXPECT_EQ(traces(1), traces(2));
}

TEST_F(Command, AStudyRehearsesUntilRepetitionsLeaveTheDoubtThatIsAllowed) {
  const std::string fixed = install();
  const std::string study = fixed.substr(0, fixed.find(" --rounds")) +
                            " --machine m.machine.json --at 2 --size N=64M --out s --fresh";
  const auto rounds = [&] {
    int round = 0;
    while (fs::exists(folder_ / "s" / "rehearsals" /
                      fmt::format("sort-N-64M-r2-{}.trace.jsonl", round + 1))) {
      ++round;
    }
    return round;
  };
  const Result narrow = run(study + " --within 5%", "./cleave");
  EXPECT_EQ(narrow.status, 0) << narrow.err;
  EXPECT_LT(rounds(), 3) << "what rehearsals miss is beside what is asked for";
  EXPECT_EQ(narrow.out.find("was asked for"), std::string::npos) << narrow.out;
  const Result never = run(study + " --within 0.001", "./cleave");
  EXPECT_EQ(never.status, 0) << never.err;
  EXPECT_LE(rounds(), 8);
  EXPECT_NE(words_of(never.out).find("0 % was asked for"), std::string::npos) << never.out;
  const Result bad = run(study + " --within 5x", "./cleave");
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.err.find("'5x' is not a percentage above 0 and up to 100"), std::string::npos)
      << bad.err;
}

TEST_F(Command, AStudyMeasuresAgainWhereARunIsNoLongerInItsInterval) {
  const std::string fixed = install();
  for (const std::string disturbed : {"runs", "rehearsals"}) {
    SCOPED_TRACE(disturbed);
    // Two rounds of 8M agree, and both are half as long again as they should be.
    const Result result =
        run(fmt::format("{} --machine m.machine.json --out {} -- --disturbed-size N=8M "
                        "--disturbed-until 2 --disturbed-alike {}",
                        fixed.substr(0, fixed.find(" --rounds")), disturbed, disturbed),
            "./cleave");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("trusted: "), std::string::npos) << result.out;
    EXPECT_EQ(result.out.find("not trusted: "), std::string::npos) << result.out;
    const auto has_third = [&](const std::string& kind, const std::string& name) {
      return fs::exists(folder_ / disturbed / kind / fmt::format("sort-N-{}-3.trace.jsonl", name));
    };
    const bool are_runs = disturbed == "runs";
    EXPECT_EQ(has_third("traces", "8M-p1"), are_runs);
    EXPECT_EQ(has_third("traces", "8M-p2"), are_runs);
    EXPECT_NE(has_third("rehearsals", "8M-r1"), are_runs);
    EXPECT_NE(has_third("rehearsals", "8M-r2"), are_runs);
    EXPECT_FALSE(has_third("traces", "2M-p1") || has_third("rehearsals", "32M-r2"));
  }
}

TEST_F(Command, AStudyAnswersByRehearsalsThatAllRunsJudge) {
  const std::string study = install() + " --machine cluster.machine.json --out s";
  Machine cluster = some_machine();
  for (const int ranks : {8, 16}) {
    cluster.alltoallv.push_back(cluster.exchange.front());
    cluster.alltoallv.back().ranks = ranks;
    cluster.alltoallv.back().between_hosts = true;
  }
  write_machine(folder_ / "cluster.machine.json", cluster);
  const Result result = run(study + " --at 8,16 --size N=64M --json", "./cleave");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto object = nlohmann::json::parse(result.out);
  EXPECT_TRUE(object.at("verdict").at("trusted").get<bool>()) << result.out;
  EXPECT_EQ(object.at("verdict").at("held_out"), 12) << "6 sizes on 1 and 2 ranks";
  ASSERT_EQ(object.at("answers").size(), 2);
  for (const auto& answer : object.at("answers")) {
    const auto& prediction = answer.at("prediction");
    SyntheticApp app;
    const int ranks = prediction.at("ranks").get<int>();
    const Trace truth = synthetic_trace(app, ranks, {{"N", 64 << 20}});
    const double seconds = 1e-9 * static_cast<double>(truth.repetitions[1].elapsed_ns);
    EXPECT_NEAR(prediction.at("seconds").get<double>() / seconds, 1, 0.04) << answer;
    EXPECT_LT(prediction.at("interval")[0].get<double>(), seconds) << answer;
    EXPECT_GT(prediction.at("interval")[1].get<double>(), seconds) << answer;
    EXPECT_NE(answer.at("text").get<std::string>().find("; rehearsed"), std::string::npos);
  }
  EXPECT_TRUE(fs::exists(folder_ / "s" / "rehearsals" / "sort-N-64M-r16-1.trace.jsonl"));
  EXPECT_NE(read_file(folder_ / "s" / "report.html").find("N=64M on 16 ranks"), std::string::npos);
  // The folder answers by its rehearsals where it has them, else by the law; it keeps the verdict.
  const Result asked = run("predict s --ranks 2,16 --size N=64M", "./cleave");
  EXPECT_NE(words_of(asked.out).find("trusted: 12 of 12"), std::string::npos)
      << asked.out << asked.err;
  EXPECT_NE(words_of(asked.out).find(object.at("answers")[1].at("text").get<std::string>()),
            std::string::npos)
      << asked.out;
  const Result report = run("report s --json", "./cleave");
  ASSERT_EQ(report.status, 0) << report.err;
  EXPECT_EQ(nlohmann::json::parse(report.out).at("answers"), object.at("answers"));
  // One verdict, whoever is asked.
  const std::string verdict = object.at("verdict").at("sentence");
  EXPECT_EQ(nlohmann::json::parse(report.out).at("verdict"), object.at("verdict"));
  EXPECT_NE(read_file(folder_ / "s" / "report.html").find("class=\"yes\">" + verdict),
            std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(run("fit s --json", "./cleave").out).at("verdict"),
            object.at("verdict"));
  // A plan is of the same predictions; what is by the law is not what was judged.
  const auto planned = nlohmann::json::parse(
      run("plan s --ranks 8,16 --size N=64M --deadline 1h --json", "./cleave").out);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(planned.at("choices")[i].at("seconds"),
              object.at("answers")[i].at("prediction").at("seconds"));
  }
  EXPECT_EQ(planned.at("verdict"), object.at("verdict"));
  EXPECT_NE(words_of(asked.out).find("the law of other sizes and ranks is not judged"),
            std::string::npos);
  const Result plan = run("plan s --ranks 1,2 --size N=64M --deadline 1h --slurm job", "./cleave");
  EXPECT_TRUE(words_of(plan.out).starts_with(verdict)) << plan.out;
  EXPECT_NE(read_file(folder_ / "job").find("# " + verdict), std::string::npos);
  // As it is told where the law is not judged.
  const Result judged = run("fit s --hold-out every-second --json", "./cleave");
  EXPECT_EQ(nlohmann::json::parse(judged.out).at("verdict").at("of_rehearsals"), false);
  EXPECT_TRUE(nlohmann::json::parse(judged.out).at("verdict").at("trusted").is_boolean());

  expect_one_line(run(study + " --at 8 --budget soon", "./cleave"), 2, "soon");
  expect_one_line(run(study + " --at 8 --size M=", "./cleave"), 2, "M=");
}

TEST_F(Command, AStudyTakesTheProgramsOptionsBehindAListOfSizes) {
  const std::string fixed = install();
  const std::string study =
      fixed.substr(0, fixed.find(" --sizes")) + " --machine m.machine.json --out s ";
  for (const std::string list : {"--sizes N=2M N=4M N=8M", "--sizes=N=2M --sizes=N=4M",
                                 "--sizes N=2M N=4M N=8M --size N=64M"}) {
    const Result result = run(study + list + " --fresh -- --app other", "./cleave");
    EXPECT_EQ(result.status, 0) << list << ": " << result.err;
  }
}

TEST_F(Command, AStudyTakesTheMessagesThatWereMeasuredWhereItIsToRun) {
  const std::string study = install() + " --machine m.machine.json --at 8 --size N=64M --out s";
  SyntheticApp messages;
  messages.name = "messages of sort";
  messages.divide = messages.combine = messages.sequential = [](const NamedSizes&) { return 0; };
  const Trace measured = synthetic_trace(messages, 8, {{"N", 64 << 20}});
  write_synthetic_trace(folder_ / "m.trace.jsonl", measured);
  const Result result = run(study + " --messages m.trace.jsonl --json", "./cleave");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto prediction = nlohmann::json::parse(result.out).at("answers")[0].at("prediction");
  EXPECT_FALSE(prediction.contains("assumed_network")) << prediction;
  EXPECT_NE(prediction.at("remarks").dump().find("messages: measured as the call sends them"),
            std::string::npos)
      << prediction;
  double exchange_s = 0;
  for (const auto& share : prediction.at("shares")) {
    exchange_s += share.at("block") == "exchange" ? share.at("seconds").get<double>() : 0;
  }
  EXPECT_NEAR(exchange_s, 1e-9 * static_cast<double>(measured.repetitions[1].elapsed_ns), 1e-9);
  // The folder keeps them.
  const Result asked = run("predict s --ranks 8 --size N=64M --json", "./cleave");
  EXPECT_EQ(nlohmann::json::parse(asked.out).at("predictions")[0], prediction) << asked.err;
  EXPECT_EQ(nlohmann::json::parse(run("report s --json", "./cleave").out)
                .at("answers")[0]
                .at("prediction"),
            prediction);
  expect_one_line(run(study + " --messages m.trace.jsonl -- --app other", "./cleave"), 2,
                  "is of messages of sort, replicated; --messages takes what");
}

TEST_F(Command, AStudySaysWhatFailed) {
  const std::string study = install();
  const Result result = run(study + " --machine m.machine.json --out s -- --fail", "./cleave");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("cleave: cleave-sort on 1 rank ended with status 3: synthetic: told to"
                            " fail; the run was "),
            std::string::npos)
      << result.err;
  EXPECT_FALSE(fs::exists(folder_ / "s")) << "a folder with nothing in it is of no use";
  expect_one_line(run(study + " --machine none", "./cleave"), 1, "none: cannot read");
  const Result killed = run(study + " --machine m.machine.json --out s -- --killed", "./cleave");
  EXPECT_EQ(killed.status, 1);
  EXPECT_NE(
      killed.err.find("cleave: cleave-sort on 1 rank was killed by signal 9 (Killed): it wrote"
                      " nothing; the run was "),
      std::string::npos)
      << killed.err;
  const Result untraced =
      run(study + " --machine m.machine.json --out s -- --no-trace", "./cleave");
  EXPECT_EQ(untraced.status, 1);
  EXPECT_NE(untraced.err.find("cleave: cleave-sort on 1 rank wrote no trace: it wrote nothing; the"
                              " run was "),
            std::string::npos)
      << untraced.err;
}

TEST_F(Command, CtrlCEndsAStudyAndWhatItStarted) {
  const std::string study = install();
  const Result result = run(study + " --machine m.machine.json --out s -- --sleep-and-say pid",
                            "timeout --preserve-status --signal=INT 2 ./cleave");
  EXPECT_EQ(result.status, 130);
  EXPECT_NE(result.err.find("cleave: stopped before the first run was done\n"), std::string::npos)
      << result.err;
  const int child = std::stoi(read_file(folder_ / "pid"));
  EXPECT_NE(::kill(child, 0), 0) << "the application still runs";
}

TEST_F(Command, AStudyThatWasInterruptedGoesOn) {
  const std::string study = install() + " --machine m.machine.json --out s";
  const Result half = run(study + " -- --failing-size N=32M", "./cleave");
  EXPECT_EQ(half.status, 1);
  EXPECT_EQ(half.err.find("[11/"), std::string::npos) << "no line a run: " << half.err;
  // Other options: nothing of it is reused.
  const Result other = run(study + " -- --app other", "./cleave");
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(other.err.find("reused"), std::string::npos) << other.err;

  fs::remove_all(folder_ / "s");
  ASSERT_EQ(run(study, "./cleave").status, 0);
  fs::remove(folder_ / "s" / "traces" / "sort-N-1M-p1-2.trace.jsonl");
  const std::string cut = read_file(folder_ / "s" / "traces" / "sort-N-2M-p2-1.trace.jsonl");
  std::ofstream(folder_ / "s" / "traces" / "sort-N-2M-p2-1.trace.jsonl")
      << cut.substr(0, cut.size() / 2);
  const Result rest = run(study, "./cleave");
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_NE(rest.err.find("study: 50 of 52 runs were made earlier and are reused from s; "
                          "--fresh makes all anew\n"),
            std::string::npos)
      << rest.err;

  const Result fresh = run(study + " --fresh", "./cleave");
  EXPECT_EQ(fresh.status, 0) << fresh.err;
  EXPECT_EQ(fresh.err.find("reused"), std::string::npos) << fresh.err;

  const Result fewer = run(study.substr(0, study.find(" --sizes")) +
                               " --machine m.machine.json --out s --sizes N=1M N=2M N=4M",
                           "./cleave");
  EXPECT_EQ(fewer.status, 0) << fewer.err;
  EXPECT_NE(fewer.err.find("study: note: s also holds 28 traces of other runs"), std::string::npos)
      << fewer.err;

  // A program that was built anew may be another one.
  fs::last_write_time(folder_ / "cleave-sort", fs::file_time_type::clock::now());
  const Result rebuilt = run(study, "./cleave");
  EXPECT_EQ(rebuilt.err.find("reused"), std::string::npos) << rebuilt.err;
}

TEST_F(Command, AStudyFindsItsProgram) {
  const std::string study = install();
  const std::string options =
      study.substr(study.find(" --launcher")) + " --machine m.machine.json --out s";
  fs::create_directory(folder_ / "elsewhere");
  fs::copy_file(folder_ / "cleave-sort", folder_ / "elsewhere" / "mine");
  fs::copy_file(folder_ / "cleave-sort", folder_ / "here");
  const Result by_path = run("study elsewhere/mine" + options, "./cleave");
  EXPECT_EQ(by_path.status, 0) << by_path.err;
  EXPECT_TRUE(fs::exists(folder_ / "s" / "sort.model.json")) << "the name is that it says";
  EXPECT_EQ(by_path.out.find("N=12M on "), std::string::npos) << "sizes are given";
  const Result by_default = run("study elsewhere/mine --quiet --out d --machine m.machine.json" +
                                    options.substr(0, options.find(" --sizes")),
                                "./cleave");
  EXPECT_EQ(by_default.status, 0) << by_default.err;
  EXPECT_TRUE(fs::exists(folder_ / "d" / "rehearsals" / "sort-N-12M-r64-1.trace.jsonl"))
      << "its default size is answered";
  EXPECT_TRUE(fs::exists(folder_ / "d" / "traces" / "sort-N-8M-p1-1.trace.jsonl"));
  EXPECT_FALSE(fs::exists(folder_ / "d" / "traces" / "sort-N-4M-p1-1.trace.jsonl"));
  const Result in_path = run("study mine" + options,
                             "PATH=\"" + (folder_ / "elsewhere").string() + ":$PATH\" ./cleave");
  EXPECT_EQ(in_path.status, 0) << in_path.err;
  EXPECT_EQ(run("study here" + options, "./cleave").status, 0);

  const std::string beside = (folder_ / "cleave-nonsense").string();
  expect_one_line(run("study nonsense", "./cleave"), 2,
                  "there is no program nonsense: looked for " + beside +
                      ", for nonsense in the PATH and for ./nonsense; give its path");
  expect_one_line(run("study ./nonsense", "./cleave"), 2, "there is no program ./nonsense");
  expect_one_line(run("study ./elsewhere", "./cleave"), 2, "./elsewhere is a folder");
  expect_one_line(run("study ./m.machine.json", "./cleave"), 2,
                  "./m.machine.json is not executable");
}

TEST_F(Command, AStudyRefusesWhatIsNoCleaveProgram) {
  make_executable(folder_ / "fails", "#!/bin/sh\necho fails: what is $1 >&2\nexit 7\n");
  make_executable(folder_ / "silent", "#!/bin/sh\n");
  make_executable(folder_ / "talks", "#!/bin/sh\necho '{\"format\": \"x\"}'\necho hello\n");
  make_executable(folder_ / "future",
                  "#!/bin/sh\necho '{\"format\": \"cleave-program\", \"version\": 99}'\n");
  make_executable(folder_ / "partial",
                  "#!/bin/sh\necho '{\"format\": \"cleave-program\", \"version\": 1}'\n");
  make_executable(folder_ / "binary",
                  "\x7f"
                  "ELF");
  expect_one_line(
      run("study ./fails"), 2,
      "/fails is no Cleave program: with --describe it ended with status 7: fails: what "
      "is --describe; a study needs a program whose main calls");
  expect_one_line(run("study ./silent"), 2, "it prints no description: it wrote nothing");
  expect_one_line(run("study ./talks"), 2, "it prints no description: hello");
  expect_one_line(run("study ./future"), 2, "build the program with this version of Cleave");
  expect_one_line(run("study ./partial"), 2, "/partial: ");
  expect_one_line(run("study ./binary"), 1, "binary");
  for (const auto& entry : fs::directory_iterator(folder_)) {
    EXPECT_FALSE(entry.is_directory()) << entry.path();
  }
}

TEST_F(Command, AStudyWaitsTenSecondsForADescription) {
  make_executable(folder_ / "hangs", "#!/bin/sh\nexec sleep 60\n");
  expect_one_line(run("study ./hangs"), 2, "it does not end within 10 s");
}

TEST_F(Command, AStudyRefusesWhatCouldNotBeFittedBeforeItRuns) {
  const std::string launcher = install();
  const std::string study =
      launcher.substr(0, launcher.find(" --sizes")) + " --machine m.machine.json --out s ";
  expect_one_line(run(study + "--sizes N=1M", "./cleave"), 2,
                  "a fit needs at least 2 different sizes, not 1");
  expect_one_line(run(study + "--sizes N=1M N=1024K", "./cleave"), 2, "not 1");
  expect_one_line(run(study + "--sizes N=1M N=1M", "./cleave"), 2, "N=1M comes twice");
  expect_one_line(run(study + "--sizes N=1M N=twice", "./cleave"), 2, "'twice' is not a count");
  expect_one_line(run(study + "--sizes N=1M \"-n 9\"", "./cleave"), 2, "cleave-sort refuses -n 9 ");
  expect_one_line(run(study + "-- --nonsense", "./cleave"), 2, "cleave-sort refuses --nonsense: ");
  expect_one_line(run(study + "--type work_stealing", "./cleave"), 2,
                  "--type: 'work_stealing' cannot be studied of ");
  expect_one_line(run(study + "--threads 1,2", "./cleave"), 2,
                  "--threads: a model of hypercube is of one number of threads, not of 1,2: study "
                  "each by itself, with another --out");
  expect_one_line(run(study + "--threads 2 --ranks 1", "./cleave"), 2,
                  "--threads: one rank alone shows no division: run 2 ranks of 2 threads, too");
  EXPECT_FALSE(fs::exists(folder_ / "s"));

  const Result options =
      run(study + "--rounds 1 --sizes \"--size N=1M\" \"--size N=2M\" --ranks 1", "./cleave");
  EXPECT_EQ(options.status, 0) << options.err;
  EXPECT_TRUE(fs::exists(folder_ / "s" / "traces" / "sort-size-N-1M-p1-1.trace.jsonl"));
  const Result named = run(study + "--ranks 1 -- --app ../evil", "./cleave");
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_TRUE(fs::exists(folder_ / "s" / "evil.model.json"));
  EXPECT_TRUE(fs::exists(folder_ / "s" / "traces" / "evil-N-1M-p1-1.trace.jsonl"));
}

TEST_F(Command, AStudyOfTheHypercubeIsOfTheThreadsThatItIsTold) {
  const std::string study = install();
  const Result studied =
      run(study + " --machine m.machine.json --threads 2 --allow-oversubscribed", "./cleave");
  ASSERT_EQ(studied.status, 0) << studied.err;
  const fs::path folder = folder_ / "sort-study";
  EXPECT_TRUE(fs::exists(folder / "traces" / "sort-N-1M-p2t2-1.trace.jsonl"));
  EXPECT_EQ(read_trace(folder / "rehearsals" / "sort-N-32M-r64t2-1.trace.jsonl").run.threads, 2);
  EXPECT_NE(words_of(studied.out).find("on 64 ranks of 2 threads: "), std::string::npos)
      << studied.out;
  const Result predicted = run("predict sort-study --ranks 2 --size N=32M --json");
  const auto prediction = nlohmann::json::parse(predicted.out).at("predictions").at(0);
  EXPECT_EQ(prediction.at("threads"), 2);
  EXPECT_NE(predicted.out.find("rehearsed: the blocks of 2 ranks"), std::string::npos);
  EXPECT_NE(run("predict sort-study --ranks 2 --size N=32M").out.find("threads"),
            std::string::npos);
}

TEST_F(Command, AFolderOfAStudyStandsForItsFiles) {
  const std::string study = install();
  ASSERT_EQ(run(study + " --machine m.machine.json", "./cleave").status, 0);
  ASSERT_TRUE(fs::exists(folder_ / "sort-study"));
  const std::string question = " --ranks 1,2 --size N=64M";
  const Result by_folder = run("predict sort-study" + question);
  EXPECT_EQ(by_folder.status, 0) << by_folder.err;
  EXPECT_EQ(by_folder.out, run("predict --model sort-study/sort.model.json" + question).out);
  const Result plan = run("plan sort-study --deadline 60s --size N=64M");
  EXPECT_EQ(plan.status, 0) << plan.err;
  EXPECT_NE(words_of(plan.out).find("and more are left out: "), std::string::npos) << plan.out;

  fs::remove(folder_ / "sort-study" / "report.html");
  EXPECT_EQ(run("report sort-study").status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "sort-study" / "report.html"));

  fs::remove(folder_ / "sort-study" / "sort.model.json");
  expect_one_line(run("predict sort-study" + question), 1,
                  "sort-study: has no *.model.json (it holds ");
  const Result fit = run("fit sort-study");
  EXPECT_EQ(fit.status, 0) << fit.err;
  EXPECT_NE(fit.out.find("written: sort-study/sort.model.json\n"), std::string::npos) << fit.out;
  EXPECT_NE(read_file(folder_ / "sort-study" / "sort.model.json").find("\"source\":\"test\""),
            std::string::npos)
      << "the machine is that of the folder";
  EXPECT_EQ(run("compare sort-study sort-study/").status, 0);
  EXPECT_EQ(run("export sort-study --format csv --out x.csv").status, 0);

  fs::copy_file(folder_ / "sort-study" / "sort.model.json",
                folder_ / "sort-study" / "again.model.json");
  expect_one_line(run("predict sort-study" + question), 1,
                  "sort-study: holds 2 files *.model.json, name the one that is meant: "
                  "again.model.json, sort.model.json");
  fs::create_directory(folder_ / "nothing");
  expect_one_line(run("fit nothing"), 1,
                  "nothing: has no *.trace.jsonl, nor has its traces/ (it is");
  expect_one_line(run("predict nothing" + question), 1,
                  "nothing: has no *.model.json (it is empty)");
}

}  // namespace
}  // namespace cleave::models
