// SPDX-License-Identifier: Apache-2.0
// How what the workers of a rank call fails.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <cleave/blocks/blocks.hpp>
#include <cleave/blocks/in_functor.hpp>
#include <cleave/error.hpp>

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
    } catch (const BlockFailed& e) {
      note(e.block, e.what());
    } catch (...) {
      note(block, message_of_exception());
    }
    return false;
  }

 private:
  /// Called while the exception is being handled. Later failures are dropped.
  void note(std::string block, std::string message) {
    const std::lock_guard guard(mutex_);
    if (!failure_) {
      failure_ = Failure{.level = 0,
                         .block = std::move(block),
                         .message = std::move(message),
                         .exception = std::current_exception()};
    }
    is_set_.store(true);
  }

  std::atomic<bool> is_set_ = false;
  std::mutex mutex_;
  std::optional<Failure> failure_;
};

}  // namespace cleave::detail
