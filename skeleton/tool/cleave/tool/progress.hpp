// SPDX-License-Identifier: Apache-2.0
// How far long work is and when it ends. On standard error it is a bar on a terminal, and a line
// every 30 seconds elsewhere. In a file it is for scripts (--status). A thread of its own looks and
// tells, so that the work need not.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <cleave/tool/pace.hpp>

namespace cleave::detail {

/// What is told of work at one moment.
struct Moment {
  double fraction = 0;                    ///< that is done, in [0, 1]
  std::string step = {};                  ///< what is being done, a few words
  std::optional<Range> remaining_s = {};  ///< nothing: it cannot be told
  /// Of a search: how many nodes it has visited, and how many a second.
  std::optional<double> visits = {};
  double visits_per_second = 0;
};

class Progress {
 public:
  /// Where it is told.
  struct Where {
    bool on_terminal = true;            ///< on standard error
    std::filesystem::path status_file;  ///< empty: in none
  };

  /// A bar is drawn where standard error is a terminal. Under mpiexec it is a pipe, so a parent
  /// program may ask for a bar by the environment variable CLEAVE_PROGRESS=bar. Work that ends
  /// within two seconds shows none. Ctrl-C clears it.
  ///
  /// \param look  called by the thread twice a second, until `end` or destruction
  /// \throws UsageError  if the status is to go to standard output
  /// \throws FileError   if the status file cannot be written
  Progress(std::string title, Where where, std::function<Moment()> look);
  /// Clears the bar; the status file says "stopped", unless `end` was called.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The work has ended well: the status file says "done".
  void end();

 private:
  void run();
  void tell(const Moment& moment);
  void draw_bar(const Moment& moment);
  void write_status(const Moment& moment, const char* state);
  void stop();
  double elapsed_s() const;

  const std::string title_;
  const Where where_;
  const std::function<Moment()> look_;
  const bool has_bar_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double last_line_s_ = 0;
  bool bar_is_drawn_ = false;

  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stops_ = false;
  std::thread thread_;
};

/// Progress of work that says itself how much of it is done, and goes on at the same pace.
class SteadyProgress {
 public:
  SteadyProgress(std::string title, Progress::Where where);

  /// \param fraction  that is done, in [0, 1]
  /// \param step      what is being done now, a few words
  void update(double fraction, const std::string& step);
  void end() { progress_.end(); }

 private:
  Moment look();

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  double fraction_ = 0;
  std::string step_;
  Progress progress_;  ///< last, since its thread looks at the others
};

/// "35 %, 2 min 10 s gone, 3 to 5 min to go: round 1 of 3".
std::string text_of(const Moment& moment, double elapsed_s);

}  // namespace cleave::detail
