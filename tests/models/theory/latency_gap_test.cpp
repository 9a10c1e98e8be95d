// SPDX-License-Identifier: Apache-2.0
#include "models/theory/latency_gap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include <cleave/error.hpp>

#include "models/theory/network.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

/// Eager up to 8 KiB, rendezvous beyond: another latency and another gap.
double exchange_seconds(double bytes) {
  return bytes <= 8192 ? 2 * (1e-6 + bytes * 1e-9) : 2 * (2e-5 + bytes * 2e-10);
}

std::vector<MessagePoint> points() {
  std::vector<MessagePoint> points;
  for (double bytes = 8; bytes <= 1 << 24; bytes *= 2) {
    points.push_back({bytes, exchange_seconds(bytes)});
  }
  return points;
}

TEST(LatencyGap, HasAPieceForEachProtocol) {
  const std::vector<MessageSegment> segments = fit_message_segments(points());
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments[0].from_bytes, 0);
  EXPECT_GT(segments[1].from_bytes, 8192);
  EXPECT_LT(segments[1].from_bytes, 16384);
  EXPECT_NEAR(segments[0].latency_s, 1e-6, 1e-12);
  EXPECT_NEAR(segments[1].latency_s, 2e-5, 1e-10);
  EXPECT_NEAR(segments[1].gap_s_per_byte, 2e-10, 1e-15);
}

/// Traces of many ranks have thousands of exchanges, of sizes that are never quite the same.
TEST(LatencyGap, HasThePiecesOfManyMeasurementsToo) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> spread(-1, 1);
  std::vector<MessagePoint> many;
  for (int i = 0; i < 20000; ++i) {
    const double bytes =
        std::round(8 * std::exp2(21 * (i % 1000) / 1000.0) * (1 + spread(random) / 200));
    many.push_back({bytes, exchange_seconds(bytes) * (1 + spread(random) / 100)});
  }
  const std::vector<MessageSegment> segments = fit_message_segments(many);
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_GT(segments[1].from_bytes, 8192 / 1.5);
  EXPECT_LT(segments[1].from_bytes, 8192 * 1.5);
  EXPECT_NEAR(segments[0].gap_s_per_byte, 1e-9, 3e-11);
  EXPECT_NEAR(segments[1].latency_s, 2e-5, 6e-7);
  EXPECT_NEAR(segments[1].gap_s_per_byte, 2e-10, 6e-12);
}

TEST(LatencyGap, IsOnePieceOfFewSizes) {
  const std::vector<MessagePoint> few = {{8, 2e-6}, {1024, 3e-6}, {65536, 4e-5}};
  EXPECT_EQ(fit_message_segments(few).size(), 1U);
  EXPECT_THROW(fit_message_segments({{8, 1e-6}}), Error);
}

TEST(LatencyGap, MediansAreNotMovedByDisturbedRepetitionsButTheWorstCaseIs) {
  Communication pattern{.ranks = 2};
  for (const MessagePoint& p : points()) {
    pattern.samples.push_back({.message_bytes = static_cast<std::int64_t>(p.message_bytes),
                               .stable = true,
                               .seconds = {p.seconds, p.seconds, 10 * p.seconds}});
  }
  fit_communication(pattern);
  for (const MessagePoint& p : points()) {
    EXPECT_NEAR(2 * pattern.unit_seconds(p.message_bytes), p.seconds, 0.02 * p.seconds);
  }
  EXPECT_GT(pattern.worst_gap_s_per_byte, 5 * pattern.gap_s_per_byte);
}

TEST(LatencyGap, EntriesInsideAHostDoNotStandForThoseBetweenHosts) {
  const Network network = {
      .source = "test",
      .exchange = {{.ranks = 4, .level = 0, .between_hosts = true, .latency_s = 5e-5},
                   {.ranks = 4, .level = 1, .between_hosts = false, .latency_s = 1e-6}}};
  EXPECT_EQ(entry_for(network, 16, 1, true).entry.latency_s, 5e-5);
  EXPECT_EQ(entry_for(network, 16, 0, false).entry.latency_s, 1e-6);
  EXPECT_EQ(entry_for(network, 4, 1, false).entry.latency_s, 1e-6);
  EXPECT_EQ(entry_for(network, 16, 0, false).remark, "l and g are those of 4 ranks");
}

TEST(Network, BetweenHostsIsRefusedWhereNobodyMeasuredIt) {
  const Network network = {.source = "test", .exchange = {{.ranks = 2, .latency_s = 1e-6}}};
  try {
    entry_for(network, 4, 0, true);
    FAIL();
  } catch (const Error& e) {
    const std::string said = e.what();
    EXPECT_NE(said.find("cleave-calibrate"), std::string::npos) << said;
    EXPECT_NE(said.find("--assume-network ethernet-1g"), std::string::npos) << said;
  }
  Network by_hand = network;
  by_hand.tells_hosts_apart = false;
  EXPECT_EQ(entry_for(by_hand, 4, 0, true).entry.latency_s, 1e-6);
}

TEST(Network, AnAssumedOneIsARange) {
  const Network network =
      with_assumed({.source = "test", .exchange = {{.ranks = 2}}}, "ethernet-10g");
  EXPECT_EQ(network.assumed, "ethernet-10g");
  const Communication entry = entry_for(network, 64, 0, true).entry;
  const AssumableNetwork& ethernet = *std::ranges::find(
      assumable_networks(), std::string_view("ethernet-10g"), &AssumableNetwork::name);
  const Communication best = entry_for(assumed_at(network, 0), 64, 0, true).entry;
  const Communication worst = entry_for(assumed_at(network, 1), 64, 0, true).entry;
  EXPECT_NEAR(2 * best.latency_s, ethernet.least_latency_s, 1e-12);
  EXPECT_NEAR(2 * worst.latency_s, ethernet.most_latency_s, 1e-12);
  EXPECT_NEAR(2 * worst.gap_s_per_byte * ethernet.least_bytes_per_s, 1, 1e-9);
  EXPECT_NEAR(2 * best.gap_s_per_byte * ethernet.most_bytes_per_s, 1, 1e-9);
  EXPECT_EQ(entry_for(assumed_at(network, 0.5), 64, 0, true).entry.latency_s, entry.latency_s);
  EXPECT_THROW(with_assumed(network, "ethernet"), UsageError);
}

}  // namespace
}  // namespace cleave::models
