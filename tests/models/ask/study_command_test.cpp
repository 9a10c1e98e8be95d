// SPDX-License-Identifier: Apache-2.0
// `cleave study` as a person uses it, with its folder for files. messages.txt has its refusals.
#include <signal.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "tests/models/ask/command_fixture.hpp"

namespace cleave::models {
namespace {

class StudyCommand : public Command {
 protected:
  StudyCommand() {
    fixed_ = install() + " --machine m.machine.json --out s";
    study_ = fixed_;
    study_.erase(study_.find(" --rounds 2"), 11);
  }

  Result cleave(const std::string& arguments) const { return run(arguments, "./cleave"); }
  Result succeeds(const std::string& arguments) const {
    Result result = cleave(arguments);
    EXPECT_EQ(result.status, 0) << arguments << ": " << result.err;
    return result;
  }
  nlohmann::json json_of(const std::string& arguments) const {
    return nlohmann::json::parse(succeeds(arguments + " --json").out, nullptr, false);
  }
  /// Whether the study has a trace like "1M-p2-1", or of a rehearsal "1M-r2-1".
  bool has(const std::string& name, const std::string& study = "s") const {
    const bool is_run = name.find("-p") != std::string::npos;
    return fs::exists(folder_ / study / (is_run ? "traces" : "rehearsals") /
                      ("sort-N-" + name + ".trace.jsonl"));
  }

