// SPDX-License-Identifier: Apache-2.0
// Sizes: the named quantities that the cost of a block depends on, such as N elements or M edges.
// Counts are typed as digits, then K, M, G or T (1024-based, as the papers count), or as 1e9, 10^9.
#pragma once

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace cleave {

/// One named quantity, a count of things. `name` must outlive the program's traces: a literal.
struct Size {
  template <std::integral T>
  constexpr Size(std::string_view size_name, T size_value)
      : name(size_name), value(static_cast<std::int64_t>(size_value)) {}
  constexpr Size() = default;

  std::string_view name;
  std::int64_t value = 0;

  friend constexpr bool operator==(const Size&, const Size&) = default;
};

/// At most `kMaxSizes` named quantities, in the order given. Never allocates.
class Sizes {
 public:
  static constexpr std::size_t kMaxSizes = 3;

  constexpr Sizes() = default;
  /// \pre  the names differ, and there are at most kMaxSizes
  constexpr Sizes(std::initializer_list<Size> sizes) {
    for (const Size& size : sizes) {
      append(size);
    }
  }

  /// Adds `size` unless its name is there already; the first value of a name stays.
  /// \pre  fewer than kMaxSizes names, or a known one
  constexpr void add(const Size& size) {
    for (const Size& known : *this) {
      if (known.name == size.name) {
        return;
      }
    }
    append(size);
  }

  constexpr void add(const Sizes& sizes) {
    for (const Size& size : sizes) {
      add(size);
    }
  }

  constexpr const Size* begin() const { return sizes_.data(); }
  constexpr const Size* end() const { return sizes_.data() + count_; }
  constexpr std::size_t size() const { return count_; }
  constexpr bool empty() const { return count_ == 0; }

 private:
  constexpr void append(const Size& size) {
    assert(count_ < kMaxSizes && "a block's cost may depend on at most three sizes");
    if (count_ < kMaxSizes) {
      sizes_[count_++] = size;
    }
  }

  std::array<Size, kMaxSizes> sizes_{};
  std::size_t count_ = 0;
};

/// Sizes as people type them and files have them: any names.
using NamedSizes = std::map<std::string, std::int64_t>;

/// "32M" is 33554432, "1.5K" 1536, "1e9", "10^9" and "1_000_000_000" are one. At least 0.
/// \throws UsageError  if `text` is not a count or is beyond 2^63 - 1
std::int64_t parse_count(std::string_view text);

/// A round text that `parse_count` reads as `count`: "32M", "1000", "10^9". \pre count >= 0
std::string format_count(std::int64_t count);

/// "N=1M,M=2M" by name. Every size is at least 1.
/// \throws UsageError  naming the part that is not NAME=COUNT, is 0 or comes twice
NamedSizes parse_sizes(std::string_view text);

/// "M=2M, N=1M"; as --size takes it `between` commas without blanks.
std::string format_sizes(const NamedSizes& sizes, std::string_view between = ", ");

}  // namespace cleave
