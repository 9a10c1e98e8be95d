// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <cleave/command_line/progress.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

std::string text_of(const Moment& moment, double changed_s, double elapsed_s) {
  std::string end = "end not known";
  if (moment.fraction > 0) {
    const double whole_s = changed_s / moment.fraction;
    end = fmt::format("about {} to go",
                      format_seconds(std::round(std::max(0.0, whole_s - elapsed_s))));
  }
  return fmt::format("{:.0f} %, {} gone, {}{}{}", 100 * moment.fraction,
                     format_seconds(std::round(elapsed_s)), end, moment.step.empty() ? "" : ": ",
                     visible(moment.step));
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
}

void Progress::run() {
  using Seconds = std::chrono::duration<double>;
  constexpr Seconds kBetweenLooks{0.5};
  const double between_lines_s = ::isatty(STDERR_FILENO) == 1 ? 5 : 30;
  const auto begin = std::chrono::steady_clock::now();
  double fraction = 0;
  double changed_s = 0;
  double next_line_s = between_lines_s;
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, kBetweenLooks, [this] { return stops_; })) {
    lock.unlock();
    const Moment moment = look_();
    const double elapsed_s = Seconds(std::chrono::steady_clock::now() - begin).count();
    if (moment.fraction != fraction) {
      fraction = moment.fraction;
      changed_s = elapsed_s;
    }
    if (elapsed_s >= next_line_s) {
      next_line_s = std::max(elapsed_s + between_lines_s, 1.1 * elapsed_s);
      fmt::print(stderr, "{}: {}\n", title_, text_of(moment, changed_s, elapsed_s));
    }
    lock.lock();
  }
}

}  // namespace cleave::detail
