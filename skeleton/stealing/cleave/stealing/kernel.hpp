// SPDX-License-Identifier: Apache-2.0
// What the workers run (workers.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <cleave/stealing/balancer.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// What the executor runs: a tree search, or the general form of an application as one.
/// `visit` is called by all workers at once, with std::span<Node> where it takes several nodes; the
/// parcels' functions by the main thread. `total` is the calling thread's own.
template <class K>
concept Kernel = requires(K& kernel, typename K::Node node, Children<typename K::Node>& children,
                          typename K::Total& total, typename K::Incumbent& incumbent,
                          Parcel& parcel, std::span<const std::byte> bytes) {
  { K::kVisitsSeveral } -> std::convertible_to<bool>;
  kernel.visit(std::move(node), children, total, incumbent);
  { kernel.nodes(std::as_const(total)) } -> std::same_as<std::optional<std::int64_t>>;
  { kernel.next_parcel(parcel) } -> std::same_as<bool>;
  kernel.deliver(bytes, total);
};

}  // namespace cleave::detail
