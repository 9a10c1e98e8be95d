// SPDX-License-Identifier: Apache-2.0
// An application for tests of `cleave`: it takes the options that `cleave study` gives, and writes
// the trace of a run that never ran.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <iostream>
#include <thread>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>

#include "tests/models/synthetic_runs.hpp"

int main(int argc, char** argv) {
  CLI::App program("Writes the trace of a run that never ran");
  std::string size;
  std::string type;
  std::string trace;
  std::string app = "sort";
  int ranks = 1;
  int repetitions = 3;
  int warm_up = 1;
  int seed = 1;
  bool fails = false;
  std::string pid_file;  // where it says which process sleeps
  std::string throttled_size;
  int throttled_until = 0;
  program.add_option("--size", size)->required();
  program.add_option("--trace", trace)->required();
  program.add_option("--type", type);
  program.add_option("--repetitions", repetitions);
  program.add_option("--warm-up", warm_up);
  program.add_option("--seed", seed);
  program.add_option("--app", app);
  program.add_option("--ranks", ranks);
  program.add_flag("--fail", fails);
  program.add_option("--sleep-and-say", pid_file);
  program.add_option("--throttled-size", throttled_size, "which finds its cores slow");
  program.add_option("--throttled-until", throttled_until, "up to this seed");
  CLI11_PARSE(program, argc, argv);
  if (fails) {
    std::cerr << "synthetic: told to fail\n";
    return 3;
  }
  if (!pid_file.empty()) {
    std::ofstream(pid_file) << ::getpid() << std::endl;
    std::this_thread::sleep_for(std::chrono::minutes(1));
  }
  try {
    cleave::models::SyntheticApp synthetic = app == "components"
                                                 ? cleave::models::synthetic_components()
                                                 : cleave::models::SyntheticApp{};
    synthetic.name = app;
    synthetic.noise = 0.01;
    cleave::detail::Trace run =
        cleave::models::synthetic_trace(synthetic, ranks, cleave::parse_sizes(size), repetitions);
    cleave::models::set_probe(run, size == throttled_size && seed <= throttled_until ? 1.3 : 1);
    cleave::models::write_synthetic_trace(trace, run);
  } catch (const cleave::Error& e) {
    std::cerr << "synthetic: " << e.what() << '\n';
    return 1;
  }
  return 0;
}
