#include "skeleton/trace/yardstick.hpp"

#include <gtest/gtest.h>

namespace cleave {
namespace {

TEST(Yardstick, IsAComputationThatNoCompilerLeavesOut) {
  // 125,000 steps of eight operations on one core: more than 10 us on any, less than a second.
  const std::int64_t ns = yardstick_ns();
  EXPECT_GT(ns, 10'000);
  EXPECT_LT(ns, 1'000'000'000);
}

}  // namespace
}  // namespace cleave
