// SPDX-License-Identifier: Apache-2.0
// The program `cleave` as a person uses it: what it prints, its exit status, the files it leaves.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include <cleave/detail/trace/machine_file.hpp>
#include <cleave/file.hpp>

#include "tests/models/synthetic_runs.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

namespace fs = std::filesystem;

struct Result {
  int status = 0;
  std::string out;
  std::string err;
};

Machine some_machine() {
  Communication entry{.ranks = 2, .latency_s = 2e-6, .gap_s_per_byte = 5e-11, .r_squared = 1};
  return {.name = "test",
          .alltoallv = {entry},
          .exchange = {entry},
          .provenance = provenance_here("test", "", "none")};
}

class Command : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) /
        fmt::format("cleave_{}_{}", testing::UnitTest::GetInstance()->current_test_info()->name(),
                    ::getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Result run(const std::string& arguments, const std::string& program = CLEAVE_PROGRAM) const {
    const fs::path out = folder_ / "stdout";
    const fs::path err = folder_ / "stderr";
    const std::string line = fmt::format("cd '{}' && {} {} >'{}' 2>'{}'", folder_.string(), program,
                                         arguments, out.string(), err.string());
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
  }

  /// Writes traces of sort on 1 and 2 ranks; returns their names.
  std::string write_traces() const {
    std::string names;
    int index = 0;
    SyntheticApp app;
    app.noise = 0.01;
    for (const Trace& trace : synthetic_traces(app, {1, 2}, sort_sizes())) {
      const std::string name = fmt::format("{}.trace.jsonl", index++);
      write_synthetic_trace(folder_ / name, trace);
      names += " " + name;
    }
    return names;
  }

  void expect_one_line(const Result& result, int status, const std::string& part) const {
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_TRUE(result.err.starts_with("cleave: ")) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
    for (const auto& entry : fs::directory_iterator(folder_)) {
      EXPECT_NE(entry.path().extension(), ".partial") << entry.path();
    }
  }

  void make_executable(const fs::path& file, const std::string& text) const {
    std::ofstream(file) << text;
    fs::permissions(file, fs::perms::owner_all);
  }

  /// A folder with cleave, an application cleave-sort and a launcher, as an installation has.
  std::string install() const {
    fs::copy_file(CLEAVE_PROGRAM, folder_ / "cleave");
    fs::copy_file(SYNTHETIC_PROGRAM, folder_ / "cleave-sort");
    make_executable(folder_ / "launch",
                    "#!/bin/sh\nranks=$1\nshift\nexec \"$@\" --ranks \"$ranks\"\n");
    write_machine(folder_ / "m.machine.json", some_machine());
    return fmt::format(
        "study sort --launcher '{}/launch {{ranks}}' --sizes N=1M N=2M "
        "N=4M N=8M N=16M N=32M --rounds 2",
        folder_.string());
  }

  fs::path folder_;
};

TEST_F(Command, FitsPredictsAndReports) {
  const std::string traces = write_traces();
  write_machine(folder_ / "m.machine.json", some_machine());
  const Result fit =
      run("fit" + traces + " --machine m.machine.json --hold-out every-second --out x.model.json");
  EXPECT_EQ(fit.status, 0) << fit.err;
  EXPECT_NE(fit.out.find("N*log2(N)"), std::string::npos) << fit.out;

  const Result predict = run("predict --model x.model.json --ranks 2,8 --size N=64M --json");
  EXPECT_EQ(predict.status, 0) << predict.err;
  EXPECT_EQ(std::count(predict.out.begin(), predict.out.end(), '\n'), 1);
  const auto predictions = nlohmann::json::parse(predict.out).at("predictions");
  ASSERT_EQ(predictions.size(), 2U);
  EXPECT_EQ(predictions[1].at("ranks"), 8);
  EXPECT_EQ(predictions[1].at("sizes").at("N"), 64 << 20);
  EXPECT_LT(predictions[1].at("interval")[0], predictions[1].at("seconds"));
  EXPECT_GT(predictions[1].at("interval")[1], predictions[1].at("seconds"));
  EXPECT_EQ(predictions[1].at("outside_fitted_range"), true);
  EXPECT_FALSE(predictions[1].at("remarks").empty());

  const std::string question = " --model x.model.json --ranks 2,8,16 --size N=64M";
  for (const std::string& asked : {"predict" + question, "plan --efficiency 0.1" + question}) {
    EXPECT_NE(run(asked).out.find("note: at 8, 16 ranks: l and g are those of"), std::string::npos)
        << asked;
  }
  const std::string plan = "plan --model x.model.json --ranks 2,8 --size N=64M";
  const Result unmet = run(plan + " --deadline 1ms --efficiency 1.5");
  EXPECT_EQ(unmet.status, 1);
  EXPECT_TRUE(
      unmet.err.starts_with("cleave: none of 2 numbers of ranks is predicted to be done in "
                            "0.001000 s with 95 % probability (at the earliest "))
      << unmet.err;
  EXPECT_NE(unmet.err.find(" and to have an efficiency of 1.5 (at most "), std::string::npos);

  const Result report = run("report" + traces + " --model x.model.json --out pages");
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_NE(report.out.find("Worst error on held-out runs"), std::string::npos);
  EXPECT_NE(report.out.find("32M (33554432)"), std::string::npos);
  for (const char* file : {"report.html", "report.md", "predictions.csv", "coefficients.csv",
                           "times.csv", "latency_gap.csv", "blocks.csv", "sizes.csv"}) {
    EXPECT_TRUE(fs::exists(folder_ / "pages" / file)) << file;
  }
  const std::string page = read_file(folder_ / "pages" / "report.html");
  EXPECT_EQ(page.find("src="), std::string::npos) << "the page must need no other file";
  EXPECT_EQ(page.find("<link"), std::string::npos);
}

