// SPDX-License-Identifier: Apache-2.0
// What the executors ask of the ranks of a call: Comm, or ranks that are not there
// (virtual_ranks.hpp, rehearsal.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cleave/comm.hpp>

namespace cleave::detail {

using Bytes = std::vector<std::byte>;

/// Every function means what it means of Comm.
template <class T>
concept Messages =
    requires(const T& ranks, int rank, std::span<const std::byte> out, std::span<std::byte> in,
             std::span<const Comm::Outbound> all_out, std::span<const Comm::Inbound> all_in,
             std::span<std::int64_t> values, std::string text) {
      { ranks.rank() } -> std::same_as<int>;
      { ranks.size() } -> std::same_as<int>;
      ranks.exchange(rank, out, in);
      ranks.exchange(all_out, all_in);
      ranks.send(rank, out);
      ranks.receive(rank, in);
      ranks.allreduce_min(values);
      { ranks.bcast(text, rank) } -> std::same_as<std::string>;
    };
static_assert(Messages<Comm>);

}  // namespace cleave::detail
