// SPDX-License-Identifier: Apache-2.0
// What the one fit is worth. Counted are predictions within 5, 10 and 20 % of the truth, and the
// intervals that hold it.
//
// extra_p: functions as Extra-P's generator makes them (github.com/extra-p/extrap). A function is
// c_0 and a sum or product of c_i x_i^p log2^q x_i. There are 2 or 3 parameters at 5 values each,
// and four repetitions with uniform noise of 1 to 10 %. Predicted is the next value of each.
// shared_work: T(N) or T(N) K by the number of ranks, and a term that does not fall with them, on
// 1 to 16 ranks. Predicted are 64 ranks at twice the largest N.
//
//   fit_referee [BENCHMARK OPTION...]
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>

#include "models/theory/fit.hpp"
#include "models/theory/samples.hpp"

namespace cleave {

using namespace cleave::detail;
using namespace models;
namespace {

/// A table to learn from, and what is to be predicted.
struct Task {
  std::vector<RunPoint> rows;
  NamedValues target;
  double truth = 0;  ///< a median
  double mean = 0;   ///< the truth of a tool that fits means
};

double uniform(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

template <class Values>
auto one_of(std::mt19937_64& random, const Values& values) {
  return values[std::uniform_int_distribution<std::size_t>(0, std::size(values) - 1)(random)];
}

RunPoint row_of(const NamedValues& sizes, std::vector<double> seconds) {
  RunPoint row{.seconds = {median(seconds)}};
  row.wall_seconds = std::move(seconds);
  for (const auto& [name, size] : sizes) {
    const auto value = static_cast<std::int64_t>(size);
    if (name == kRanksSize) {
      row.ranks = static_cast<int>(value);
    } else {
      row.sizes[name] = value;
    }
  }
  return row;
}

/// c_0 and a term c x^p log2(x)^q of each parameter, added or multiplied.
struct ExtraPFunction {
  bool adds = true;
  double constant = 0;
  std::vector<std::array<double, 3>> terms;  ///< c, p, q

  double term(std::size_t i, double x) const {
    const auto& [c, p, q] = terms[i];
    return c * std::pow(x, p) * std::pow(std::log2(x), q);
  }
  double operator()(const std::vector<double>& x) const {
    double value = adds ? 0 : 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
      value = adds ? value + term(i, x[i]) : value * term(i, x[i]);
    }
    return constant + value;
  }
};

constexpr std::array<std::array<double, 5>, 3> kValues = {
    {{4, 8, 16, 32, 64}, {10, 20, 30, 40, 50}, {1000, 2000, 3000, 4000, 5000}}};
constexpr std::array<double, 3> kNext = {128, 60, 6000};

/// One in which every parameter matters.
ExtraPFunction extra_p_function(std::size_t parameters, std::mt19937_64& random) {
  constexpr std::array kPowers = {0.0,     1.0 / 4, 1.0 / 3, 1.0 / 2,  1.0,     2.0 / 3, 3.0 / 4,
                                  4.0 / 5, 5.0 / 4, 4.0 / 3, 3.0 / 2,  5.0 / 3, 7.0 / 4, 9.0 / 4,
                                  7.0 / 3, 5.0 / 2, 8.0 / 3, 11.0 / 4, 2.0,     3.0};
  constexpr std::array kLogarithms = {0.0, 1.0, 2.0};
  constexpr double kMatters = 0.01;
  while (true) {
    ExtraPFunction f{.adds = uniform(random, 0, 1) < 0.5, .constant = uniform(random, 0, 1000)};
    for (std::size_t i = 0; i < parameters; ++i) {
      f.terms.push_back(
          {uniform(random, 0, 1000), one_of(random, kPowers), one_of(random, kLogarithms)});
    }
    const auto matters = [&](std::size_t i, std::size_t place) {
      std::vector<double> x;
      for (std::size_t of = 0; of < parameters; ++of) {
        x.push_back(kValues[of][place]);
      }
      std::vector<double> more = x;
      more[i] *= 1.0001;
      return kMatters <=
             (f.adds ? f.term(i, x[i]) / f(x) : (f(more) - f(x)) / (x[i] * 1e-4) / f(x));
    };
    if (std::ranges::all_of(std::views::iota(std::size_t{0}, parameters),
                            [&](std::size_t i) { return matters(i, 0) && matters(i, 4); })) {
      return f;
    }
  }
}

/// `count` times what `repeat` draws.
template <class Repeat>
std::vector<double> drawn(int count, Repeat repeat) {
  std::vector<double> all(static_cast<std::size_t>(count));
  std::ranges::generate(all, repeat);
  return all;
}

Task extra_p_task(std::size_t parameters, double noise, std::mt19937_64& random) {
  constexpr std::array kNames = {"a", "b", "c"};
  const ExtraPFunction f = extra_p_function(parameters, random);
  const auto repetitions = [&](double seconds) {
    return drawn(4, [&] { return seconds * (1 + uniform(random, -noise, noise)); });
  };
  Task task;
  std::size_t rows = 1;
  for (std::size_t i = 0; i < parameters; ++i, rows *= 5) {
    task.target[kNames[i]] = kNext[i];
  }
  task.mean = f({kNext.begin(), kNext.begin() + parameters});
  task.truth = task.mean * median(drawn(101, [&] { return median(repetitions(1)); }));
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<double> x;
    NamedValues sizes;
    for (std::size_t i = 0, rest = row; i < parameters; ++i, rest /= 5) {
      x.push_back(kValues[i][rest % 5]);
      sizes[kNames[i]] = x.back();
    }
    task.rows.push_back(row_of(sizes, repetitions(f(x))));
  }
  return task;
}

/// Seconds of N, K and a number of ranks: work of N, perhaps times K, that ranks share; what grows
/// with them, or does not fall; perhaps a constant.
using SharedWork = std::function<double(double, double, double)>;

SharedWork shared_work(bool has_k, std::mt19937_64& random) {
  using Beside = double (*)(double n, double k, double ranks);
  constexpr std::array<Beside, 5> kBeside = {
      [](double, double, double ranks) { return 0.02 * ranks; },
      [](double, double, double ranks) { return 0.1 * std::log2(ranks); },
      [](double n, double, double) { return 0.05 * n; },
      [](double n, double, double ranks) { return 0.02 * n * std::log2(ranks); },
      [](double, double k, double ranks) { return 0.1 * k * std::log2(ranks); }};
  const double power = one_of(random, std::array{0.5, 1.0, 1.0, 1.0, 1.5, 2.0});
  const double logarithms = one_of(random, std::array{0.0, 0.0, 1.0});
  Beside beside = one_of(random, std::span(kBeside).first(3));
  const double weight = one_of(random, std::array{0.3, 1.0, 2.0});
  const double constant = one_of(random, std::array{0.0, 0.05});
  const bool is_by_k = has_k && uniform(random, 0, 1) < 0.5;
  beside = has_k ? one_of(random, kBeside) : beside;
  return [=](double n, double k, double ranks) {
    const double work = std::pow(n / 1e5, power) * std::pow(std::log2(n) / 17, logarithms);
    return (is_by_k ? k / 16 : 1) * work / ranks + weight * beside(n / 1e5, k / 16, ranks) +
           constant;
  };
}

/// Tables of up to 16 ranks; asked about are 64, and twice the largest N.
Task shared_work_task(bool has_k, double deviation, std::mt19937_64& random) {
  const SharedWork f = shared_work(has_k, random);
  std::normal_distribution<double> normal(0, deviation);
  const auto repetitions = [&](double seconds) {
    return drawn(3, [&] { return seconds * (1 + std::abs(normal(random))); });
  };
  Task task{.target = {{"N", 16e5}, {kRanksSize, 64}}};
  if (has_k) {
    task.target["K"] = 64;
  }
  task.truth = f(16e5, 64, 64) * median(drawn(101, [&] { return median(repetitions(1)); }));
  for (double n = 1e5; n <= 8e5; n *= 2) {
    for (const double k : has_k ? std::vector<double>{4, 16, 64} : std::vector<double>{64}) {
      for (const double ranks : {1, 2, 4, 8, 16}) {
        NamedValues sizes = {{"N", n}, {kRanksSize, ranks}};
        if (has_k) {
          sizes["K"] = k;
        }
        task.rows.push_back(row_of(sizes, repetitions(f(n, k, ranks))));
      }
    }
  }
  return task;
}

/// How many tasks are drawn from each seed, and from how many: 1, 2, ...
struct Draws {
  int tasks = 20;
  int seeds = 1;
};

template <class MakeTask, class Use>
void for_each_task(const Draws& draws, MakeTask make_task, Use use) {
  for (int seed = 1; seed <= draws.seeds; ++seed) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < draws.tasks; ++i) {
      use(make_task(random));
    }
  }
}

