// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/removed_unless_kept.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <system_error>

namespace cleave::quicksort {

namespace fs = std::filesystem;

RemovedUnlessKept::RemovedUnlessKept(const fs::path& path) : path_(path) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    return;
  }
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&files, pipe[0], STDIN_FILENO);
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // A session of its own: signals to this process's group do not reach it.
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::string shell = "sh";
  std::string option = "-c";
  std::string script = R"(read -r kept || rm -f -- "$0")";
  std::string file = fs::absolute(path).string();
  const std::array<char*, 5> arguments = {shell.data(), option.data(), script.data(), file.data(),
                                          nullptr};
  if (::posix_spawn(&watcher_, "/bin/sh", &files, &attributes, arguments.data(), environ) == 0) {
    to_watcher_ = pipe[1];
  } else {
    ::close(pipe[1]);
  }
  ::close(pipe[0]);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
}

RemovedUnlessKept::~RemovedUnlessKept() {
  if (to_watcher_ >= 0) {
    ::close(to_watcher_);
    ::waitpid(watcher_, nullptr, 0);
  } else if (!path_.empty()) {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
}

void RemovedUnlessKept::keep() {
  path_.clear();
  if (to_watcher_ >= 0) {
    // A watcher that has died reads nothing, and removes nothing either.
    [[maybe_unused]] const auto written = ::write(to_watcher_, "kept\n", 5);
  }
}

}  // namespace cleave::quicksort
