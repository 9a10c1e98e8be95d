// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include <cleave/host/threads.hpp>

namespace cleave::detail {

struct Errand {
  explicit Errand(std::function<void()> given) : work(std::move(given)) {}
  const std::function<void()> work;
  std::atomic<bool> is_over = false;
};

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
      errand->work();
      errand->is_over.store(true);
      errand->is_over.notify_one();
      lock.lock();
    }
  }

  std::mutex mutex;
  std::condition_variable is_given;
  std::deque<std::shared_ptr<Errand>> errands;
  std::size_t asleep = 0;  ///< with those that have been woken
};

Threads& threads() {
  static Threads& all = *new Threads;
  return all;
}

}  // namespace

std::shared_ptr<Errand> give_to_thread(std::function<void()> work) {
  auto errand = std::make_shared<Errand>(std::move(work));
  {
    const std::lock_guard guard(threads().mutex);
    if (threads().asleep <= threads().errands.size()) {
      std::thread([] { threads().run(); }).detach();
    }
    threads().errands.push_back(errand);
  }
  threads().is_given.notify_one();
  return errand;
}

/// It yields first: this may be the thread that keeps the other from its core.
void finish(const std::shared_ptr<Errand>& errand) {
  constexpr int kYields = 1000;
  {
    const std::lock_guard guard(threads().mutex);
    if (std::erase(threads().errands, errand) > 0) {
      errand->is_over.store(true);
    }
  }
  for (int tries = 0; !errand->is_over.load(); ++tries) {
    tries < kYields ? std::this_thread::yield() : errand->is_over.wait(false);
  }
}

}  // namespace cleave::detail
