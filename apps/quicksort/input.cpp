#include "apps/quicksort/input.hpp"

#include <fmt/format.h>

#include <bit>
#include <fstream>
#include <limits>

#include "apps/harness/random.hpp"
#include "skeleton/trace/error.hpp"

namespace cleave {

namespace {

/// The i-th of `count` keys that ascend evenly from the least 32-bit value.
std::int32_t ascending_key(std::uint64_t i, std::uint64_t count) {
  return static_cast<std::int32_t>(std::numeric_limits<std::int32_t>::min() +
                                   static_cast<std::int64_t>((i << 32) / count));
}

}  // namespace

Keys make_keys(KeyOrder order, std::int64_t count, std::uint64_t seed) {
  const CounterRandom random(seed);
  const auto total = static_cast<std::uint64_t>(count);
  const auto key = [&](std::uint64_t i) -> std::int32_t {
    switch (order) {
      case KeyOrder::uniform:
        return static_cast<std::int32_t>(random(i));
      case KeyOrder::sorted:
        return ascending_key(i, total);
      case KeyOrder::reverse:
        return ascending_key(total - 1 - i, total);
      case KeyOrder::equal:
        return static_cast<std::int32_t>(random(0));
      case KeyOrder::few:
        return static_cast<std::int32_t>(random(random(i) % 16));
    }
    return 0;
  };
  Keys keys(total);
  for (std::uint64_t i = 0; i < total; ++i) {
    keys[i] = key(i);
  }
  return keys;
}

Keys read_keys(const std::filesystem::path& file) {
  static_assert(std::endian::native == std::endian::little, "keys are read as they stand");
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  std::ifstream stream(file, std::ios::binary);
  if (error || !stream) {
    throw FileError(file, "cannot read");
  }
  if (bytes == 0) {
    throw FileError(file, "empty, expected 32-bit integers");
  }
  if (bytes % sizeof(std::int32_t) != 0) {
    throw FileError(file,
                    fmt::format("its {} bytes are not a whole number of 32-bit integers", bytes));
  }
  Keys keys(bytes / sizeof(std::int32_t));
  if (!stream.read(reinterpret_cast<char*>(keys.data()), static_cast<std::streamsize>(bytes))) {
    throw FileError(file, "cannot read to its end");
  }
  return keys;
}

}  // namespace cleave
