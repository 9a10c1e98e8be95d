// SPDX-License-Identifier: Apache-2.0
#include "models/study/slurm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <string_view>

#include <cleave/command_line/options.hpp>
#include <cleave/dc_type.hpp>
#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/words.hpp>

#include "models/report/answer.hpp"

namespace cleave::models {

namespace {

// Seconds for ranks to start, and to write a snapshot. Slurm may send the signal for the second up
// to a minute early (sbatch(1), --signal).
constexpr double kStart_s = 60;
constexpr int kSnapshot_s = 60;
constexpr double kEarly_s = 60;

// The status of a search that has left a snapshot: kStoppedStatus of the skeleton.
constexpr int kStoppedStatus = 75;

/// A tenth more. (A factor of 1.1, which no binary number is, would round exact minutes up.)
double with_margin(double value) { return value + value / 10; }

/// D-HH:MM:SS, rounded up to the minute, as Slurm takes it.
std::string time_limit(double seconds) {
  const auto minutes = static_cast<long long>(std::ceil(seconds / 60));
  const long long days = minutes / (24 * 60);
  const std::string clock = fmt::format("{:02}:{:02}:00", minutes / 60 % 24, minutes % 60);
  return days > 0 ? fmt::format("{}-{}", days, clock) : clock;
}

/// `app` as a line of #SBATCH can hold it, where nothing is quoted.
std::string job_name(const std::string& app) {
  return std::regex_replace(app, std::regex("[^A-Za-z0-9_-]"), "_");
}

/// The lines that Slurm reads.
std::string directives(const Model& model, const PlanChoice& choice, bool is_queued_again) {
  const Prediction& p = choice.prediction;
  const double limit_s =
      with_margin(p.run_high) + kStart_s + (is_queued_again ? kSnapshot_s + kEarly_s : 0);
  // A table does not say how many ranks share a host.
  const std::string hosts =
      model.table() != nullptr
          ? ""
          : fmt::format(
                "#SBATCH --nodes={}\n#SBATCH --ntasks-per-node={}\n"
                "#SBATCH --hint=nomultithread\n",  // a core for each, as in the runs
                (p.ranks + p.ranks_per_host - 1) / p.ranks_per_host, p.ranks_per_host);
  std::string lines = fmt::format(
      "#!/bin/bash\n"
      "# {}\n"
      "# Predicted: {} when quiet, {}.\n"
      "#SBATCH --job-name=cleave-{}\n"
      "{}"
      "#SBATCH --ntasks={}\n"
      "#SBATCH --cpus-per-task={}\n"
      "#SBATCH --time={}\n",
      detail::one_line(sentence_of(model, p)), detail::format_seconds(p.seconds), runs_text(p),
      job_name(model.app), hosts, p.ranks, p.threads, time_limit(limit_s));
  if (p.memory_bytes) {
    const double mebibytes = with_margin(*p.memory_bytes) / p.threads / (1 << 20);
    lines +=
        fmt::format("#SBATCH --mem-per-cpu={}M\n", static_cast<long long>(std::ceil(mebibytes)));
  }
  if (is_queued_again) {
    lines += fmt::format(
        "#SBATCH --signal=TERM@{}\n"
        "#SBATCH --requeue\n"
        "#SBATCH --open-mode=append\n",
        kSnapshot_s);
  }
  return lines;
}

/// The sizes that --size gives; none of a problem from a file, which is given to sbatch.
NamedSizes given_sizes(const Model& model, NamedSizes sizes) {
  std::erase_if(sizes, [&](const auto& size) { return !model.given_sizes.contains(size.first); });
  return sizes;
}

/// "srun PROGRAM --type ...": without an end of line. The program of a table need not be Cleave's.
std::string command(const Model& model, const Prediction& p, const BatchOptions& options) {
  // srun does not take over what the job was given for --cpus-per-task.
  std::string line =
      fmt::format("srun --cpus-per-task={} {}", p.threads, detail::quote(options.program));
  if (model.table() != nullptr) {
    return line + " \"$@\"";
  }
  line += fmt::format(" --type {} --placement {} --threads {} --warm-up 0 --repetitions 1",
                      detail::quote(model.type), detail::quote(model.placement), p.threads);
  for (const auto& [name, value] : model.options) {
    if (name != "size" && !value.empty()) {
      line += fmt::format(" {} {}", detail::quote((name.size() == 1 ? "-" : "--") + name),
                          detail::quote(value));
    }
  }
  if (!options.checkpoint.empty()) {
    line += fmt::format(" --checkpoint {} --resume", detail::quote(options.checkpoint));
  }
  const NamedSizes given = given_sizes(model, p.sizes);
  return line + (given.empty() ? " \"$@\"" : fmt::format(" --size {}", format_sizes(given, ",")));
}

}  // namespace

std::string slurm_script(const Model& model, const PlanChoice& choice,
                         const BatchOptions& options) {
  if (!options.checkpoint.empty() && model.type != name_of(DC_Type::work_stealing)) {
    throw UsageError(fmt::format("--checkpoint: {} writes no snapshots", model.type));
  }
  std::string script = directives(model, choice, !options.checkpoint.empty());
  if (!options.mpi_type.empty()) {
    script += fmt::format("export SLURM_MPI_TYPE=\"${{SLURM_MPI_TYPE-{}}}\"\n", options.mpi_type);
  }
  if (given_sizes(model, choice.prediction.sizes).empty()) {
    const NamedSizes& sizes = choice.prediction.sizes;
    script += fmt::format("# The arguments of sbatch name the problem{}.\n",
                          sizes.empty() ? "" : ": what has " + format_sizes(sizes, ","));
  }
  script += command(model, choice.prediction, options) + "\n";
  if (!options.checkpoint.empty()) {
    script += fmt::format(
        "status=$?\n"
        "# Stopped before its end: queued again, it goes on from its snapshot.\n"
        "if [ \"$status\" -eq {} ]; then\n"
        "  scontrol requeue \"$SLURM_JOB_ID\"\n"
        "fi\n"
        "exit \"$status\"\n",
        kStoppedStatus);
  }
  return script;
}

}  // namespace cleave::models
