#include "apps/harness/session.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "skeleton/trace/count.hpp"

namespace cleave {

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

/// MPI between its first and last call.
class MpiSession {
 public:
  MpiSession(int& argc, char**& argv) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  }
  ~MpiSession() { MPI_Finalize(); }
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
};

void print_error(const std::string& program, std::string_view message) {
  fmt::print(stderr, "{}: {}\n", program, message);
}

[[noreturn]] void abort_job(const std::string& program, const char* message) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  print_error(program, fmt::format("rank {}: {}", rank, message));
  MPI_Abort(MPI_COMM_WORLD, kFailed);
  std::abort();
}

/// What a launcher tells each process that it starts: how many there are, and which one this is.
struct Launcher {
  const char* processes;
  const char* process;
};
constexpr std::array<Launcher, 3> kLaunchers = {{
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"PMI_SIZE", "PMI_RANK"},
    {"SLURM_NTASKS", "SLURM_PROCID"},
}};

bool is_many(const char* text) {
  try {
    return text != nullptr && parse_count(text) > 1;
  } catch (const UsageError&) {
    return false;
  }
}

bool is_first(const char* text) { return text == nullptr || std::string_view(text) == "0"; }

}  // namespace

int run_with_mpi(int& argc, char**& argv, const std::string& program,
                 const std::function<int(const Comm&)>& body) {
  const MpiSession session(argc, argv);
  try {
    const Comm comm(MPI_COMM_WORLD);
    const auto fail = [&](const char* message, int status) {
      if (comm.rank() == 0) {
        print_error(program, message);
      }
      return status;
    };
    try {
      return body(comm);
    } catch (const MpiError&) {
      throw;
    } catch (const UsageError& error) {
      return fail(error.what(), kWrongUsage);
    } catch (const Error& error) {
      return fail(error.what(), kFailed);
    }
  } catch (const std::exception& error) {
    abort_job(program, error.what());
  } catch (...) {
    abort_job(program, "an exception that is not a std::exception");
  }
}

std::vector<std::string> launch_warnings(const Comm& comm) {
  std::vector<std::string> warnings;
  if (comm.oversubscribed()) {
    warnings.push_back(
        fmt::format("{} ranks on one host outnumber its cores and take turns: these "
                    "times say little about more cores",
                    comm.ranks_per_host()));
  }
  for (const Launcher& launcher : kLaunchers) {
    if (comm.size() == 1 && is_many(std::getenv(launcher.processes)) &&
        is_first(std::getenv(launcher.process))) {
      warnings.push_back(
          fmt::format("{} is {}, but this is a run of 1 rank: a launcher of another MPI library "
                      "than {} started separate programs",
                      launcher.processes, std::getenv(launcher.processes), mpi_library()));
      break;
    }
  }
  return warnings;
}

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string name(text.data(), static_cast<std::size_t>(length));
  name.resize(std::min(name.find('\n'), name.size()));
  // MPICH: "MPICH Version:\t4.0.2".
  constexpr std::string_view kVersion = " Version:";
  if (const auto at = name.find(kVersion); at != std::string::npos) {
    const auto number = name.find_first_not_of(" \t", at + kVersion.size());
    name = name.substr(0, at) + " " + (number == std::string::npos ? "" : name.substr(number));
  }
  return name;
}

}  // namespace cleave
