// SPDX-License-Identifier: Apache-2.0
// The work of a tree search: the ids of a node's children. The id of child i is SHA-1 of the node's
// id and i, 24 bytes in all, each number with its most significant byte first (Prins, "Unbalanced
// Tree Search Benchmark", 2003, section 1; UTS 1.1 does the same).
//
// OpenSSL's SHA-1 is what the other kernels are tested against. The SHA extensions of x86 share
// what siblings have in common; vectors hash children of any parents at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "apps/uts/node.hpp"

namespace cleave::uts {

/// Stores the ids of all children of `parents`, at most NodeIds::kMax, one after the other. What is
/// in `ids` behind them is lost.
using ChildIds = void (*)(std::span<const Siblings> parents, NodeIds& ids);

/// By SHA1_Transform on a block that is padded once for all children of a node: a bit less than
/// half the time of EVP with a reused context.
void child_ids_by_openssl(std::span<const Siblings> parents, NodeIds& ids);

/// By the SHA extensions, up to four siblings at a time. \pre has_sha_extensions()
void child_ids_by_sha_extensions(std::span<const Siblings> parents, NodeIds& ids);

/// Whether this processor has the instructions of `child_ids_by_sha_extensions`.
bool has_sha_extensions();

/// By vectors, two of them at a time. Those at the end that are not full take as long as full ones.
void child_ids_by_vectors(std::span<const Siblings> parents, NodeIds& ids);

/// 32-bit lanes of the vectors of this processor: 16 by AVX-512, 8 by AVX2; 1 if it has none.
std::size_t vector_lanes();

/// A kernel by its name on the command line.
struct Kernel {
  std::string_view name;
  ChildIds child_ids;
};

inline constexpr Kernel kOpensslKernel = {"openssl", child_ids_by_openssl};
inline constexpr Kernel kShaKernel = {"sha", child_ids_by_sha_extensions};
inline constexpr Kernel kVectorKernel = {"vectors", child_ids_by_vectors};

/// The fastest kernel that this processor has.
Kernel fastest_kernel();

/// "openssl", "sha", "vectors", or "auto" for the fastest.
/// \throws UsageError  if there is no such kernel, or not on this processor
Kernel parse_kernel(std::string_view name);

/// The root of a UTS 1.1 tree: SHA-1 of 16 zero bytes and the seed, most significant byte first.
NodeId id_of_seed(std::uint32_t seed);

}  // namespace cleave::uts
