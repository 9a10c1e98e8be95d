// SPDX-License-Identifier: Apache-2.0
// Rules of all predictions. Random laws are traced with random noise. The same runs are told in
// another unit of time, in another order, by other names, twice, or with more runs that agree.
//
// CLEAVE_RULES_SEED and CLEAVE_RULES_COUNT choose others, and more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "models/theory/fit.hpp"
#include "models/theory/prediction.hpp"
#include "tests/models/synthetic_runs.hpp"
#include "tests/support/number_of.hpp"

namespace cleave::models {
namespace {

struct Program {
  SyntheticApp app;
  std::vector<NamedSizes> sizes;
  std::vector<NamedSizes> more;  ///< between them

  std::vector<Trace> traces() const { return synthetic_traces(app, {1, 2}, sizes); }
};

Program drawn_program(unsigned seed) {
  std::mt19937 random(seed);
  const auto between = [&random](double low, double high) {  // evenly in the logarithm
    return low * std::pow(high / low, std::uniform_real_distribution<double>(0, 1)(random));
  };
  const auto cost = [&between](double power, int logs, double at_a_million) {
    const double start = between(1e-7, 1e-4);
    const double unit = at_a_million / (std::pow(1e6, power) * std::pow(20.0, logs));
    return [=](const NamedSizes& s) {
      const auto n = static_cast<double>(s.begin()->second);
      return start + unit * std::pow(n, power) * std::pow(std::log2(std::max(n, 2.0)), logs);
    };
  };
  constexpr std::pair<double, int> kForms[] = {{1, 0}, {1, 1}, {1.5, 0}, {2, 0}};
  const auto [power, logs] = kForms[random() % 4];
  Program program;
  program.app.divide = cost(1, 0, between(1e-4, 1e-2));
  program.app.combine = cost(1, 0, between(1e-4, 1e-2));
  program.app.sequential = cost(power, logs, between(1e-2, 1));
  program.app.latency_s = between(1e-7, 1e-5);
  program.app.gap_s_per_byte = between(1e-11, 1e-9);
  program.app.noise = between(0.003, 0.03);
  program.app.seed = seed + 1;
  const std::size_t count = 4 + random() % 3;
  for (std::size_t i = 0; i < count; ++i) {
    program.sizes.push_back({{"N", std::int64_t{1} << (17 + i)}});
    program.more.push_back({{"N", std::int64_t{3} << (16 + i)}});
  }
  return program;
}

/// On 1 and 2 ranks, at the greatest size that was run and four times beyond.
std::vector<Prediction> answers(const std::vector<Trace>& traces, const std::string& size = "N") {
  const Model model =
      fit_model(collect_measurements(traces), std::nullopt, FitOptions{}, Provenance{});
  std::int64_t greatest = 0;
  for (const Trace& trace : traces) {
    greatest = std::max(greatest, trace.repetitions.front().sizes.at(size));
  }
  std::vector<Prediction> all;
  for (const int ranks : {1, 2}) {
    for (const std::int64_t factor : {1, 4}) {
      all.push_back(predict(model, ranks, {{size, factor * greatest}}));
    }
  }
  return all;
}

double width(const Prediction& prediction) { return std::log(prediction.high / prediction.low); }

class Rules : public ::testing::Test {
 protected:
  /// Calls `rule` for each program.
  template <class Rule>
  static void hold(Rule&& rule) {
    const unsigned first = testing::number_of("CLEAVE_RULES_SEED", 1) * 100'000;
    for (unsigned i = 0; i < testing::number_of("CLEAVE_RULES_COUNT", 8); ++i) {
      SCOPED_TRACE("program " + std::to_string(i));
      rule(drawn_program(first + i));
    }
  }
  static void expect_same(const std::vector<Prediction>& some,
                          const std::vector<Prediction>& others, double factor = 1,
                          double tolerance = 0) {
    for (std::size_t i = 0; i < some.size(); ++i) {
      for (const auto field : {&Prediction::seconds, &Prediction::low, &Prediction::high,
                               &Prediction::run_low, &Prediction::run_high}) {
        EXPECT_NEAR(others[i].*field, factor * some[i].*field, tolerance * factor * some[i].*field)
            << some[i].ranks << " ranks";
      }
    }
  }
};

TEST_F(Rules, UnitsOfTimeTheOrderOfRunsAndNamesDoNotMatter) {
  hold([](const Program& program) {
    const auto once = answers(program.traces());
    std::vector<Trace> slower = program.traces();
    for (Trace& trace : slower) {
      make_slower(trace, 1000);
    }
    expect_same(once, answers(slower), 1000, 1e-9);
    std::vector<Trace> shuffled = program.traces();
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(program.app.seed));
    expect_same(once, answers(shuffled));
    Program renamed = program;
    renamed.app.name = "another";
    renamed.app.size_halved = renamed.app.size_moved = "extent";
    for (NamedSizes& sizes : renamed.sizes) {
      sizes = {{"extent", sizes.at("N")}};
    }
    expect_same(once, answers(renamed.traces(), "extent"));
  });
}

TEST_F(Rules, RunsThatAgreeDoNotWidenIntervalsAndGreaterProblemsTakeLonger) {
  hold([](const Program& program) {
    std::vector<Trace> twice = program.traces();
    for (Trace& trace : program.traces()) {
      trace.file = "again-" + trace.file.string();
      twice.push_back(std::move(trace));
    }
    Program greater = program;
    greater.sizes.insert(greater.sizes.end(), program.more.begin(), std::prev(program.more.end()));
    const auto once = answers(program.traces());
    const auto both = answers(twice);
    const auto many = answers(greater.traces());
    for (std::size_t i = 0; i < once.size(); ++i) {
      SCOPED_TRACE(std::to_string(once[i].ranks) + " ranks");
      EXPECT_LE(width(both[i]), 1.1 * width(once[i]));
      EXPECT_LE(width(many[i]), 1.1 * width(once[i]));
      EXPECT_GE(both[i].seconds, once[i].low);
      EXPECT_LE(both[i].seconds, once[i].high);
      EXPECT_TRUE(i % 2 == 0 || once[i].seconds > once[i - 1].seconds);
    }
  });
}

}  // namespace
}  // namespace cleave::models
