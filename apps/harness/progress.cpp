#include "apps/harness/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace cleave {

namespace {

constexpr std::chrono::seconds kSilence{2};
constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

Progress::Progress(bool speak, int total)
    : speak_(speak && ::isatty(STDERR_FILENO) == 1), total_(total) {}

Progress::~Progress() {
  if (spoken_) {
    std::fputs(kClearLine, stderr);
  }
}

void Progress::completed(int steps) {
  if (speak_ && std::chrono::steady_clock::now() - begin_ > kSilence) {
    const double percent = 100.0 * steps / total_;
    fmt::print(stderr, "{}run {} of {} ({:.0f} %)", kClearLine, steps, total_, percent);
    std::fflush(stderr);
    spoken_ = true;
  }
}

}  // namespace cleave
