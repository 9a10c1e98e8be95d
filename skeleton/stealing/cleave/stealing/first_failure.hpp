// SPDX-License-Identifier: Apache-2.0
// How what the workers of a rank call fails.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include <cleave/blocks/blocks.hpp>

namespace cleave::detail {

/// The first failure of a functor on this rank, by whichever of its threads.
class FirstFailure {
 public:
  bool is_set() const { return is_set_.load(); }
  /// To be read once the threads rest.
  const std::optional<Failure>& get() const { return failure_; }

  /// Runs `work`, a part of `block`. \return  whether it did not throw
  template <class Work>
  bool guard(const char* block, Work&& work) {
    try {
      work();
      return true;
    } catch (...) {
      note(block);
    }
    return false;
  }

 private:
  /// Called while the exception is being handled. Later failures are dropped.
  void note(const char* block);

  std::atomic<bool> is_set_ = false;
  std::mutex mutex_;
  std::optional<Failure> failure_;
};

}  // namespace cleave::detail
