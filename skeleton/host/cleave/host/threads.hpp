// SPDX-License-Identifier: Apache-2.0
// Threads that sleep between two pieces of work, until the process ends: one that sleeps begins
// sooner than a new one.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace cleave::detail {

/// A piece of work for a thread.
class Errand {
 public:
  explicit Errand(std::function<void()> work) : work_(std::move(work)) {}

  /// Does the work, unless it has been taken back.
  void run();
  /// Takes it back if no thread has begun it; else waits for its end.
  void finish();

 private:
  enum class State : int { given, begun, over };

  const std::function<void()> work_;
  std::atomic<State> state_ = State::given;
};

/// Gives `work`, which must not throw, to a thread that sleeps, or to a new one if none does.
/// \throws std::system_error  if the system starts no more threads
std::shared_ptr<Errand> give_to_thread(std::function<void()> work);

}  // namespace cleave::detail
