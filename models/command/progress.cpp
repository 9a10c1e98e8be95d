#include "models/command/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace cleave {

namespace {

constexpr std::size_t kBarWidth = 24;

}  // namespace

Progress::Progress(std::size_t steps)
    : steps_(steps),
      is_terminal_(::isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (is_terminal_ && begun_ > 0) {
    fmt::print(stderr, "\r\x1b[K");
  }
}

void Progress::begin_step(const std::string& what) {
  const std::size_t done = begun_++;
  if (!is_terminal_) {
    fmt::print(stderr, "[{}/{}] {}\n", begun_, steps_, what);
    return;
  }
  const std::size_t filled = kBarWidth * done / steps_;
  const auto elapsed =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start_);
  fmt::print(stderr, "\r\x1b[K{}{} {:>3} %  {} s  {}", std::string(filled, '#'),
             std::string(kBarWidth - filled, '.'), 100 * done / steps_, elapsed.count(), what);
  std::fflush(stderr);
}

}  // namespace cleave
