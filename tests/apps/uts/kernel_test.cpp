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

NodeId child_by_evp(const NodeId& parent, std::uint32_t i) {
  std::array<unsigned char, 24> message{};
  for (std::size_t at = 0; at < message.size(); ++at) {
    const std::uint32_t number = at / 4 < parent.size() ? parent[at / 4] : i;
    message[at] = static_cast<unsigned char>(number >> (24 - 8 * (at % 4)));
  }
  std::array<unsigned char, 20> digest{};
  EVP_Digest(message.data(), message.size(), digest.data(), nullptr, EVP_sha1(), nullptr);
  NodeId id{};
  for (std::size_t at = 0; at < digest.size(); ++at) {
    id[at / 4] = id[at / 4] << 8 | digest[at];
  }
  return id;
}

struct Family {
  std::vector<Siblings> parents;
  std::vector<NodeId> ids;  ///< of all their children, by EVP
};

/// Families of as many children as fit; then half a million children, of one to ten parents
/// together that have 1 to 100 each, the first of them any.
std::vector<Family> draw_families() {
  std::vector<Family> families;
  std::uint64_t drawn = 0;
  const auto random = [&, of = CounterRandom(1)] { return of(drawn++); };
  NodeId id{};
  for (std::size_t hashed = 0; hashed < 500'000;) {
    Family& family = families.emplace_back();
    const std::uint64_t parents = families.size() == 1 ? 2 : 1 + random() % 10;
    const auto most = static_cast<std::uint32_t>(NodeIds::kMax / parents);
    for (std::uint64_t parent = 0; parent < parents; ++parent) {
      const auto first = static_cast<std::uint32_t>(random() >> (32 + random() % 32));
      const auto count = static_cast<std::uint32_t>(1 + random() % std::min(most, 100U));
      const std::uint32_t last = first + (families.size() == 1 ? most : count);
      family.parents.push_back({.parent = {.id = id}, .first = first, .last = last});
      for (std::uint32_t i = first; i != last; ++i) {
        family.ids.push_back(child_by_evp(id, i));
      }
      id = family.ids.back();
    }
    hashed += family.ids.size();
  }
  return families;
}

TEST(Kernels, OfEveryKindHashHalfAMillionNodesAsEvpDoes) {
  const std::vector<Family> families = draw_families();
  const auto expect_ids_of_evp = [&](ChildIds child_ids, const char* name) {
    NodeIds ids;
    for (const auto& [parents, expected] : families) {
      child_ids(parents, ids);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(ids[i], expected[i]) << name << ": " << i << " of " << expected.size();
      }
    }
  };
  expect_ids_of_evp(child_ids_by_openssl, "openssl");
  if (has_sha_extensions()) {
    expect_ids_of_evp(child_ids_by_sha_extensions, "sha");
  }
  const auto take = [](std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  };
  for (auto left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    take(left & -left);
    expect_ids_of_evp(child_ids_by_vectors, hwy::TargetName(left & -left));
  }
  take(0);
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
