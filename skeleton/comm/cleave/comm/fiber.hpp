// SPDX-License-Identifier: Apache-2.0
// A function with a stack of its own that takes turns with its caller, on one thread. No MPI.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>

namespace cleave::detail {

class Fiber {
 public:
  /// \param work  must not throw, nor suspend while it handles an exception
  /// \throws std::bad_alloc  if there is no address space for its stack of 8 MiB, whose pages are
  ///                         taken as they are used
  explicit Fiber(std::function<void()> work);
  /// \pre  it has ended, or was never resumed
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Lets `work` go on until it suspends itself or ends. Cost with `suspend`: below 1 us.
  void resume();
  /// Called by `work`.
  void suspend();
  bool has_ended() const { return has_ended_; }

 private:
  static void enter(unsigned high, unsigned low);
  void switch_stacks(ucontext_t& from, ucontext_t& to, bool is_to_fiber);

  std::function<void()> work_;
  void* stack_ = nullptr;
  ucontext_t own_{};
  ucontext_t caller_{};
  bool has_ended_ = false;
  // What AddressSanitizer knows of the caller's stack.
  [[maybe_unused]] const void* callers_stack_ = nullptr;
  [[maybe_unused]] std::size_t callers_bytes_ = 0;
};

}  // namespace cleave::detail
