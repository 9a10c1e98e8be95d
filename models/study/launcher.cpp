// SPDX-License-Identifier: Apache-2.0
#define BOOST_PROCESS_USE_STD_FS
#include "models/study/launcher.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <boost/process.hpp>
#include <boost/process/extend.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sstream>
#include <utility>

#include <cleave/host/host.hpp>

namespace cleave::models {

namespace process = boost::process;

namespace {

using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t interrupted = 0;

void check_not_stopped() {
  if (interrupted != 0) {
    throw Stopped("stopped");
  }
}

/// Reads from `pipe` until the last process that may write has ended, or until `end`. Asks `group`
/// to end once Ctrl-C came, and kills it 5 s later.
/// \return  whether that was before `end`
bool read_output(int pipe, pid_t group, Clock::time_point end, std::string& output) {
  constexpr std::size_t kMaxOutput = std::size_t{64} << 10;
  constexpr int kPollMilliseconds = 100;
  constexpr std::chrono::seconds kGrace{5};
  int signal = SIGINT;
  Clock::time_point asked;
  std::array<char, 4096> buffer;
  while (Clock::now() <= end) {
    if (interrupted != 0 && (signal == SIGINT || Clock::now() - asked > kGrace)) {
      ::kill(-group, std::exchange(signal, SIGKILL));
      asked = Clock::now();
    }
    pollfd waiting{.fd = pipe, .events = POLLIN};
    if (::poll(&waiting, 1, kPollMilliseconds) <= 0) {
      continue;
    }
    const ssize_t count = ::read(pipe, buffer.data(), buffer.size());
    if (count == 0 || (count < 0 && errno != EINTR)) {
      return true;
    }
    output.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (output.size() > 2 * kMaxOutput) {
      output.erase(0, output.size() - kMaxOutput);
    }
  }
  return false;
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
    // Hydra, the launcher of MPICH, adds this.
    constexpr std::string_view kExit = "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: ";
    is_of_launcher |= line.find("BAD TERMINATION OF ONE OF YOUR") != std::string::npos;
    if (line.starts_with(kExit)) {
      end_of_application = line.substr(kExit.size()) + "; ";
    }
    if (!is_of_launcher && line.find_first_not_of(" \t\r=") != std::string::npos) {
      last = line;
    }
  }
  return end_of_application + (last.empty() ? "it wrote nothing" : last);
}

void catch_interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) {  // as under nohup
      action.sa_handler = [](int) { interrupted = 1; };
      ::sigaction(signal, &action, nullptr);
    }
  }
  std::signal(SIGTSTP, [](int) {
    constexpr std::string_view kText = "\nmeasuring cannot pause; Ctrl-C ends it\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kText.data(), kText.size());
  });
}

std::filesystem::path find_in_path(const std::string& name) { return process::search_path(name); }

Ended run_program(const std::vector<std::string>& arguments, double limit_s) {
  check_not_stopped();
  const std::string& name = arguments.front();
  const std::string file = name.find('/') == name.npos ? find_in_path(name).string() : name;
  if (file.empty()) {
    throw Error(fmt::format("cannot run {}: {}", name, std::strerror(ENOENT)));
  }
  // MPICH's hangs with its ranks where it is told to end as it starts them, and is killed cleanly.
  const int at_death = name == CLEAVE_MPIEXEC ? SIGKILL : SIGTERM;
  process::pipe output;
  process::group group;
  std::error_code error;
  process::child child(
      process::exe = file, process::args = std::vector(arguments.begin() + 1, arguments.end()),
      group, process::std_in.null(), (process::std_out & process::std_err) > output, error,
      process::extend::on_exec_setup = [=](auto&) { ::prctl(PR_SET_PDEATHSIG, at_death); });
  if (error) {
    throw Error(fmt::format("cannot run {}: {}", name, std::strerror(error.value())));
  }
  Ended ended;
  const auto end = Clock::now() + std::chrono::milliseconds(std::int64_t(limit_s * 1e3));
  if (!read_output(output.native_source(), group.native_handle(), end, ended.output)) {
    ended.timed_out = true;
    group.terminate(error);
  }
  child.wait(error);
  check_not_stopped();
  const int status = child.native_exit_code();
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

Ended Launcher::run(const RanksAndThreads& workers, const std::filesystem::path& program,
                    const std::vector<std::string>& options, double limit_s) const {
  std::string command = given_;
  if (!is_given()) {
    const bool have_cores = workers.ranks * workers.threads <= detail::usable_cores();
    const std::string cores = workers.threads == 1 ? "" : fmt::format(":{}", workers.threads);
    command = fmt::format("{}{} -n {{ranks}}", CLEAVE_MPIEXEC,
                          have_cores ? " -bind-to core" + cores : "");
  }
  std::istringstream text(command);
  std::vector<std::string> line;
  for (std::string word; text >> word;) {
    constexpr std::string_view kRanks = "{ranks}";
    if (const auto at = word.find(kRanks); at != std::string::npos) {
      word.replace(at, kRanks.size(), std::to_string(workers.ranks));
    }
    line.push_back(std::move(word));
  }
  line.push_back(program.string());
  line.insert(line.end(), options.begin(), options.end());
  try {
    return run_program(line, limit_s);
  } catch (const Error& e) {
    throw Error(fmt::format(
        "ranks cannot be started: {}; say how by --launcher, for example --launcher \"mpiexec -n "
        "{{ranks}}\"",
        e.what()));
  }
}

}  // namespace cleave::models
