// SPDX-License-Identifier: Apache-2.0
#include "models/command/subprocess.hpp"

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

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool was_interrupted() { return interrupted != 0; }

Ended run_program(const std::vector<std::string>& arguments) {
  if (was_interrupted()) {
    throw Interrupted("stopped");
  }
  Pipe pipe;
  const pid_t child = spawn(arguments, pipe.write_end());
  pipe.close(1);

  Ended ended;
  int signal_to_send = SIGINT;
  std::chrono::steady_clock::time_point asked;
  std::array<char, 4096> buffer;
  // The pipe closes when the last process that writes to it has ended.
  while (true) {
    const auto now = std::chrono::steady_clock::now();
    if (was_interrupted() && (signal_to_send == SIGINT || now - asked > kGrace)) {
      ::kill(-child, signal_to_send);
      signal_to_send = SIGKILL;
      asked = now;
    }
    pollfd waiting{.fd = pipe.read_end(), .events = POLLIN};
    if (::poll(&waiting, 1, kPollMilliseconds) <= 0) {
      continue;
    }
    const ssize_t count = ::read(pipe.read_end(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      break;
    }
    ended.output.append(buffer.data(), static_cast<std::size_t>(count));
    if (ended.output.size() > 2 * kMaxOutput) {
      ended.output.erase(0, ended.output.size() - kMaxOutput);
    }
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (was_interrupted()) {
    throw Interrupted("stopped");
  }
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

}  // namespace cleave::models
