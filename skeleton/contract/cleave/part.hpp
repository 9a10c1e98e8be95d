// SPDX-License-Identifier: Apache-2.0
// A rank's part of a sequence that is spread over the ranks: the storage of the sorting form of
// Placement::distributed, which the skeleton reuses from level to level.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include <cleave/row.hpp>

namespace cleave {

/// A sequence of plain elements with room before its first and behind its last one. Elements can be
/// taken off and put on at either end without moving the others. Move-only. New room is not
/// initialised (row.hpp): pages that are never touched take no memory.
template <class T>
  requires std::is_trivially_copyable_v<T>
class Part {
 public:
  using value_type = T;

  Part() = default;

  /// `count` elements of any value, and room for 5/8 as many more, a tenth of it before them: a
  /// level of the sorting form receives about half as many at the one end and then at the other.
  /// \throws std::bad_alloc
  explicit Part(std::size_t count) : Part(count / 16, count, count / 16 * 9 + 64) {}
  Part(std::size_t room_before, std::size_t count, std::size_t room_behind)
      : storage_(allocate(room_before, count, room_behind)),
        capacity_(room_before + count + room_behind),
        first_(room_before),
        size_(count) {}

  Part(std::initializer_list<T> elements) : Part(std::span(elements.begin(), elements.size())) {}
  explicit Part(std::span<const T> elements) : Part(elements.size()) {
    std::copy(elements.begin(), elements.end(), begin());
  }

  Part(Part&& other) noexcept { swap(other); }
  Part& operator=(Part&& other) noexcept {
    Part(std::move(other)).swap(*this);
    return *this;
  }

  T* begin() { return storage_.get() + first_; }
  T* end() { return begin() + size_; }
  const T* begin() const { return storage_.get() + first_; }
  const T* end() const { return begin() + size_; }
  T* data() { return begin(); }
  const T* data() const { return begin(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return begin()[i]; }
  const T& operator[](std::size_t i) const { return begin()[i]; }

  /// `count` elements of any value, in place of those that are there.
  void resize(std::size_t count) { *this = Part(count); }

  /// Whether the last partition of this call of the sorting form found all elements equal to its
  /// splitter, and none was put on since: `sequential` has nothing to order then.
  bool is_uniform() const { return is_uniform_; }
  void set_uniform(bool is_uniform) { is_uniform_ = is_uniform; }

  std::size_t room_before() const { return first_; }
  std::size_t room_behind() const { return capacity_ - first_ - size_; }

  /// Makes room for `count` elements at an end. If it is not there yet, all elements are moved:
  /// within the storage where the room at both ends is enough, else to a new one.
  /// \throws std::bad_alloc
  void make_room_before(std::size_t count) {
    if (count > capacity_ - size_) {
      move_to(count + count / 8, room_behind());
    } else if (count > room_before()) {
      slide_to(count);
    }
  }
  void make_room_behind(std::size_t count) {
    if (count > capacity_ - size_) {
      move_to(room_before(), count + count / 8);
    } else if (count > room_behind()) {
      slide_to(capacity_ - size_ - count);
    }
  }

  /// Puts `count` elements of any value on, and returns them. \pre the room is there
  std::span<T> grow_before(std::size_t count) {
    first_ -= count;
    size_ += count;
    is_uniform_ = is_uniform_ && count == 0;
    return {begin(), count};
  }
  std::span<T> grow_behind(std::size_t count) {
    size_ += count;
    is_uniform_ = is_uniform_ && count == 0;
    return {end() - count, count};
  }

  /// Takes `count` elements off an end; their storage becomes room. \pre count <= size()
  void drop_first(std::size_t count) {
    first_ += count;
    size_ -= count;
  }
  void drop_last(std::size_t count) { size_ -= count; }

  friend bool operator==(const Part& a, const Part& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  struct Free {
    void operator()(T* storage) const { release_row(storage); }
  };

  static T* allocate(std::size_t room_before, std::size_t count, std::size_t room_behind) {
    if (std::max({room_before, count, room_behind}) > PTRDIFF_MAX / 4 / sizeof(T)) {
      throw std::bad_alloc();
    }
    return static_cast<T*>(allocate_row((room_before + count + room_behind) * sizeof(T)));
  }

  void slide_to(std::size_t before) {
    std::memmove(storage_.get() + before, begin(), size_ * sizeof(T));
    first_ = before;
  }

  void move_to(std::size_t before, std::size_t behind) {
    Part moved(before, size_, behind);
    std::copy(begin(), end(), moved.begin());
    swap(moved);
  }

  void swap(Part& other) noexcept {
    std::swap(storage_, other.storage_);
    std::swap(capacity_, other.capacity_);
    std::swap(first_, other.first_);
    std::swap(size_, other.size_);
    std::swap(is_uniform_, other.is_uniform_);
  }

  std::unique_ptr<T[], Free> storage_;
  std::size_t capacity_ = 0;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  bool is_uniform_ = false;
};

namespace detail {

/// The elements of `whole` for one of so many ranks, each about as many.
template <class T>
Part<T> section_of(const Part<T>& whole, std::size_t rank, std::size_t ranks) {
  const std::size_t first = whole.size() * rank / ranks;
  const std::size_t end = whole.size() * (rank + 1) / ranks;
  return Part<T>(std::span(whole.begin() + first, end - first));
}

}  // namespace detail

}  // namespace cleave
