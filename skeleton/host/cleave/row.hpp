// SPDX-License-Identifier: Apache-2.0
// Memory for long rows of plain elements.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <boost/core/noinit_adaptor.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#include <vector>

namespace cleave {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// Rows of so many bytes and more ask for huge pages: those that use a quarter of one.
inline constexpr std::size_t kMinHugeRow = kHugePage / 4;

/// Memory to be released by `release_row`; none for 0 bytes. Huge pages take a third off the time
/// of passes over a long row, which lies in a cache alike in every run. Nothing is initialised:
/// pages that are never touched take no memory.
///
/// What was released serves the next row of the same length. The C library's aligned_alloc does not
/// manage that (up to version 2.37 at least): every long row got fresh pages.
/// \throws std::bad_alloc
inline void* allocate_row(std::size_t bytes) {
  constexpr std::size_t kCacheLine = 64;
  if (bytes == 0) {
    return nullptr;
  }
  if (bytes > std::numeric_limits<std::size_t>::max() - 2 * kHugePage) {
    throw std::bad_alloc();
  }
  const std::size_t in_huge_pages = (bytes + kHugePage - kMinHugeRow) / kHugePage * kHugePage;
  const std::size_t alignment = in_huge_pages > 0 ? kHugePage : kCacheLine;
  // The row begins at a boundary, and before it lies the address that is to be deleted.
  std::byte* const memory =
      static_cast<std::byte*>(::operator new(std::max(bytes, in_huge_pages) + alignment));
  static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= sizeof(void*), "there is room for the address");
  const std::size_t past = reinterpret_cast<std::uintptr_t>(memory) % alignment;
  std::byte* const row = memory + (alignment - past);
  std::memcpy(row - sizeof(memory), &memory, sizeof(memory));
  if (in_huge_pages > 0) {
    ::madvise(row, in_huge_pages, MADV_HUGEPAGE);  // a hint: small pages do as well
  }
  return row;
}

// g++ 12 does not see that an optional without a value has no row to be released.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
inline void release_row(void* row) {
  if (row != nullptr) {
    void* memory = nullptr;
    std::memcpy(&memory, static_cast<std::byte*>(row) - sizeof(memory), sizeof(memory));
    ::operator delete(memory);
  }
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/// An allocator of such memory.
template <class T>
  requires std::is_trivially_copyable_v<T>
struct RowAllocator {
  using value_type = T;

  RowAllocator() = default;
  template <class Other>
  explicit RowAllocator(const RowAllocator<Other>& /*other*/) {}

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / 2 / sizeof(T)) {
      throw std::bad_array_new_length();
    }
    return static_cast<T*>(allocate_row(count * sizeof(T)));
  }
  void deallocate(T* row, std::size_t /*count*/) { release_row(row); }

  friend bool operator==(const RowAllocator&, const RowAllocator&) { return true; }
};

/// A vector whose new elements have any value.
template <class T>
using Row = std::vector<T, boost::noinit_adaptor<RowAllocator<T>>>;

}  // namespace cleave
