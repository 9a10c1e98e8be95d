// SPDX-License-Identifier: Apache-2.0
// One rank's part of a bag: a deque for each worker (split_deque.hpp), and an inbox for nodes from
// other ranks, after Helbecque et al., "DistBag_DFS" (docs/explanation/work-stealing.md). A worker
// adds and removes at its own deque, newest first, else takes from another's, oldest first. No MPI.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <cleave/contract/split_deque.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

/// The segments of nodes of any type. The first functions are for the workers.
class AnySegments {
 public:
  virtual ~AnySegments() = default;

  /// Whether `worker`, who calls, has a node, after taking shared ones back where it had none.
  virtual bool has_private(int worker) = 0;
  /// Shares half of what `worker`, who calls, has where little is shared.
  virtual void share(int worker) = 0;
  /// Whether there is something to steal, as it was a moment ago.
  virtual bool has_shared() const = 0;
  /// Moves nodes to the deque of `thief`, who calls: half of what other ranks have given, or all,
  /// if it is the only worker. If they gave nothing, half of what the first other deque with some
  /// to spare shares, the oldest, up to `maximum`. \return  how many; 0 if there were none
  virtual std::size_t steal(int thief, std::size_t maximum) = 0;

  // For the main thread of a rank, on behalf of other ranks.

  /// Packs every other node, the oldest first, of the deque with the most to spare: half of all
  /// nodes of the main thread's, or half of those that another one shares. So the thief gets half
  /// of the work whether it lies in the oldest nodes, as in a tree of bounded depth, or anywhere.
  /// Not more than fit into `max_bytes`, one node at least; nothing if there are none.
  virtual std::vector<std::byte> give(std::size_t max_bytes) = 0;
  /// Puts nodes that another rank gave where all workers find them. \return  how many
  virtual std::size_t take(std::span<const std::byte> nodes) = 0;
  virtual bool inbox_is_empty() = 0;
  /// Packs all nodes, while all other threads rest.
  virtual void pack(Packer& packer) const = 0;
};

/// How a node crosses to other ranks: by its wire.
template <class T>
struct NodeWire {
  static void pack(Packer& packer, const T& node) { pack_element<T>(packer, node); }
  static T unpack(Unpacker& unpacker) { return unpack_element<T>(unpacker); }
};

template <std::movable T, class Wire = NodeWire<T>>
class Segments final : public AnySegments {
 public:
  /// \param initial_capacity  of each, in nodes
  explicit Segments(int workers, std::size_t initial_capacity = 1024, Wire wire = {})
      : workers_(workers), wire_(wire) {
    for (int i = 0; i <= workers; ++i) {  // the last is the inbox
      deques_.push_back(std::make_unique<SplitDeque<T>>(initial_capacity));
    }
  }

  SplitDeque<T>& of(int worker) { return *deques_[static_cast<std::size_t>(worker)]; }

  // For one thread while all others rest.

  std::size_t size() const {
    std::size_t nodes = 0;
    for (const auto& deque : deques_) {
      nodes += deque->nodes().size();
    }
    return nodes;
  }

  /// Calls `visitor(const T&)` on every node, oldest first in each deque.
  template <std::invocable<const T&> Visitor>
  void for_each(Visitor&& visitor) const {
    for (const auto& deque : deques_) {
      std::ranges::for_each(deque->nodes(), visitor);
    }
  }

  void pack(Packer& packer) const override {
    for_each([&](const T& node) { wire_.pack(packer, node); });
  }

  bool has_private(int worker) override { return of(worker).has_private(); }

  void share(int worker) override {
    SplitDeque<T>& mine = of(worker);
    if constexpr (requires(T& node) { node.take_first_half(); }) {
      if (mine.private_size() == 1 && mine.shared_size() == 0 && mine.newest().is_divisible()) {
        mine.push(mine.newest().take_first_half());
      }
    }
    const std::size_t held = mine.private_size();
    if (held >= 2 && mine.shared_size() <= held / 4) {
      mine.release(held / 2);
    }
  }

  bool has_shared() const override {
    return std::ranges::any_of(deques_, [](const auto& deque) { return deque->shared_size() > 0; });
  }

  std::size_t steal(int thief, std::size_t maximum) override {
    std::size_t stolen = steal_from(inbox(), thief, std::numeric_limits<std::size_t>::max());
    if (stolen == 0) {
      const int first = static_cast<int>(next_victim_.fetch_add(1, std::memory_order_relaxed) %
                                         static_cast<unsigned>(workers_));
      for (int i = 0; i < workers_ && stolen == 0; ++i) {
        const int victim = (first + i) % workers_;
        stolen = victim == thief ? 0 : steal_from(of(victim), thief, maximum);
      }
    }
    return stolen;
  }

  std::vector<std::byte> give(std::size_t max_bytes) override {
    SplitDeque<T>& mine = of(0);
    const std::size_t even = (mine.shared_size() + mine.private_size()) / 2 * 2;
    mine.release(std::min(mine.private_size(), even - std::min(even, mine.shared_size())));
    const auto richest = std::ranges::max_element(
        deques_, {}, [](const auto& deque) { return deque->shared_size(); });
    SplitDeque<T>& from = **richest;
    const std::lock_guard guard(from);
    const std::span<T> shared = from.shared();
    // One node may not be passed on between idle ranks for ever.
    const bool last_is_kept = &from == &mine || &from == &inbox();
    const std::size_t maximum = std::max<std::size_t>(last_is_kept ? 0 : 1, shared.size() / 2);
    if (maximum == 0 || shared.empty()) {
      return {};
    }
    Packer packer;
    std::size_t packed = 0;
    for (; packed < maximum && (packed == 0 || packer.bytes().size() < max_bytes); ++packed) {
      wire_.pack(packer, shared[2 * packed]);
    }
    from.drop_alternate(packed);
    return {packer.bytes().begin(), packer.bytes().end()};
  }

  std::size_t take(std::span<const std::byte> nodes) override {
    std::size_t count = 0;
    for (Unpacker unpacker(nodes); unpacker.left() > 0; ++count) {
      inbox().push(wire_.unpack(unpacker));
    }
    inbox().release(inbox().private_size());
    return count;
  }

  bool inbox_is_empty() override {
    const std::lock_guard guard(inbox());
    return inbox().shared().empty();
  }

 private:
  SplitDeque<T>& inbox() { return *deques_.back(); }

  /// Moves half of the shared nodes, rounded up, at most `maximum`; all of the inbox's where there
  /// are no others to leave some to.
  std::size_t steal_from(SplitDeque<T>& victim, int thief, std::size_t maximum) {
    if (victim.shared_size() == 0) {
      return 0;
    }
    const std::lock_guard guard(victim);
    const std::span<T> shared = victim.shared();
    const std::size_t count =
        std::min(workers_ == 1 ? shared.size() : (shared.size() + 1) / 2, maximum);
    for (T& node : shared.first(count)) {
      of(thief).push(std::move(node));
    }
    victim.drop(count);
    return count;
  }

  const int workers_;
  [[no_unique_address]] const Wire wire_;
  std::atomic<unsigned> next_victim_ = 0;
  std::vector<std::unique_ptr<SplitDeque<T>>> deques_;
};

}  // namespace cleave::detail
