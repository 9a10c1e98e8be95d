// SPDX-License-Identifier: Apache-2.0
#include "apps/uts/kernel.hpp"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <cstddef>

#include <cleave/error.hpp>

namespace cleave::uts {

namespace {

constexpr std::size_t kBlockBytes = 64;
using ShaBlock = std::array<unsigned char, kBlockBytes>;

void put_big_endian(unsigned char* bytes, std::uint32_t number) {
  bytes[0] = static_cast<unsigned char>(number >> 24);
  bytes[1] = static_cast<unsigned char>(number >> 16);
  bytes[2] = static_cast<unsigned char>(number >> 8);
  bytes[3] = static_cast<unsigned char>(number);
}

/// The one block of a short message: the message, a bit 1, zeros, the length in bits (FIPS 180-4,
/// section 5.1.1).
ShaBlock padded(const NodeId& message, std::size_t message_bytes) {
  ShaBlock block{};
  for (std::size_t i = 0; i < message.size(); ++i) {
    put_big_endian(&block[4 * i], message[i]);
  }
  block[message_bytes] = 0x80;
  put_big_endian(&block[kBlockBytes - 4], static_cast<std::uint32_t>(8 * message_bytes));
  return block;
}

// OpenSSL 3 deprecates SHA1_Transform, with all functions that name an algorithm.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

NodeId hash(const ShaBlock& block) {
  SHA_CTX state;
  SHA1_Init(&state);
  SHA1_Transform(&state, block.data());
  return {state.h0, state.h1, state.h2, state.h3, state.h4};
}

#pragma GCC diagnostic pop

}  // namespace

void child_ids_by_openssl(std::span<const Siblings> parents, NodeIds& ids) {
  constexpr std::size_t kIndexAt = sizeof(NodeId);
  std::size_t count = 0;
  for (const Siblings& siblings : parents) {
    ShaBlock block = padded(siblings.parent.id, kIndexAt + 4);
    for (std::uint32_t i = siblings.first; i < siblings.last; ++i, ++count) {
      put_big_endian(&block[kIndexAt], i);
      const NodeId id = hash(block);
      for (std::size_t word = 0; word < id.size(); ++word) {
        ids.words[word][count] = id[word];
      }
    }
  }
}

// On Zen 4, 16 lanes hash 120 M/s, the SHA extensions 36 to 85, the more siblings there are, and 8
// lanes 70 (the benchmark uts_rate).
Kernel fastest_kernel() {
  if (vector_lanes() >= 16) {
    return kVectorKernel;
  }
  return has_sha_extensions() ? kShaKernel : vector_lanes() > 1 ? kVectorKernel : kOpensslKernel;
}

Kernel parse_kernel(std::string_view name) {
  if (name == "auto") {
    return fastest_kernel();
  }
  for (const Kernel& kernel : {kOpensslKernel, kShaKernel, kVectorKernel}) {
    if (name != kernel.name) {
      continue;
    }
    if (name == kShaKernel.name && !has_sha_extensions()) {
      throw UsageError("this processor has no SHA extensions, which 'sha' needs");
    }
    return kernel;
  }
  throw UsageError(fmt::format("'{}' is not one of auto, openssl, sha, vectors", name));
}

NodeId id_of_seed(std::uint32_t seed) { return hash(padded({0, 0, 0, 0, seed}, sizeof(NodeId))); }

}  // namespace cleave::uts
