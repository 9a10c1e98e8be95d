// SPDX-License-Identifier: Apache-2.0
// The work of a tree search: the ids of a node's children. The id of child i is SHA-1 of the node's
// id and i, 24 bytes in all, each number with its most significant byte first (Prins, "Unbalanced
// Tree Search Benchmark", 2003, section 1; UTS 1.1 does the same).
//
// OpenSSL's SHA-1 runs anywhere and is what the other kernel is tested against. The other one needs
// the SHA extensions of x86 processors.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "apps/uts/node.hpp"

namespace cleave::uts {

/// Stores the ids of the children `first` to `first + count - 1` of the node `parent` at `ids`.
using ChildIds = void (*)(const NodeId& parent, std::uint32_t first, std::uint32_t count,
                          NodeId* ids);

/// By SHA1_Transform on a block that is padded once for all children of a node: a bit less than
/// half the time of EVP with a reused context.
void child_ids_by_openssl(const NodeId& parent, std::uint32_t first, std::uint32_t count,
                          NodeId* ids);

/// By the SHA extensions, up to four children at a time. \pre has_sha_extensions()
void child_ids_by_sha_extensions(const NodeId& parent, std::uint32_t first, std::uint32_t count,
                                 NodeId* ids);

/// Whether this processor has the instructions of `child_ids_by_sha_extensions`.
bool has_sha_extensions();

/// A kernel by its name on the command line.
struct Kernel {
  std::string_view name;
  ChildIds child_ids;
};

inline constexpr Kernel kOpensslKernel = {"openssl", child_ids_by_openssl};
inline constexpr Kernel kShaKernel = {"sha", child_ids_by_sha_extensions};

/// The fastest kernel that this processor has.
Kernel fastest_kernel();

/// "openssl", "sha", or "auto" for the fastest.
/// \throws UsageError  if there is no such kernel, or not on this processor
Kernel parse_kernel(std::string_view name);

/// The root of a UTS 1.1 tree: SHA-1 of 16 zero bytes and the seed, most significant byte first.
NodeId id_of_seed(std::uint32_t seed);

}  // namespace cleave::uts
