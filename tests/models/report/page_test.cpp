// SPDX-License-Identifier: Apache-2.0
// What pages hold, without a browser; tests/page opens them in one.
#include "models/report/page/page.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "models/report/report.hpp"
#include "models/theory/fit.hpp"
#include "tests/models/synthetic_runs.hpp"

namespace cleave::models {
using namespace cleave::detail;
namespace {

std::string unpacked(const std::string& text) {
  std::string bytes;
  std::uint32_t group = 0;
  int digits = 0;
  for (const char c : text) {
    const std::string_view all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    group = group << 6 | static_cast<std::uint32_t>(c == '=' ? 0 : all.find(c));
    if (++digits % 4 == 0) {
      for (const int shift : {16, 8, 0}) {
        bytes += static_cast<char>(group >> shift & 255U);
      }
      group = 0;
    }
  }
  std::string result(1 << 20, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  inflateEnd(&stream);
  return result;
}

Report report_of(const SyntheticApp& app) {
  const std::vector<Trace> traces = synthetic_traces(app, {1, 2}, sort_sizes());
  const Measurements measurements = collect_measurements(traces);
  Report report =
      make_report(fit_model(measurements, std::nullopt, {}, {}), measurements, std::nullopt);
  report.origin.model = "a study";
  return report;
}

TEST(Packed, BytesOfAnyLengthComeBack) {
  for (const std::size_t length : {0, 1, 2, 3, 4, 5, 1000}) {
    std::string bytes;
    for (std::size_t i = 0; i < length; ++i) {
      bytes += static_cast<char>(i * 37);
    }
    EXPECT_EQ(unpacked(packed(bytes)), bytes) << length;
  }
}

TEST(Page, NamesAreTextOnly) {
  SyntheticApp app;
  app.name = "</script><img src=x onerror=alert(1)>";
  const std::string page = to_html(report_of(app));
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_NE(page.find("&lt;/script&gt;&lt;img"), std::string::npos);
}

TEST(Page, HasWhatItsControlsAndFiguresNeed) {
  const auto data = nlohmann::json::parse(data_json(report_of({})));
  const auto& controls = data.at("controls");
  EXPECT_EQ(controls.at("sizes")[0].at("name"), "N");
  EXPECT_EQ(controls.at("sizes")[0].at("start"), 32 << 20);
  EXPECT_EQ(controls.at("sizes")[0].at("minimum"), 1 << 20);
  EXPECT_EQ(controls.at("max_ranks"), 2);
  EXPECT_EQ(controls.at("model"), "a study");
  EXPECT_EQ(data.at("runs").size(), 12U);
  EXPECT_GE(data.at("residuals").size(), 12U);
  for (const auto& residual : data.at("residuals")) {
    EXPECT_LT(std::abs(residual.at("relative").get<double>()), 1e-2) << residual;
  }
  EXPECT_EQ(data.at("examples")[0].at("ranks"), 1);
}

}  // namespace
}  // namespace cleave::models