  std::string fixed_;  ///< a study of two rounds
  std::string study_;  ///< of as many as it needs
};

TEST_F(StudyCommand, RunsFitsAndReports) {
  const Result result = succeeds(fixed_);
  EXPECT_TRUE(fs::exists(folder_ / "s" / "report.html"));
  EXPECT_TRUE(fs::exists(folder_ / "s" / "sort.model.json"));
  EXPECT_TRUE(has("1M-p1-2"));
  EXPECT_EQ(result.err, "") << "no line a run";
  const std::string words = words_of(result.out);
  EXPECT_NE(words.find("checked: 12 of 12 held out lie in their intervals"), std::string::npos)
      << result.out;
  for (const int ranks : {2, 8, 64}) {
    EXPECT_TRUE(has(fmt::format("32M-r{}-1", ranks)));
    const std::regex row(fmt::format("\n *{} ranks +([0-9.]+ [a-z]+ +){{4,5}}[a-z]+\n", ranks));
    EXPECT_TRUE(std::regex_search(result.out, row)) << result.out;
  }
  EXPECT_LE(std::ranges::count(result.out, '\n'), 24) << result.out;
  expect_fits_a_terminal(result);
}

TEST_F(StudyCommand, SaysOnceWhatItsRehearsalsWarnOf) {
  EXPECT_EQ(cleave(fixed_ + " -- --warn").err,
            "synthetic: warning: rank 0 does other work in repetition 2\n");
}

TEST_F(StudyCommand, LeavesOutWhatItsBudgetHasNoTimeFor) {
  // 64M takes 13 s, of which the budget has no three rounds; nor has it for the size that is asked.
  const std::string few = study_.substr(0, study_.find(" --sizes")) + " --machine m.machine.json";
  const Result result = succeeds(few +
                                 " --out s --ranks 1 --budget 18s --at 1 --size N=128M "
                                 "--sizes N=1M N=2M N=64M -- --takes 0.2");
  EXPECT_TRUE(has("1M-p1-3") && has("2M-p1-3") && has("2M-r1-3")) << "three rounds of each";
  EXPECT_FALSE(has("1M-p1-4") || has("64M-p1-1") || has("128M-r1-1"));
  const std::string words = words_of(result.out);
  EXPECT_NE(words.find("left out, as --budget 18 s has no time for it: "), std::string::npos)
      << result.out;
  EXPECT_NE(words.find("N=128M rehearsed for 1 rank"), std::string::npos) << result.out;
  EXPECT_NE(words.find("N=128M on 1 rank: "), std::string::npos) << "by the law: " << result.out;
  const std::string other = study_.substr(0, study_.find(" --out"));
  expect_one_line(cleave(other + " --out t --budget 0.001s"), 1,
                  "--budget 1 ms has time for 0 of at least 2 sizes: give more");
  EXPECT_FALSE(fs::exists(folder_ / "t"));
}

TEST_F(StudyCommand, EndsARunThatTakesFarLongerThanItsSizeSays) {
  const auto begin = std::chrono::steady_clock::now();
  make_executable(folder_ / "slow",
                  "#!/bin/sh\ncase \"$*\" in *N=8M*--trace*) exec sleep 60 ;; esac\n"
                  "exec ./cleave-sort \"$@\"\n");
  std::string study = study_;
  study.replace(study.find("sort"), 4, "./slow");
  succeeds(study + " --ranks 1 --at 1 --budget 25s");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(35));
  EXPECT_TRUE(has("2M-p1-3") && !has("8M-p1-1"));
}

TEST_F(StudyCommand, AddsASmallerSizeWhereTheseAreWithinAFactorOf16) {
  const std::string few =
      study_.substr(0, study_.find(" --sizes")) + " --machine m.machine.json --out ";
  succeeds(few + "s --sizes N=1M N=2M N=4M");
  EXPECT_TRUE(has("256K-p1-3") && has("256K-p2-3") && !has("64K-p1-1"));
  succeeds(few + "t --sizes N=1M N=2M N=4M --rounds 1");
  EXPECT_FALSE(has("256K-p1-1", "t")) << "as it is told";
}

TEST_F(StudyCommand, NamesAProgramThatKeepsStateInItsFirstLine) {
  const std::string state = "sort: keeps state: repetition 2 took 1/60 of the first\n";
  EXPECT_TRUE(succeeds(fixed_ + " -- --keep-state").out.starts_with(state));
  EXPECT_TRUE(succeeds("report s").out.starts_with(state));
}

TEST_F(StudyCommand, AnswersByRehearsalsThatAllRunsJudge) {
  Machine cluster = some_machine();
  for (const int ranks : {8, 16}) {
    cluster.exchange.push_back(cluster.exchange.front());
    cluster.exchange.back().ranks = ranks;
    cluster.exchange.back().between_hosts = true;
  }
  write_machine(folder_ / "m.machine.json", cluster);
  const auto object = json_of(fixed_ + " --at 8,16 --size N=64M");
  const auto& verdict = object.at("verdict");
  EXPECT_EQ(verdict.at("state"), "checked") << verdict;
  EXPECT_TRUE(verdict.at("sentence").get<std::string>().starts_with("checked: 12 of 12 "))
      << "6 sizes on 1 and 2 ranks, by their rehearsals: " << verdict;
  const auto& answers = object.at("answers");
  ASSERT_EQ(answers.size(), 2);
  for (const auto& answer : answers) {
    const auto& prediction = answer.at("prediction");
    const int ranks = prediction.at("ranks").get<int>();
    const Trace truth = synthetic_trace(SyntheticApp{}, ranks, {{"N", 64 << 20}});
    const double seconds = 1e-9 * static_cast<double>(truth.repetitions[1].elapsed_ns);
    EXPECT_NEAR(prediction.at("seconds").get<double>() / seconds, 1, 0.04) << answer;
    EXPECT_LT(prediction.at("interval")[0].get<double>(), seconds) << answer;
    EXPECT_GT(prediction.at("interval")[1].get<double>(), seconds) << answer;
    EXPECT_NE(answer.at("text").get<std::string>().find("; checked"), std::string::npos);
  }
  const std::string page = read_file(folder_ / "s" / "report.html");
  EXPECT_NE(page.find("N=64M on 16 ranks"), std::string::npos);
  // The folder and its model answer as the study does.
  const std::string asked = words_of(succeeds("predict s --ranks 2,16 --size N=64M").out);
  EXPECT_NE(asked.find(answers[1].at("text").get<std::string>()), std::string::npos) << asked;
  const auto report = json_of("report s");
  EXPECT_EQ(report.at("answers"), answers);
  const auto planned = json_of("plan s --ranks 8,16 --size N=64M --deadline 1h");
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(planned.at("choices")[i].at("seconds"), answers[i].at("prediction").at("seconds"));
  }
  // One verdict, whoever is asked.
  for (const auto& other : {report, planned}) {
    EXPECT_EQ(other.at("verdict"), verdict);
  }
  const std::string sentence = verdict.at("sentence");
  EXPECT_NE(page.find("class=\"yes\">" + sentence), std::string::npos);
  succeeds("plan s --ranks 8,16 --size N=64M --deadline 1h --slurm job");
  EXPECT_NE(read_file(folder_ / "job").find("# " + sentence), std::string::npos);
  const auto model = nlohmann::json::parse(read_file(folder_ / "s" / "sort.model.json"));
  succeeds("fit s");
  auto again = nlohmann::json::parse(read_file(folder_ / "s" / "sort.model.json"));
  again["provenance"] = model.at("provenance");
  EXPECT_EQ(again, model) << "fitting the folder gives the model that the study wrote";
}

