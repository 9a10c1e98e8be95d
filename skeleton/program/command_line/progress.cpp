// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <cleave/command_line/progress.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

namespace {

bool bar_wanted() {
  const char* const asked = std::getenv("CLEAVE_PROGRESS");
  return asked != nullptr ? std::string_view(asked) == "bar" : ::isatty(STDERR_FILENO) == 1;
}

std::size_t columns_of_terminal() {
  constexpr int kUsual = 80;
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

}  // namespace

std::optional<double> Pace::remaining_s(double fraction, double elapsed_s) {
  if (!first_) {
    first_ = last_ = {fraction, elapsed_s};
  }
  if (fraction != last_.fraction) {
    last_ = {fraction, elapsed_s};
  }
  const double done = last_.fraction - first_->fraction;
  if (done <= 0) {
    return std::nullopt;
  }
  const double in_all_s = (last_.elapsed_s - first_->elapsed_s) / done * (1 - last_.fraction);
  return std::max(0.0, in_all_s - (elapsed_s - last_.elapsed_s));
}

std::string format_duration(double seconds) {
  constexpr int kMinute = 60;
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole < kMinute) {
    return fmt::format("{} s", whole);
  }
  if (whole < kMinute * kMinute) {
    return fmt::format("{} min {} s", whole / kMinute, whole % kMinute);
  }
  return fmt::format("{} h {} min", whole / (kMinute * kMinute), whole / kMinute % kMinute);
}

std::string text_of(const Moment& moment, double elapsed_s, std::optional<double> remaining_s) {
  return fmt::format(
      "{:.0f} %, {} gone, {}{}{}", 100 * moment.fraction, format_duration(elapsed_s),
      remaining_s ? fmt::format("about {} to go", format_duration(*remaining_s)) : "end not known",
      moment.step.empty() ? "" : ": ", visible(moment.step));
}

Progress::Progress(std::string title, std::function<Moment()> look)
    : title_(std::move(title)), look_(std::move(look)), thread_([this] { run(); }) {}

Progress::~Progress() {
  {
    const std::lock_guard guard(mutex_);
    stops_ = true;
  }
  stopped_.notify_all();
  thread_.join();
  if (bar_is_drawn_) {
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
  }
}

void Progress::run() {
  constexpr std::chrono::milliseconds kBetweenLooks{500};
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, kBetweenLooks, [this] { return stops_; })) {
    lock.unlock();
    tell(look_());
    lock.lock();
  }
}

void Progress::tell(const Moment& moment) {
  constexpr double kBarAfter_s = 2;
  constexpr double kBetweenLines_s = 30;
  constexpr int kWidth = 20;
  const double elapsed_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  const std::string text =
      text_of(moment, elapsed_s, pace_.remaining_s(moment.fraction, elapsed_s));
  if (bar_wanted()) {
    if (elapsed_s >= kBarAfter_s) {
      const int filled = static_cast<int>(std::clamp(moment.fraction, 0.0, 1.0) * kWidth);
      const std::string line =
          fmt::format("{} [{:=<{}}{: <{}}] {}", title_, "", filled, "", kWidth - filled, text);
      fmt::print(stderr, "\r\033[K{}", line.substr(0, columns_of_terminal() - 1));
      std::fflush(stderr);
      bar_is_drawn_ = true;
    }
  } else if (elapsed_s - last_line_s_ >= kBetweenLines_s) {
    last_line_s_ = elapsed_s;
    fmt::print(stderr, "{}: {}\n", title_, text);
  }
}

}  // namespace cleave::detail
