// SPDX-License-Identifier: Apache-2.0
// The program `cleave` as a person uses it: answers, exit status, files. messages.txt has refusals.
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/models/ask/command_fixture.hpp"

namespace cleave::models {
namespace {

TEST_F(Command, FitsPredictsAndReports) {
  const std::string traces = write_traces();
  write_machine(folder_ / "m.machine.json", some_machine());
  const Result fit = run("fit" + traces + " --machine m.machine.json --out x.model.json");
  EXPECT_EQ(fit.status, 0) << fit.err;
  EXPECT_NE(fit.out.find("N*log2(N)"), std::string::npos) << fit.out;

  const Result predict =
      run("predict x.model.json --ranks 2,8 --size N=64M --json --machine ethernet-10g");
  EXPECT_EQ(predict.status, 0) << predict.err;
  EXPECT_EQ(std::count(predict.out.begin(), predict.out.end(), '\n'), 1);
  EXPECT_EQ(nlohmann::json::parse(predict.out).at("verdict").at("held_out"), 2) << predict.out;
  const auto predictions = nlohmann::json::parse(predict.out).at("predictions");
  ASSERT_EQ(predictions.size(), 2U);
  EXPECT_EQ(predictions[1].at("ranks"), 8);
  EXPECT_EQ(predictions[1].at("sizes").at("N"), 64 << 20);
  EXPECT_LT(predictions[1].at("interval")[0], predictions[1].at("seconds"));
  EXPECT_GT(predictions[1].at("interval")[1], predictions[1].at("seconds"));
  EXPECT_GE(predictions[1].at("as_the_host_was")[1], predictions[1].at("interval")[1]);
  EXPECT_EQ(predictions[1].at("times_beyond"), 8);
  EXPECT_FALSE(predictions[1].at("remarks").empty());

  const Result words = run("predict x.model.json --ranks 2,8 --size N=64M --machine ethernet-10g");
  EXPECT_TRUE(words_of(words.out).starts_with("not checked: 8 times beyond what is known; 2 of 2 "))
      << words.out;
  EXPECT_NE(words.out.find("\nN=64M on 2 ranks: "), std::string::npos) << words.out;
  const std::string of_8 = words_of(words.out.substr(words.out.find("N=64M on 8 ranks: ")));
  for (const char* const part : {"as this host was, 95 % of runs between", " % of it ",
                                 "ethernet-10g between hosts assumed"}) {
    EXPECT_NE(of_8.find(part), std::string::npos) << of_8;
  }

  const std::string question = " x.model.json --ranks 2,8,16 --size N=64M --machine ethernet-10g";
  for (const std::string& asked :
       {"predict" + question, "plan --efficiency 0.1 --anyway" + question}) {
    EXPECT_NE(
        words_of(run(asked).out)
            .find("note: at 8, 16 ranks: messages between hosts are those of a usual network"),
        std::string::npos)
        << asked;
  }
  const std::string plan = "plan x.model.json --ranks 2,8 --size N=64M --machine ethernet-10g";
  const Result unmet = run(plan + " --deadline 1ms --efficiency 1.5");
  EXPECT_EQ(unmet.status, 1);
  EXPECT_TRUE(
      unmet.err.starts_with("cleave: none of 2 numbers of ranks is predicted to be done in "
                            "1 ms with 95 % probability (at the earliest "))
      << unmet.err;
  EXPECT_NE(unmet.err.find(" and to have an efficiency of 1.5 (at most "), std::string::npos);
  const std::string kept = run(plan + " --deadline 1.5h --anyway").out;
  EXPECT_TRUE(std::regex_search(
      kept, std::regex("\nAsk for 1 node of 2 ranks: [0-9.]+ [a-z]+ \\(95 % of runs: [0-9.]+ ")))
      << kept;
  EXPECT_TRUE(
      std::regex_search(words_of(kept), std::regex("[0-9] nodes save [0-9]+ %\\.$|than 5 %\\.$")))
      << kept;
  EXPECT_TRUE(std::regex_search(kept, std::regex("\n-> +1 +2 +[0-9.]+ [a-z]+ "))) << kept;
  expect_one_line(run(plan + " --deadline 1.5h --memory 1M"), 2,
                  "do not tell how much a rank needs");

  const Result report = run("report x.model.json" + traces + " --out pages");
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_NE(report.out.find("2 of 2 held out lie in"), std::string::npos) << report.out;
  EXPECT_NE(report.out.find("\nN=32M:\n"), std::string::npos) << report.out;
  const std::string page = read_file(folder_ / "pages" / "report.html");
  EXPECT_EQ(page.find("src="), std::string::npos) << "the page must need no other file";
  EXPECT_EQ(page.find("<link"), std::string::npos);
  EXPECT_TRUE(report.out.starts_with("sort: not checked: ")) << report.out;
  const std::string number = " +[0-9.]+ [a-z]+";
  EXPECT_TRUE(std::regex_search(report.out, std::regex("\n *2 ranks(" + number + "){5} +[a-z]+")))
      << "measured and predicted, and what holds it back:\n"
      << report.out;
  EXPECT_TRUE(std::regex_search(report.out, std::regex("\n64 ranks(" + number + "){4} +[a-z]+")))
      << report.out;
}

TEST_F(Command, FitsATerminalOfEightyColumns) {
  std::vector<Trace> traces = synthetic_traces(synthetic_components(), {1, 4}, graph_sizes());
  std::string names;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const std::string name = fmt::format("{}.trace.jsonl", i);
    write_synthetic_trace(folder_ / name, traces[i]);
    names += " " + name;
  }
  write_machine(folder_ / "m.machine.json", some_machine());
  const std::string fit = "fit" + names + " --allow-oversubscribed --machine m.machine.json";
  expect_fits_a_terminal(run(fit + " --out x.model.json"));
  expect_fits_a_terminal(run(fit + " --forms paper --out y.model.json"));
  expect_fits_a_terminal(run("report x.model.json" + names + " --out pages"));
  const std::string question =
      " x.model.json --ranks 1,2,...,1024 --size N=1M,M=1048577 --machine ethernet-10g";
  expect_fits_a_terminal(run("predict" + question));
  expect_fits_a_terminal(run("plan --efficiency 0.1" + question));
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
  expect_one_line(run("compare a c b --max-ratio 1.2 >/dev/null"), 1,
                  "for certain; --max-ratio is 1.2");

