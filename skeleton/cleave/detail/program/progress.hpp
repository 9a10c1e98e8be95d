// SPDX-License-Identifier: Apache-2.0
// Progress of long work on standard error: a bar on a terminal, a line a step elsewhere.
#pragma once

#include <chrono>
#include <string>

namespace cleave::detail {

class Progress {
 public:
  /// A bar is drawn where standard error is a terminal. Under mpiexec it is a pipe, so a parent
  /// program may ask for a bar by the environment variable CLEAVE_PROGRESS=bar.
  /// \param speaks  false on ranks other than 0: nothing is ever printed
  Progress(std::string title, bool speaks);
  /// Clears the bar.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// \param fraction  of the work that is done, in [0, 1]
  /// \param step      what is being done now, a few words
  void update(double fraction, const std::string& step);

 private:
  std::string title_;
  std::string step_;
  bool speaks_;
  bool bar_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace cleave::detail