/// Fits and predicts tasks, and counts.
template <class MakeTask>
void judge_tasks(benchmark::State& state, const Draws& draws, MakeTask make_task) {
  std::array<int, 3> within = {};
  int holds = 0;
  int by_law = 0;
  std::vector<double> half_widths;
  for (auto _ : state) {
    for_each_task(draws, make_task, [&](const Task& task) {
      const TableModel table = fit_table(task.rows);
      const Estimate said = table.at(task.target);
      by_law += table.law ? 1 : 0;
      const double error = std::abs(said.median / task.truth - 1);
      for (std::size_t i = 0; i < within.size(); ++i) {
        within[i] += error <= 0.05 * (1 << i) ? 1 : 0;
      }
      holds += said.low <= task.truth && task.truth <= said.high ? 1 : 0;
      half_widths.push_back((said.high - said.low) / 2 / said.median);
    });
  }
  const auto part = [&](int of) {
    return static_cast<double>(of) / static_cast<double>(half_widths.size());
  };
  state.counters["tasks"] = static_cast<double>(half_widths.size());
  state.counters["within_5_percent"] = part(within[0]);
  state.counters["within_10_percent"] = part(within[1]);
  state.counters["within_20_percent"] = part(within[2]);
  state.counters["interval_holds"] = part(holds);
  state.counters["by_law"] = part(by_law);
  state.counters["median_half_width"] = median(std::move(half_widths));
}

