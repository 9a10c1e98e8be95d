// SPDX-License-Identifier: Apache-2.0
// The program `cleave` as a person uses it: what it prints, its exit status, the files it leaves.
#include <sys/mount.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "tests/models/ask/command_fixture.hpp"

namespace cleave::models {
namespace {

TEST_F(Command, FitsPredictsAndReports) {
  const std::string traces = write_traces();
  write_machine(folder_ / "m.machine.json", some_machine());
  const Result fit =
      run("fit" + traces + " --machine m.machine.json --hold-out every-second --out x.model.json");
  EXPECT_EQ(fit.status, 0) << fit.err;
  EXPECT_NE(fit.out.find("N*log2(N)"), std::string::npos) << fit.out;

  const Result predict =
      run("predict --model x.model.json --ranks 2,8 --size N=64M --json --machine ethernet-10g");
  EXPECT_EQ(predict.status, 0) << predict.err;
  EXPECT_EQ(std::count(predict.out.begin(), predict.out.end(), '\n'), 1);
  EXPECT_EQ(nlohmann::json::parse(predict.out).at("verdict").at("trusted"), true) << predict.out;
  const auto predictions = nlohmann::json::parse(predict.out).at("predictions");
  ASSERT_EQ(predictions.size(), 2U);
  EXPECT_EQ(predictions[1].at("ranks"), 8);
  EXPECT_EQ(predictions[1].at("sizes").at("N"), 64 << 20);
  EXPECT_LT(predictions[1].at("interval")[0], predictions[1].at("seconds"));
  EXPECT_GT(predictions[1].at("interval")[1], predictions[1].at("seconds"));
  EXPECT_GE(predictions[1].at("as_the_host_was")[1], predictions[1].at("interval")[1]);
  EXPECT_EQ(predictions[1].at("outside_fitted_range"), true);
  EXPECT_FALSE(predictions[1].at("remarks").empty());

  const Result words =
      run("predict --model x.model.json --ranks 2,8 --size N=64M --machine ethernet-10g");
  EXPECT_TRUE(words.out.starts_with("trusted: 6 of 6 held-out runs in their intervals"))
      << words.out;
  EXPECT_NE(words.out.find("\nN=64M on 2 ranks: "), std::string::npos) << words.out;
  const std::string of_8 = words_of(words.out.substr(words.out.find("N=64M on 8 ranks: ")));
  for (const char* const part : {"as this host was, 95 % of runs between", " % of it ",
                                 "ethernet-10g between hosts assumed"}) {
    EXPECT_NE(of_8.find(part), std::string::npos) << of_8;
  }

  const std::string question =
      " --model x.model.json --ranks 2,8,16 --size N=64M --machine ethernet-10g";
  for (const std::string& asked :
       {"predict" + question, "plan --efficiency 0.1 --anyway" + question}) {
    EXPECT_NE(words_of(run(asked).out)
                  .find("note: at 8, 16 ranks: l and g between hosts are those of a usual network"),
              std::string::npos)
        << asked;
  }
  const std::string plan =
      "plan --model x.model.json --ranks 2,8 --size N=64M --machine ethernet-10g";
  const Result unmet = run(plan + " --deadline 1ms --efficiency 1.5");
  EXPECT_EQ(unmet.status, 1);
  EXPECT_TRUE(
      unmet.err.starts_with("cleave: none of 2 numbers of ranks is predicted to be done in "
                            "1 ms with 95 % probability (at the earliest "))
      << unmet.err;
  EXPECT_NE(unmet.err.find(" and to have an efficiency of 1.5 (at most "), std::string::npos);
  const std::string kept = run(plan + " --deadline 1h30m").out;
  EXPECT_TRUE(std::regex_search(kept, std::regex("\n-> +2 +[0-9.]+ [a-z]+ "))) << kept;
  EXPECT_NE(kept.find("  <0.01  "), std::string::npos) << "core hours: " << kept;

  const Result report = run("report" + traces + " --model x.model.json --out pages");
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_NE(report.out.find("trusted: 6 of 6 held-out runs in their intervals"), std::string::npos);
  EXPECT_NE(report.out.find(" 32M "), std::string::npos) << report.out;
  for (const char* file : {"report.html", "predictions.csv", "coefficients.csv", "blocks.csv"}) {
    EXPECT_TRUE(fs::exists(folder_ / "pages" / file)) << file;
  }
  const std::string page = read_file(folder_ / "pages" / "report.html");
  EXPECT_EQ(page.find("src="), std::string::npos) << "the page must need no other file";
  EXPECT_EQ(page.find("<link"), std::string::npos);

  const Result brief = run("report" + traces + " --model x.model.json --out pages --brief");
  expect_fits_a_terminal(brief);
  EXPECT_LE(std::count(brief.out.begin(), brief.out.end(), '\n'), 7) << brief.out;
  EXPECT_TRUE(brief.out.starts_with("sort: trusted: 6 of 6 ")) << brief.out;
  EXPECT_TRUE(std::regex_search(brief.out, std::regex("\n  N=32M +2 ranks( +[0-9.]+ m?s){2} +")))
      << "measured and predicted:\n"
      << brief.out;
  EXPECT_TRUE(std::regex_search(brief.out, std::regex("64 ranks +[0-9.]+ m?s +[0-9.]+ %")))
      << brief.out;
}

TEST_F(Command, ThatAMessageTellsWorksAsItStands) {
  // The command that `refused` tells is what stands in `around`.
  const auto run_told_by = [&](const Result& refused, const char* around) {
    std::smatch told;
    ASSERT_TRUE(std::regex_search(refused.err, told, std::regex(around))) << refused.err;
    const Result result = run(told[1]);
    EXPECT_EQ(result.status, 0) << told[1] << ": " << result.err;
  };
  fs::create_directory(folder_ / "sort-study");
  write_traces();
  for (int i = 0; fs::exists(folder_ / fmt::format("{}.trace.jsonl", i)); ++i) {
    const std::string name = fmt::format("{}.trace.jsonl", i);
    fs::rename(folder_ / name, folder_ / "sort-study" / name);
  }
  run_told_by(run("report sort-study"), "make one by cleave (.*)\n");
  EXPECT_EQ(run("report sort-study").status, 0);
  for (const char* name : {"old.csv", "new.csv"}) {
    std::ofstream(folder_ / name) << "N,seconds\n1,1\n2,2\n4,4\n8,8\n";
    run_told_by(run(fmt::format("compare {} x.csv", name)), "as cleave (.*) makes\n");
  }
  EXPECT_EQ(run("compare old.model.json new.model.json").status, 0);
}

TEST_F(Command, FitsATerminalOfEightyColumns) {
  std::vector<Trace> traces = synthetic_traces(synthetic_components(), {1, 2, 4}, graph_sizes());
  std::string names;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const std::string name = fmt::format("{}.trace.jsonl", i);
    write_synthetic_trace(folder_ / name, traces[i]);
    names += " " + name;
  }
  write_machine(folder_ / "m.machine.json", some_machine());
  const std::string fit =
      "fit" + names + " --allow-oversubscribed --machine m.machine.json --hold-out every-second";
  expect_fits_a_terminal(run(fit + " --out x.model.json"));
  expect_fits_a_terminal(run(fit + " --forms paper --out y.model.json"));
  const std::string report = "report" + names + " --model x.model.json --out pages";
  const Result brief = run(report);
  expect_fits_a_terminal(brief);
  EXPECT_EQ(brief.out.find("repetitions"), std::string::npos) << brief.out;
  EXPECT_NE(run(report + " --details").out.find("repetitions"), std::string::npos);
  const std::string question =
      " x.model.json --ranks 1,2,...,1024 --size N=1M,M=1048577 --machine ethernet-10g";
  expect_fits_a_terminal(run("predict" + question + " --shares"));
  expect_fits_a_terminal(run("plan --efficiency 0.1" + question));
  expect_fits_a_terminal(run("compare x.model.json y.model.json x.model.json"));
  expect_fits_a_terminal(run("compare 0.trace.jsonl 0.trace.jsonl 0.trace.jsonl"));
}

TEST_F(Command, ComparesAnyNumberOfSidesWithTheFirst) {
  SyntheticApp app;
  app.noise = 0.001;
  const auto write = [&](const std::string& name, double slower, int ranks, int rounds) {
    SyntheticApp slowed = app;
    slowed.sequential = [&app, slower](const NamedSizes& s) { return slower * app.sequential(s); };
    fs::create_directories(folder_ / name);
    for (int round = 1; round <= rounds; ++round) {
      slowed.seed = static_cast<unsigned>(round);
      write_synthetic_trace(folder_ / name / fmt::format("{}.trace.jsonl", round),
                            synthetic_trace(slowed, ranks, {{"N", 1 << 24}}));
    }
  };
  write("a", 1, 1, 4);
  write("b", 1.5, 1, 4);
  write("c", 0.5, 1, 4);
  write("d", 1, 2, 4);
  write("e", 1.5, 1, 1);
  const Result three = run("compare a c d b");
  EXPECT_EQ(three.status, 1);
  EXPECT_NE(three.out.find("4: b\n"), std::string::npos) << three.out;
  const std::string summary = words_of(three.out);
  EXPECT_NE(summary.find(" slower: whole call of 4 +50.0 % (95 %: +"), std::string::npos)
      << three.out;
  EXPECT_NE(summary.find("faster: whole call of 2 -50.0 %"), std::string::npos) << three.out;
  EXPECT_NE(three.out.find("note: d lacks N=16M on 1 rank\n"), std::string::npos) << three.out;
  EXPECT_NE(three.err.find(" for certain"), std::string::npos) << three.err;
  EXPECT_EQ(run("compare a b --max-ratio 2").status, 0);
  expect_one_line(run("compare a c b --max-ratio 1.2 --quiet"), 1,
                  "for certain; --max-ratio is 1.2");
  EXPECT_TRUE(run("compare a c --markdown").out.starts_with("**faster: "));

  const Result once = run("compare a e");
  EXPECT_EQ(once.status, 0) << once.err;
  EXPECT_NE(once.out.find("not enough to tell: whole call +5"), std::string::npos);
  EXPECT_NE(words_of(once.out).find(" % (1 round); two rounds or more are needed"),
            std::string::npos)
      << once.out;
  expect_one_line(run("compare a d"), 1, "no other side has a run");
  expect_one_line(run("compare a"), 2, "two or more files or folders are required");
}

TEST_F(Command, ComparesProgramsThatItRunsInTurn) {
  const Result same =
      run("compare --run " SYNTHETIC_PROGRAM " " SYNTHETIC_PROGRAM " --ranks 1 --rounds 2 --json");
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_NE(same.out.find("\"rounds\":2"), std::string::npos) << same.out;
  expect_one_line(run("compare --run ./none ./none"), 2, "none");
  expect_one_line(run("compare a b --rounds 3"), 2, "--run");
}

TEST_F(Command, ComparesWhatModelsPredict) {
  const std::string fit = "fit" + write_traces() + " --out ";
  ASSERT_EQ(run(fit + "x.model.json").status, 0);
  ASSERT_EQ(run(fit + "y.model.json").status, 0);
  const Result models = run("compare x.model.json y.model.json x.model.json");
  EXPECT_EQ(models.status, 0) << models.err;
  EXPECT_NE(models.out.find("3 / 1"), std::string::npos) << models.out;
  EXPECT_TRUE(models.out.starts_with("1: x.model.json: not judged: no run was held out"))
      << models.out;
  const auto said = nlohmann::json::parse(run("compare x.model.json y.model.json --json").out);
  EXPECT_EQ(said.at("verdicts").size(), 2U);
  EXPECT_EQ(said.at("rows")[0].at("times")[1].at("is_answer"), true);
  EXPECT_NE(models.out.find("1.000"), std::string::npos) << models.out;
  expect_one_line(run("compare x.model.json y.model.json 0.trace.jsonl"), 2,
                  "0.trace.jsonl is not: give models only, or none");
  for (const char* name : {"old", "new"}) {  // tables are of what their files are named after
    std::ofstream(folder_ / fmt::format("{}.csv", name)) << "N,seconds\n1,1\n2,2\n4,4\n8,8\n";
    ASSERT_EQ(run(fmt::format("fit {0}.csv --out {0}.model.json", name)).status, 0);
  }
  EXPECT_NE(run("compare old.model.json new.model.json").out.find("1.000"), std::string::npos);
  expect_one_line(run("compare old.csv new.csv"), 2,
                  "old.csv is a table: give traces, studies' folders, or models as cleave fit "
                  "old.csv --out old.model.json makes");
  expect_one_line(run("compare old.model.json x.model.json"), 2, "the first model is of old");
  expect_one_line(run("predict x.model.json --size N=1M"), 2,
                  "--ranks is required, for example --ranks 1,2");
  expect_one_line(run("predict x.model.json --ranks 2"), 2,
                  "--size is required, for example --size N=1G");
  expect_one_line(run("plan x.model.json --deadline 1s"), 2,
                  "--size is required, for example --size N=1G");
}

TEST_F(Command, PlansNothingWithAModelThatIsNotTrusted) {
  const std::string traces = write_traces();
  SyntheticApp slower;  // at one size, which is held out
  slower.sequential = [](const NamedSizes& s) { return 6e-7 * static_cast<double>(s.at("N")); };
  write_synthetic_trace(folder_ / "1.trace.jsonl", synthetic_trace(slower, 1, {{"N", 2 << 20}}));
  ASSERT_EQ(run("fit" + traces + " --hold-out every-second --out x.model.json").status, 0);
  const std::string plan = "plan x.model.json --ranks 1,2 --size N=64M --deadline 1h --slurm job";
  const Result refused = run(plan);
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(refused.out.starts_with("not trusted: 1 rank, N=2M measured ")) << refused.out;
  EXPECT_NE(refused.err.find("not trusted; --anyway does: "), std::string::npos) << refused.err;
  EXPECT_FALSE(fs::exists(folder_ / "job"));
  EXPECT_EQ(run(plan + " --anyway").status, 0);
  EXPECT_NE(read_file(folder_ / "job").find("# not trusted: "), std::string::npos);
}

TEST_F(Command, MistakesOnTheCommandLineAreOneLine) {
  const std::string traces = write_traces();
  ASSERT_EQ(run("fit" + traces + " --out x.model.json").status, 0);
  const std::string predict = "predict --model x.model.json --ranks 2 ";
  expect_one_line(run(""), 2, "a command is missing");
  expect_one_line(run("nonsense"), 2, "there is no command nonsense");
  expect_one_line(run("--nonsense"), 2, "--nonsense");
  expect_one_line(run("fit --nonsense"), 2, "--nonsense");
  expect_one_line(run("predict --nonsense" + predict.substr(7) + "--size N=1"), 2, "--nonsense");
  expect_one_line(run(predict), 2, "--size");
  expect_one_line(run(predict + "--size N=0"), 2, "size 'N=0' must be at least 1");
  expect_one_line(run(predict + "--size N=-5"), 2, "'-5' is not a count");
  expect_one_line(run(predict + "--size N=1e30"), 2, "'1e30' is not a count");
  expect_one_line(run(predict + "--size N=12x"), 2, "'12x' is not a count");
  expect_one_line(run(predict + "--size N=99999999999999999999"), 2, "too large");
  expect_one_line(run(predict + "--size M=1"), 2, "size M is not one of this model's: N");
  expect_one_line(run(predict + "--size N=1,M=1"), 2, "size M is not one of this model's");
  expect_one_line(run(predict + "--size N"), 2, "NAME=COUNT");
  expect_one_line(run("predict --model x.model.json --size N=1 --ranks 0"), 2, "number of ranks");
  expect_one_line(run("predict --model x.model.json --size N=1 --ranks two"), 2, "--ranks: 'two'");
  expect_one_line(run("fit" + traces + " --out y.json --form sequential=N*"), 2, "position 3");
  expect_one_line(run("fit" + traces + " --out y.json --form sort=N"), 2, "BLOCK=TERMS");
  expect_one_line(run("fit" + traces + " --out y.json --forms mine"), 2, "mine");
  expect_one_line(run("fit" + traces), 2, "--out is required, for example --out sort.model.json");
}

TEST_F(Command, ARehearsalOfWhatIsNotAskedIsRefused) {
  ASSERT_EQ(run("fit" + write_traces() + " --out x.model.json").status, 0);
  write_synthetic_trace(folder_ / "r8.trace.jsonl",
                        synthetic_rehearsal({}, 8, {{"N", 1 << 24}}, 3));
  const std::string predict =
      "predict --model x.model.json --rehearsal r8.trace.jsonl --machine ethernet-10g";
  EXPECT_EQ(run(predict + " --ranks 8 --size N=16M").status, 0);
  expect_one_line(run(predict + " --ranks 16 --size N=16M"), 2,
                  "--rehearsal has N=16M on 8 ranks, which is not asked about");
}

TEST_F(Command, WhatIsMissingIsNamedWithAnExample) {
  expect_one_line(run("predict"), 2,
                  "a model or a study's folder is required, for example cleave predict sort-study "
                  "--ranks 1,2 --size N=1G");
  expect_one_line(run("predict x --model y --ranks 2 --size N=1"), 2, "two models are given");
  expect_one_line(run("plan"), 2, "a model or a study's folder is required, for example");
  expect_one_line(run("fit"), 2, "a study's folder, a trace or a table is required, for ");
  expect_one_line(run("report --model x.model.json"), 2,
                  "a study's folder, a trace or a table is required, for example cleave report "
                  "sort-study, or cleave report times.csv --model times.model.json");
  expect_one_line(run("report x.trace.jsonl"), 2, "--model is required, for example");
  expect_one_line(run("compare"), 2, "two or more files or folders are required, for example");
  expect_one_line(run("export x"), 2, "--format is required, for example --format csv");
  expect_one_line(run("study"), 2, "a program is required, for example cleave study ./myprogram");
}

TEST_F(Command, ATraceOrTableInPlaceOfAModelNamesTheNextCommand) {
  write_traces();
  write_file(folder_ / "times.csv", "N,seconds\n1,1\n2,2\n4,4\n8,8\n");
  for (const std::string name : {"times.csv", "0.trace.jsonl"}) {
    const std::string next = fmt::format("make one by cleave fit {} --out {}.model.json", name,
                                         name.substr(0, name.find('.')));
    for (const char* command : {"predict", "plan"}) {
      expect_one_line(run(fmt::format("{} {} --ranks 1 --size N=4", command, name)), 1,
                      name + ": is no model: " + next);
    }
  }
}

TEST_F(Command, FilesThatCannotBeReadAreNamed) {
  const std::string traces = write_traces();
  const std::string whole = read_file(folder_ / "0.trace.jsonl");
  const std::vector<std::pair<std::string, std::string>> damaged = {
      {"empty", ""},
      {"cut", whole.substr(0, whole.size() / 2)},
      {"binary", std::string("\x7f\x45\x4c\x46\0\0\1", 7)},
      {"text", "this is no JSON\n"},
      {"other", "{\"format\":\"something\",\"version\":1}\n"},
      {"version", "{\"format\":\"cleave-trace\",\"version\":99}\n"}};
  for (const auto& [name, text] : damaged) {
    write_file(folder_ / name, text);
    expect_one_line(run("fit " + name + " --out y.json"), 1, name + ": ");
    expect_one_line(run("fit 0.trace.jsonl --machine " + name + " --out y.json"), 1, name + ": ");
    expect_one_line(run("predict --ranks 2 --size N=1 --model " + name), 1, name + ": ");
  }
  expect_one_line(run("fit missing --out y.json"), 1, "missing: ");
  fs::create_symlink("round", folder_ / "round");
  expect_one_line(run("fit round --out y.json"), 1, "cleave: round: cannot read");
  expect_one_line(run("predict --ranks 2 --size N=1 --model round"), 1,
                  "cleave: round: cannot read");
  expect_one_line(run("compare round round"), 1, "cleave: round: cannot read");
  fs::create_directory(folder_ / "nothing");
  expect_one_line(run("fit nothing --out y.json"), 1, "nothing: has no *.trace.jsonl");
  expect_one_line(run("predict --ranks 2 --size N=1 --model missing"), 1, "missing: ");
  EXPECT_FALSE(fs::exists(folder_ / "y.json"));
}

TEST_F(Command, AnOutThatCannotBeWrittenLeavesNothing) {
  const std::string traces = write_traces();
  ASSERT_EQ(run("fit" + traces + " --out x.model.json").status, 0);
  expect_one_line(run("fit" + traces + " --out none/x.json"), 1, "none/x.json: cannot write");
  expect_one_line(run("fit" + traces + " --out ."), 1, "it is a folder");
  expect_one_line(run("report" + traces + " --model x.model.json --out none/pages"), 1,
                  "cannot make this folder");
  expect_one_line(run("report" + traces + " --model x.model.json --out x.model.json"), 1,
                  "cannot make this folder");
}

TEST_F(Command, AnOutThatIsReadIsRefused) {
  const std::string traces = write_traces();
  write_machine(folder_ / "m.machine.json", some_machine());
  const std::string trace = read_file(folder_ / "0.trace.jsonl");
  const std::string machine = read_file(folder_ / "m.machine.json");
  const std::string fit = "fit" + traces + " --machine m.machine.json --out ";
  expect_one_line(run(fit + "./0.trace.jsonl"), 2,
                  "--out: ./0.trace.jsonl is read, choose another file to write");
  expect_one_line(run(fit + "m.machine.json"), 2, "--out: m.machine.json is read");
  expect_one_line(run("export 0.trace.jsonl --format csv --out 0.trace.jsonl"), 2,
                  "--out: 0.trace.jsonl is read");
  EXPECT_EQ(read_file(folder_ / "0.trace.jsonl"), trace);
  EXPECT_EQ(read_file(folder_ / "m.machine.json"), machine);
}

TEST_F(Command, AFileMayHaveTheNameOfACommand) {
  expect_one_line(run("compare old new"), 1, "old: ");
  std::ofstream(folder_ / "old") << "N,seconds\n";
  expect_one_line(run("compare old new --max-ratio 1.5"), 2, "old is a table");
}

TEST_F(Command, NotANumberIsInNoRange) {
  expect_one_line(run("compare old new --max-ratio nan"), 2,
                  "'nan' is out of range: from 1 to 1000000");
  expect_one_line(run("plan x.model.json --size N=1K --efficiency nan"), 2,
                  "'nan' is out of range: from 0 to 2");
}

TEST_F(Command, StandardOutputThatIsFullIsAFailure) {
  const std::string traces = write_traces();
  for (const std::string& arguments :
       {std::string("--help"), std::string("predict --help"), std::string("--version"),
        "fit" + traces + " --out m.model.json"}) {
    SCOPED_TRACE(arguments);
    expect_one_line(run("-c 'exec " CLEAVE_PROGRAM " " + arguments + " >/dev/full'", "sh"), 1,
                    "standard output");
  }
}

TEST_F(Command, AFullDiskIsOneLineAndNoHalfFile) {
  const fs::path disk = folder_ / "disk";
  fs::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=4096") != 0) {
    GTEST_SKIP() << "a small tmpfs can be mounted by root only; this was not tested";
  }
  const std::string traces = write_traces();
  expect_one_line(run("fit" + traces + " --out disk/x.model.json"), 1, "No space left");
  EXPECT_TRUE(fs::is_empty(disk));
  EXPECT_EQ(run("fit" + traces + " --out x.model.json").status, 0);
  expect_one_line(run("report" + traces + " --model x.model.json --out disk"), 1, "No space left");
  for (const auto& entry : fs::directory_iterator(disk)) {
    EXPECT_NE(entry.path().extension(), ".partial");
    EXPECT_GT(fs::file_size(entry.path()), 0U);
  }
  EXPECT_EQ(::umount(disk.c_str()), 0);
}

