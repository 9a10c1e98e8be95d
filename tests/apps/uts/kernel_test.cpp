// SPDX-License-Identifier: Apache-2.0
#include "apps/uts/kernel.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <array>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/random.hpp>

namespace cleave::uts {

namespace {

template <std::size_t bytes>
NodeId sha1_of(const std::array<unsigned char, bytes>& message) {
  std::array<unsigned char, 20> digest{};
  EVP_Digest(message.data(), message.size(), digest.data(), nullptr, EVP_sha1(), nullptr);
  NodeId id{};
  for (std::size_t at = 0; at < digest.size(); ++at) {
    id[at / 4] = id[at / 4] << 8 | digest[at];
  }
  return id;
}

NodeId child_by_evp(const NodeId& parent, std::uint32_t i) {
  std::array<unsigned char, 24> message{};
  for (std::size_t at = 0; at < message.size(); ++at) {
    const std::uint32_t number = at / 4 < parent.size() ? parent[at / 4] : i;
    message[at] = static_cast<unsigned char>(number >> (24 - 8 * (at % 4)));
  }
  return sha1_of(message);
}

/// A million children of nodes of every number of children from 1 to 100, the first of them any.
void expect_ids_of_evp(ChildIds child_ids) {
  const CounterRandom random(1);
  NodeId parent{};
  std::array<NodeId, 100> ids;
  std::uint64_t drawn = 0;
  for (int hashed = 0; hashed < 1'000'000;) {
    const auto count = 1 + below(static_cast<std::uint32_t>(random(drawn)),
                                 static_cast<std::uint32_t>(ids.size()));
    const auto first = static_cast<std::uint32_t>(random(drawn + 1) >> (32 + random(drawn) % 32));
    child_ids(parent, first, count, ids.data());
    for (std::uint32_t i = 0; i < count; ++i) {
      ASSERT_EQ(ids[i], child_by_evp(parent, first + i)) << "child " << first << " + " << i;
    }
    parent = ids[count - 1];
    hashed += static_cast<int>(count);
    drawn += 2;
  }
}

TEST(Kernel, OfOpensslHashesAMillionNodesAsEvpDoes) { expect_ids_of_evp(child_ids_by_openssl); }

TEST(Kernel, OfShaExtensionsHashesAMillionNodesAsEvpDoes) {
  if (!has_sha_extensions()) {
    GTEST_SKIP() << "this processor has no SHA extensions";
  }
  expect_ids_of_evp(child_ids_by_sha_extensions);
}

TEST(Kernel, StoresNothingBeyondTheLastChild) {
  for (const ChildIds child_ids : {child_ids_by_openssl, fastest_kernel().child_ids}) {
    for (std::uint32_t count = 0; count <= 70; ++count) {
      std::vector<NodeId> ids(71, NodeId{1, 2, 3, 4, 5});
      child_ids(NodeId{}, 30, count, ids.data());
      for (std::size_t i = count; i < ids.size(); ++i) {
        ASSERT_EQ(ids[i], (NodeId{1, 2, 3, 4, 5}));
      }
    }
  }
}

TEST(Kernel, SeedIsHashedAsTwentyBytes) {
  std::array<unsigned char, 20> message{};
  EXPECT_EQ(id_of_seed(0), sha1_of(message));
  message[18] = 0x01;
  message[19] = 0xf6;
  EXPECT_EQ(id_of_seed(502), sha1_of(message));
}

TEST(Kernel, IsChosenByName) {
  EXPECT_EQ(parse_kernel("openssl").child_ids, child_ids_by_openssl);
  EXPECT_EQ(parse_kernel("auto").child_ids, fastest_kernel().child_ids);
  EXPECT_EQ(fastest_kernel().name, has_sha_extensions() ? "sha" : "openssl");
  EXPECT_THROW(parse_kernel("md5"), UsageError);
  if (has_sha_extensions()) {
    EXPECT_EQ(parse_kernel("sha").child_ids, child_ids_by_sha_extensions);
  } else {
    EXPECT_THROW(parse_kernel("sha"), UsageError);
  }
}

}  // namespace
}  // namespace cleave::uts
