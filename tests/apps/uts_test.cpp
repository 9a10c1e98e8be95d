#include "apps/uts/uts.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <array>
#include <string>
#include <vector>

#include "apps/harness/random.hpp"
#include "apps/uts/check.hpp"
#include "skeleton/check.hpp"
#include "skeleton/trace/error.hpp"

namespace cleave {
namespace {

constexpr std::array kNames = {"prins:T1", "prins:T2", "prins:T3"};
constexpr const char* kSmallTree = "prins:r=7,n=50,q=0.2,m=4";

NodeId sha1_of(const NodeId& parent, std::uint32_t i) {
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

TEST(ChildIds, AreThoseOfEvpForAMillionNodes) {
  const CounterRandom random(1);
  NodeId id{};
  for (std::uint64_t i = 0; i < 1'000'000; i += 4) {
    ChildIds children(id);
    NodeId last{};
    for (std::uint64_t c = 0; c < 4; ++c) {
      const auto child = static_cast<std::uint32_t>(random(i + c) >> (random(i) % 64));
      last = children.child(child);
      ASSERT_EQ(last, sha1_of(id, child));
    }
    id = last;
  }
}

TEST(Uts, CountsThePublishedTreesExactly) {
  for (const char* name : kNames) {
    const PrinsTree tree = parse_prins_tree(name);
    EXPECT_EQ(Uts{tree}.sequential(whole_tree(tree)), tree.known_counts) << name;
    EXPECT_EQ(count_by_levels(tree), tree.known_counts) << name;
  }
  EXPECT_EQ(parse_prins_tree("prins:T1").known_counts, (TreeCounts{50'045, 38'333, 56}));
  EXPECT_EQ(parse_prins_tree("prins:T2").known_counts, (TreeCounts{53'521, 40'940, 78}));
  EXPECT_EQ(parse_prins_tree("prins:T3").known_counts, (TreeCounts{5'529'089, 4'838'352, 1291}));
}

TEST(Uts, DownToAnEmptyFrontierCountsTheSame) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    PrinsTree tree = parse_prins_tree(kSmallTree);
    tree.root_id[4] = seed;
    EXPECT_EQ(solve_sequential(Uts{tree}, whole_tree(tree)), count_by_levels(tree));
  }
}

TEST(Uts, KeepsThePromisesOfAnApplication) {
  const PrinsTree tree = parse_prins_tree(kSmallTree);
  EXPECT_EQ(check(Uts{tree}, {whole_tree(tree)}), std::vector<std::string>{});
}

TEST(Uts, OfARootAloneWithLeavesIsCounted) {
  const PrinsTree tree = parse_prins_tree("prins:n=3,q=0,m=1");
  EXPECT_EQ(Uts{tree}.sequential(whole_tree(tree)), (TreeCounts{4, 3, 1}));
  EXPECT_EQ(solve_sequential(Uts{tree}, whole_tree(tree)), (TreeCounts{4, 3, 1}));
}

TEST(Divide, CountsEveryNodeOnce) {
  const PrinsTree tree = parse_prins_tree("prins:T2");
  const Uts uts{tree};
  for (const int total : {2, 3, 5, 8, 100}) {
    const auto [left, right] = uts.divide(whole_tree(tree), Share{total / 2, total});
    EXPECT_EQ(uts.combine(uts.sequential(left), uts.sequential(right)), tree.known_counts);
  }
}

TEST(Divide, CutsTheFrontierInProportionToTheRanks) {
  const PrinsTree tree = parse_prins_tree("prins:T1");
  const auto [left, right] = Uts{tree}.divide(whole_tree(tree), Share{.left = 2, .total = 5});
  EXPECT_EQ(left.size(), 3200 / 5 * 2);
  EXPECT_EQ(right.size(), 3200 / 5 * 3);
}

TEST(Divide, WidensANarrowFrontierFirst) {
  const PrinsTree tree = parse_prins_tree("prins:r=7,n=2,q=0.9,m=4");
  const auto [left, right] = Uts{tree}.divide(whole_tree(tree), Share{.left = 1, .total = 2});
  EXPECT_GE(left.size() + right.size(), 2 * kFrontierPerRank);
  EXPECT_LE(left.size() + right.size(), 2 * kFrontierPerRank + 16);
  EXPECT_GT(left.counted.nodes, 1);
  EXPECT_EQ(right.counted, TreeCounts{});
}

TEST(Divide, OfMoreRanksThanTheTreeIsWideEnds) {
  const PrinsTree tree = parse_prins_tree(kSmallTree);
  const Uts uts{tree};
  const auto [left, right] = uts.divide(whole_tree(tree), Share{.left = 500, .total = 1000});
  EXPECT_EQ(uts.combine(uts.sequential(left), uts.sequential(right)), count_by_levels(tree));
}

TEST(Uts, StopsATreeThatDoesNotEnd) {
  const PrinsTree tree = parse_prins_tree("prins:n=10,q=0.5,m=4");
  EXPECT_FALSE(tree.surely_ends());
  EXPECT_THROW(Uts({.tree = tree, .max_nodes = 1000}).sequential(whole_tree(tree)), Error);
  EXPECT_TRUE(parse_prins_tree("prins:T3").surely_ends());
}

TEST(PrinsTree, HasAnExactThreshold) {
  const auto threshold = [](const std::string& q) {
    return parse_prins_tree("prins:n=1,m=1,q=" + q).interior_below;
  };
  EXPECT_EQ(threshold("0"), 0U);
  EXPECT_EQ(threshold("1"), std::uint64_t{1} << 32);
  EXPECT_EQ(threshold("0.234375"), 1006632960U);  // 15/64 of 2^32: exact, so not rounded up
  EXPECT_EQ(threshold("0.124999"), 536866618U);   // 536866617.03... rounded up
}

TEST(PrinsTree, TakesRootsOfUpTo160Bits) {
  const auto root = [](const std::string& r) {
    return parse_prins_tree("prins:n=1,q=0,m=1,r=" + r).root_id;
  };
  EXPECT_EQ(root("0x101"), (NodeId{0, 0, 0, 0, 0x101}));
  EXPECT_EQ(root("257"), root("0x101"));
  EXPECT_EQ(root("18446744073709551615"), (NodeId{0, 0, 0, 0xffffffff, 0xffffffff}));
  EXPECT_EQ(root("0x0123456789abcdef0123456789abcdef01234567"),
            (NodeId{0x01234567, 0x89abcdef, 0x01234567, 0x89abcdef, 0x01234567}));
}

TEST(PrinsTree, ThatIsNoneIsRefused) {
  for (const char* text :
       {"", "T1", "prins:", "prins:T4", "prins:n=1,q=0.1", "prins:n=1,q=0.1,m=4,x=2",
        "prins:n=1,n=2,q=0.1,m=4", "prins:n=0,q=0.1,m=4", "prins:n=1,q=1.5,m=4",
        "prins:n=1,q=nan,m=4", "prins:n=1,q=,m=4", "prins:n=1,q=0.1,m=257", "prins:n=-1,q=0.1,m=4",
        "prins:n=1e9,q=0.1,m=4", "prins:r=0x,n=1,q=0.1,m=4", "prins:r=0x-1,n=1,q=0.1,m=4",
        "prins:r=0x00000000000000000000000000000000000000000,n=1,q=0.1,m=4",
        "prins:n=1,,q=0.1,m=4"}) {
    EXPECT_THROW(parse_prins_tree(text), UsageError) << text;
  }
}

}  // namespace
}  // namespace cleave
