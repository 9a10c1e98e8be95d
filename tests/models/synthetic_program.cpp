// An application for tests of `cleave`: it takes the options that `cleave study` gives, and writes
// the trace of a run that never ran.
#include <CLI/CLI.hpp>
#include <iostream>

#include "skeleton/trace/count.hpp"
#include "skeleton/trace/error.hpp"
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
  bool fails = false;
  program.add_option("--size", size)->required();
  program.add_option("--trace", trace)->required();
  program.add_option("--type", type);
  program.add_option("--repetitions", repetitions);
  program.add_option("--warm-up", warm_up);
  program.add_option("--app", app);
  program.add_option("--ranks", ranks);
  program.add_flag("--fail", fails);
  CLI11_PARSE(program, argc, argv);
  if (fails) {
    std::cerr << "synthetic: told to fail\n";
    return 3;
  }
  try {
    cleave::SyntheticApp synthetic =
        app == "components" ? cleave::synthetic_components() : cleave::SyntheticApp{};
    synthetic.name = app;
    synthetic.noise = 0.01;
    cleave::write_synthetic_trace(
        trace, cleave::synthetic_trace(synthetic, ranks, cleave::parse_sizes(size), repetitions));
  } catch (const cleave::Error& e) {
    std::cerr << "synthetic: " << e.what() << '\n';
    return 1;
  }
  return 0;
}
