// SPDX-License-Identifier: Apache-2.0
// How far long work is and when it ends, on standard error: a bar on a terminal, and a line every
// 30 seconds elsewhere. A thread of its own looks and tells, so that the work need not.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace cleave::detail {

/// How far work is at one moment.
struct Moment {
  double fraction = 0;    ///< done, in [0, 1]
  std::string step = {};  ///< what is being done, a few words
};

/// Seconds that remain, by the mean pace from the first moment until the last change.
class Pace {
 public:
  /// \return  nothing while nothing was done since the first call
  std::optional<double> remaining_s(double fraction, double elapsed_s);

 private:
  struct At {
    double fraction = 0;
    double elapsed_s = 0;
  };
  std::optional<At> first_;
  At last_;
};

class Progress {
 public:
  /// A bar is drawn where standard error is a terminal. Under mpiexec it is a pipe, so a parent
  /// program may ask for a bar by the environment variable CLEAVE_PROGRESS=bar. Work that ends
  /// within two seconds shows none.
  ///
  /// \param look  called by the thread twice a second, until destruction
  Progress(std::string title, std::function<Moment()> look);
  /// Clears the bar.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void run();
  void tell(const Moment& moment);

  const std::string title_;
  const std::function<Moment()> look_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double last_line_s_ = 0;
  bool bar_is_drawn_ = false;
  Pace pace_;

  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stops_ = false;
  std::thread thread_;
};

/// "12 s", "3 min 20 s", "2 h 5 min".
std::string format_duration(double seconds);

/// "35 %, 2 min 10 s gone, about 4 min 0 s to go: round 1 of 3".
std::string text_of(const Moment& moment, double elapsed_s, std::optional<double> remaining_s);

}  // namespace cleave::detail