TEST_F(StudyCommand, OneQuestionHasOneNumber) {
  succeeds(fixed_ + " --at 2,8 --size N=24M");
  fs::copy_file(folder_ / "s" / "sort.model.json", folder_ / "x.model.json");
  std::string ranks;
  for (int p = 1; p <= 20; ++p) {
    ranks += fmt::format("{}{}", p == 1 ? "" : ",", p);
  }
  std::string sizes;
  std::vector<std::string> all;
  for (std::int64_t n = 777777; all.size() < 10; n += n * 3 / 4) {
    all.push_back(fmt::format("N={}", n));
    sizes += " --size " + all.back();
  }
  all.back() = "N=24M";
  sizes += " --size N=24M";
  const auto of_folder = json_of("predict s --ranks " + ranks + sizes).at("predictions");
  EXPECT_EQ(of_folder.size(), 220U);
  EXPECT_EQ(json_of("predict x.model.json --ranks " + ranks + sizes).at("predictions"), of_folder);
  for (const std::string& size : all) {
    const auto planned =
        json_of("plan s --anyway --efficiency 0 --ranks " + ranks + " --size " + size);
    for (const auto& choice : planned.at("choices")) {
      const auto same = std::ranges::find_if(of_folder, [&](const auto& of) {
        return of.at("ranks") == choice.at("ranks") && of.at("sizes") == choice.at("sizes");
      });
      ASSERT_NE(same, of_folder.end());
      for (const char* const field : {"seconds", "interval", "state"}) {
        EXPECT_EQ(choice.at(field), same->at(field)) << choice;
      }
    }
  }
  for (const auto& answer : json_of("report s").at("answers")) {
    const auto& said = answer.at("prediction");
    EXPECT_NE(std::ranges::find(of_folder, said), of_folder.end()) << said;
  }
}

TEST_F(StudyCommand, PrintsTheCommandThatRehearsesWhatNoLawAnswers) {
  succeeds(fixed_ + " --at 8 --size N=64M -- --app a");
  const Result other = cleave("predict s --ranks 8,16 --size app=b");
  EXPECT_EQ(other.status, 2);
  const auto at = other.err.find("./cleave study sort ");
  ASSERT_NE(at, std::string::npos) << other.err;
  EXPECT_NE(other.err.find(" --at 8,16 --size='--app b' -- --app a\n"), std::string::npos);
  EXPECT_EQ(other.err.find("--at 8 "), std::string::npos) << other.err;
}

TEST_F(StudyCommand, TakesTheProgramsOptionsBehindAListOfSizes) {
  const std::string sizes =
      fixed_.substr(0, fixed_.find(" --sizes")) + " --machine m.machine.json --out s ";
  for (const std::string list :
       {"--sizes N=2M N=4M N=8M", "--sizes=N=2M --sizes=N=4M", "--sizes N=2M N=4M --size N=64M",
        "--rounds 1 --sizes=\"--size N=1M\" --sizes=\"--size N=2M\""}) {
    succeeds(sizes + list + " -- --app other --repetitions 2");
    EXPECT_EQ(read_trace(files_in("s/traces").front()).run.repetitions, 2) << list;
  }
  succeeds(sizes + "--sizes N=1M N=2M -- --app ../evil");
  EXPECT_TRUE(fs::exists(folder_ / "s" / "evil.model.json"));
  EXPECT_TRUE(fs::exists(folder_ / "s" / "traces" / "evil-N-1M-p1-1.trace.jsonl"));
}

