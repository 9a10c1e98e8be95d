// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/programs.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <cleave/comm.hpp>

#include "apps/quicksort/check.hpp"
#include "apps/quicksort/hypercube_quicksort.hpp"
#include "apps/quicksort/quicksort.hpp"
#include "apps/reading/reading.hpp"

namespace cleave::quicksort {

namespace {

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

inline reading::Slice slice_of(const Comm& comm) {
  return {.index = comm.rank(), .count = comm.size()};
}

template <class Key>
void write_sorted(const Comm& comm, const Part<Key>& keys, const Input& input) {
  const std::span<const Key> mine(keys.data(), keys.size());
  if constexpr (TextKey<Key>) {
    if (input.format == KeyFormat::text) {
      const std::string text = agree(comm, [&] { return text_of_keys(mine); });
      write_bytes(comm, input.output, std::as_bytes(std::span(text)), false);
      return;
    }
  }
  write_keys(comm, input.output, mine);
}

template <class Key>
AnyProgram part_sort(const Input& input, ByKey order) {
  const auto sorted = std::make_shared<bool>(false);  // over all ranks
  return Program<HypercubeQuicksort<Key>>{
      .application = [order](const RunOptions&) { return HypercubeQuicksort<Key>{order}; },
      // All keys, for one rank alone.
      .make_problem =
          [&input](const NamedSizes& sizes, std::uint64_t seed) {
            const Source<Key> source(input, sizes, seed, {});
            require_memory(source.bytes(), 1);
            return source.all();
          },
      .make_part =
          [&input](const Comm& comm, const NamedSizes& sizes, std::uint64_t seed) {
            const Source<Key> source(input, sizes, seed, slice_of(comm));
            // And what a level receives.
            require_memory(source.bytes() / 2 * 3, hosts_of(comm).ranks_per_host());
            return source.all();
          },
      .is_generated = [&input] { return input.is_generated(); },
      // Counts, order within and between the ranks, and a hash of the keys that went in.
      .wrong_part =
          [&input, order](const Comm& comm, const NamedSizes& sizes, std::uint64_t seed,
                          const Part<Key>& keys) {
            const Source<Key> source(input, sizes, seed, slice_of(comm));
            KeySum in;
            std::vector<Key> some(1 << 16);
            for (std::int64_t i = 0; i < source.keys(); i += std::ssize(some)) {
              const auto count = static_cast<std::size_t>(
                  std::min<std::int64_t>(std::ssize(some), source.keys() - i));
              source.fill(i, std::span(some).first(count));
              in.add(std::span<const Key>(some).first(count));
            }
            return wrong_parts(comm, in, std::span<const Key>(keys.data(), keys.size()), order);
          },
      .figures = [sorted](const Part<Key>&) -> Figures {
        return {{"sorted", *sorted}};
      },
      .keep =
          [&input, order, sorted](const Comm& comm, const Part<Key>& keys) {
            *sorted = are_in_order(comm, std::span<const Key>(keys.data(), keys.size()), order);
            if (!input.output.empty()) {
              write_sorted(comm, keys, input);
            }
          }};
}

}  // namespace

const std::map<std::string, AnyProgram (*)(const Input&, ByKey)> kKeys = {
    {"int32", part_sort<std::int32_t>}, {"uint32", part_sort<std::uint32_t>},
    {"int64", part_sort<std::int64_t>}, {"uint64", part_sort<std::uint64_t>},
    {"float", part_sort<float>},        {"double", part_sort<double>},
    {"record", part_sort<Record>}};

AnyProgram whole_sort(const Input& input) {
  return Program<Quicksort>{
      .make_problem =
          [&input](const NamedSizes& sizes, std::uint64_t seed) {
            const Source<std::int32_t> source(input, sizes, seed, {});
            Keys keys(static_cast<std::size_t>(source.keys()));
            source.fill(0, keys);
            return keys;
          },
      .is_generated = [&input] { return input.is_generated(); },
      .wrong = [](const Keys& keys, const Keys& sorted) { return wrong_order(keys, sorted); },
      .figures = [](const Keys& keys) -> Figures {
        return {{"sorted", std::is_sorted(keys.begin(), keys.end())}};
      }};
}

}  // namespace cleave::quicksort
