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

void child_ids_by_openssl(const NodeId& parent, std::uint32_t first, std::uint32_t count,
                          NodeId* ids) {
  constexpr std::size_t kIndexAt = sizeof(NodeId);
  ShaBlock block = padded(parent, kIndexAt + 4);
  for (std::uint32_t i = 0; i < count; ++i) {
    put_big_endian(&block[kIndexAt], first + i);
    ids[i] = hash(block);
  }
}

Kernel fastest_kernel() { return has_sha_extensions() ? kShaKernel : kOpensslKernel; }

Kernel parse_kernel(std::string_view name) {
  if (name == "auto") {
    return fastest_kernel();
  }
  if (name == kOpensslKernel.name) {
    return kOpensslKernel;
  }
  if (name != kShaKernel.name) {
    throw UsageError(fmt::format("'{}' is not one of auto, openssl, sha", name));
  }
  if (!has_sha_extensions()) {
    throw UsageError("this processor has no SHA extensions, which 'sha' needs");
  }
  return kShaKernel;
}

NodeId id_of_seed(std::uint32_t seed) { return hash(padded({0, 0, 0, 0, seed}, sizeof(NodeId))); }

}  // namespace cleave::uts
