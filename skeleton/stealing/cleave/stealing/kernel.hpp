// SPDX-License-Identifier: Apache-2.0
// What the workers run (workers.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <cleave/contract/split_deque.hpp>
#include <cleave/stealing/balancer.hpp>

namespace cleave::detail {

/// What the executor runs: a tree search, or the general form of an application as one.
/// Each worker has a visitor of its own deque (tree_search.hpp), and a `total`; the parcels'
/// functions are called by the main thread.
template <class K>
concept Kernel = requires(K& kernel, SplitDeque<typename K::Node>& deque, std::int64_t maximum,
                          typename K::Total& total, typename K::Incumbent& incumbent,
                          Parcel& parcel, std::span<const std::byte> bytes) {
  { kernel.visitor(deque).visit(maximum, total, incumbent) } -> std::same_as<std::int64_t>;
  { kernel.visitor(deque).is_stopped() } -> std::same_as<bool>;
  { kernel.nodes(std::as_const(total)) } -> std::same_as<std::optional<std::int64_t>>;
  { kernel.next_parcel(parcel) } -> std::same_as<bool>;
  kernel.deliver(bytes, total);
};

}  // namespace cleave::detail