TEST_F(StudyCommand, ItsFolderIsAskedWithTheMessagesThatWereMeasured) {
  succeeds(fixed_ + " --at 8 --size N=64M");
  SyntheticApp messages;
  messages.name = "messages of sort";
  messages.divide = messages.combine = messages.sequential = [](const NamedSizes&) { return 0; };
  const Trace measured = synthetic_trace(messages, 8, {{"N", 64 << 20}});
  write_synthetic_trace(folder_ / "m.trace.jsonl", measured);
  succeeds("fit s m.trace.jsonl");
  const auto prediction = json_of("predict s --ranks 8 --size N=64M").at("predictions")[0];
  double messages_s = 0;
  for (const auto& share : prediction.at("shares")) {
    const bool is_message = share.at("block") == "exchange" || share.at("block") == "wait";
    messages_s += is_message ? share.at("seconds").get<double>() : 0;
  }
  const double expected = 1e-9 * static_cast<double>(measured.repetitions[1].elapsed_ns);
  EXPECT_NEAR(messages_s, expected, 0.1 * expected) << prediction;
}

TEST_F(StudyCommand, ASignalEndsItAndWhatItStarted) {
  for (const std::string signal : {"INT", "TERM", "HUP"}) {
    const Result result = run(fixed_ + " -- --sleep-and-say pid",
                              "timeout --preserve-status --signal=" + signal + " 2 ./cleave");
    EXPECT_EQ(result.status, 130);
    EXPECT_NE(result.err.find("cleave: stopped before the first run was done\n"), std::string::npos)
        << result.err;
    const int child = std::stoi(read_file(folder_ / "pid"));
    EXPECT_NE(::kill(child, 0), 0) << signal << ": the application still runs";
  }
}

TEST_F(StudyCommand, DoesNotPause) {
  const Result result =
      run(fixed_ + " -- --sleep-and-say pid",
          "timeout --preserve-status --signal=INT 3 sh -c '(sleep 1; kill -TSTP $$) & "
          "exec \"$@\"' sh ./cleave");
  EXPECT_EQ(result.status, 130);
  EXPECT_NE(result.err.find("measuring cannot pause"), std::string::npos) << result.err;
}

TEST_F(StudyCommand, ReusesTheRunsThatItsFolderHolds) {
  EXPECT_EQ(cleave(fixed_ + " -- --failing-size N=32M").status, 1);
  EXPECT_EQ(succeeds(fixed_ + " -- --app other").err.find("reused"), std::string::npos)
      << "of other options";
  fs::remove_all(folder_ / "s");
  succeeds(fixed_);
  const fs::path traces = folder_ / "s" / "traces";
  fs::remove(traces / "sort-N-1M-p1-2.trace.jsonl");
  const std::string cut = read_file(traces / "sort-N-2M-p2-1.trace.jsonl");
  write_file(traces / "sort-N-2M-p2-1.trace.jsonl", cut.substr(0, cut.size() / 2));
  EXPECT_EQ(succeeds(fixed_).err,
            "study: 50 of 52 runs were made earlier and are reused from s: without this folder "
            "all are made anew\n");
  EXPECT_NE(succeeds(fixed_.substr(0, fixed_.find(" --sizes")) +
                     " --machine m.machine.json --out s --sizes N=1M N=2M N=4M")
                .err.find("study: note: s also holds 28 traces of other runs"),
            std::string::npos);
}

TEST_F(StudyCommand, ReusesRunsOfTheSameProgramFilesAndLauncher) {
  write_file(folder_ / "cleave-sort", read_file(folder_ / "cleave-sort") + "a note");
  write_file(folder_ / "input", "1");
  const std::string with_input = fixed_ + " -- --app input";  // an option that names a file
  const auto reuses = [&](const std::string& command) {
    return cleave(command).err.find("52 of 52 runs were made earlier") != std::string::npos;
  };
  EXPECT_FALSE(reuses(with_input));
  EXPECT_TRUE(reuses(with_input));
  fs::last_write_time(folder_ / "cleave-sort", fs::file_time_type::clock::now());
  EXPECT_TRUE(reuses(with_input)) << "times of files say nothing";
  write_file(folder_ / "input", "2");
  EXPECT_FALSE(reuses(with_input)) << "another input of the same name";
  EXPECT_EQ(files_in("s/before/traces").size(), 24U) << "the runs of the other one stay";
  EXPECT_TRUE(reuses(with_input));
  write_file(folder_ / "cleave-sort", read_file(folder_ / "cleave-sort") + "another");
  fs::last_write_time(folder_ / "cleave-sort", fs::file_time_type::min());
  EXPECT_FALSE(reuses(with_input)) << "another program, however old its file";
  fs::copy_file(folder_ / "launch", folder_ / "launch_elsewhere");
  std::string elsewhere = with_input;
  elsewhere.replace(elsewhere.find("/launch ") + 1, 6, "launch_elsewhere");
  EXPECT_FALSE(reuses(elsewhere));
  EXPECT_TRUE(reuses(elsewhere));
}

