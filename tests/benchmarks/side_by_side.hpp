// SPDX-License-Identifier: Apache-2.0
// What the comparisons with other programs share. Programs run in turn on the same input, on all
// ranks or on one. Beside them stands the memory bandwidth of the machine.
#pragma once

#include <fmt/format.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/program/mpi_program.hpp>
#include <cleave/trace.hpp>

namespace cleave::benchmarks {

using namespace cleave::detail;

/// Waits without taking a core from the rank that works.
inline void sleep_until_all_are_here(const Comm& comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm.handle(), &request);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    const timespec pause{.tv_sec = 0, .tv_nsec = 200'000};
    ::nanosleep(&pause, nullptr);
  }
}

enum class RunsOn { all_ranks, rank_0 };

/// Seconds that `work(input)` takes, the longest over the ranks that it runs on; the others sleep.
/// It is done twice and timed the second time. What a core pays that has slept, or whose caches
/// hold what the program before has left there, is none of this program's. Neither `make_input()`
/// nor `check(result)` is timed. Collective. \throws Error  what `check` throws on any rank
template <class MakeInput, class Work, class Check>
double seconds_of(const Comm& comm, RunsOn ranks, MakeInput&& make_input, Work&& work,
                  Check&& check) {
  std::int64_t elapsed_ns = 0;
  std::exception_ptr failure;
  if (ranks == RunsOn::all_ranks || comm.rank() == 0) {
    work(make_input());
    auto input = make_input();
    if (ranks == RunsOn::all_ranks) {
      comm.barrier();
    }
    const std::int64_t begin_ns = mpi_time_ns();
    const auto result = work(std::move(input));
    elapsed_ns = mpi_time_ns() - begin_ns;
    try {
      check(result);
    } catch (const std::exception&) {
      failure = std::current_exception();
    }
  }
  sleep_until_all_are_here(comm);
  agree(comm, [&failure] {
    if (failure) {
      std::rethrow_exception(failure);
    }
  });
  return static_cast<double>(comm.allreduce_max(elapsed_ns)) / 1e9;
}

/// How fast all ranks at once read memory far beyond the caches, a sample a call.
class MemoryBandwidth {
 public:
  explicit MemoryBandwidth(const Comm& comm) : comm_(comm) {}

  /// Collective.
  void measure() {
    comm_.barrier();
    const std::int64_t begin_ns = mpi_time_ns();
    sum_ = std::accumulate(from_.begin(), from_.end(), Word{0});
    reads_.push_back(static_cast<double>(comm_.allreduce_max(mpi_time_ns() - begin_ns)) / 1e9);
  }

  /// The median in bytes per second, of all ranks together.
  nlohmann::ordered_json json() const {
    const std::size_t bytes = from_.size() * sizeof(Word);
    return {{"ranks", comm_.size()},
            {"buffer_bytes", bytes},
            {"read_bytes_per_second", comm_.size() * static_cast<double>(bytes) / median(reads_)}};
  }

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t kWords = std::size_t{16} << 20;

  const Comm& comm_;
  std::vector<Word> from_ = std::vector<Word>(kWords, 1);
  volatile Word sum_ = 0;  ///< keeps the passes from being left out
  std::vector<double> reads_;
};

/// A program that is run again and again beside the others; it returns seconds.
struct Entrant {
  std::string name;
  std::function<double()> seconds;
  std::vector<double> samples = {};
};

/// Runs all in turn, `repetitions` times after a warm-up.
inline void alternate(std::vector<Entrant>& entrants, int repetitions) {
  for (int repetition = -1; repetition < repetitions; ++repetition) {
    for (Entrant& entrant : entrants) {
      const double seconds = entrant.seconds();
      if (repetition >= 0) {
        entrant.samples.push_back(seconds);
      }
    }
  }
}

/// A case of a comparison: its name, and what measures it.
using Case = std::pair<std::string, std::function<nlohmann::ordered_json(const Comm&, int)>>;

/// A comparison as a program: `NAME [REPETITIONS] [CASE...]` on 2 ranks prints one JSON object.
inline int run_cases(int argc, char** argv, const std::string& name, int repetitions,
                     const std::vector<Case>& cases) {
  return run_mpi_program(argc, argv, name, [&](const Comm& comm) {
    std::vector<std::string> chosen;
    for (const auto& [case_name, measure] : cases) {
      chosen.push_back(case_name);
    }
    CLI::App cli(
        fmt::format("Prints one JSON object. Run it as:\nmpiexec -n 2 {0} > {0}.json", name), name);
    cli.add_option("repetitions", repetitions)->check(CLI::PositiveNumber)->capture_default_str();
    cli.add_option("cases", chosen)->check(CLI::IsMember(chosen))->capture_default_str();
    if (!parse_command_line(cli, argc, argv, comm.rank() == 0)) {
      return;
    }
    if (comm.size() != 2) {
      throw UsageError(fmt::format("needs 2 ranks, runs on {}", comm.size()));
    }
    nlohmann::ordered_json json;
    for (const auto& [case_name, measure] : cases) {
      if (std::ranges::find(chosen, case_name) != chosen.end()) {
        json[case_name] = measure(comm, repetitions);
      }
    }
    if (comm.rank() == 0) {
      fmt::print("{}\n", json.dump(2));
    }
  });
}

}  // namespace cleave::benchmarks
