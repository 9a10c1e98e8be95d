// SPDX-License-Identifier: Apache-2.0
// The bags of all ranks as one: what the bag of Helbecque et al., "DistBag_DFS", calls its global
// methods (getSize, contains, clear, these). Nodes are added and removed at the bag of one's own
// rank (bag.hpp); that idle ranks get nodes of others is the executor's work (executor.hpp).
//
// All are collective over `comm`, every rank passing its own bag, and see the bags as they are
// when they are called: no thread may use one meanwhile.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/stealing/bag.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

/// How many nodes all bags hold, on every rank. Cost: one reduction of 8 bytes.
template <class T>
std::int64_t global_size(const Comm& comm, const Bag<T>& bag) {
  return comm.allreduce_sum(static_cast<std::int64_t>(bag.size()));
}

/// Whether any bag holds this rank's `node`, which every rank asks for alike; the same answer on
/// every rank. Cost: a look at every node of this rank, and one reduction of 8 bytes.
template <std::equality_comparable T>
bool global_contains(const Comm& comm, const Bag<T>& bag, const T& node) {
  return comm.allreduce_max(bag.contains(node) ? 1 : 0) == 1;
}

/// Empties all bags. When it returns on any rank, every bag is empty.
template <class T>
void global_clear(const Comm& comm, Bag<T>& bag) {
  bag.clear();
  comm.barrier();
}

/// Calls `visitor(const T&)` on rank `root` for every node of all bags: rank after rank, in each as
/// Bag::for_each. Cost: all nodes of the others are sent to `root`, which holds those of one rank
/// at a time.
template <Transferable T, std::invocable<const T&> Visitor>
void global_for_each(const Comm& comm, const Bag<T>& bag, int root, Visitor&& visitor) {
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (rank == root) {
      if (comm.rank() == root) {
        bag.for_each(visitor);
      }
    } else if (comm.rank() == rank) {
      Packer packer;
      bag.for_each([&packer](const T& node) { pack_element<T>(packer, node); });
      const auto length = static_cast<std::int64_t>(packer.bytes().size());
      comm.send(root, std::as_bytes(std::span(&length, 1)));
      comm.send(root, packer.bytes());
    } else if (comm.rank() == root) {
      std::int64_t length = 0;
      comm.receive(rank, std::as_writable_bytes(std::span(&length, 1)));
      std::vector<std::byte> bytes(static_cast<std::size_t>(length));
      comm.receive(rank, bytes);
      for (Unpacker unpacker(bytes); unpacker.left() > 0;) {
        visitor(unpack_element<T>(unpacker));
      }
    }
  }
}

}  // namespace cleave::detail