TEST_F(StudyCommand, AnotherLauncherKeepsWhatThereIsUntilARunIsWhole) {
  succeeds(fixed_);
  const auto kept = [&] {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "s")) {
      if (entry.is_regular_file() && entry.path().extension() != ".lock") {
        files[entry.path().string()] = read_file(entry.path());
      }
    }
    return files;
  };
  const auto before = kept();
  ASSERT_GT(before.size(), 52U);
  const auto launcher = fixed_.find(" --launcher");
  const std::string other = fixed_.substr(0, launcher) + " --launcher 'none {ranks}'" +
                            fixed_.substr(fixed_.find(" --", launcher + 1));
  EXPECT_NE(cleave(other).status, 0);
  EXPECT_EQ(kept(), before);
  std::string elsewhere = fixed_;
  fs::copy_file(folder_ / "launch", folder_ / "launch_elsewhere");
  succeeds(elsewhere.replace(elsewhere.find("/launch ") + 1, 6, "launch_elsewhere"));
  EXPECT_EQ(files_in("s/traces").size(), 24U);
  EXPECT_EQ(files_in("s/before/traces").size(), 24U) << "nothing is lost then, too";
}

TEST_F(StudyCommand, FindsItsProgram) {
  const std::string options = fixed_.substr(fixed_.find(" --launcher"));
  fs::create_directory(folder_ / "elsewhere");
  fs::copy_file(folder_ / "cleave-sort", folder_ / "elsewhere" / "mine");
  fs::copy_file(folder_ / "cleave-sort", folder_ / "here");
  const Result by_path = succeeds("study elsewhere/mine" + options);
  EXPECT_TRUE(fs::exists(folder_ / "s" / "sort.model.json")) << "the name is that it says";
  EXPECT_EQ(by_path.out.find("N=12M on "), std::string::npos) << "sizes are given";
  succeeds("study here" + options);
  const Result in_path = run("study mine" + options,
                             "PATH=\"" + (folder_ / "elsewhere").string() + ":$PATH\" ./cleave");
  EXPECT_EQ(in_path.status, 0) << in_path.err;
  succeeds("study elsewhere/mine --machine m.machine.json --out d" +
           options.substr(0, options.find(" --sizes")));
  EXPECT_TRUE(has("12M-r64-1", "d")) << "its default size is answered";
  EXPECT_TRUE(has("8M-p1-1", "d") && !has("4M-p1-1", "d")) << "three of its sizes are run";
}

TEST_F(StudyCommand, WaitsTenSecondsForADescription) {
  make_executable(folder_ / "hangs", "#!/bin/sh\nexec sleep 60\n");
  expect_one_line(run("study ./hangs"), 2, "it does not end within 10 s");
}

TEST_F(StudyCommand, ItsFolderStandsForItsFiles) {
  succeeds(fixed_);
  const std::string question = " --ranks 1,2 --size N=64M";
  EXPECT_EQ(succeeds("predict s" + question).out,
            succeeds("predict s/sort.model.json" + question).out);
  succeeds("plan s --deadline 60s --size N=64M");
  fs::remove(folder_ / "s" / "report.html");
  succeeds("report s");
  EXPECT_TRUE(fs::exists(folder_ / "s" / "report.html"));
  fs::remove(folder_ / "s" / "sort.model.json");
  EXPECT_NE(succeeds("fit s").out.find("written: s/sort.model.json\n"), std::string::npos);
  EXPECT_NE(read_file(folder_ / "s" / "sort.model.json").find("\"source\":\"test\""),
            std::string::npos)
      << "the machine is that of the folder";
  succeeds("compare s s/");
  succeeds("export s --out x.csv");
}

}  // namespace
}  // namespace cleave::models
