#include "apps/uts/node.hpp"

#include <openssl/sha.h>

namespace cleave {

namespace {

void put_big_endian(unsigned char* bytes, std::uint32_t number) {
  bytes[0] = static_cast<unsigned char>(number >> 24);
  bytes[1] = static_cast<unsigned char>(number >> 16);
  bytes[2] = static_cast<unsigned char>(number >> 8);
  bytes[3] = static_cast<unsigned char>(number);
}

constexpr std::size_t kIndexAt = sizeof(NodeId);
constexpr std::size_t kMessageBytes = kIndexAt + 4;

}  // namespace

// The one block of a 24-byte message: the message, a bit 1, zeros, the length in bits (FIPS 180-4,
// section 5.1.1).
ChildIds::ChildIds(const NodeId& parent) {
  for (std::size_t i = 0; i < parent.size(); ++i) {
    put_big_endian(&block_[4 * i], parent[i]);
  }
  block_[kMessageBytes] = 0x80;
  put_big_endian(&block_[kBlockBytes - 4], 8 * kMessageBytes);
}

// SHA1_Transform takes 49 ns a block where EVP takes 106 (2.45 GHz EPYC). OpenSSL 3 deprecates it,
// with all functions that name an algorithm.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

NodeId ChildIds::child(std::uint32_t i) {
  put_big_endian(&block_[kIndexAt], i);
  SHA_CTX state;
  SHA1_Init(&state);
  SHA1_Transform(&state, block_.data());
  return {state.h0, state.h1, state.h2, state.h3, state.h4};
}

#pragma GCC diagnostic pop

}  // namespace cleave