TEST_F(Command, ComparesAnyNumberOfRunsWithTheFirst) {
  const NamedSizes sizes = {{"N", 1 << 24}};
  SyntheticApp app;
  app.noise = 0.001;
  const auto write = [&](const std::string& name, double slower, int ranks) {
    SyntheticApp throttled = app;
    throttled.sequential = [&app, slower](const NamedSizes& s) {
      return slower * app.sequential(s);
    };
    write_synthetic_trace(folder_ / name, synthetic_trace(throttled, ranks, sizes));
  };
  write("a.trace.jsonl", 1, 1);
  write("b.trace.jsonl", 1.5, 1);
  write("c.trace.jsonl", 0.5, 1);
  write("d.trace.jsonl", 1, 2);
  const Result three = run("compare a.trace.jsonl b.trace.jsonl d.trace.jsonl c.trace.jsonl");
  EXPECT_EQ(three.status, 0) << three.err;
  EXPECT_NE(three.out.find("4: c.trace.jsonl"), std::string::npos) << three.out;
  const auto line = three.out.find("sequential");
  ASSERT_NE(line, std::string::npos) << three.out;
  const std::string row = three.out.substr(line, three.out.find('\n', line) - line);
  EXPECT_NE(row.find(" 1.5"), std::string::npos) << row;
  EXPECT_NE(row.find(" 0.5", row.find("yes")), std::string::npos) << row;
  EXPECT_NE(row.find("yes", row.find("yes") + 1), std::string::npos) << row;

  Trace disturbed = synthetic_trace(app, 1, sizes);
  set_probe(disturbed, 1);
  disturbed.repetitions.back().probe_ns *= 2;
  write_synthetic_trace(folder_ / "e.trace.jsonl", disturbed);
  const Result noted = run("compare a.trace.jsonl e.trace.jsonl");
  EXPECT_NE(noted.out.find("note: 2: 1 of 3 repetitions left out"), std::string::npos) << noted.out;

  expect_one_line(run("compare a.trace.jsonl d.trace.jsonl"), 1, "no other trace has a run");
  expect_one_line(run("compare a.trace.jsonl"), 2, "files");
  const std::string fit = "fit" + write_traces() + " --out ";
  ASSERT_EQ(run(fit + "x.model.json").status, 0);
  ASSERT_EQ(run(fit + "y.model.json").status, 0);
  const Result models = run("compare x.model.json y.model.json x.model.json");
  EXPECT_EQ(models.status, 0) << models.err;
  EXPECT_NE(models.out.find("3 / 1"), std::string::npos) << models.out;
  EXPECT_NE(models.out.find("1.000"), std::string::npos) << models.out;
  expect_one_line(run("compare x.model.json y.model.json a.trace.jsonl"), 2,
                  "a.trace.jsonl is not: give models only or traces only");
}

