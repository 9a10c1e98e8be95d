// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cleave/trace/probe.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

TEST(Probe, IsAComputationThatNoCompilerLeavesOut) {
  // 125,000 steps of eight operations on one core: more than 10 us on any, less than a second.
  const std::int64_t ns = probe_ns();
  EXPECT_GT(ns, 10'000);
  EXPECT_LT(ns, 1'000'000'000);
}

}  // namespace
}  // namespace cleave
