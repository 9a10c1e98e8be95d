// SPDX-License-Identifier: Apache-2.0
// `--json` and `--quiet` of every command: one object on one line, and nothing at all.
#include <nlohmann/json.hpp>

#include "tests/models/ask/command_fixture.hpp"

namespace cleave::models {
namespace {

TEST_F(Command, EachPrintsOneObjectOnOneLineOrNothing) {
  const std::string study = install() + " --machine m.machine.json --out s --fresh";
  // Each with the fields of its object that a script is likely to read.
  const std::vector<std::pair<std::string, std::vector<std::string>>> commands = {
      {study, {"app", "model", "page", "answers", "runs"}},
      {"fit s --out x.model.json", {"verdict", "blocks", "notes"}},
      {"predict s --ranks 2 --size N=64M", {"verdict", "predictions"}},
      {"plan s --ranks 1,2 --size N=64M --deadline 1h", {"verdict", "ranks", "choices"}},
      {"compare s s", {"rows", "summary"}},
      {"report s --out pages", {"answers", "verdict", "runs"}},
      {"export s --format csv --out s.csv", {"written", "traces"}}};
  for (const auto& [command, fields] : commands) {
    const Result json = run(command + " --json", "./cleave");
    EXPECT_EQ(json.status, 0) << command << ": " << json.err;
    EXPECT_EQ(std::ranges::count(json.out, '\n'), 1) << command << ": " << json.out;
    const auto object = nlohmann::json::parse(json.out, nullptr, false);
    ASSERT_TRUE(object.is_object()) << command << ": " << json.out;
    for (const std::string& field : fields) {
      EXPECT_TRUE(object.contains(field)) << command << ": no " << field;
    }
    const Result quiet = run(command + " --quiet", "./cleave");
    EXPECT_EQ(quiet.status, 0) << command << ": " << quiet.err;
    EXPECT_EQ(quiet.out + quiet.err, "") << command;
  }
}

TEST_F(Command, AFileOnStandardOutputIsAloneThere) {
  run(install() + " --machine m.machine.json --out s --fresh", "./cleave");
  const std::vector<std::pair<std::string, std::string>> commands = {
      {"fit s --out", "x.model.json"},
      {"plan s --ranks 1,2 --size N=64M --deadline 1h --slurm", "x.sbatch"},
      {"export s --format csv --out", "x.csv"}};
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

TEST_F(Command, NewPrintsWhatItWrote) {
  const Result json = run("new mine --json");
  EXPECT_EQ(json.status, 0) << json.err;
  const auto object = nlohmann::json::parse(json.out, nullptr, false);
  ASSERT_TRUE(object.is_object()) << json.out;
  EXPECT_EQ(object.at("files").size(), 5U) << json.out;
  const Result quiet = run("new yours --quiet");
  EXPECT_EQ(quiet.status, 0) << quiet.err;
  EXPECT_EQ(quiet.out + quiet.err, "");
}

}  // namespace
}  // namespace cleave::models
