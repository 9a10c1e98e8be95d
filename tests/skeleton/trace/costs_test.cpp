// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cleave/costs.hpp>
#include <cleave/error.hpp>
#include <cleave/host/provenance_here.hpp>
#include <cleave/trace/trace_file.hpp>

#include "tests/support/temporary_folder.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

TEST(Curve, IsAStraightLineOverTheLogarithmOfTheRatio) {
  const Curve curve{
      .name = "c", .size = "M", .per = "N", .ratios = {1, 4, 16}, .values = {0, 2, 3}};
  EXPECT_DOUBLE_EQ(curve(1), 0);
  EXPECT_DOUBLE_EQ(curve(2), 1);
  EXPECT_DOUBLE_EQ(curve(8), 2.5);
  EXPECT_DOUBLE_EQ(curve(16), 3);
  EXPECT_DOUBLE_EQ(curve(0.01), 0) << "as at the end";
  EXPECT_DOUBLE_EQ(curve(1e9), 3);
}

TEST(Curve, IsSampledEightTimesADoubling) {
  const Curve curve = Curve::sampled("c", "M", "N", -2, 3, [](double x) { return x * x; });
  EXPECT_EQ(curve.ratios.size(), 41U);
  EXPECT_DOUBLE_EQ(curve.ratios.front(), 0.25);
  EXPECT_DOUBLE_EQ(curve.ratios.back(), 8);
  EXPECT_NEAR(curve(3.3), 3.3 * 3.3, 0.03);
}

RunInformation run_with(const Costs& costs) {
  return {.app = "test",
          .type = "hypercube",
          .placement = "replicated",
          .costs = costs,
          .clock_offset_ns = {0},
          .provenance = provenance_here("test", "", "none")};
}

TEST(Costs, ATraceKeepsThem) {
  const testing::TemporaryFolder folder;
  const Costs costs{
      .curves = {{.name = "c", .size = "M", .per = "N", .ratios = {1, 4}, .values = {0, 2}}},
      .terms = {{"sequential", {"N", "N*c(M/N)"}}}};
  TraceWriter writer(folder / "x.trace.jsonl", run_with(costs));
  writer.commit();
  const Costs read = read_trace(folder / "x.trace.jsonl").run.costs;
  ASSERT_EQ(read.curves.size(), 1U);
  EXPECT_EQ(read.curves[0].name, "c");
  EXPECT_EQ(read.curves[0].size, "M");
  EXPECT_EQ(read.curves[0].per, "N");
  EXPECT_EQ(read.curves[0].ratios, costs.curves[0].ratios);
  EXPECT_EQ(read.curves[0].values, costs.curves[0].values);
  EXPECT_EQ(read.terms, costs.terms);
}

TEST(Costs, ACurveThatIsNoneIsRefusedByItsField) {
  const testing::TemporaryFolder folder;
  const auto refusal_of = [&](std::vector<double> ratios, std::vector<double> values) {
    const Costs costs{.curves = {{.name = "c",
                                  .size = "M",
                                  .per = "N",
                                  .ratios = std::move(ratios),
                                  .values = std::move(values)}}};
    TraceWriter writer(folder / "x.trace.jsonl", run_with(costs));
    writer.commit();
    try {
      read_trace(folder / "x.trace.jsonl");
      return std::string("read");
    } catch (const FileError& e) {
      return std::string(e.what());
    }
  };
  EXPECT_NE(refusal_of({1, 1}, {0, 2}).find("'ratios'"), std::string::npos);
  EXPECT_NE(refusal_of({1}, {0}).find("'ratios'"), std::string::npos);
  EXPECT_NE(refusal_of({0, 1}, {0, 2}).find("'ratios'"), std::string::npos);
  EXPECT_NE(refusal_of({1, 2}, {0}).find("'values"), std::string::npos);
  EXPECT_NE(refusal_of({1, 2}, {0, -1}).find("'values"), std::string::npos);
}

}  // namespace
}  // namespace cleave
