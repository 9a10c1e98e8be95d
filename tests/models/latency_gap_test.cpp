// SPDX-License-Identifier: Apache-2.0
#include "models/network/latency_gap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <cleave/error.hpp>

#include "models/network/network.hpp"

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

/// One rank of two that waits for a header and then exchanges `bytes`.
std::vector<Sample> header_and_exchange(int rank, double bytes, double header_s,
                                        double exchange_s) {
  Sample sample{.block = Block::wait,
                .ranks = 2,
                .run_sizes = {{"N", static_cast<std::int64_t>(bytes)}},
                .rank = rank,
                .group = 2,
                .bytes = kHeaderBytes,
                .seconds = {header_s}};
  std::vector<Sample> both = {sample};
  sample.block = Block::exchange;
  sample.bytes = bytes;
  sample.seconds = {exchange_s};
  both.push_back(sample);
  return both;
}

// A bucket that has filled up lets a header pass at once, and payloads at its rate.
TEST(LatencyGap, HeadersDoNotTiltTheLineOfPayloads) {
  const auto payload_s = [](double bytes) { return 2 * (1e-4 + bytes * 1e-6); };
  std::vector<Sample> samples;
  for (double bytes = 4096; bytes <= 1 << 20; bytes *= 4) {
    for (const int rank : {0, 1}) {
      for (Sample& sample : header_and_exchange(rank, bytes, 4e-5, payload_s(bytes))) {
        samples.push_back(std::move(sample));
      }
    }
  }
  const LatencyGaps gaps = latency_gaps_of(samples, "replicated");
  ASSERT_EQ(gaps.exchange.size(), 1U);
  const Communication& fitted = gaps.exchange[0];
  EXPECT_NEAR(2 * fitted.unit_seconds(kHeaderBytes), 4e-5, 1e-6);
  for (double bytes = 4096; bytes <= 1 << 22; bytes *= 3) {
    EXPECT_NEAR(2 * fitted.unit_seconds(bytes), payload_s(bytes), 1e-6 * payload_s(bytes)) << bytes;
  }
}

TEST(LatencyGap, EntriesInsideAHostDoNotStandForThoseBetweenHosts) {
  const LatencyGaps gaps = {
      .source = "test",
      .alltoallv = {},
      .exchange = {{.ranks = 4, .level = 0, .between_hosts = true, .latency_s = 5e-5},
                   {.ranks = 4, .level = 1, .between_hosts = false, .latency_s = 1e-6}}};
  EXPECT_EQ(choose_latency_gap(gaps, 16, 1, true).entry.latency_s, 5e-5);
  EXPECT_EQ(choose_latency_gap(gaps, 16, 0, false).entry.latency_s, 1e-6);
  EXPECT_EQ(choose_latency_gap(gaps, 4, 1).entry.latency_s, 1e-6);
}

}  // namespace
}  // namespace cleave::models
