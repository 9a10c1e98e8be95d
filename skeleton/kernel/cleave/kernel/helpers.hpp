// SPDX-License-Identifier: Apache-2.0
// The threads that help a calling one. They stay when a call ends, and sleep until another one
// gives them work.
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace cleave::detail {

class SleepingThread;

/// Threads at work, as long as this lives.
class Helpers {
 public:
  /// \param tell_to_end  after which the threads end their work
  explicit Helpers(std::function<void()> tell_to_end) : tell_to_end_(std::move(tell_to_end)) {}
  /// Waits for those that have begun their work. The others will not begin it.
  ~Helpers();
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  /// Gives `work`, which must not throw, to a thread that sleeps, or to a new one if none does. It
  /// begins once there is a core for it.
  /// \param hardware_thread  to which the thread is bound; to none if negative
  /// \throws std::system_error  if the system starts no more threads
  void start(std::function<void()> work, int hardware_thread);

 private:
  std::function<void()> tell_to_end_;
  std::vector<SleepingThread*> threads_;
};

}  // namespace cleave::detail
