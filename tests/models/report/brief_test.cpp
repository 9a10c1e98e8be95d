// SPDX-License-Identifier: Apache-2.0
#include "models/report/brief.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace cleave::models {
namespace {

/// Of a report without runs and answers, which is its verdict and the head of a table.
std::string verdict_of(Verdict verdict) {
  Report report;
  report.model.app = "components";
  report.verdict = std::move(verdict);
  const std::string brief = to_brief(report);
  return brief.substr(0, brief.find("  sizes  workers"));
}

TEST(Brief, SaysAVerdictInTwoLines) {
  const std::string worst =
      "2 ranks, M=64K, N=64K measured 667.3 us, predicted 453.8 us (418.5 us to 492 us)";
  const std::string host = "others used 46 % of this host's cores meanwhile";
  const std::string advice =
      "The host was busy then (half of the repetitions took 12 % longer): measure again on an "
      "idle one, or more rounds (--rounds)";
  EXPECT_EQ(verdict_of({.trusted = false, .worst = worst, .advice = advice, .host = host}),
            "components: others used 46 % of this host's cores meanwhile; not trusted.\n"
            "  Measure again on an idle host\n");
  EXPECT_EQ(verdict_of({.trusted = false, .worst = worst, .advice = advice}),
            "components: not trusted. The host was busy then (half of the repetitions took 12\n"
            "  % longer): measure again on an idle one, or more rounds (--rounds)\n");
  EXPECT_EQ(verdict_of({.trusted = false, .worst = "one run", .advice = "Measure again"}),
            "components: not trusted: one run. Measure again\n");
  const std::string trusted = verdict_of({.trusted = true,
                                          .held_out = 6,
                                          .inside = 6,
                                          .median_error = 0.01,
                                          .host = host,
                                          .of_rehearsals = true});
  EXPECT_LE(std::ranges::count(trusted, '\n'), 2) << trusted;
  EXPECT_NE(trusted.find("; trusted: 6 of 6\n"), std::string::npos) << trusted;
}

}  // namespace
}  // namespace cleave::models
