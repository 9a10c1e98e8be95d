// SPDX-License-Identifier: Apache-2.0
#include "models/study/subprocess.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sstream>
#include <thread>

extern char** environ;

namespace cleave::models {

namespace {

volatile std::sig_atomic_t interrupted = 0;

constexpr std::size_t kMaxOutput = std::size_t{64} << 10;
constexpr std::chrono::seconds kGrace{5};  ///< from asking a program to end until it is killed
constexpr int kPollMilliseconds = 100;

/// A pipe's two ends, closed when this goes.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    }
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close(std::size_t end) {
    if (ends_[end] >= 0) {
      ::close(ends_[end]);
      ends_[end] = -1;
    }
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

pid_t spawn(const std::vector<std::string>& arguments, int output) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, argv.front(), &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) {
    throw Error(fmt::format("cannot run {}: {}", arguments.front(), std::strerror(error)));
  }
  return child;
}

using SteadyTime = std::chrono::steady_clock::time_point;

/// Asks the group of `child` to end once Ctrl-C came, and kills it if it does not.
class Stopper {
 public:
  explicit Stopper(pid_t child) : child_(child) {}

  void pass_on() {
    const auto now = std::chrono::steady_clock::now();
    if (was_interrupted() && (signal_ == SIGINT || now - asked_ > kGrace)) {
      ::kill(-child_, signal_);
      signal_ = SIGKILL;
      asked_ = now;
    }
  }

 private:
  pid_t child_;
  int signal_ = SIGINT;
  SteadyTime asked_;
};

/// Reads what `child` writes until the last process that may write has ended, or until `end`.
/// \return  whether that was before `end`
bool read_output(int pipe, pid_t child, SteadyTime end, std::string& output) {
  Stopper stopper(child);
  std::array<char, 4096> buffer;
  while (true) {
    stopper.pass_on();
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    pollfd waiting{.fd = pipe, .events = POLLIN};
    if (::poll(&waiting, 1, kPollMilliseconds) <= 0) {
      continue;
    }
    const ssize_t count = ::read(pipe, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return true;
    }
    output.append(buffer.data(), static_cast<std::size_t>(count));
    if (output.size() > 2 * kMaxOutput) {
      output.erase(0, output.size() - kMaxOutput);
    }
  }
}

}  // namespace

std::string how_it_ended(const Ended& ended) {
  constexpr int kSignals = 128;
  if (ended.status <= kSignals) {
    return fmt::format("ended with status {}", ended.status);
  }
  const int signal = ended.status - kSignals;
  const char* name = ::sigdescr_np(signal);
  return fmt::format("was killed by signal {} ({})", signal, name == nullptr ? "unknown" : name);
}

std::string last_line(const std::string& output) {
  std::istringstream lines(output);
  std::string last;
  std::string end_of_application;
  bool is_of_launcher = false;
  for (std::string line; std::getline(lines, line);) {
    // What Hydra, the launcher of MPICH, adds.
    constexpr std::string_view kExit = "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: ";
    is_of_launcher |= line.find("BAD TERMINATION OF ONE OF YOUR") != std::string::npos;
    if (line.starts_with(kExit)) {
      end_of_application = line.substr(kExit.size());
    }
    if (!is_of_launcher && line.find_first_not_of(" \t\r=") != std::string::npos) {
      last = line;
    }
  }
  if (last.empty()) {
    last = "it wrote nothing";
  }
  return end_of_application.empty() ? last : fmt::format("{}; {}", end_of_application, last);
}

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool was_interrupted() { return interrupted != 0; }

void wait_for(std::chrono::seconds time) {
  constexpr auto kStep = std::chrono::milliseconds(50);
  const SteadyTime end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    if (was_interrupted()) {
      throw Stopped("stopped");
    }
    std::this_thread::sleep_for(kStep);
  }
}

Ended run_program(const std::vector<std::string>& arguments,
                  std::optional<std::chrono::seconds> limit) {
  if (was_interrupted()) {
    throw Stopped("stopped");
  }
  Pipe pipe;
  const pid_t child = spawn(arguments, pipe.write_end());
  pipe.close(1);
  Ended ended;
  const SteadyTime end = limit ? std::chrono::steady_clock::now() + *limit : SteadyTime::max();
  if (!read_output(pipe.read_end(), child, end, ended.output)) {
    ended.timed_out = true;
    ::kill(-child, SIGKILL);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (was_interrupted()) {
    throw Stopped("stopped");
  }
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

}  // namespace cleave::models
