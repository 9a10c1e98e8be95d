// SPDX-License-Identifier: Apache-2.0
// What all ranks of a search agree on before it begins and once it has ended.
#pragma once

#include <optional>

#include <cleave/blocks/blocks.hpp>
#include <cleave/blocks/call_options.hpp>
#include <cleave/comm/messages.hpp>
#include <cleave/stealing/search_of_rank.hpp>
#include <cleave/stealing/snapshot.hpp>

namespace cleave::detail {

/// \throws Error  if work stealing is not for so many threads, or not for the placement
void require_stealing(const CallOptions& options);

/// Throws on every rank what has failed, if anything has; else tells rank 0's caller what the
/// workers did. Collective, after their run.
/// \param snapshots  null where there are none
/// \return  why the search ended early, if it did and not by a visit, on every rank
std::optional<EndedEarly> agree_on_end(const SearchMessages& comm, BlockRunner& blocks,
                                       const CallOptions& options, const SearchOfRank& workers,
                                       const SnapshotFolder* snapshots);

}  // namespace cleave::detail