TEST_F(Command, AnAnswerToAFullDeviceIsAFailure) {
  ASSERT_EQ(run("fit" + write_traces() + " --out x.model.json").status, 0);
  const std::string question =
      " --model x.model.json --ranks 2,8 --size N=64M --machine ethernet-10g";
  for (const std::string& asked : {"predict" + question, "predict --json" + question,
                                   "plan --efficiency 0.1 --anyway" + question}) {
    SCOPED_TRACE(asked);
    expect_one_line(run("-c 'exec " CLEAVE_PROGRAM " " + asked + " >/dev/full'", "sh"), 1,
                    "cannot write to ");
  }
}

TEST_F(Command, NothingIsPlannedWithAModelThatWasNotJudged) {
  ASSERT_EQ(run("fit" + write_traces() + " --out x.model.json").status, 0);
  const std::string plan = "plan --model x.model.json --ranks 1 --size N=64M --deadline 1h";
  const Result refused = run(plan);
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("not judged: no run was held out from the fit"), std::string::npos)
      << refused.err;
  EXPECT_EQ(run(plan + " --anyway").status, 0);
}

TEST_F(Command, AnyOtherNameRunsTheProgramBesideIt) {
  install();
  EXPECT_EQ(run("sort --size N=1K --trace t.jsonl", "./cleave").status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "t.jsonl"));
}

}  // namespace
}  // namespace cleave::models
