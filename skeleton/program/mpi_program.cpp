// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <mpi.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <new>

#include <cleave/clock.hpp>
#include <cleave/comm/waiting.hpp>
#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/host/provenance_here.hpp>
#include <cleave/program/mpi_program.hpp>
#include <cleave/program/watch.hpp>

namespace cleave::detail {

namespace {

/// The ranks of MPI_COMM_WORLD for one collective alone: in the space of others, a failed rank's
/// barrier could be matched by what the rest of the ranks are at.
class Ending {
 public:
  Ending() {
    const Waiting waiting;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
  }
  ~Ending() { MPI_Comm_free(&comm_); }
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

  MPI_Comm comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

constexpr std::chrono::seconds kPatience{5};

/// Whether every rank comes here within a time in which ranks that failed together do.
bool all_ranks_come(MPI_Comm comm) {
  using std::chrono::steady_clock;
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(comm, &request) != MPI_SUCCESS) {
    return false;
  }
  const auto deadline = steady_clock::now() + kPatience;
  int done = 0;
  while (steady_clock::now() < deadline) {
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
      return false;
    }
    if (done != 0) {
      return true;
    }
    const timespec pause{.tv_sec = 0, .tv_nsec = 100'000};
    ::nanosleep(&pause, nullptr);
  }
  return false;
}

int report(const Comm& world, const Ending& ending, const std::string& name,
           const std::string& message, int status) {
  // A library without memory may not come to the end of a call.
  constexpr std::chrono::seconds kLongest = kPatience + std::chrono::seconds(2);
  ::alarm(static_cast<unsigned>(kLongest.count()));
  const std::string line = name + ": " + one_line(message) + '\n';
  if (world.rank() == 0) {
    std::cerr << line << std::flush;
  }
  if (!all_ranks_come(ending.comm())) {
    if (world.rank() != 0) {
      std::cerr << line << std::flush;
    }
    MPI_Abort(world.handle(), status);
  }
  ::alarm(0);
  return status;
}

int run(const Comm& world, const Ending& ending, const std::string& name,
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

}  // namespace

int run_mpi_program(int argc, char** argv, const std::string& name,
                    const std::function<void(const Comm& world)>& body) {
  // What is written beyond a limit of the shell is an error of the write, not the end by a signal.
  std::signal(SIGXFSZ, SIG_IGN);
  Watch watch(name);
  {
    const Waiting waiting;
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  }
  watch.all_have_started();
  const int status = [&] {
    const Ending ending;
    return run(Comm(MPI_COMM_WORLD), ending, name, body);
  }();
  const Waiting waiting;
  MPI_Finalize();
  return status;
}

Provenance mpi_provenance(std::string program, std::string command_line) {
  Provenance provenance =
      provenance_here(std::move(program), std::move(command_line), mpi_clock_name());
  provenance.mpi_library = mpi_library();
  return provenance;
}

}  // namespace cleave::detail
