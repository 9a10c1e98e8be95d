// SPDX-License-Identifier: Apache-2.0
#define BOOST_PROCESS_USE_STD_FS
#include "tests/support/run_program.hpp"

#include <sys/wait.h>

#include <boost/asio/io_context.hpp>
#include <boost/process.hpp>
#include <future>
#include <sstream>

namespace cleave::testing {

Finished run_program(const std::vector<std::string>& command,
                     const std::vector<std::string>& environment, std::chrono::seconds time_out) {
  namespace process = boost::process;
  process::environment variables = boost::this_process::environment();
  for (const std::string& variable : environment) {
    const auto equals = variable.find('=');
    variables[variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  const std::string& name = command.front();
  const bool is_path = name.find('/') != std::string::npos;
  boost::asio::io_context io;
  std::future<std::string> out;
  std::future<std::string> err;
  process::group group;
  process::child child(process::exe = is_path ? name : process::search_path(name).string(),
                       process::args = std::vector(command.begin() + 1, command.end()), variables,
                       group, process::std_in.null(), process::std_out > out,
                       process::std_err > err, io);
  io.run_for(time_out);
  Finished finished{.timed_out = !io.stopped()};
  if (finished.timed_out) {
    group.terminate();
    io.run();
  }
  child.wait();
  const int status = child.native_exit_code();
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  finished.out = out.get();
  finished.err = err.get();
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
