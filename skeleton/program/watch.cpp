// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <cleave/clock.hpp>
#include <cleave/comm.hpp>
#include <cleave/comm/waiting.hpp>
#include <cleave/program/watch.hpp>
#include <cleave/trace/provenance.hpp>

namespace cleave::detail {

namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Whether a line of /proc/PID/stat is of a process that runs and was started by `parent`.
bool is_living_child(std::string_view stat, pid_t parent) {
  // The name of the program, in parentheses, may have any character. State and parent follow.
  const std::size_t name_end = stat.rfind(") ");
  if (name_end == std::string_view::npos) {
    return false;
  }
  const std::string_view state = stat.substr(name_end + 2);
  return state[0] != 'Z' && state[0] != 'X' &&
         state.substr(1).starts_with(fmt::format(" {} ", parent));
}

/// Ascending.
std::vector<pid_t> living_children(pid_t parent) {
  std::vector<pid_t> children;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    if (process > 0 && is_living_child(first_line(entry.path() / "stat"), parent)) {
      children.push_back(process);
    }
  }
  std::sort(children.begin(), children.end());
  return children;
}

/// How many ranks Hydra starts on this host; 0 under another launcher.
std::size_t ranks_of_hydra() {
  const char* const ranks = std::getenv("MPI_LOCALNRANKS");
  const bool is_hydra = first_line(fmt::format("/proc/{}/comm", ::getppid())) == "hydra_pmi_proxy";
  return is_hydra && ranks != nullptr ? static_cast<std::size_t>(std::atoi(ranks)) : 0;
}

/// Needs no memory.
[[noreturn]] void end_process(std::string_view line) {
  static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
  ::_exit(1);
}

/// Whether ranks that Hydra has started are gone while MPI starts.
class MissingRanks {
 public:
  /// \return  whether this process is to say so and to end
  bool look() {
    constexpr int kLooks = 3;          // the launcher may still be starting the others
    constexpr int kLooksOfOthers = 5;  // in case the lowest cannot look
    if (ranks_ < 2) {
      return false;
    }
    const std::vector<pid_t> living = living_children(::getppid());
    looks_ = living.size() < ranks_ && living.size() == before_ ? looks_ + 1 : 1;
    before_ = living.size();
    const bool is_lowest = !living.empty() && living.front() == ::getpid();
    return before_ < ranks_ && looks_ >= (is_lowest ? kLooks : kLooksOfOthers);
  }

 private:
  const std::size_t ranks_ = ranks_of_hydra();
  std::size_t before_ = 0;
  int looks_ = 0;
};

/// Whether this process waits although the MPI library may have lost a message for want of memory.
class WaitWithoutMemory {
 public:
  bool look() {
    constexpr int kLooks = 3;
    const std::uint64_t now = waits.load(std::memory_order_relaxed);
    looks_ = now % 2 == 1 && now == before_ ? looks_ + 1 : 0;
    before_ = now;
    return looks_ >= kLooks && !has_memory();
  }

 private:
  static bool has_memory() {
    constexpr std::size_t kSegmentBytes = std::size_t{8} << 20;  // UCX maps 4 MiB of another rank
    void* const segment = ::mmap(nullptr, kSegmentBytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (segment == MAP_FAILED) {
      return false;
    }
    ::munmap(segment, kSegmentBytes);
    return true;
  }

  std::uint64_t before_ = 0;
  int looks_ = 0;
};

void watch(const std::stop_token& stopped, const std::atomic<bool>& is_starting,
           const std::string& lost, const std::string& without_memory) {
  using std::chrono::seconds;
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  MissingRanks missing;
  WaitWithoutMemory wait;
  while (!wake.wait_for(lock, stopped, seconds(1), [&] { return stopped.stop_requested(); })) {
    if (wait.look()) {
      end_process(without_memory);
    }
    if (is_starting && missing.look()) {
      end_process(lost);
    }
  }
}

}  // namespace

Watch::Watch(std::string name) : name_(std::move(name)) {
  if (simulates_hosts(mpi_library())) {
    return;  // many ranks are one process
  }
  try {
    thread_ = std::jthread([this](const std::stop_token& stopped) {
      try {
        watch(stopped, is_starting_, name_ + ": another rank ended before MPI had started\n",
              name_ + ": out of memory: a rank waits for a message and has less than 8 MiB left\n");
      } catch (const std::exception&) {
        // Without memory for that, nothing is watched.
      }
    });
  } catch (const std::system_error&) {
    // Nor is it without threads.
  }
}

}  // namespace cleave::detail
