// SPDX-License-Identifier: Apache-2.0
// Whatever traces are given, a model is fitted and predicts, or a sentence refuses something.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include <cleave/error.hpp>

#include "models/theory/fit.hpp"
#include "models/theory/prediction.hpp"
#include "tests/models/synthetic_runs.hpp"
#include "tests/support/number_of.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

constexpr std::int64_t kHuge = std::int64_t{1} << 60;

/// Traces of one application on 1 to 8 ranks, on one host or several: of 0 and 1 elements, of huge
/// sizes, without some block. Some take no time or a year, or have one repetition.
std::vector<Trace> pool() {
  constexpr int kForms = 10;
  std::vector<Trace> traces;
  std::mt19937 random(1);
  for (const int ranks : {1, 2, 4, 8}) {
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2},
                                 std::int64_t{1000}, std::int64_t{3} << 20, kHuge}) {
      for (int form = 0; form < kForms; ++form) {
        SyntheticApp app{.noise = form == 1 ? 0.3 : 0.01,
                         .seed = static_cast<unsigned>(traces.size()) + 1};
        if (n == kHuge || form == 2) {
          app.divide = app.combine =
              app.sequential = [form](const NamedSizes&) { return form == 2 ? 0.0 : 1.0; };
          app.gap_s_per_byte = 1e-12;  // or a huge message would take years
        }
        if (form == 3) {
          app.sequential = [](const NamedSizes&) { return 3e7; };
        }
        Trace trace = synthetic_trace(app, ranks, {{"N", n}}, form == 4 ? 1 : 3);
        const auto without = static_cast<Block>(random() % 4);
        std::erase_if(trace.spans, [&](const auto& entry) {
          return form == 8 || (form == 5 && entry.span.block == without);
        });
        if (form == 6 || form == 7) {
          trace.run.ranks_per_host = form == 7 ? 1 : std::numeric_limits<int>::max();
        }
        if (form == 9) {
          trace.run.peak_memory_bytes = kHuge;
          make_slower(trace, 1 + static_cast<double>(random() % 3));
        }
        traces.push_back(std::move(trace));
      }
    }
  }
  return traces;
}

void expect_sensible(const std::vector<Trace>& traces, std::mt19937& random) {
  const FitOptions options{.forms = random() % 4 == 0 ? Forms::paper : Forms::automatic};
  std::optional<Model> model;
  const auto or_refused = [](const auto& action) {
    try {
      action();
    } catch (const Error& e) {
      EXPECT_STRNE(e.what(), "");
    }
  };
  or_refused([&] { model = fit_model(collect_measurements(traces), std::nullopt, options, {}); });
  for (const int ranks : {1, 2, 7, 64}) {
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{1} << 22, kHuge}) {
      or_refused([&] {
        if (model) {
          const Prediction p = predict(*model, ranks, {{"N", n}});
          const bool is_sensible = std::isfinite(p.seconds) && p.seconds > 0 &&
                                   p.run_low <= p.low && p.low <= p.seconds &&
                                   p.seconds <= p.high && p.high <= p.run_high;
          EXPECT_TRUE(is_sensible) << p.seconds;
        }
      });
    }
  }
}

/// CLEAVE_DRAWS=2000 for a longer look.
TEST(Robustness, AnySetOfTracesIsFittedOrRefused) {
  const int draws = static_cast<int>(testing::number_of("CLEAVE_DRAWS", 150));
  const std::vector<Trace> all = pool();
  std::mt19937 random(5);
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<Trace> traces;
    for (std::size_t count = 1 + random() % 40; traces.size() < count;) {
      traces.push_back(all[random() % all.size()]);
    }
    expect_sensible(traces, random);
  }
}

}  // namespace
}  // namespace cleave::models