TEST_F(Command, MistakesOnTheCommandLineAreOneLine) {
  const std::string traces = write_traces();
  ASSERT_EQ(run("fit" + traces + " --out x.model.json").status, 0);
  const std::string predict = "predict --model x.model.json --ranks 2 ";
  expect_one_line(run(""), 2, "a command is missing");
  expect_one_line(run("nonsense"), 2, "there is no command nonsense");
  expect_one_line(run("--nonsense"), 2, "--nonsense");
  expect_one_line(run("fit --nonsense"), 2, "required");
  expect_one_line(run("predict --nonsense" + predict.substr(7) + "--size N=1"), 2, "--nonsense");
  expect_one_line(run(predict), 2, "--size");
  expect_one_line(run(predict + "--size N=0"), 2, "size 'N=0' must be at least 1");
  expect_one_line(run(predict + "--size N=-5"), 2, "'-5' is not a count");
  expect_one_line(run(predict + "--size N=1e30"), 2, "'1e30' is not a count");
  expect_one_line(run(predict + "--size N=12x"), 2, "'12x' is not a count");
  expect_one_line(run(predict + "--size N=99999999999999999999"), 2, "too large");
  expect_one_line(run(predict + "--size M=1"), 2, "size N is missing");
  expect_one_line(run(predict + "--size N=1,M=1"), 2, "size M is not one of this model's");
  expect_one_line(run(predict + "--size N"), 2, "NAME=COUNT");
  expect_one_line(run("predict --model x.model.json --size N=1 --ranks 0"), 2, "number of ranks");
  expect_one_line(run("predict --model x.model.json --size N=1 --ranks two"), 2, "'two'");
  expect_one_line(run("fit" + traces + " --out y.json --form sequential=N*"), 2, "position 3");
  expect_one_line(run("fit" + traces + " --out y.json --form sort=N"), 2, "BLOCK=TERMS");
  expect_one_line(run("fit" + traces + " --out y.json --forms mine"), 2, "mine");
  expect_one_line(run("fit" + traces), 2, "--out");
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
  expect_one_line(run("fit . --out y.json"), 1, ".: ");
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

TEST_F(Command, AStudyRunsFitsAndReports) {
  const std::string study = install();
  const Result result = run(study + " --machine m.machine.json --out s", "./cleave");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(fs::exists(folder_ / "s" / "report.html"));
  EXPECT_TRUE(fs::exists(folder_ / "s" / "sort.model.json"));
  EXPECT_NE(result.err.find("[24/24] sort N=1M on 1 rank, round 2 of 2"), std::string::npos)
      << result.err;
  EXPECT_NE(result.out.find("yes   Worst error on held-out runs"), std::string::npos) << result.out;
}

TEST_F(Command, AStudyRunsAgainWhatFoundItsCoresSlow) {
  const std::string study = install() + " --machine m.machine.json";
  const std::string throttled = " -- --throttled-size N=4M --throttled-until 3";
  const Result result = run(study + " --out s" + throttled, "./cleave");
  EXPECT_EQ(result.status, 0) << result.err;
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  // Slow in rounds 1 to 3 and free in the fourth, on 1 rank and on 2.
  EXPECT_TRUE(has(result.err, "[25/26] sort N=4M on 1 rank, round 3, as a core was slower before"))
      << result.err;
  EXPECT_TRUE(has(result.err, "[28/28] sort N=4M on 1 rank, round 4, ")) << result.err;
  EXPECT_TRUE(has(read_file(folder_ / "s" / "report.md"),
                  "18 of 84 repetitions left out: a core was slower then than in other runs"));

  const Result counted = run(study + " --out t --count-throttled" + throttled, "./cleave");
  EXPECT_EQ(counted.status, 0) << counted.err;
  EXPECT_TRUE(has(counted.err, "[24/24]")) << counted.err;
  EXPECT_FALSE(has(read_file(folder_ / "t" / "report.md"), "left out"));
}

TEST_F(Command, AStudySaysWhatFailed) {
  const std::string study = install();
  const Result result = run(study + " --machine m.machine.json --out s -- --fail", "./cleave");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("cleave: cleave-sort on 1 rank ended with status 3: synthetic: told to"
                            " fail\n"),
            std::string::npos)
      << result.err;
  expect_one_line(run(study + " --machine none", "./cleave"), 1, "none: cannot read");
  expect_one_line(run("study nonsense"), 2, "no program cleave-nonsense");
}

TEST_F(Command, CtrlCEndsAStudyAndWhatItStarted) {
  const std::string study = install();
  const Result result = run(study + " --machine m.machine.json --out s -- --sleep-and-say pid",
                            "timeout --preserve-status --signal=INT 2 ./cleave");
  EXPECT_EQ(result.status, 130);
  EXPECT_NE(result.err.find("cleave: stopped; 0 of 24 runs are kept in s/traces\n"),
            std::string::npos)
      << result.err;
  const int child = std::stoi(read_file(folder_ / "pid"));
  EXPECT_NE(::kill(child, 0), 0) << "the application still runs";
}

TEST_F(Command, AnyOtherNameRunsTheProgramBesideIt) {
  install();
  EXPECT_EQ(run("sort --size N=1K --trace t.jsonl", "./cleave").status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "t.jsonl"));
}

}  // namespace
}  // namespace cleave::models
