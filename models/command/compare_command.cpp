// cleave compare: two models, or the runs of two traces, side by side.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "models/command/arguments.hpp"
#include "models/command/commands.hpp"
#include "models/command/questions.hpp"
#include "models/model_file.hpp"
#include "models/report/format.hpp"
#include "models/report/measured.hpp"
#include "models/report/text.hpp"
#include "models/statistics.hpp"
#include "skeleton/trace/atomic_file.hpp"
#include "skeleton/trace/count.hpp"
#include "skeleton/trace/error.hpp"

namespace cleave {

namespace {

struct Arguments {
  std::string first;
  std::string second;
};

/// A time with the range that it may as well have.
struct Ranged {
  double seconds = 0;
  double low = 0;
  double high = 0;
};

Table empty_table() {
  return {.columns = {{"what"},
                      {"ranks", true},
                      {"sizes"},
                      {"first (s)", true},
                      {"second (s)", true},
                      {"second / first", true},
                      {"differ"}}};
}

void add_row(Table& table, const std::string& what, int ranks, const NamedSizes& sizes,
             const Ranged& a, const Ranged& b) {
  const auto cell = [](std::string text) { return Cell{text, text}; };
  const bool differ = a.low > b.high || b.low > a.high;
  table.rows.push_back({cell(what), cell(fmt::format("{}", ranks)), cell(sizes_text(sizes)),
                        cell(format_seconds(a.seconds)), cell(format_seconds(b.seconds)),
                        cell(a.seconds > 0 ? fmt::format("{:.3f}", b.seconds / a.seconds) : ""),
                        cell(differ ? "yes" : "not for certain")});
}

bool is_model(const std::string& file) {
  const std::string text = read_file(file);
  const auto object = nlohmann::json::parse(text, nullptr, false);
  return object.is_object() && object.value("format", nlohmann::json()) == "cleave-model";
}

/// The times that both models predict of all runs that either was fitted to.
Table compare_models(const Model& a, const Model& b) {
  if (a.app != b.app) {
    throw UsageError(fmt::format("the first model is of {}, the second of {}", a.app, b.app));
  }
  std::set<RunKey> runs;
  for (const Model* model : {&a, &b}) {
    for (const RunOfModel& run : model->fitted) {
      runs.insert({run.ranks, run.sizes});
    }
  }
  Table table = empty_table();
  for (const auto& [ranks, sizes] : runs) {
    const auto ranged = [&, p = ranks, &of_run = sizes](const Model& model) {
      const Forecast f = forecast(model, p, of_run, {}, Composition::closer);
      return Ranged{f.seconds, f.low, f.high};
    };
    add_row(table, "predicted", ranks, sizes, ranged(a), ranged(b));
  }
  return table;
}

/// A median and the deviation of a median of as many repetitions on either side, 95 %.
Ranged ranged_median(const std::vector<double>& seconds) {
  constexpr double kMedianOverMean = 1.2533;  // deviation of a median of normal noise, sqrt(pi / 2)
  const double middle = median(seconds);
  const double half = 1.96 * kMedianOverMean * relative_spread(seconds) * middle /
                      std::sqrt(static_cast<double>(seconds.size()));
  return {middle, middle - half, middle + half};
}

/// The whole calls and each block of all runs that both traces have.
Table compare_runs(const Measurements& a, const Measurements& b) {
  if (a.app != b.app) {
    throw UsageError(fmt::format("the first trace is of {}, the second of {}", a.app, b.app));
  }
  const auto blocks_a = measured_blocks(a);
  const auto blocks_b = measured_blocks(b);
  Table table = empty_table();
  for (const RunPoint& run : a.points) {
    const auto other = std::find_if(b.points.begin(), b.points.end(), [&](const RunPoint& p) {
      return p.ranks == run.ranks && p.sizes == run.sizes;
    });
    if (other == b.points.end()) {
      continue;
    }
    const Ranged first = ranged_median(run.seconds);
    const Ranged second = ranged_median(other->seconds);
    add_row(table, "whole call", run.ranks, run.sizes, first, second);
    const RunKey key{run.ranks, run.sizes};
    if (!blocks_a.contains(key) || !blocks_b.contains(key)) {
      continue;
    }
    for (const auto& [block, seconds] : blocks_a.at(key)) {
      if (const auto found = blocks_b.at(key).find(block); found != blocks_b.at(key).end()) {
        // A block is as uncertain as the whole call.
        const auto with_range_of = [](double value, const Ranged& of) {
          const double part = of.seconds > 0 ? (of.high - of.seconds) / of.seconds : 0;
          return Ranged{value, value * (1 - part), value * (1 + part)};
        };
        add_row(table, std::string(name_of(block)), run.ranks, run.sizes,
                with_range_of(seconds, first), with_range_of(found->second, second));
      }
    }
  }
  if (table.rows.empty()) {
    throw Error("the two traces have no run of the same ranks and sizes");
  }
  return table;
}

void run(const Arguments& arguments) {
  const bool first_is_model = is_model(arguments.first);
  if (first_is_model != is_model(arguments.second)) {
    throw UsageError(fmt::format("{} is a {}, {} is not: give two models or two traces",
                                 arguments.first, first_is_model ? "model" : "trace",
                                 arguments.second));
  }
  if (first_is_model) {
    fmt::print("{}", to_terminal(compare_models(read_model(arguments.first),
                                                read_model(arguments.second))));
    return;
  }
  fmt::print("{}",
             to_terminal(compare_runs(collect_measurements(read_traces({arguments.first})),
                                      collect_measurements(read_traces({arguments.second})))));
}

}  // namespace

void add_compare_command(CLI::App& program) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("compare", "Two models, or the runs of two traces, side by side");
  command->add_option("first", arguments->first, "A model or a trace")->required();
  command->add_option("second", arguments->second, "Another of the same kind")->required();
  command->callback([arguments] { run(*arguments); });
}

}  // namespace cleave
