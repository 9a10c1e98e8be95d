// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include <cleave/host/threads.hpp>

namespace cleave::detail {

namespace {

/// Lives as long as the process, as its threads do.
struct Threads {
  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      ++asleep;
      is_given.wait(lock, [this] { return !errands.empty(); });
      --asleep;
      const std::shared_ptr<Errand> errand = std::move(errands.front());
      errands.pop_front();
      lock.unlock();
      errand->run();
      lock.lock();
    }
  }

  std::mutex mutex;
  std::condition_variable is_given;
  std::deque<std::shared_ptr<Errand>> errands;
  std::size_t asleep = 0;  ///< with those that have been woken
};

}  // namespace

void Errand::run() {
  State given = State::given;
  if (state_.compare_exchange_strong(given, State::begun)) {
    work_();
    state_.store(State::over);
    state_.notify_one();
  }
}

/// It yields first: this may be the thread that keeps the other from its core.
void Errand::finish() {
  constexpr int kYields = 1000;
  State given = State::given;
  state_.compare_exchange_strong(given, State::over);
  for (int tries = 0; state_.load() == State::begun; ++tries) {
    if (tries < kYields) {
      std::this_thread::yield();
    } else {
      state_.wait(State::begun);
    }
  }
}

std::shared_ptr<Errand> give_to_thread(std::function<void()> work) {
  static Threads& threads = *new Threads;
  const std::lock_guard guard(threads.mutex);
  if (threads.asleep <= threads.errands.size()) {
    std::thread([] { threads.run(); }).detach();
  }
  threads.errands.push_back(std::make_shared<Errand>(std::move(work)));
  threads.is_given.notify_one();
  return threads.errands.back();
}

}  // namespace cleave::detail
