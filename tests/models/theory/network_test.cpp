// SPDX-License-Identifier: Apache-2.0
#include "models/theory/network.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <cleave/error.hpp>

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

TEST(LatencyGap, SegmentsMeetEveryMedianAlsoWhereTimesFall) {
  Communication pattern{.ranks = 2};
  const std::vector<MessagePoint> measured = {{8, 2e-6}, {1024, 5e-6}, {2048, 4e-6}, {4096, 8e-6}};
  for (const auto& [bytes, seconds] : measured) {
    pattern.samples.push_back({static_cast<std::int64_t>(bytes), true, {seconds}});
  }
  fit_communication(pattern);
  for (const auto& [bytes, seconds] : measured) {
    EXPECT_NEAR(2 * pattern.unit_seconds(bytes), seconds, 1e-15) << bytes;
  }
  EXPECT_NEAR(2 * pattern.unit_seconds(3072), 6e-6, 1e-15);
  EXPECT_NEAR(2 * pattern.unit_seconds(6144), 12e-6, 1e-15) << "as the last two";
  EXPECT_NEAR(2 * pattern.unit_seconds(2047), 5e-6, 1e-15) << "g is not below 0";
}

TEST(LatencyGap, IsRefusedOfFewSizes) {
  for (const std::vector<MessagePoint>& none : {std::vector<MessagePoint>{}, {{8, 1e-6}}}) {
    Communication entry;
    EXPECT_THROW(fit_latency_gap(entry, none), Error);
  }
}

TEST(LatencyGap, MediansAreNotMovedByDisturbedRepetitions) {
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
}

TEST(LatencyGap, EntriesInsideAHostDoNotStandForThoseBetweenHosts) {
  const Network network = {
      .source = "test",
      .exchange = {{.ranks = 4, .level = 0, .between_hosts = true, .latency_s = 5e-5},
                   {.ranks = 4, .level = 1, .between_hosts = false, .latency_s = 1e-6}}};
  EXPECT_EQ(entry_for(network, 16, 1, true).latency_s, 5e-5);
  EXPECT_EQ(entry_for(network, 16, 0, false).latency_s, 1e-6);
  EXPECT_EQ(entry_for(network, 4, 1, false).latency_s, 1e-6);
}

TEST(Network, BetweenHostsIsRefusedWhereNobodyMeasuredIt) {
  const Network network = {.source = "test", .exchange = {{.ranks = 2, .latency_s = 1e-6}}};
  try {
    entry_for(network, 4, 0, true);
    FAIL();
  } catch (const Error& e) {
    const std::string said = e.what();
    EXPECT_NE(said.find("give a --machine"), std::string::npos) << said;
  }
  Network by_hand = network;
  by_hand.tells_hosts_apart = false;
  EXPECT_EQ(entry_for(by_hand, 4, 0, true).latency_s, 1e-6);
}

TEST(LatencyGap, OfExactLinesAreTheirs) {
  Communication entry;
  for (const auto& [l, g] : {std::pair(1e-6, 1e-9), std::pair(0.0, 1e-9), std::pair(2e-5, 0.0)}) {
    std::vector<MessagePoint> line;
    for (double bytes = 8; bytes <= 1 << 20; bytes *= 4) {
      line.push_back({bytes, 2 * (l + bytes * g)});
    }
    fit_latency_gap(entry, line);
    EXPECT_NEAR(entry.latency_s, l, 1e-13);
    EXPECT_NEAR(entry.gap_s_per_byte, g, 1e-16);
    EXPECT_LT(entry.latency_error_s, 1e-12);
  }
}

TEST(LatencyGap, HasTheErrorsOfTheTextbook) {
  const std::vector<MessagePoint> points = {{0, 1}, {1, 1}, {2, 1}, {3, 1.1}};
  Communication entry;
  fit_latency_gap(entry, points);
  double weights = 0, mean = 0, xx = 0, left = 0;
  for (const MessagePoint& p : points) {
    weights += std::pow(p.seconds, -2);
    mean += std::pow(p.seconds, -2) * p.message_bytes;
    left += std::pow((2 * entry.unit_seconds(p.message_bytes) - p.seconds) / p.seconds, 2) / 2;
  }
  for (const MessagePoint& p : points) {
    xx += std::pow(p.seconds, -2) * std::pow(p.message_bytes - mean / weights, 2);
  }
  EXPECT_NEAR(2 * entry.gap_error_s_per_byte, std::sqrt(left / xx), 1e-12);
  EXPECT_NEAR(2 * entry.latency_error_s,
              std::sqrt(left * (1 / weights + std::pow(mean / weights, 2) / xx)), 1e-12);
}

TEST(Network, APresetHasAnErrorAndLeavesTheHostAsItIs) {
  const Network network =
      with_machine({.source = "test", .exchange = {{.ranks = 2, .latency_s = 1}}},
                   preset_machine("ethernet-10g"));
  EXPECT_EQ(network.assumed(), "ethernet-10g");
  EXPECT_EQ(entry_for(network, 2, 0, false).latency_s, 1);
  const Communication& entry = entry_for(network, 64, 0, true);
  EXPECT_NEAR(2 * entry.latency_s, std::sqrt(10e-6 * 50e-6), 1e-12);
  EXPECT_NEAR(half_width_of(entry, 0), std::log(50.0 / 10) / 2, 1e-12);
  EXPECT_NEAR(half_width_of(entry, 1e12), std::log(1.18 / 0.47) / 2, 1e-6);
  EXPECT_FALSE(is_preset("ethernet"));
  const Network other = with_machine(
      network, {.name = "x", .exchange = {{.ranks = 4, .latency_s = 2}}, .provenance = {}});
  EXPECT_EQ(other.assumed(), "");
  EXPECT_EQ(other.exchange.size(), 1U) << "a machine stands for all";
}

}  // namespace
}  // namespace cleave::models
