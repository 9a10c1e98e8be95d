// SPDX-License-Identifier: Apache-2.0
// What the checks cost that every call makes: the agreements at its start and its end, and a header
// and a question for room around each payload. Calls run in turns as they are and with every check
// made twice. JSON: medians of both, the median of their ratios, and the time of the checks alone,
// after a barrier, as a share of the call's. Other work on the machine disturbs the share less.
//
//   mpiexec -bind-to core -n 2 check_cost [PAIRS] > check_cost.json
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <typeinfo>
#include <vector>

#include <cleave/clock.hpp>
#include <cleave/command_line/options.hpp>
#include <cleave/dc_call.hpp>
#include <cleave/kernel/link.hpp>
#include <cleave/program/mpi_program.hpp>
#include <cleave/random.hpp>
#include <cleave/trace/median.hpp>

#include "apps/examples/queens.hpp"
#include "apps/quicksort/quicksort.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

/// One call, made again and again.
template <class App>
struct Case {
  std::string name;
  DC_Type type;
  typename App::Problem problem;
  std::int64_t payload_bytes;  ///< of what goes to the partner, and comes back; 0: no payload
};

/// The words of Link to the partner around a payload.
void repeat_header(const Comm& comm, std::int64_t payload_bytes) {
  const int partner = comm.rank() ^ 1;
  Header mine{.payload = Header::follows, .bytes = payload_bytes};
  Header theirs;
  comm.exchange(partner, bytes_of(mine), bytes_of(theirs));
  if (payload_bytes > static_cast<std::int64_t>(kMaxBytesUnasked)) {
    char my_room = 1;
    char their_room = 1;
    comm.exchange(partner, bytes_of(my_room), bytes_of(their_room));
  }
}

/// The checks of one call on 2 ranks, once more.
template <class App>
void repeat_checks(const Comm& comm, const Case<App>& call, const CallOptions& options) {
  CallIdentity(call.type, options, typeid(App).hash_code(), 0).agree(comm);
  constexpr int kPayloads = 2;  // the half that goes, its solution that comes back
  for (int i = 0; call.payload_bytes > 0 && i < kPayloads; ++i) {
    repeat_header(comm, call.payload_bytes);
  }
  std::array<std::int64_t, 2> nothing_failed = {0, 0};
  comm.allreduce_min(nothing_failed);
}

template <class Work>
double seconds_of(const Comm& comm, Work&& work) {
  comm.barrier();
  const std::int64_t begin_ns = mpi_time_ns();
  work();
  return static_cast<double>(comm.allreduce_max(mpi_time_ns() - begin_ns)) / 1e9;
}

template <class App>
nlohmann::ordered_json measure(const Comm& comm, const Case<App>& measured, int pairs) {
  const CallOptions options{{.comm = comm.handle(), .placement = Placement::rooted}};
  std::vector<double> once;
  std::vector<double> twice;
  std::vector<double> ratios;
  std::vector<double> checks;
  const auto call = [&] {
    auto problem = measured.problem;
    return seconds_of(comm, [&] { DC_Call(measured.type, App{}, std::move(problem), options); });
  };
  const auto call_with_more = [&] {
    auto problem = measured.problem;
    return seconds_of(comm, [&] {
      repeat_checks(comm, measured, options);
      DC_Call(measured.type, App{}, std::move(problem), options);
    });
  };
  for (int i = -1; i < pairs; ++i) {  // the first warms up
    const bool is_first = i % 2 == 0;
    const double before = is_first ? call() : call_with_more();
    const double after = is_first ? call_with_more() : call();
    const double alone = seconds_of(comm, [&] { repeat_checks(comm, measured, options); });
    if (i >= 0) {
      once.push_back(is_first ? before : after);
      twice.push_back(is_first ? after : before);
      ratios.push_back(twice.back() / once.back());
      checks.push_back(alone);
    }
  }
  return {{"call", measured.name},
          {"ranks", comm.size()},
          {"pairs", pairs},
          {"seconds", median(once)},
          {"seconds_checked_twice", median(twice)},
          {"ratio", median(ratios)},
          {"seconds_of_checks", median(checks)},
          {"share", median(checks) / median(once)}};
}

Case<quicksort::Quicksort> sort_of(const Comm& comm, std::size_t keys) {
  quicksort::Keys problem(comm.rank() == 0 ? keys : 0);
  const CounterRandom random(1);
  std::ranges::generate(problem,
                        [&, i = 0]() mutable { return static_cast<std::int32_t>(random(i++)); });
  return {.name = fmt::format("quicksort, {} keys, rooted", keys),
          .type = DC_Type::hypercube,
          .problem = std::move(problem),
          .payload_bytes = static_cast<std::int64_t>(keys / 2 * sizeof(std::int32_t))};
}

Case<Queens> search_of(int queens) {
  return {.name = fmt::format("{} queens, a search", queens),
          .type = DC_Type::work_stealing,
          .problem = {.all = (1U << queens) - 1},
          .payload_bytes = 0};
}

void measure_all(const Comm& comm, int pairs) {
  if (comm.size() != 2) {
    throw UsageError(fmt::format("needs 2 ranks, runs on {}", comm.size()));
  }
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const std::size_t keys :
       {std::size_t{1} << 10, std::size_t{1} << 16, std::size_t{1} << 20, std::size_t{1} << 23}) {
    results.push_back(measure(comm, sort_of(comm, keys), pairs));
  }
  for (const int queens : {6, 10, 13}) {
    results.push_back(measure(comm, search_of(queens), pairs));
  }
  if (comm.rank() == 0) {
    fmt::print("{}\n", results.dump(1));
  }
}

}  // namespace
}  // namespace cleave

int main(int argc, char** argv) {
  return cleave::detail::run_mpi_program(argc, argv, "check_cost", [&](const cleave::Comm& comm) {
    int pairs = 31;
    CLI::App cli(
        "What the checks of every call cost. Run it as:\n"
        "mpiexec -bind-to core -n 2 check_cost > check_cost.json",
        "check_cost");
    cli.add_option("pairs", pairs, "Calls without and with twice the checks")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    if (cleave::detail::parse_command_line(cli, argc, argv, comm.rank() == 0)) {
      cleave::measure_all(comm, pairs);
    }
  });
}
