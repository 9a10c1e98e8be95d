// SPDX-License-Identifier: Apache-2.0
// What small and long tasks cost beside oneTBB and OpenMP, alternating in one run. One case is a
// task of a recursion that does next to nothing, on one thread and on two. Another is a call of
// work stealing that has nothing to do, on two threads. 16 tasks of 0.2 s, which sleep, run on two
// ranks and on one. A DC_Call of ten integers on two ranks has an exchange of 8 bytes by hand
// beside it. Prints medians and ratios as JSON.
//
//   mpiexec -bind-to none -n 2 task_peers [REPETITIONS] [CASE...] > task_peers.json
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <array>
#include <chrono>
#include <numeric>
#include <thread>

#include <cleave/dc_call.hpp>

#include "tests/benchmarks/side_by_side.hpp"

namespace cleave::benchmarks {

using namespace cleave::detail;
namespace {

/// The number of Fibonacci by the recursion: every call is a task.
struct Fibonacci {
  using Problem = std::int64_t;
  using Solution = std::int64_t;

  bool trivial(const std::int64_t& n) const { return n < 2; }
  std::int64_t conquer(std::int64_t n) const { return n; }
  Halves<std::int64_t> divide(std::int64_t n) const { return {n - 1, n - 2}; }
  std::int64_t combine(std::int64_t left, std::int64_t right) const { return left + right; }
};

/// Divides a number of tasks down to one, which sleeps.
struct LongTasks {
  using Problem = int;
  using Solution = int;

  bool trivial(const int& n) const { return n == 1; }
  int conquer(int n) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return n;
  }
  Halves<int> divide(int n) const { return {n / 2, n - n / 2}; }
  int combine(int left, int right) const { return left + right; }
};

/// The sum of some integers.
struct Sum {
  using Problem = std::vector<int>;
  using Solution = std::int64_t;

