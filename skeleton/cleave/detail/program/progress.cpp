// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <cleave/detail/program/progress.hpp>

namespace cleave::detail {

namespace {

bool bar_wanted() {
  const char* const wish = std::getenv("CLEAVE_PROGRESS");
  return wish != nullptr ? std::string_view(wish) == "bar" : ::isatty(STDERR_FILENO) == 1;
}

}  // namespace

Progress::Progress(std::string title, bool speaks)
    : title_(std::move(title)), speaks_(speaks), bar_(bar_wanted()) {}

Progress::~Progress() {
  if (speaks_ && bar_) {
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
  }
}

void Progress::update(double fraction, const std::string& step) {
  if (!speaks_) {
    return;
  }
  if (bar_) {
    constexpr int kWidth = 30;
    const int filled = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * kWidth);
    const auto elapsed =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin_);
    fmt::print(stderr, "\r\033[K{} [{:=<{}}{: <{}}] {:3.0f} %  {} s  {}", title_, "", filled, "",
               kWidth - filled, 100 * fraction, elapsed.count(), step);
    std::fflush(stderr);
  } else if (step != step_) {
    fmt::print(stderr, "{}: {}\n", title_, step);
  }
  step_ = step;
}

}  // namespace cleave::detail
