// SPDX-License-Identifier: Apache-2.0
// Hypercube quicksort of one kind of keys as a program: for the source that compiles it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cleave/hosts.hpp>

#include "apps/quicksort/check.hpp"
#include "apps/quicksort/hypercube_quicksort.hpp"
#include "apps/quicksort/programs.hpp"
#include "apps/quicksort/source.hpp"

namespace cleave::quicksort {

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

}  // namespace cleave::quicksort