/// FOLDER/NAME.jsonl: tasks as JSON Lines of Extra-P, each a call path 0, 1, ...;
/// FOLDER/NAME.truths.json: of each its target and the mean there.
template <class MakeTask>
void write_tasks(const std::filesystem::path& folder, const std::string& name, const Draws& draws,
                 MakeTask make_task) {
  std::string lines;
  nlohmann::json truths = nlohmann::json::array();
  for_each_task(draws, make_task, [&](const Task& task) {
    const std::string path = std::to_string(truths.size());
    for (const RunPoint& row : task.rows) {
      const nlohmann::json params = row.sizes;
      for (const double value : row.wall_seconds) {
        const nlohmann::json line = {
            {"params", params}, {"callpath", path}, {"metric", "time"}, {"value", value}};
        lines += line.dump() + '\n';
      }
    }
    truths.push_back({{"target", task.target}, {"mean", task.mean}});
  });
  write_file(folder / (name + ".jsonl"), lines);
  write_file(folder / (name + ".truths.json"), truths.dump());
}

/// Calls `use` with a name and what draws a task, for each number of parameters and each noise.
template <class Use>
void for_each_kind_of_extra_p(Use use) {
  for (const std::size_t parameters : {std::size_t{2}, std::size_t{3}}) {
    for (const int percent : {1, 2, 5, 10}) {
      use(fmt::format("extra_p-{}-parameters-{}-percent", parameters, percent),
          [=](std::mt19937_64& random) {
            return extra_p_task(parameters, percent / 100.0, random);
          });
    }
  }
}

template <class MakeTask>
void register_tasks(const std::string& name, MakeTask make_task, const Draws& draws) {
  benchmark::RegisterBenchmark(
      name.c_str(), [=](benchmark::State& state) { judge_tasks(state, draws, make_task); })
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);
}

void run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  CLI::App cli("What the one fit is worth.");
  Draws draws;
  std::filesystem::path folder;
  cli.add_option("--tasks", draws.tasks, "tasks of each kind that a seed draws")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  cli.add_option("--seeds", draws.seeds, "seeds: 1, 2, ...")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  cli.add_option("--write", folder, "only write the tasks of Extra-P's kind there")
      ->check(CLI::ExistingDirectory);
  if (!parse_command_line(cli, argc, argv)) {
    return;
  }
  if (!folder.empty()) {
    for_each_kind_of_extra_p([&](const std::string& name, auto make_task) {
      write_tasks(folder, name, draws, make_task);
    });
    return;
  }
  for_each_kind_of_extra_p([&](auto&&... kind) { register_tasks(kind..., draws); });
  for (const int sizes : {1, 2}) {
    for (const int percent : {1, 5}) {
      register_tasks(
          fmt::format("shared_work-{}-sizes-{}-percent", sizes, percent),
          [=](auto& random) { return shared_work_task(sizes == 2, percent / 100.0, random); },
          draws);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
}

}  // namespace
}  // namespace cleave

int main(int argc, char** argv) {
  try {
    cleave::run(argc, argv);
  } catch (const cleave::Error& error) {
    fmt::print(stderr, "fit_referee: {}\n", error.what());
    return 1;
  }
}