  const Result once = run("compare a e");
  EXPECT_EQ(once.status, 0) << once.err;
  EXPECT_NE(once.out.find("not enough to tell: whole call +5"), std::string::npos);
  EXPECT_NE(words_of(once.out).find(" % (1 round); two rounds or more are needed"),
            std::string::npos)
      << once.out;
  expect_one_line(run("compare a d"), 1, "no other side has a run");
}

TEST_F(Command, ComparesProgramsThatItRunsInTurn) {
  const Result same =
      run("compare " SYNTHETIC_PROGRAM " " SYNTHETIC_PROGRAM " --ranks 1 --rounds 2 --json");
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_NE(same.out.find("\"rounds\":2"), std::string::npos) << same.out;
}

TEST_F(Command, PlansNothingThatIsNotChecked) {
  const std::string traces = write_traces();
  ASSERT_EQ(run("fit" + traces + " --out x.model.json").status, 0);
  const std::string plan = "plan x.model.json --ranks 1,2 --deadline 1h --slurm job --size ";
  const Result far = run(plan + "N=1G");
  EXPECT_EQ(far.status, 1);
  EXPECT_TRUE(far.out.starts_with("not checked: 32 times beyond")) << far.out;
  EXPECT_NE(far.err.find("that is not checked; --anyway does: not checked"), std::string::npos)
      << far.err;
  EXPECT_FALSE(fs::exists(folder_ / "job"));
  EXPECT_EQ(run(plan + "N=1G --anyway").status, 0);
  EXPECT_NE(read_file(folder_ / "job").find("# not checked: "), std::string::npos);
}

TEST_F(Command, AnyOtherNameRunsTheProgramBesideIt) {
  install();
  EXPECT_EQ(run("sort --size N=1K --trace t.jsonl", "./cleave").status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "t.jsonl"));
}

TEST_F(Command, EachPrintsOneObjectOnOneLine) {
  const std::string study = install() + " --machine m.machine.json --out s";
  // Each with the fields of its object that a script is likely to read.
  const std::vector<std::pair<std::string, std::vector<std::string>>> commands = {
      {study, {"app", "model", "page", "answers", "runs"}},
      {"fit s --out x.model.json", {"verdict", "blocks", "notes"}},
      {"predict s --ranks 2 --size N=64M", {"verdict", "predictions"}},
      {"plan s --ranks 1,2 --size N=64M --deadline 1h", {"verdict", "ranks", "choices"}},
      {"compare s s", {"rows", "summary"}},
      {"report s --out pages", {"answers", "verdict", "runs"}}};
  for (const auto& [command, fields] : commands) {
    const Result json = run(command + " --json", "./cleave");
    EXPECT_EQ(json.status, 0) << command << ": " << json.err;
    EXPECT_EQ(std::ranges::count(json.out, '\n'), 1) << command << ": " << json.out;
    const auto object = nlohmann::json::parse(json.out, nullptr, false);
    ASSERT_TRUE(object.is_object()) << command << ": " << json.out;
    for (const std::string& field : fields) {
      EXPECT_TRUE(object.contains(field)) << command << ": no " << field;
    }
  }
}

TEST_F(Command, AFileOnStandardOutputIsAloneThere) {
  run(install() + " --machine m.machine.json --out s", "./cleave");
  const std::vector<std::pair<std::string, std::string>> commands = {
      {"fit s --out", "x.model.json"},
      {"plan s --ranks 1,2 --size N=64M --deadline 1h --slurm", "x.sbatch"}};
  for (const auto& [command, file] : commands) {
    run(command + ' ' + file, "./cleave");
    const Result piped = run(command + " -", "./cleave");
    EXPECT_EQ(piped.status, 0) << command << ": " << piped.err;
    // They tell when and by which command they were written.
    EXPECT_EQ(std::ranges::count(piped.out, '\n'),
              std::ranges::count(read_file(folder_ / file), '\n'))
        << command << ": " << piped.out;
    const Result both = run(command + " - --json", "./cleave");
    EXPECT_EQ(both.status, 2) << command;
    EXPECT_NE(both.err.find("both write to standard output"), std::string::npos) << both.err;
  }
}

}  // namespace
}  // namespace cleave::models
