// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include <cleave/host/host_cores.hpp>
#include <cleave/kernel/helpers.hpp>

namespace cleave::detail {

/// A thread that sleeps between two pieces of work until the process ends.
class SleepingThread {
 public:
  /// \throws std::system_error
  explicit SleepingThread(int bound_to) : hardware_thread(bound_to) {
    std::thread([this] { run(); }).detach();
  }

  void give(std::function<void()> work) {
    work_ = std::move(work);
    state_.store(State::given, std::memory_order_release);
    state_.notify_one();
  }

  /// Takes back what was given, or waits until it is done. It yields first: this may be the thread
  /// that keeps the other from its core.
  void await() {
    constexpr int kYields = 1000;
    State given = State::given;
    state_.compare_exchange_strong(given, State::asleep);
    for (int tries = 0; state_.load(std::memory_order_acquire) == State::working; ++tries) {
      if (tries < kYields) {
        std::this_thread::yield();
      } else {
        state_.wait(State::working, std::memory_order_acquire);
      }
    }
  }

  const int hardware_thread;
  SleepingThread* next = nullptr;  ///< of those that have no work

 private:
  enum class State : int { asleep, given, working };

  void run() {
    if (hardware_thread >= 0) {
      bind_thread(hardware_thread);
    }
    for (;;) {
      state_.wait(State::asleep);
      State given = State::given;
      if (state_.compare_exchange_strong(given, State::working)) {
        work_();
        state_.store(State::asleep, std::memory_order_release);
        state_.notify_one();
      }
    }
  }

  std::atomic<State> state_ = State::asleep;
  std::function<void()> work_;
};

namespace {

/// Threads that have no work. They live as long as the process, so none is ever destroyed.
std::mutex sleepers_mutex;
SleepingThread* first_sleeper = nullptr;

/// \throws std::system_error
SleepingThread* thread_bound_to(int hardware_thread) {
  const std::lock_guard guard(sleepers_mutex);
  for (SleepingThread** at = &first_sleeper; *at != nullptr; at = &(*at)->next) {
    if ((*at)->hardware_thread == hardware_thread) {
      return std::exchange(*at, (*at)->next);
    }
  }
  return new SleepingThread(hardware_thread);
}

}  // namespace

void Helpers::start(std::function<void()> work, int hardware_thread) {
  threads_.reserve(threads_.size() + 1);
  threads_.push_back(thread_bound_to(hardware_thread));
  threads_.back()->give(std::move(work));
}

Helpers::~Helpers() {
  tell_to_end_();
  for (SleepingThread* const thread : threads_) {
    thread->await();
    const std::lock_guard guard(sleepers_mutex);
    thread->next = std::exchange(first_sleeper, thread);
  }
}

}  // namespace cleave::detail
