#include "apps/spacetree/uts_tree.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <cmath>

#include "skeleton/trace/error.hpp"

namespace cleave::spacetree {

namespace {

void store_big_endian(std::uint32_t value, unsigned char* to) {
  for (int byte = 3; byte >= 0; --byte) {
    to[byte] = static_cast<unsigned char>(value & 0xFF);
    value >>= 8;
  }
}

}  // namespace

UtsId uts_root(std::uint32_t r) {
  UtsId id{};
  store_big_endian(r, id.data() + 16);
  return id;
}

UtsId uts_child(const UtsId& parent, splitting::Index i) {
  std::array<unsigned char, 24> text{};
  std::copy(parent.begin(), parent.end(), text.begin());
  store_big_endian(static_cast<std::uint32_t>(i), text.data() + parent.size());
  UtsId id{};
  if (EVP_Digest(text.data(), text.size(), id.data(), nullptr, EVP_sha1(), nullptr) != 1) {
    throw Error("OpenSSL cannot compute SHA-1");
  }
  return id;
}

bool uts_interior(const UtsId& id, double q) {
  std::uint32_t value = 0;
  for (std::size_t byte = 16; byte < 20; ++byte) {
    value = value << 8 | id[byte];
  }
  return static_cast<double>(value) < std::ldexp(q, 32);
}

}  // namespace cleave::spacetree
