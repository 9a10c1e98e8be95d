// What a long command is doing: a bar on a terminal, else one line a step. On standard error.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace cleave {

class Progress {
 public:
  explicit Progress(std::size_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Says that the next step begins.
  void begin_step(const std::string& what);

 private:
  std::size_t steps_;
  std::size_t begun_ = 0;
  bool is_terminal_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace cleave
