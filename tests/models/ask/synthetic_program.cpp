// SPDX-License-Identifier: Apache-2.0
// An application for tests of `cleave`: it takes the options that `cleave study` gives, describes
// itself, and writes the trace of a run that never ran.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/host/host.hpp>
#include <cleave/sizes.hpp>

#include "tests/models/synthetic_runs.hpp"

namespace {

/// The description that cleave::run prints.
void describe(const std::string& name, const std::string& type) {
  const nlohmann::json study = {{"size_option", "--size"},
                                {"sizes", {"N=1M", "N=2M", "N=4M", "N=8M", "N=16M"}},
                                {"rounds", 2},
                                {"repetitions", 3},
                                {"warm_up", 1},
                                {"inputs", "same"}};
  std::cout << nlohmann::json{{"format", "cleave-program"},
                              {"version", 2},
                              {"name", name},
                              {"summary", "tests"},
                              {"type", type},
                              {"types", {"sequential", "hypercube"}},
                              {"placement", "replicated"},
                              {"default_size", "N=12M"},
                              {"study", study},
                              {"quick_study", study}}
            << std::endl;
}

}  // namespace

namespace {

struct Options {
  std::string size;
  std::string type = "hypercube";
  std::string trace;
  std::string app = "sort";
  int ranks = 1;
  int threads = 1;
  int rehearsed = 0;
  int repetitions = 3;
  int warm_up = 1;
  int seed = 1;
  bool fails = false;
  bool warns = false;
  bool is_quiet = false;
  std::string pid_file;  // where it says which process sleeps
  std::string failing_size;
  bool is_killed = false;
  bool writes_nothing = false;
  std::string inputs;
  double takes_s = 0;
  bool keeps_state = false;
  bool describes = false;

  void add_to(CLI::App& program) {
    program.add_option("--size", size);
    program.add_option("--trace", trace);
    program.add_option("--inputs", inputs);
    program.add_option("--failing-size", failing_size);
    program.add_flag("--killed", is_killed);
    program.add_flag("--quiet", is_quiet);
    program.add_flag("--no-trace", writes_nothing);
    program.add_flag("--describe", describes);
    program.add_option("--type", type);
    program.add_option("--repetitions", repetitions);
    program.add_option("--warm-up", warm_up);
    program.add_option("--seed", seed);
    program.add_option("--app", app);
    program.add_option("--ranks", ranks);
    program.add_option("--threads", threads);
    program.add_option("--rehearse", rehearsed);
    program.add_flag("--fail", fails);
    program.add_flag("--warn", warns, "unless it is quiet");
    program.add_option("--sleep-and-say", pid_file);
    program.add_option("--takes", takes_s, "for each 1M of N, in all");
    program.add_flag("--keep-state", keeps_state, "from the first repetition on");
  }
};

/// \return  the status to end with
int write_trace(const Options& o, const std::string& command_line) {
  try {
    cleave::models::SyntheticApp synthetic = o.app == "components"
                                                 ? cleave::models::synthetic_components()
                                                 : cleave::models::SyntheticApp{};
    synthetic.name = o.app;
    synthetic.noise = 0.01;
    const cleave::NamedSizes sizes = cleave::parse_sizes(o.size);
    cleave::detail::Trace run =
        o.rehearsed > 0
            ? cleave::models::synthetic_rehearsal(synthetic, o.rehearsed, sizes, o.repetitions)
            : cleave::models::synthetic_trace(synthetic, o.ranks, sizes, o.repetitions);
    run.run.ranks_per_host = o.ranks;
    run.run.threads = o.threads;
    run.run.files["program"] = cleave::detail::content_of("/proc/self/exe");
    if (std::filesystem::is_regular_file(o.app)) {
      run.run.options["app"] = o.app;
      run.run.files["app"] = cleave::detail::content_of(o.app);
    }
    run.run.provenance = cleave::detail::provenance_here("cleave-sort", command_line, "none");
    std::this_thread::sleep_for(std::chrono::duration<double>(
        o.takes_s * static_cast<double>(sizes.begin()->second) / (1 << 20)));
    if (o.keeps_state) {
      run.repetitions[0].elapsed_ns = 60 * run.repetitions[1].elapsed_ns;
    }
    cleave::models::write_synthetic_trace(o.trace, run);
  } catch (const cleave::Error& e) {
    std::cerr << "synthetic: " << e.what() << '\n';
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Writes the trace of a run that never ran");
  Options o;
  o.add_to(program);
  CLI11_PARSE(program, argc, argv);
  if (o.describes) {
    try {
      cleave::parse_sizes(o.size.empty() ? "N=1" : o.size);
    } catch (const cleave::UsageError& e) {
      std::cerr << "synthetic: --size: " << e.what() << '\n';
      return 2;
    }
    describe(o.app, o.type);
    return 0;
  }
  if (o.is_killed) {
    std::raise(SIGKILL);
  }
  if (o.writes_nothing) {
    return 0;
  }
  if (o.fails || (!o.size.empty() && o.size == o.failing_size)) {
    std::cerr << "synthetic: told to fail\n";
    return 3;
  }
  if (!o.pid_file.empty()) {
    std::ofstream(o.pid_file) << ::getpid() << std::endl;
    std::this_thread::sleep_for(std::chrono::minutes(1));
  }
  if (o.warns && !o.is_quiet) {
    std::cerr << "synthetic: warning: rank 0 does other work in repetition 2\n";
  }
  return write_trace(o, cleave::detail::command_line_of(argc, argv));
}
