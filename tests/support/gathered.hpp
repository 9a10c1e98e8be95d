// SPDX-License-Identifier: Apache-2.0
// All ranks' parts of a sequence on one rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/part.hpp>

namespace cleave::testing {

/// The elements of all ranks of `comm` in rank order on rank 0, none on others.
template <class Element>
std::vector<Element> gathered(const Comm& comm, const Part<Element>& part) {
  const std::vector<std::int64_t> counts = comm.gather(static_cast<std::int64_t>(part.size()));
  if (comm.rank() != 0) {
    comm.send(0, std::as_bytes(std::span(part.data(), part.size())));
    return {};
  }
  std::vector<Element> all(part.begin(), part.end());
  for (int rank = 1; rank < comm.size(); ++rank) {
    std::vector<Element> theirs(counts[rank]);
    comm.receive(rank, std::as_writable_bytes(std::span(theirs)));
    all.insert(all.end(), theirs.begin(), theirs.end());
  }
  return all;
}

}  // namespace cleave::testing
