// SPDX-License-Identifier: Apache-2.0
#include "calibration/machine_text.hpp"

#include <gtest/gtest.h>

namespace cleave::calibration {
namespace {

TEST(MachineText, LeavesOutWhatALineHasBelowZero) {
  const detail::Machine machine = {
      .exchange = {{.ranks = 2,
                    .worst_latency_s = -5e-6,
                    .worst_gap_s_per_byte = 1e-9,
                    .segments = {{.from_bytes = 0, .latency_s = 2e-6, .gap_s_per_byte = 3e-10},
                                 {.from_bytes = 4096, .latency_s = -7e-7, .gap_s_per_byte = 4e-10}},
                    .samples = {{.message_bytes = 8, .stable = true, .seconds = {4e-6}}}}}};
  const std::string text = text_of(machine);
  EXPECT_NE(text.find(" 0       2 us       0.3 ns     1.2 ns\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" 4096                  0.4 ns     1.6 ns\n"), std::string::npos) << text;
  EXPECT_EQ(text.find('-'), std::string::npos) << text;
}

}  // namespace
}  // namespace cleave::calibration
