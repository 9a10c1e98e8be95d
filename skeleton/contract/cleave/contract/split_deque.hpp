// SPDX-License-Identifier: Apache-2.0
// A split deque: the nodes of one worker of a bag, after Dinan et al., "Scalable Work
// Stealing", SC 2009, as in the bag of Helbecque et al. (docs/explanation/work-stealing.md).
//
//        head        split              top
//   ......|  shared  |     private       |......
//
// Nodes lie in one array, the oldest (shallowest) first. Its owner pushes and pops at `top`,
// without any atomic operation. Thieves take from `head`, under a lock. Nodes change from private
// to shared and back without being moved: `split` is. No MPI.
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace cleave::detail {

/// Threads write to their own lines of the cache: two, which processors fetch as one.
inline constexpr std::size_t kCacheLineBytes = 128;

template <std::movable T>
class SplitDeque {
 public:
  /// \param initial_capacity  in nodes; the array doubles from then on
  explicit SplitDeque(std::size_t initial_capacity = 1024) {
    reallocate(std::max<std::size_t>(initial_capacity, 1));
  }
  ~SplitDeque() {
    std::destroy(base_ + head_.load(std::memory_order_relaxed), top_);
    std::allocator<T>().deallocate(base_, capacity());
  }
  SplitDeque(const SplitDeque&) = delete;
  SplitDeque& operator=(const SplitDeque&) = delete;

  // The owner's side.

  /// \param node  not one of this deque
  /// \throws std::bad_alloc  without memory for more; the deque is then as it was
  template <class U = T>
  void push(U&& node) {
    push_made([&] { return T(std::forward<U>(node)); });
  }

  /// Adds the node that `make` returns, where it is made: it is not moved.
  template <std::invocable Make>
  void push_made(Make&& make) {
    if (top_ == end_) [[unlikely]] {
      make_room(1);
    }
    ::new (static_cast<void*>(top_)) T(make());
    ++top_;
  }

  /// Room for `count` nodes that the caller fills, valid until the next call.
  std::span<T> append(std::size_t count)
    requires std::is_trivially_copyable_v<T>
  {
    if (static_cast<std::size_t>(end_ - top_) < count) [[unlikely]] {
      make_room(count);
    }
    const std::span<T> room(top_, count);
    top_ += count;
    return room;
  }

  bool private_empty() const { return top_ == bottom_; }
  std::size_t private_size() const { return static_cast<std::size_t>(top_ - bottom_); }

  T pop() {
    assert(!private_empty());
    --top_;
    T node = std::move(*top_);
    std::destroy_at(top_);
    return node;
  }

  /// Valid until the next call. \pre  !private_empty()
  T& newest() {
    assert(!private_empty());
    return top_[-1];
  }
  void drop_newest() {
    assert(!private_empty());
    std::destroy_at(--top_);
  }

  /// Shares the `count` oldest private nodes. \pre  count <= private_size()
  void release(std::size_t count) {
    assert(count <= private_size());
    bottom_ += count;
    split_.store(static_cast<std::size_t>(bottom_ - base_), std::memory_order_release);
  }

  /// Makes half of the shared nodes private again, the newer ones and at least one.
  /// \return  false if there are none
  bool reacquire() {
    const std::lock_guard guard(lock_);
    const std::size_t head = head_.load(std::memory_order_relaxed);
    const std::size_t split = split_.load(std::memory_order_relaxed);
    const std::size_t count = (split - head + 1) / 2;
    bottom_ -= count;
    split_.store(split - count, std::memory_order_relaxed);
    return count > 0;
  }

  /// Whether there is a node to pop, after taking shared ones back where there was none.
  bool has_private() { return !private_empty() || reacquire(); }

  /// Any thread's: how many nodes are shared, as it was a moment ago.
  std::size_t shared_size() const {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    const std::size_t split = split_.load(std::memory_order_relaxed);
    return split > head ? split - head : 0;
  }

  /// All nodes, oldest first. For the owner, if it has shared none, or while all workers rest.
  std::span<const T> nodes() const {
    const T* const first = base_ + head_.load(std::memory_order_relaxed);
    return {first, static_cast<std::size_t>(top_ - first)};
  }

  // The thieves' side.

  void lock() { lock_.lock(); }
  void unlock() { lock_.unlock(); }

  /// The shared nodes, oldest first, which the caller, who has locked, may move from.
  std::span<T> shared() {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    return {base_ + head, split_.load(std::memory_order_acquire) - head};
  }

  /// Forgets the `count` oldest shared nodes. \pre  locked, count <= shared().size()
  void drop(std::size_t count) {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    std::destroy_n(base_ + head, count);
    head_.store(head + count, std::memory_order_relaxed);
  }

  /// Forgets `count` shared nodes: the oldest and every second one after it.
  /// \pre  locked, count is 1 or 2 * count <= shared().size()
  void drop_alternate(std::size_t count) {
    const std::span<T> nodes = shared();
    for (std::size_t i = count - 1; i-- > 0;) {
      nodes[count + i] = std::move(nodes[2 * i + 1]);
    }
    drop(count);
  }

 private:
  std::size_t capacity() const { return static_cast<std::size_t>(end_ - base_); }

  /// Room for `count` more at the end of an array: of the same capacity where thieves have emptied
  /// half of it, else of twice the capacity or more.
  void make_room(std::size_t count) {
    const std::lock_guard guard(lock_);
    const std::size_t needed = nodes().size() + count;
    reallocate(needed <= capacity() / 2 ? capacity() : std::max(2 * capacity(), needed));
  }

  void reallocate(std::size_t capacity) {
    T* const array = std::allocator<T>().allocate(capacity);
    const std::size_t head = head_.load(std::memory_order_relaxed);
    T* const to = std::uninitialized_move(base_ + head, top_, array);
    std::destroy(base_ + head, top_);
    std::allocator<T>().deallocate(base_, this->capacity());
    const std::size_t split = split_.load(std::memory_order_relaxed) - head;
    base_ = array;
    top_ = to;
    bottom_ = array + split;
    end_ = array + capacity;
    head_.store(0, std::memory_order_relaxed);
    split_.store(split, std::memory_order_relaxed);
  }

  // The owner's line; `base_` is read by thieves too, under the lock.
  alignas(kCacheLineBytes) T* top_ = nullptr;
  T* end_ = nullptr;
  T* bottom_ = nullptr;  ///< base_ + split_
  T* base_ = nullptr;

  // Everyone's line.
  alignas(kCacheLineBytes) std::mutex lock_;
  std::atomic<std::size_t> head_ = 0;
  std::atomic<std::size_t> split_ = 0;
};

/// A node that waits for its visit, or has had it and waits until its children are made.
template <std::movable Node>
struct OpenNode {
  Node node;
  std::int64_t next = 0;  ///< the first child that is not made yet
  std::int64_t end = 0;   ///< how many children it has; 0: it waits for its visit

  bool is_divisible() const { return end - next > 1; }

  /// Parts with the half of the children that are visited first. \pre  is_divisible()
  OpenNode take_first_half() {
    const std::int64_t middle = next + (end - next) / 2;
    return {node, std::exchange(next, middle), middle};
  }
};

}  // namespace cleave::detail
