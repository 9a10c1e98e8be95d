// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>

#include <cleave/comm.hpp>
#include <cleave/command_line/output.hpp>
#include <cleave/error.hpp>
#include <cleave/host/host.hpp>
#include <cleave/program/mpi_program.hpp>
#include <cleave/sizes.hpp>

namespace cleave::detail {

namespace {

constexpr std::chrono::seconds kPatience{5};

/// Whether every rank comes here within a time in which ranks that failed together do.
bool all_ranks_come(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(comm, &request) != MPI_SUCCESS) {
    return false;
  }
  int done = 0;
  for (const auto deadline = std::chrono::steady_clock::now() + kPatience;
       done == 0 && std::chrono::steady_clock::now() < deadline &&
       MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS;) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return done != 0;
}

int report(const Comm& world, MPI_Comm ending, const std::string& name, const std::string& message,
           int status) {
  // A library without memory may not come to the end of a call.
  ::alarm(static_cast<unsigned>(kPatience.count()) + 2);
  const auto print = [&] { fmt::print(stderr, "{}: {}\n", name, one_line(message)); };
  if (world.rank() == 0) {
    print();
  }
  if (!all_ranks_come(ending)) {
    if (world.rank() != 0) {
      print();
    }
    MPI_Abort(world.handle(), status);
  }
  ::alarm(0);
  return status;
}

int run(const Comm& world, MPI_Comm ending, const std::string& name,
        const std::function<void(const Comm& world)>& body) {
  try {
    body(world);
    agree(world, flush_out);
    return 0;
  } catch (const UsageError& e) {
    return report(world, ending, name, e.what(), 2);
  } catch (const Interrupted& e) {
    return report(world, ending, name, e.what(), kStoppedStatus);
  } catch (const std::bad_alloc&) {
    return report(world, ending, name, fmt::format("rank {}: out of memory", world.rank()), 1);
  } catch (...) {
    return report(world, ending, name, message_of_exception(), 1);
  }
}

/// The variables of each launcher: how many processes there are, and which one this is.
constexpr std::array<std::array<const char*, 2>, 3> kLaunchers = {
    {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
     {"PMI_SIZE", "PMI_RANK"},
     {"SLURM_NTASKS", "SLURM_PROCID"}}};

/// How long a thread was ready to run and had no core, by /proc/thread-self/schedstat. The system
/// brings the second number up to date when the thread gets a core, so that it is exact
/// for the thread itself. The first is the time with a core: 0 where the system does not count.
class RunDelay {
 public:
  ~RunDelay() { ::close(file_); }

  std::int64_t now_ns() {
    constexpr std::int64_t kBetweenLooks_ns = 20'000;
    const std::int64_t now = monotonic_ns();
    if (file_ >= 0 && now - looked_ns_ >= kBetweenLooks_ns) {
      std::array<char, 96> text{};
      char* second = text.data();
      is_told_ =
          ::pread(file_, second, text.size() - 1, 0) > 0 && std::strtoll(second, &second, 10) > 0;
      known_ns_ = is_told_ ? std::strtoll(second, nullptr, 10) : 0;
      looked_ns_ = now;
    }
    return known_ns_;
  }
  bool is_told() {
    now_ns();
    return is_told_;
  }

 private:
  int file_ = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  bool is_told_ = false;
  std::int64_t known_ns_ = 0;
  std::int64_t looked_ns_ = 0;
};

thread_local RunDelay run_delay;

std::int64_t run_delay_of_thread_ns() { return run_delay.now_ns(); }

/// The variable as a number; 0 where it is not set.
int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

}  // namespace

int run_mpi_program(int argc, char** argv, const std::string& name,
                    const std::function<void(const Comm& world)>& body) {
  // Else what MPI opens takes the place of a closed standard stream, and is written to.
  for (int file = 0; file >= 0 && file <= STDERR_FILENO; file = ::open("/dev/null", O_RDWR)) {
  }
  // A write beyond a limit of the shell is an error of the write, not the end by a signal.
  std::signal(SIGXFSZ, SIG_IGN);
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  tell_run_delay();
  // Else a failed rank's barrier could be matched by what the rest of the ranks are at.
  MPI_Comm ending = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &ending);
  const int status = run(Comm(MPI_COMM_WORLD), ending, name, body);
  MPI_Comm_free(&ending);
  MPI_Finalize();
  return status;
}

void tell_run_delay() {
  if (!simulates_hosts(mpi_library()) && run_delay.is_told()) {
    run_delay_ns = run_delay_of_thread_ns;
  }
}

bool tells_run_delay() { return run_delay_ns == run_delay_of_thread_ns; }

Provenance mpi_provenance(std::string program, std::string command_line) {
  Provenance provenance =
      provenance_here(std::move(program), std::move(command_line), mpi_clock_name());
  provenance.mpi_library = mpi_library();
  return provenance;
}

std::vector<std::string> launch_warnings(const Comm& comm, int threads) {
  std::vector<std::string> warnings;
  if (hosts_of(comm).oversubscribed(threads)) {
    warnings.push_back(fmt::format(
        "{} ranks{} on one host outnumber the cores that they may use and take turns: these times "
        "say little about more cores",
        hosts_of(comm).ranks_per_host(),
        threads > 1 ? fmt::format(" of {} threads", threads) : ""));
  }
  if (!run_delay.is_told() && !simulates_hosts(mpi_library())) {
    warnings.push_back(
        "this system does not tell how long a thread waits for a core "
        "(/proc/thread-self/schedstat): the times hold what others took");
  }
  for (const auto& [processes, process] : kLaunchers) {
    if (comm.size() == 1 && number_in(processes) > 1 && number_in(process) == 0) {
      warnings.push_back(
          fmt::format("{} is {}, but this is a run of 1 rank: a launcher of another MPI library "
                      "than this program's started separate programs",
                      processes, number_in(processes)));
      break;
    }
  }
  return warnings;
}

Wrong first_wrong(const Comm& comm, const Wrong& wrong) {
  const auto lowest = static_cast<int>(comm.allreduce_min(wrong ? comm.rank() : comm.size()));
  if (lowest == comm.size()) {
    return std::nullopt;
  }
  return fmt::format("rank {}: {}", lowest, comm.bcast(wrong.value_or(""), lowest));
}

void require_same_command(const Comm& comm, const std::string& program, int argc, char** argv) {
  const std::string command =
      argc < 2 ? program : program + ' ' + command_line_of(argc - 1, argv + 1);
  const std::string of_first = comm.bcast(command, 0);
  if (const Wrong other = first_wrong(comm, command == of_first ? std::nullopt : Wrong(command))) {
    throw UsageError(
        fmt::format("ranks have different command lines: rank 0: {}; {}", of_first, *other));
  }
}

bool is_launched_as_another() {
  return std::ranges::any_of(kLaunchers, [](const auto& of) { return number_in(of[1]) > 0; });
}

}  // namespace cleave::detail
