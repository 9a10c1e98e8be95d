// SPDX-License-Identifier: Apache-2.0
// Checks a sorted sequence by means that have nothing in common with quicksort.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string>

#include <cleave/comm.hpp>
#include <cleave/random.hpp>

#include "apps/quicksort/keys.hpp"
#include "apps/quicksort/quicksort.hpp"

namespace cleave::quicksort {

/// A count of keys and a sum that depends on all bits of each, but not on their order: of other
/// keys the same once in 2^64.
struct KeySum {
  std::int64_t count = 0;
  std::uint64_t hash = 0;

  template <class Key>
  KeySum& add(std::span<const Key> keys) {
    const CounterRandom random(0);
    count += std::ssize(keys);
    for (const Key& key : keys) {
      std::uint64_t words[2] = {0, 0};
      static_assert(sizeof(Key) <= sizeof(words));
      std::memcpy(words, &key, sizeof(Key));
      hash += random(random(words[0]) ^ words[1]);
    }
    return *this;
  }
  friend bool operator==(const KeySum&, const KeySum&) = default;
};

/// Whether the ranks' `keys`, one after the other, are in `order`. Collective.
template <class Key, class Order>
bool are_in_order(const Comm& comm, std::span<const Key> keys, const Order& order) {
  struct Last {
    Key key{};
    char exists = 0;
  };
  Last last;
  const auto bytes = std::as_writable_bytes(std::span(&last, 1));
  if (comm.rank() > 0) {
    comm.receive(comm.rank() - 1, bytes);
  }
  bool descends = !std::is_sorted(keys.begin(), keys.end(), order);
  if (!keys.empty()) {
    descends = descends || (last.exists != 0 && order(keys.front(), last.key));
    last = {.key = keys.back(), .exists = 1};
  }
  if (comm.rank() + 1 < comm.size()) {
    comm.send(comm.rank() + 1, bytes);
  }
  return comm.allreduce_max(descends ? 1 : 0) == 0;
}

/// The fault of the ranks' `sorted` keys, of which `in` went in on this rank. Collective; the
/// answer is rank 0's.
template <class Key, class Order>
std::optional<std::string> wrong_parts(const Comm& comm, const KeySum& in,
                                       std::span<const Key> sorted, const Order& order) {
  const KeySum out = KeySum().add(sorted);
  const auto total = [&comm](std::int64_t value) {
    const auto all = comm.gather(value);
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});  // sums of hashes wrap around
  };
  const bool is_ordered = are_in_order(comm, sorted, order);
  const bool has_all = total(in.count) == total(out.count);
  const bool has_same =
      total(static_cast<std::int64_t>(in.hash)) == total(static_cast<std::int64_t>(out.hash));
  if (comm.rank() != 0) {
    return std::nullopt;
  }
  if (!has_all) {
    return "more keys or fewer came out than went in";
  }
  if (!is_ordered) {
    return "a key is before one that it should follow";
  }
  return has_same ? std::nullopt
                  : std::optional<std::string>("the keys that came out are not those that went in");
}

/// The fault of `sorted` as the sorted `input`; nothing if it is right.
inline std::optional<std::string> wrong_order(const Keys& input, const Keys& sorted) {
  if (sorted.size() != input.size()) {
    return fmt::format("{} keys went in, {} came out", input.size(), sorted.size());
  }
  const auto descent = std::is_sorted_until(sorted.begin(), sorted.end());
  if (descent != sorted.end()) {
    return fmt::format("key {} is less than the one before it", descent - sorted.begin());
  }
  return KeySum().add(std::span(input)) == KeySum().add(std::span(sorted))
             ? std::nullopt
             : std::optional<std::string>("the keys that came out are not those that went in");
}

}  // namespace cleave::quicksort
