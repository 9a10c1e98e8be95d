// SPDX-License-Identifier: Apache-2.0
#include "apps/uts/kernel.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <openssl/evp.h>

#include <algorithm>
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

struct Family {
  std::vector<Siblings> parents;
  std::vector<NodeId> ids;  ///< of all their children, by EVP
};

/// A million children of nodes of every number of children from 1 to 100, the first of them any;
/// those of one to ten parents together.
std::vector<Family> draw_a_million() {
  std::vector<Family> families;
  std::uint64_t drawn = 0;
  const auto random = [&, of = CounterRandom(1)] { return of(drawn++); };
  NodeId id{};
  for (std::size_t hashed = 0; hashed < 1'000'000;) {
    std::vector<Siblings> parents(1 + random() % 10);
    std::vector<NodeId> expected;
    for (Siblings& siblings : parents) {
      const auto most = static_cast<std::uint32_t>(NodeIds::kMax / parents.size());
      const auto first = static_cast<std::uint32_t>(random() >> (32 + random() % 32));
      const auto count = static_cast<std::uint32_t>(1 + random() % std::min(most, 100U));
      siblings = {.parent = {.id = id}, .first = first, .last = first + count};
      for (std::uint32_t i = 0; i < count; ++i) {
        expected.push_back(child_by_evp(id, first + i));
      }
      id = expected.back();
    }
    hashed += expected.size();
    families.push_back({std::move(parents), std::move(expected)});
  }
  return families;
}

void expect_ids_of_evp(ChildIds child_ids) {
  static const std::vector<Family> families = draw_a_million();
  NodeIds ids;
  for (const auto& [parents, expected] : families) {
    child_ids(parents, ids);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(ids[i], expected[i]) << i << " of " << expected.size();
    }
  }
}

TEST(Kernel, OfOpensslHashesAMillionNodesAsEvpDoes) { expect_ids_of_evp(child_ids_by_openssl); }

TEST(Kernel, OfShaExtensionsHashesAMillionNodesAsEvpDoes) {
  if (!has_sha_extensions()) {
    GTEST_SKIP() << "this processor has no SHA extensions";
  }
  expect_ids_of_evp(child_ids_by_sha_extensions);
}

/// Every kind of vectors that this processor has.
TEST(Kernel, OfVectorsHashesAMillionNodesAsEvpDoes) {
  const auto supported = hwy::SupportedTargets();
  for (auto left = supported; left != 0; left &= left - 1) {
    hwy::SetSupportedTargetsForTest(left & -left);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(left & -left));
    expect_ids_of_evp(child_ids_by_vectors);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(Kernel, StoresAllChildrenThatFit) {
  const Siblings half{.parent = {}, .first = 0, .last = NodeIds::kMax / 2};
  for (const Kernel& kernel : {kOpensslKernel, fastest_kernel()}) {
    NodeIds ids;
    kernel.child_ids(std::vector{half, half}, ids);
    EXPECT_EQ(ids[NodeIds::kMax / 2 - 1], child_by_evp({}, half.last - 1));
    EXPECT_EQ(ids[NodeIds::kMax - 1], child_by_evp({}, half.last - 1));
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
  EXPECT_EQ(parse_kernel("vectors").child_ids, child_ids_by_vectors);
  if (vector_lanes() >= 16) {
    EXPECT_EQ(fastest_kernel().name, "vectors");
  } else if (has_sha_extensions()) {
    EXPECT_EQ(fastest_kernel().name, "sha");
  }
  EXPECT_THROW(parse_kernel("md5"), UsageError);
  if (has_sha_extensions()) {
    EXPECT_EQ(parse_kernel("sha").child_ids, child_ids_by_sha_extensions);
  } else {
    EXPECT_THROW(parse_kernel("sha"), UsageError);
  }
}

}  // namespace
}  // namespace cleave::uts
