// SPDX-License-Identifier: Apache-2.0
// cleave machine: machines from the output of the OSU micro-benchmarks, and what a machine file
// says.

#include <memory>

#include <cleave/host/provenance_here.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/machine_file.hpp>

#include "models/ask/answering.hpp"
#include "models/ask/arguments.hpp"
#include "models/ask/commands.hpp"
#include "models/ask/study_folder.hpp"
#include "models/report/tables.hpp"
#include "models/report/text.hpp"
#include "models/tables/machine_import.hpp"

namespace cleave::models {

namespace {

struct ImportArguments {
  std::string latency;
  std::string bandwidth;
  std::string alltoallv;
  int ranks = 2;
  std::string name = "imported";
  bool same_host = false;
  bool half_duplex = false;
  std::string out;
  Answering answering;
};

void tell(const Answering& answering, const detail::Machine& machine, const std::string& file) {
  const Network network = network_of(machine);
  answering.say(to_terminal(latency_gap_table(network)));
  answering.print(
      {{"machine", machine.name}, {"file", file}, {"patterns", Json(patterns_json(network))}});
}

void run_import(ImportArguments& arguments, const std::string& command_line) {
  require_option(arguments.out, "--out", "--out there.machine.json");
  arguments.answering.set_output("--out", arguments.out,
                                 {arguments.latency, arguments.bandwidth, arguments.alltoallv});
  detail::Machine machine = import_machine({.latency = arguments.latency,
                                            .bandwidth = arguments.bandwidth,
                                            .alltoallv = arguments.alltoallv,
                                            .ranks = arguments.ranks,
                                            .between_hosts = !arguments.same_host,
                                            .full_duplex = !arguments.half_duplex,
                                            .name = arguments.name});
  machine.provenance = detail::provenance_here("cleave machine import", command_line, "none");
  detail::write_machine(arguments.out, machine);
  tell(arguments.answering, machine, arguments.out);
}

}  // namespace

void add_machine_command(CLI::App& program, const std::string& command_line) {
  CLI::App* command =
      program.add_subcommand("machine", "Machine files: import them, or show what they say");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  cleave machine show here.machine.json\n"
      "  cleave machine import --latency osu_latency.txt --bandwidth osu_bw.txt \\\n"
      "    --out there.machine.json");

  auto arguments = std::make_shared<ImportArguments>();
  CLI::App* import =
      command->add_subcommand("import", "A machine file from output of the OSU micro-benchmarks");
  import->add_option("--latency", arguments->latency, "Output of osu_latency");
  import->add_option("--bandwidth", arguments->bandwidth,
                     "Output of osu_bw, for messages longer than osu_latency's");
  import->add_option("--alltoallv", arguments->alltoallv, "Output of osu_alltoallv");
  import->add_option("--ranks", arguments->ranks, "Ranks that osu_alltoallv ran on")
      ->check(CLI::Range(2, detail::kMaxRanks))
      ->capture_default_str();
  import->add_option("--name", arguments->name, "Name of the machine")->capture_default_str();
  import->add_flag("--same-host", arguments->same_host, "The ranks were on one host");
  import->add_flag("--half-duplex", arguments->half_duplex,
                   "Two messages that cross take twice as long as one");
  import->add_option("--out", arguments->out, "Machine file to write (*.machine.json)");
  arguments->answering.add_to(*import);
  import->footer(
      "Examples:\n"
      "  cleave machine import --latency osu_latency.txt --bandwidth osu_bw.txt \\\n"
      "    --out there.machine.json\n"
      "  cleave machine import --alltoallv osu_alltoallv.txt --ranks 64 \\\n"
      "    --out there.machine.json");
  import->callback([arguments, command_line] { run_import(*arguments, command_line); });

  auto file = std::make_shared<std::string>();
  CLI::App* show = command->add_subcommand("show", "Latency and gap of a machine file");
  show->add_option("machine", *file, "A machine file (*.machine.json), or a study's folder");
  auto answering = std::make_shared<Answering>();
  answering->add_to(*show);
  show->footer(
      "Examples:\n"
      "  cleave machine show here.machine.json\n"
      "  cleave machine show sort-study --json");
  show->callback([file, answering] {
    require_option(*file, "a machine file", "cleave machine show here.machine.json");
    const std::filesystem::path path = machine_of(*file);
    tell(*answering, detail::read_machine(path), path.string());
  });
}

}  // namespace cleave::models
