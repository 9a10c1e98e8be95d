// SPDX-License-Identifier: Apache-2.0
#include "tests/support/run_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <sstream>
#include <stdexcept>

namespace cleave::testing {

namespace {

/// One end to read from, one for the program to write to.
struct Pipe {
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error("cannot make a pipe");
    }
  }
  ~Pipe() {
    ::close(ends[0]);
    close_writing();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void close_writing() {
    if (ends[1] >= 0) {
      ::close(ends[1]);
      ends[1] = -1;
    }
  }

  std::array<int, 2> ends{};
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers(texts.size() + 1, nullptr);
  std::transform(texts.begin(), texts.end(), pointers.begin(),
                 [](std::string& text) { return text.data(); });
  return pointers;
}

/// Starts `command` in a process group of its own, so that it can be killed with its children.
pid_t start(std::vector<std::string> command, const std::vector<std::string>& environment,
            const Pipe& out, const Pipe& err) {
  std::vector<std::string> variables(environment);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err.ends[1], STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, command.front().c_str(), &files, &attributes,
                                 pointers_to(command).data(), pointers_to(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) {
    throw std::runtime_error("cannot start " + command.front());
  }
  return pid;
}

/// Appends what can be read now. \return  whether there may be more later
bool read_some(int from, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t length = ::read(from, buffer.data(), buffer.size());
  if (length > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(length));
  }
  return length > 0;
}

}  // namespace

Finished run_program(const std::vector<std::string>& command,
                     const std::vector<std::string>& environment, std::chrono::seconds time_out) {
  using std::chrono::steady_clock;
  const auto deadline = steady_clock::now() + time_out;
  Pipe out;
  Pipe err;
  const pid_t pid = start(command, environment, out, err);
  out.close_writing();
  err.close_writing();

  Finished finished;
  std::array<pollfd, 2> readable = {
      {{.fd = out.ends[0], .events = POLLIN}, {.fd = err.ends[0], .events = POLLIN}}};
  while (readable[0].fd >= 0 || readable[1].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0 || ::poll(readable.data(), 2, static_cast<int>(left.count())) == 0) {
      finished.timed_out = true;
      ::kill(-pid, SIGKILL);
      break;
    }
    for (pollfd& file : readable) {
      std::string& text = file.fd == out.ends[0] ? finished.out : finished.err;
      if (file.revents != 0 && !read_some(file.fd, text)) {
        file.fd = -1;  // poll then leaves it out
      }
    }
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

std::string without_launcher(const std::string& text) {
  std::string own;
  std::istringstream stream(text);
  bool is_launchers = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("--------------------")) {
      is_launchers = !is_launchers;
    } else if (!is_launchers) {
      own += line + '\n';
    }
  }
  return own;
}

}  // namespace cleave::testing
