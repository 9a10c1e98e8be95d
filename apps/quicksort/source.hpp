// SPDX-License-Identifier: Apache-2.0
// The keys that a run sorts: generated, or of a file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <cleave/part.hpp>
#include <cleave/sizes.hpp>

#include "apps/quicksort/key_file.hpp"
#include "apps/quicksort/keys.hpp"
#include "apps/quicksort/programs.hpp"
#include "apps/reading/reading.hpp"

namespace cleave::quicksort {

/// A slice of all keys, any section of which can be had.
template <class Key>
class Source {
 public:
  Source(const Input& input, const NamedSizes& sizes, std::uint64_t seed, reading::Slice slice) {
    if (input.is_generated()) {
      take_slice(sizes.at("N"), slice);
      generated_.emplace(kInputs.at(input.name), sizes.at("N"), seed);
      return;
    }
    if constexpr (TextKey<Key>) {
      if (input.format == KeyFormat::text) {
        parsed_ = parse_keys<Key>(reading::Contents(input.name).text(), input.name, slice);
        keys_ = std::ssize(parsed_);
        return;
      }
    }
    file_ = std::make_unique<KeyFile>(input.name, sizeof(Key), input.format);
    take_slice(file_->keys(), slice);
  }

  std::int64_t keys() const { return keys_; }
  std::int64_t bytes() const { return keys_ * static_cast<std::int64_t>(sizeof(Key)); }

  /// Keys number first, first + 1, ... of the slice.
  void fill(std::int64_t first, std::span<Key> keys) const {
    if (generated_) {
      generated_->fill(first_ + first, keys);
    } else if (file_) {
      file_->read(first_ + first, keys);
    } else {
      std::copy_n(parsed_.begin() + first, keys.size(), keys.begin());
    }
  }

  Part<Key> all() const {
    Part<Key> part(static_cast<std::size_t>(keys_));
    fill(0, std::span(part.data(), part.size()));
    return part;
  }

 private:
  void take_slice(std::int64_t total, reading::Slice slice) {
    first_ = slice.begin(total);
    keys_ = slice.end(total) - first_;
  }

  std::int64_t first_ = 0;
  std::int64_t keys_ = 0;
  std::optional<GeneratedKeys<Key>> generated_;
  std::unique_ptr<KeyFile> file_;
  std::vector<Key> parsed_;
};

}  // namespace cleave::quicksort
