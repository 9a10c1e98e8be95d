// SPDX-License-Identifier: Apache-2.0
// Batch scripts: what they ask Slurm for, and that a shell takes a model's texts as they stand.
#include "models/study/slurm.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/file.hpp>

#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::models {
namespace {

using testing::run_program;

Model sort_model() {
  Model model;
  model.app = "sort";
  model.type = "hypercube";
  model.placement = "replicated";
  model.given_sizes = {"N"};
  return model;
}

Model search_model() {
  Model model;
  model.app = "uts";
  model.type = "work_stealing";
  model.placement = "rooted";
  model.options = {{"tree", "T3L"}};
  return model;
}

PlanChoice on_16_ranks(const std::string& size) {
  PlanChoice choice;
  choice.prediction = {
      .ranks = 16, .ranks_per_host = 8, .sizes = {{size, 32 << 20}}, .run_high = 3 * 3600};
  return choice;
}

void expect_lines(const std::string& script, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    EXPECT_NE(script.find(line), std::string::npos) << line << "\n" << script;
  }
}

TEST(Slurm, OfATableStartsItsProgramAlone) {
  Model model;
  model.app = "solver";
  model.type = "table";
  model.parts = TableModel{};
  const std::string script = slurm_script(model, on_16_ranks("N"), {.program = "./solver"});
  EXPECT_TRUE(
      script.ends_with("# The arguments of sbatch name the problem: what has N=32M.\n"
                       "srun --cpus-per-task=1 ./solver \"$@\"\n"))
      << script;
  EXPECT_EQ(script.find("nodes"), std::string::npos) << "nobody knows how many ranks share a host";
}

TEST(Slurm, ScriptAsksForNodesTimeAndMemory) {
  Model model = sort_model();
  model.options = {{"size", "N=1M"}, {"key", "int32"}, {"x", "it's here"}, {"output", ""}};
  PlanChoice choice = on_16_ranks("N");
  choice.prediction.memory_bytes = 100 << 20;
  expect_lines(
      slurm_script(model, choice, {.program = "cleave-sort", .mpi_type = "pmi2"}),
      {"#!/bin/bash\n", "#SBATCH --nodes=2\n", "#SBATCH --ntasks=16\n",
       "#SBATCH --ntasks-per-node=8\n", "#SBATCH --time=03:19:00\n", "#SBATCH --mem-per-cpu=110M\n",
       "\nexport SLURM_MPI_TYPE=\"${SLURM_MPI_TYPE-pmi2}\"\n",
       "\nsrun --cpus-per-task=1 cleave-sort --type hypercube --placement replicated",
       " --key int32 -x 'it'\\''s here' --size N=32M\n"});
}

TEST(Slurm, AProblemThatHasNoSizeOptionIsGivenToSbatch) {
  Model model = sort_model();
  model.given_sizes = {};
  model.options = {{"input", "keys.bin"}, {"size", "N=4M"}};
  expect_lines(slurm_script(model, on_16_ranks("N"), {.program = "./sort"}),
               {"what has N=32M.\n", " ./sort --type", " --input keys.bin \"$@\"\n"});
}

TEST(Slurm, ASearchWithSnapshotsIsStoppedBeforeItsLimitAndQueuedAgain) {
  const std::string script =
      slurm_script(search_model(), on_16_ranks("nodes"), {.checkpoint = "my snapshots"});
  expect_lines(script, {"#SBATCH --time=03:21:00\n", "#SBATCH --signal=TERM@60\n",
                        "#SBATCH --requeue\n", "#SBATCH --open-mode=append\n",
                        " --tree T3L --checkpoint 'my snapshots' --resume \"$@\"\n",
                        "if [ \"$status\" -eq 75 ]; then\n"});
  EXPECT_THROW(slurm_script(sort_model(), on_16_ranks("N"), {.checkpoint = "snapshots"}),
               UsageError);
}

/// A folder with programs that stand for Slurm's.
class Stubs {
 public:
  Stubs() {
    add("srun", "printf '<%s>' \"$@\"\nexit \"${SRUN_STATUS-0}\"\n");
    add("scontrol", "echo \"scontrol $*\"\n");
  }

  /// Runs `script` with them, as a job with the number 7.
  testing::Finished run(const std::string& script, const std::vector<std::string>& arguments,
                        const std::string& srun_status) const {
    write_file(folder_ / "job.sh", script);
    std::vector<std::string> command = {
        "env", "PATH=" + folder_.path().string() + ":" + std::getenv("PATH"), "bash",
        (folder_ / "job.sh").string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run_program(command, {"SRUN_STATUS=" + srun_status, "SLURM_JOB_ID=7"});
  }

 private:
  void add(const std::string& name, const std::string& body) const {
    write_file(folder_ / name, "#!/bin/sh\n" + body);
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
  }

  testing::TemporaryFolder folder_;
};

TEST(Slurm, AShellTakesWhateverAModelHoldsAsItStands) {
  const std::string hostile[] = {
      "two words",    "it's",  "\"quoted\"", "$(touch hurt)",  "`touch hurt`",
      "a\nb; exit 9", "$HOME", "\\",         "a\n#SBATCH -N9", "*",
      "; touch hurt", "~"};
  Model model = search_model();
  std::string expected;
  model.options.clear();
  for (std::size_t i = 0; i < std::size(hostile); ++i) {
    const std::string name = "o" + std::to_string(10 + i) + hostile[i];
    model.options[name] = hostile[i];
    expected += "<--" + name + "><" + hostile[i] + ">";
  }
  for (const std::string& text : hostile) {
    SCOPED_TRACE(text);
    model.app = model.type = model.placement = text;
    const testing::Finished run = Stubs().run(
        slurm_script(model, on_16_ranks("nodes"), {.program = text}), {text, "b c"}, "0");
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.out, "<--cpus-per-task=1><" + text + "><--type><" + text + "><--placement><" +
                           text + "><--threads><1><--warm-up><0>" + "<--repetitions><1>" +
                           expected + "<" + text + "><b c>");
  }
}

TEST(Slurm, DirectivesEndBeforeWhatAModelHolds) {
  Model model = sort_model();
  model.app = "a\n#SBATCH --nodes=1000";
  model.options = {{"x", "\n#SBATCH --nodes=1000"}};
  const std::string script = slurm_script(model, on_16_ranks("N"), {.program = model.app});
  EXPECT_NE(script.find("#SBATCH --job-name=cleave-a__SBATCH_--nodes_1000\n"), std::string::npos);
  // sbatch reads directives up to the first line that is neither empty nor a comment.
  EXPECT_LT(script.find("\nsrun "), script.find("\n#SBATCH --nodes=1000"));
}

TEST(Slurm, OnlyAStoppedSearchIsQueuedAgain) {
  const std::string script =
      slurm_script(search_model(), on_16_ranks("nodes"), {.checkpoint = "it's/$here"});
  const std::pair<const char*, bool> ends[] = {{"0", false}, {"1", false}, {"75", true}};
  for (const auto& [status, is_queued] : ends) {
    const testing::Finished run = Stubs().run(script, {}, status);
    EXPECT_EQ(std::to_string(run.status), status);
    EXPECT_EQ(run.out.find("<--checkpoint><it's/$here><--resume>") != std::string::npos, true);
    EXPECT_EQ(run.out.find("scontrol requeue 7\n") != std::string::npos, is_queued) << status;
  }
}

}  // namespace
}  // namespace cleave::models