  bool trivial(const Problem& p) const { return p.size() < 2; }
  std::int64_t conquer(const Problem& p) const { return p.empty() ? 0 : p.front(); }
  Halves<Problem> divide(const Problem& p) const {
    const auto middle = p.begin() + std::ssize(p) / 2;
    return {{p.begin(), middle}, {middle, p.end()}};
  }
  std::int64_t combine(std::int64_t left, std::int64_t right) const { return left + right; }
  std::int64_t sequential(const Problem& p) const {
    return std::accumulate(p.begin(), p.end(), std::int64_t{0});
  }
};

std::int64_t by_calls(std::int64_t n) { return n < 2 ? n : by_calls(n - 1) + by_calls(n - 2); }

std::int64_t by_tbb(std::int64_t n) {
  if (n < 2) {
    return n;
  }
  std::int64_t left = 0;
  tbb::task_group group;
  group.run([&left, n] { left = by_tbb(n - 1); });
  const std::int64_t right = by_tbb(n - 2);
  group.wait();
  return left + right;
}

std::int64_t by_openmp(std::int64_t n) {
  if (n < 2) {
    return n;
  }
  std::int64_t left = 0;
#pragma omp task shared(left)
  left = by_openmp(n - 1);
  const std::int64_t right = by_openmp(n - 2);
#pragma omp taskwait
  return left + right;
}

/// Medians of what one of `count` takes, and their ratios to the first entrant's.
nlohmann::ordered_json json_of(const std::vector<Entrant>& entrants, double count) {
  nlohmann::ordered_json json;
  for (const Entrant& entrant : entrants) {
    const double seconds = median(entrant.samples);
    json.push_back({{"name", entrant.name},
                    {"ns", seconds / count * 1e9},
                    {"over_first", seconds / median(entrants.front().samples)},
                    {"seconds", entrant.samples}});
  }
  return json;
}

Options of_threads(int threads) {
  return {.comm = MPI_COMM_SELF, .placement = Placement::rooted, .stealing = {.threads = threads}};
}

nlohmann::ordered_json measure_tasks(const Comm& comm, int repetitions) {
  static constexpr std::int64_t kNumber = 30;
  const std::int64_t expected = by_calls(kNumber);
  const double tasks = 2.0 * static_cast<double>(by_calls(kNumber + 1)) - 1;
  std::vector<Entrant> entrants;
  const auto add = [&](const std::string& name, auto work) {
    entrants.push_back({name, [&comm, expected, name, work] {
                          return seconds_of(
                              comm, RunsOn::rank_0, [] { return kNumber; }, work,
                              [&](std::int64_t found) {
                                if (found != expected) {
                                  throw Error(name + " counts wrongly");
                                }
                              });
                        }});
  };
  for (const int threads : {2, 1}) {
    const std::string of_threads_text =
        fmt::format(", {} thread{}", threads, threads > 1 ? "s" : "");
    add("cleave" + of_threads_text, [threads](std::int64_t n) {
      return DC_Call(DC_Type::work_stealing, Fibonacci{}, n, of_threads(threads));
    });
    add("oneTBB task_group" + of_threads_text, [threads](std::int64_t n) {
      static std::array arenas = {tbb::task_arena(1), tbb::task_arena(2)};
      std::int64_t result = 0;
      arenas.at(threads - 1).execute([&] { result = by_tbb(n); });
      return result;
    });
    add("OpenMP tasks" + of_threads_text, [threads](std::int64_t n) {
      std::int64_t result = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
      result = by_openmp(n);
      return result;
    });
  }
  add("plain calls", by_calls);
  alternate(entrants, repetitions);
  return json_of(entrants, tasks);
}

/// Seconds of a call in a row of `calls`, on rank 0 alone or on all ranks.
template <class Call>
Entrant in_a_row(const Comm& comm, const std::string& name, RunsOn ranks, int calls, Call call) {
  const auto seconds = [&comm, ranks, calls, call] {
    return seconds_of(
               comm, ranks, [] { return 0; },
               [&](int) {
                 for (int i = 0; i < calls; ++i) {
                   call();
                 }
                 return 0;
               },
               [](int) {}) /
           calls;
  };
  return {name, seconds};
}

nlohmann::ordered_json measure_empty_calls(const Comm& comm, int repetitions) {
  constexpr int kCalls = 200;
  std::vector<Entrant> entrants;
  for (const int threads : {2, 1}) {
    entrants.push_back(in_a_row(
        comm, fmt::format("cleave, {} thread{}", threads, threads > 1 ? "s" : ""), RunsOn::rank_0,
        kCalls, [threads] {
          DC_Call(DC_Type::work_stealing, Fibonacci{}, std::int64_t{1}, of_threads(threads));
        }));
  }
  entrants.push_back(in_a_row(comm, "oneTBB task_group, 2 threads", RunsOn::rank_0, kCalls, [] {
    static tbb::task_arena arena(2);
    arena.execute([] {
      tbb::task_group group;
      group.run([] {});
      group.wait();
    });
  }));
  entrants.push_back(in_a_row(comm, "a thread that is started and joined", RunsOn::rank_0, kCalls,
                              [] { std::thread([] {}).join(); }));
  alternate(entrants, repetitions);
  return json_of(entrants, 1);
}

nlohmann::ordered_json measure_long_tasks(const Comm& comm, int repetitions) {
  constexpr int kTasks = 16;
  const auto run_on = [&](const std::string& name, RunsOn ranks, MPI_Comm communicator) {
    return Entrant{name, [&comm, ranks, communicator] {
                     if (ranks == RunsOn::all_ranks) {
                       comm.barrier();
                     }
                     const std::int64_t begin_ns = mpi_time_ns();
                     if (ranks == RunsOn::all_ranks || comm.rank() == 0) {
                       DC_Call(DC_Type::work_stealing, LongTasks{}, kTasks, {.comm = communicator});
                     }
                     const std::int64_t elapsed_ns = mpi_time_ns() - begin_ns;
                     sleep_until_all_are_here(comm);
                     return static_cast<double>(comm.allreduce_max(elapsed_ns)) / 1e9;
                   }};
  };
  std::vector<Entrant> entrants = {run_on("cleave, 2 ranks", RunsOn::all_ranks, MPI_COMM_WORLD),
                                   run_on("cleave, 1 rank", RunsOn::rank_0, MPI_COMM_SELF)};
  alternate(entrants, repetitions);
  return json_of(entrants, kTasks);
}

nlohmann::ordered_json measure_small_calls(const Comm& comm, int repetitions) {
  constexpr int kCalls = 2000;
  static const std::vector<int> integers = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
  std::vector<Entrant> entrants = {
      in_a_row(comm, "DC_Call, hypercube, replicated", RunsOn::all_ranks, kCalls,
               [] { DC_Call(DC_Type::hypercube, Sum{}, integers, {.comm = MPI_COMM_WORLD}); }),
      in_a_row(comm, "an exchange of 8 bytes by hand", RunsOn::all_ranks, kCalls,
               [&comm] {
                 const std::int64_t mine =
                     std::accumulate(integers.begin(), integers.begin() + 5, std::int64_t{0});
                 std::int64_t theirs = 0;
                 MPI_Sendrecv(&mine, 1, MPI_INT64_T, comm.rank() ^ 1, 0, &theirs, 1, MPI_INT64_T,
                              comm.rank() ^ 1, 0, comm.handle(), MPI_STATUS_IGNORE);
               }),
      in_a_row(comm, "an all-reduce of 16 bytes", RunsOn::all_ranks, kCalls, [&comm] {
        std::array<std::int64_t, 2> values{};
        comm.allreduce_min(values);
      })};
  alternate(entrants, repetitions);
  return json_of(entrants, 1);
}

}  // namespace
}  // namespace cleave::benchmarks

int main(int argc, char** argv) {
  using namespace cleave::benchmarks;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
  return run_cases(argc, argv, "task_peers", 7,
                   {{"task", measure_tasks},
                    {"empty-call", measure_empty_calls},
                    {"long-tasks", measure_long_tasks},
                    {"small-call", measure_small_calls}});
}
