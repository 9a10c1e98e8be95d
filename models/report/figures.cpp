// SPDX-License-Identifier: Apache-2.0
#include "models/report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "models/report/cells.hpp"
#include "models/report/format.hpp"
#include "models/report/measured.hpp"
#include "models/traces/files.hpp"

namespace cleave::models {

namespace {

/// The x axis of figures over sizes: the size that takes the most values, of several the one that
/// the solving of subproblems depends on.
std::string main_size(const Model& model, const std::vector<Comparison>& comparisons) {
  std::set<std::string> in_leaves;
  if (const HypercubeModel* parts = model.hypercube()) {
    if (const BlockModel* block = parts->find(Block::sequential)) {
      in_leaves = sizes_of(block->fit.form());
    }
  }
  std::string best;
  std::pair<std::size_t, bool> best_rank;
  for (const std::string& name : size_names(comparisons)) {
    std::set<std::int64_t> values;
    for (const Comparison& c : comparisons) {
      values.insert(size_or_zero(c.run.sizes, name));
    }
    const std::pair rank(values.size(), in_leaves.contains(name));
    if (rank > best_rank) {
      best_rank = rank;
      best = name;
    }
  }
  return best;
}

using Workers = std::pair<int, int>;  ///< ranks, threads of each

/// Runs on so many ranks and threads that differ in size `x` alone, each list ascending in it.
/// Where every size goes with x (as a tree's nodes with its frontier) that is all of them.
std::map<NamedSizes, std::vector<const Comparison*>> curves_over(
    const std::vector<Comparison>& comparisons, const Workers& workers, const std::string& x) {
  std::map<NamedSizes, std::vector<const Comparison*>> curves;
  std::set<std::int64_t> xs;
  std::size_t runs = 0;
  for (const Comparison& c : comparisons) {
    if (Workers(c.run.ranks, c.run.threads) == workers) {
      NamedSizes others = c.run.sizes;
      others.erase(x);
      curves[others].push_back(&c);
      xs.insert(size_or_zero(c.run.sizes, x));
      ++runs;
    }
  }
  if (xs.size() == runs) {
    std::vector<const Comparison*> all;
    for (const auto& [others, of_curve] : curves) {
      all.insert(all.end(), of_curve.begin(), of_curve.end());
    }
    curves = {{NamedSizes{}, std::move(all)}};
  }
  for (auto& [others, of_curve] : curves) {
    std::sort(of_curve.begin(), of_curve.end(), [&](const Comparison* a, const Comparison* b) {
      return size_or_zero(a->run.sizes, x) < size_or_zero(b->run.sizes, x);
    });
  }
  return curves;
}

Figure times_figure(const std::vector<Comparison>& comparisons, const Workers& workers,
                    const std::string& x) {
  const auto [ranks, threads] = workers;
  Figure figure{.id = threads == 1 ? fmt::format("times-{}", ranks)
                                   : fmt::format("times-{}-{}", ranks, threads),
                .title = "Time against size, " + format_workers(ranks, threads),
                .note = "Predicted (line) and measured (points).",
                .x_axis = x,
                .y_axis = "time (s)",
                .log_x = true,
                .log_y = true,
                .counts_on_x = true};
  const auto curves = curves_over(comparisons, workers, x);
  const bool has_room_for_bands = curves.size() == 1;
  if (has_room_for_bands) {
    figure.note = "Predicted with its 95 % interval, and measured.";
  }
  std::vector<Series> lines;
  std::vector<Series> points;
  for (const auto& [others, runs] : curves) {
    const int colour = static_cast<int>(lines.size());
    Series line{.name = others.empty() ? "predicted" : "predicted, " + format_sizes(others),
                .style = Series::Style::line,
                .colour = colour};
    Series band{.name = "95 %", .style = Series::Style::band, .colour = colour};
    Series fitted{
        .name = "measured, fitted", .style = Series::Style::hollow_points, .colour = colour};
    Series held_out{
        .name = "measured, held out", .style = Series::Style::filled_points, .colour = colour};
    for (const Comparison* c : runs) {
      const auto at = static_cast<double>(size_or_zero(c->run.sizes, x));
      line.x.push_back(at);
      line.y.push_back(c->prediction.seconds);
      band.x.push_back(at);
      band.y.push_back(c->prediction.high);
      band.low.push_back(c->prediction.low);
      Series& measured = c->held_out ? held_out : fitted;
      measured.x.push_back(at);
      measured.y.push_back(c->measured_s);
    }
    if (has_room_for_bands) {
      figure.series.push_back(std::move(band));
    }
    lines.push_back(std::move(line));
    for (Series* measured : {&fitted, &held_out}) {
      if (!measured->x.empty()) {
        points.push_back(std::move(*measured));
      }
    }
  }
  figure.series.insert(figure.series.end(), lines.begin(), lines.end());
  figure.series.insert(figure.series.end(), points.begin(), points.end());
  return figure;
}

Figure errors_figure(const std::vector<Comparison>& comparisons) {
  Figure figure{.id = "errors",
                .title = "Relative error against run time",
                .note =
                    "Above 0: predicted longer than measured. Dashed: the paper's largest error, "
                    "8.83 % either way.",
                .x_axis = "measured time (s)",
                .y_axis = "error (%)",
                .log_x = true,
                .guides = {-100 * kPaperError, 0, 100 * kPaperError}};
  std::set<int> ranks;
  for (const Comparison& c : comparisons) {
    ranks.insert(c.run.ranks);
  }
  int colour = 0;
  for (const int p : ranks) {
    for (const bool held_out : {false, true}) {
      Series points{
          .name = fmt::format("{}, {}", format_ranks(p), held_out ? "held out" : "fitted"),
          .style = held_out ? Series::Style::filled_points : Series::Style::hollow_points,
          .colour = colour};
      for (const Comparison& c : comparisons) {
        if (c.run.ranks == p && c.held_out == held_out && c.measured_s > 0) {
          points.x.push_back(c.measured_s);
          points.y.push_back(100 * c.relative_error);
        }
      }
      if (!points.x.empty()) {
        figure.series.push_back(std::move(points));
      }
    }
    ++colour;
  }
  return figure;
}

/// l or g of every pattern against the number of ranks.
Figure gap_figure(const Network& network, bool latency) {
  Figure figure{.id = latency ? "latency" : "gap",
                .title = latency ? "Latency l against ranks" : "Gap g against ranks",
                .note = "",
                .x_axis = "ranks",
                .y_axis = latency ? "l (µs)" : "g (ns per 32-bit word)",
                .counts_on_x = true};
  const auto add = [&](const std::string& name, int colour,
                       const std::vector<const Communication*>& entries) {
    Series line{.name = name, .style = Series::Style::line, .colour = colour};
    for (const Communication* e : entries) {
      line.x.push_back(e->ranks);
      line.y.push_back(latency ? 1e6 * e->latency_s : 1e9 * kBytesPerWord * e->gap_s_per_byte);
    }
    if (!line.x.empty()) {
      Series points = line;
      points.style = Series::Style::filled_points;
      figure.series.push_back(std::move(line));
      figure.series.push_back(std::move(points));
    }
  };
  std::vector<const Communication*> alltoallv;
  for (const Communication& e : network.alltoallv) {
    alltoallv.push_back(&e);
  }
  add("MPI_Alltoallv", 0, alltoallv);
  std::map<int, std::vector<const Communication*>> by_level;
  for (const Communication& e : network.exchange) {
    by_level[e.level].push_back(&e);
  }
  for (const auto& [level, entries] : by_level) {
    add(fmt::format("exchange, level {}", level), 1 + level, entries);
  }
  return figure;
}

}  // namespace

std::vector<Figure> make_figures(const Model& model, const std::vector<Comparison>& comparisons,
                                 const Network& network) {
  std::set<Workers> workers;
  for (const Comparison& c : comparisons) {
    workers.insert({c.run.ranks, c.run.threads});
  }
  std::vector<Figure> figures;
  const std::string x = main_size(model, comparisons);
  for (const Workers& of_figure : workers) {
    figures.push_back(times_figure(comparisons, of_figure, x));
  }
  figures.push_back(errors_figure(comparisons));
  for (const bool latency : {true, false}) {
    Figure figure = gap_figure(network, latency);
    if (!figure.series.empty()) {
      figures.push_back(std::move(figure));
    }
  }
  return figures;
}

}  // namespace cleave::models
