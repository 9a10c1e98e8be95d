// A line on the terminal while a run takes long.
#pragma once

#include <chrono>

namespace cleave {

/// Says on standard error how many of `total` steps are completed, if it is a terminal and two
/// seconds have passed; the line is gone at the end.
class Progress {
 public:
  /// \param speak  whether to say anything: on one rank only
  Progress(bool speak, int total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void completed(int steps);

 private:
  bool speak_;
  bool spoken_ = false;
  int total_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace cleave
