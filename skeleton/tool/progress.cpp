// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/tool/progress.hpp>
#include <cleave/trace/count_text.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{500};
constexpr double kMoment_s = 2;
constexpr double kBetweenLines_s = 30;

bool bar_wanted() {
  const char* const asked = std::getenv("CLEAVE_PROGRESS");
  return asked != nullptr ? std::string_view(asked) == "bar" : ::isatty(STDERR_FILENO) == 1;
}

int columns_of_terminal() {
  constexpr int kUsual = 80;
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

extern "C" void clear_bar_and_end(int signal) {
  constexpr std::string_view kClear = "\r\033[K";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kClear.data(), kClear.size());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Ctrl-C leaves a clean line, where nobody else has a use for it.
void clear_on_interrupt() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction now = {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) {
      std::signal(signal, clear_bar_and_end);
    }
  }
}

}  // namespace

std::string text_of(const Moment& moment, double elapsed_s) {
  std::string text =
      fmt::format("{:.0f} %, {} gone, ", 100 * moment.fraction, format_duration(elapsed_s));
  text += moment.remaining_s ? format_range(*moment.remaining_s) + " to go"
                             : std::string("end not known");
  if (moment.visits) {
    text += fmt::format(", {} visits, {}/s", rounded_count(*moment.visits),
                        rounded_count(moment.visits_per_second));
  }
  return moment.step.empty() ? text : text + ": " + visible(moment.step);
}

Progress::Progress(std::string title, Where where, std::function<Moment()> look)
    : title_(std::move(title)),
      where_(std::move(where)),
      look_(std::move(look)),
      has_bar_(where_.on_terminal && bar_wanted()) {
  if (is_standard_output(where_.status_file)) {
    throw UsageError("--status: '-' is standard output, where the result goes; name a file");
  }
  if (!where_.status_file.empty()) {
    check_writable(where_.status_file);
  }
  if (has_bar_) {
    clear_on_interrupt();
  }
  if (where_.on_terminal || !where_.status_file.empty()) {
    thread_ = std::thread([this] { run(); });
  }
}

Progress::~Progress() {
  if (thread_.joinable()) {
    stop();
    write_status(look_(), "stopped");
  }
}

void Progress::end() {
  if (thread_.joinable()) {
    stop();
    write_status({.fraction = 1, .step = "", .remaining_s = Range{}}, "done");
  }
}

void Progress::stop() {
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

double Progress::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Progress::run() {
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, kBetweenLooks, [this] { return stops_; })) {
    lock.unlock();
    tell(look_());
    lock.lock();
  }
}

void Progress::tell(const Moment& moment) {
  const double elapsed = elapsed_s();
  if (has_bar_ && elapsed >= kMoment_s) {
    draw_bar(moment);
  } else if (where_.on_terminal && !has_bar_ && elapsed - last_line_s_ >= kBetweenLines_s) {
    last_line_s_ = elapsed;
    fmt::print(stderr, "{}: {}\n", title_, text_of(moment, elapsed));
  }
  write_status(moment, "running");
}

void Progress::draw_bar(const Moment& moment) {
  constexpr int kWidth = 20;
  const int filled = static_cast<int>(std::clamp(moment.fraction, 0.0, 1.0) * kWidth);
  std::string line = fmt::format("{} [{:=<{}}{: <{}}] {}", title_, "", filled, "", kWidth - filled,
                                 text_of(moment, elapsed_s()));
  line.resize(std::min(line.size(), static_cast<std::size_t>(columns_of_terminal() - 1)));
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
  bar_is_drawn_ = true;
}

/// What goes wrong later than at the beginning is no reason to end the work.
void Progress::write_status(const Moment& moment, const char* state) {
  if (where_.status_file.empty()) {
    return;
  }
  nlohmann::ordered_json json = {
      {"format", "cleave-status"},
      {"version", 1},
      {"program", title_},
      {"state", state},
      {"fraction", moment.fraction},
      {"elapsed_s", elapsed_s()},
      {"remaining_s", nullptr},
      {"step", visible(moment.step)},
      {"process", ::getpid()},
      {"written", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))}};
  if (moment.remaining_s) {
    json["remaining_s"] = {moment.remaining_s->low, moment.remaining_s->high};
  }
  if (moment.visits) {
    json["visits"] = *moment.visits;
    json["visits_per_second"] = moment.visits_per_second;
  }
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  try {
    AtomicFile file(where_.status_file);
    file.write(json.dump(-1, ' ', false, kReplace) + '\n');
    file.commit(false);
  } catch (const FileError&) {
    return;
  }
}

SteadyProgress::SteadyProgress(std::string title, Progress::Where where)
    : progress_(std::move(title), std::move(where), [this] { return look(); }) {}

void SteadyProgress::update(double fraction, const std::string& step) {
  const std::lock_guard guard(mutex_);
  fraction_ = fraction;
  step_ = step;
}

Moment SteadyProgress::look() {
  constexpr double kFirst = 0.1;
  const std::lock_guard guard(mutex_);
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  Moment moment{.fraction = fraction_, .step = step_};
  if (fraction_ >= kFirst) {
    Pace pace;
    pace.add(fraction_, elapsed);
    moment.remaining_s = pace.remaining_s(1 - fraction_, 0);
  }
  return moment;
}

}  // namespace cleave::detail
