// SPDX-License-Identifier: Apache-2.0
// How far long work is and when it ends, on standard error, by a thread of its own.
#pragma once

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

/// Tells how far work is, in a line: every 30 seconds, or 5 on a terminal, and once that is less
/// whenever the time since the beginning has grown by a tenth.
class Progress {
 public:
  /// \param look  called by the thread twice a second, until destruction
  Progress(std::string title, std::function<Moment()> look);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void run();

  const std::string title_;
  const std::function<Moment()> look_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stops_ = false;
  std::thread thread_;
};

/// "35 %, 2.17 min gone, about 4 min to go: round 1 of 3".
/// \param changed_s  the time at which the fraction was reached, whose pace is taken to go on
std::string text_of(const Moment& moment, double changed_s, double elapsed_s);

}  // namespace cleave::detail
