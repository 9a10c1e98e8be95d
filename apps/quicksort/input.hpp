// What cleave-quicksort sorts: keys made from a seed, or read from a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "apps/quicksort/quicksort.hpp"

namespace cleave {

/// How keys are made. `few` has 16 different keys; `sorted` and `reverse` span all 32-bit values.
enum class KeyOrder { uniform, sorted, reverse, equal, few };

/// `count` keys, the same for the same seed on every machine. \pre 0 <= count <= kMostKeys
Keys make_keys(KeyOrder order, std::int64_t count, std::uint64_t seed);

inline constexpr std::int64_t kMostKeys = std::int64_t{1} << 32;

/// The keys of a file of 32-bit little-endian integers and nothing else.
/// \throws FileError  if it cannot be read, is empty or ends within a key
Keys read_keys(const std::filesystem::path& file);

}  // namespace cleave
