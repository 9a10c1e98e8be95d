#include "models/report/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "models/report/format.hpp"
#include "models/statistics.hpp"
#include "skeleton/trace/count.hpp"
#include "skeleton/trace/error.hpp"

namespace cleave {

namespace {

constexpr double kBytesPerWord = 4;  // the paper counts 32-bit words

/// A block counts in the verdicts where it takes more than this part of a run.
constexpr double kShareThatCounts = 0.05;
constexpr double kMedianErrorWanted = 0.05;
constexpr double kRSquaredWanted = 0.99;
constexpr double kResidualWanted = 0.03;

Cell text(std::string value) { return {value, value}; }

Cell number(double value, std::string shown) {
  return {std::move(shown), fmt::format("{}", value)};
}

Cell seconds(double value) { return number(value, format_seconds(value)); }

Cell percent(double value) { return number(value, fmt::format("{:.2f} %", 100 * value)); }

Cell signed_percent(double value) { return number(value, fmt::format("{:+.2f} %", 100 * value)); }

Cell count(std::int64_t value) {
  const std::string short_form = format_count(value);
  const std::string exact = fmt::format("{}", value);
  return {short_form == exact ? exact : fmt::format("{} ({})", short_form, exact), exact};
}

/// Div_0, Comb_1, Seq_2 as the paper names coefficients.
std::string coefficient_name(Block block, std::size_t index) {
  static const std::map<Block, std::string> kShort = {{Block::divide, "Div"},
                                                      {Block::combine, "Comb"},
                                                      {Block::sequential, "Seq"},
                                                      {Block::conquer, "Conq"},
                                                      {Block::skeleton, "HDC"}};
  const auto found = kShort.find(block);
  return fmt::format("{}_{}", found == kShort.end() ? std::string(name_of(block)) : found->second,
                     index);
}

using RunKey = std::pair<int, NamedSizes>;

/// Seconds of each block of one run: the sum over levels of the longest over the ranks.
std::map<RunKey, std::map<Block, double>> measured_blocks(const Measurements& measurements) {
  std::map<RunKey, std::map<std::pair<Block, int>, double>> longest;
  for (const Sample& sample : measurements.samples) {
    double& of_level = longest[{sample.ranks, sample.run_sizes}][{sample.block, sample.level}];
    of_level = std::max(of_level, median(sample.seconds));
  }
  std::map<RunKey, std::map<Block, double>> blocks;
  for (const auto& [run, levels] : longest) {
    for (const auto& [place, of_level] : levels) {
      blocks[run][place.first] += of_level;
    }
  }
  return blocks;
}

/// The largest part of any run on `ranks_per_host` ranks a host that each block takes.
std::map<std::pair<Block, int>, double> largest_shares(const Measurements& measurements) {
  const auto blocks = measured_blocks(measurements);
  std::map<std::pair<Block, int>, double> shares;
  for (const RunPoint& point : measurements.points) {
    const auto of_run = blocks.find({point.ranks, point.sizes});
    if (of_run == blocks.end()) {
      continue;
    }
    const double total = median(point.seconds);
    for (const auto& [block, of_block] : of_run->second) {
      double& share = shares[{block, point.ranks_per_host}];
      share = std::max(share, total > 0 ? of_block / total : 0);
    }
  }
  return shares;
}

std::vector<Comparison> compare(const Model& model, const Measurements& measurements,
                                const PredictOptions& options) {
  std::vector<Comparison> comparisons;
  for (const RunPoint& point : measurements.points) {
    Comparison c{.run = point, .measured_s = median(point.seconds)};
    c.spread = relative_spread(point.seconds);
    c.held_out = std::none_of(model.fitted.begin(), model.fitted.end(), [&](const RunOfModel& run) {
      return run.ranks == point.ranks && run.sizes == point.sizes;
    });
    PredictOptions of_run = options;
    of_run.ranks_per_host = point.ranks_per_host;
    c.prediction = predict(model, point.ranks, point.sizes, of_run);
    c.relative_error = c.measured_s > 0 ? (c.prediction.seconds - c.measured_s) / c.measured_s : 0;
    comparisons.push_back(std::move(c));
  }
  return comparisons;
}

std::vector<std::string> size_names(const std::vector<Comparison>& comparisons) {
  std::set<std::string> names;
  for (const Comparison& c : comparisons) {
    for (const auto& [name, value] : c.run.sizes) {
      names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

std::int64_t size_or_zero(const NamedSizes& sizes, const std::string& name) {
  const auto found = sizes.find(name);
  return found == sizes.end() ? 0 : found->second;
}

// --- tables

Table coefficients_table(const Model& model, const Measurements& measurements) {
  const auto shares = largest_shares(measurements);
  Table table{.id = "coefficients",
              .title = "Coefficients of the blocks (the paper's tables I and II)",
              .note =
                  "A coefficient is seconds for each unit of its term. Up to: the largest part of "
                  "any run that the block takes. Residual: the median of |measured - fitted| / "
                  "measured.",
              .columns = {{"block"},
                          {"ranks per host", true},
                          {"coefficient"},
                          {"term"},
                          {"value (s)", true},
                          {"standard error (s)", true},
                          {"R²", true},
                          {"adjusted R²", true},
                          {"residual", true},
                          {"samples", true},
                          {"up to", true}}};
  for (const BlockModel& block : model.blocks) {
    const LinearFit& fit = block.fit.fit;
    const Eigen::VectorXd errors = fit.standard_errors();
    const auto share = shares.find({block.block, block.ranks_per_host});
    for (std::size_t i = 0; i < block.fit.form.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      const double value = fit.coefficients[row];
      table.rows.push_back(
          {text(std::string(name_of(block.block))),
           number(block.ranks_per_host, std::to_string(block.ranks_per_host)),
           text(coefficient_name(block.block, i)), text(block.fit.form[i].text()),
           number(value, fmt::format("{:.4g}", value)),
           number(errors[row], fmt::format("{:.2g}", errors[row])),
           number(fit.r_squared, fmt::format("{:.4f}", fit.r_squared)),
           number(fit.adjusted_r_squared, fmt::format("{:.4f}", fit.adjusted_r_squared)),
           percent(fit.median_abs_relative_residual),
           number(static_cast<double>(block.samples.size()), std::to_string(block.samples.size())),
           share == shares.end() ? text("") : percent(share->second)});
      if (i > 0) {
        for (const std::size_t of_block : {0U, 1U, 6U, 7U, 8U, 9U, 10U}) {
          table.rows.back()[of_block].shown.clear();
        }
      }
    }
  }
  return table;
}

Table refused_table(const Model& model) {
  Table table{.id = "refused",
              .title = "Blocks that could not be fitted",
              .note = "",
              .columns = {{"block"}, {"ranks per host", true}, {"reason"}}};
  for (const RefusedBlock& block : model.refused) {
    table.rows.push_back({text(std::string(name_of(block.block))),
                          number(block.ranks_per_host, std::to_string(block.ranks_per_host)),
                          text(block.reason)});
  }
  return table;
}

Table gaps_table(const LatencyGaps& gaps) {
  Table table{.id = "latency_gap",
              .title = "Latency and gap (the paper's figure 1)",
              .note = "A rank that sends and receives K bytes at once takes 2 (l + K g). Source: " +
                      gaps.source + ".",
              .columns = {{"pattern"},
                          {"ranks", true},
                          {"level", true},
                          {"l (s)", true},
                          {"error of l (s)", true},
                          {"g (s per byte)", true},
                          {"error of g (s per byte)", true},
                          {"g (s per 32-bit word)", true},
                          {"R²", true}}};
  const auto add = [&](const char* pattern, const std::vector<Communication>& entries) {
    for (const Communication& e : entries) {
      const double word = e.gap_s_per_byte * kBytesPerWord;
      table.rows.push_back(
          {text(pattern), number(e.ranks, std::to_string(e.ranks)),
           number(e.level, std::to_string(e.level)),
           number(e.latency_s, fmt::format("{:.3g}", e.latency_s)),
           number(e.latency_error_s, fmt::format("{:.2g}", e.latency_error_s)),
           number(e.gap_s_per_byte, fmt::format("{:.3g}", e.gap_s_per_byte)),
           number(e.gap_error_s_per_byte, fmt::format("{:.2g}", e.gap_error_s_per_byte)),
           number(word, fmt::format("{:.3g}", word)),
           number(e.r_squared, fmt::format("{:.4f}", e.r_squared))});
    }
  };
  add("MPI_Alltoallv", gaps.alltoallv);
  add("exchange", gaps.exchange);
  return table;
}

Table times_table(const std::vector<Comparison>& comparisons) {
  std::map<NamedSizes, std::map<int, const Comparison*>> by_size;
  std::set<int> ranks;
  for (const Comparison& c : comparisons) {
    by_size[c.run.sizes][c.run.ranks] = &c;
    ranks.insert(c.run.ranks);
  }
  const std::vector<std::string> names = size_names(comparisons);
  Table table{
      .id = "times",
      .title = "Measured times against size (the paper's tables III and IV)",
      .note = "Medians over the repetitions of the longest time over the ranks, in seconds.",
      .columns = {}};
  for (const std::string& name : names) {
    table.columns.push_back({name, true});
  }
  for (const int p : ranks) {
    table.columns.push_back({fmt::format("{} {} (s)", p, p == 1 ? "rank" : "ranks"), true});
  }
  for (const auto& [sizes, by_ranks] : by_size) {
    std::vector<Cell> row;
    for (const std::string& name : names) {
      row.push_back(count(size_or_zero(sizes, name)));
    }
    for (const int p : ranks) {
      const auto found = by_ranks.find(p);
      row.push_back(found == by_ranks.end() ? text("") : seconds(found->second->measured_s));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table predictions_table(const std::vector<Comparison>& comparisons) {
  const std::vector<std::string> names = size_names(comparisons);
  Table table{.id = "predictions",
              .title = "Predicted against measured (the paper's figures 2 and 3)",
              .note =
                  "Error: (predicted - measured) / measured. Spread: how far a single repetition "
                  "lies from the median (1.4826 MAD, relative). An error below the spread of "
                  "the run cannot be told from noise.",
              .columns = {{"ranks", true}}};
  for (const std::string& name : names) {
    table.columns.push_back({name, true});
  }
  for (const Column& column : std::vector<Column>{{"measured (s)", true},
                                                  {"predicted (s)", true},
                                                  {"95 % from (s)", true},
                                                  {"to (s)", true},
                                                  {"error", true},
                                                  {"spread", true},
                                                  {"repetitions", true},
                                                  {"run was"}}) {
    table.columns.push_back(column);
  }
  for (const Comparison& c : comparisons) {
    std::vector<Cell> row = {number(c.run.ranks, std::to_string(c.run.ranks))};
    for (const std::string& name : names) {
      row.push_back(count(size_or_zero(c.run.sizes, name)));
    }
    row.insert(
        row.end(),
        {seconds(c.measured_s), seconds(c.prediction.seconds), seconds(c.prediction.low),
         seconds(c.prediction.high), signed_percent(c.relative_error), percent(c.spread),
         number(static_cast<double>(c.run.seconds.size()), std::to_string(c.run.seconds.size())),
         text(c.held_out ? "held out" : "fitted")});
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// For each number of ranks the run that took longest: what its blocks took, and were predicted to.
Table shares_table(const std::vector<Comparison>& comparisons, const Measurements& measurements) {
  const auto blocks = measured_blocks(measurements);
  std::map<int, const Comparison*> longest;
  for (const Comparison& c : comparisons) {
    const Comparison*& best = longest[c.run.ranks];
    if (best == nullptr || c.measured_s > best->measured_s) {
      best = &c;
    }
  }
  Table table{.id = "blocks",
              .title = "Where the time goes",
              .note =
                  "The longest run on each number of ranks. Each block: the sum over levels of "
                  "the longest over the ranks, as in equation 6; such sums may exceed the run's "
                  "time, since one rank need not be the slowest everywhere.",
              .columns = {{"ranks", true},
                          {"sizes"},
                          {"block"},
                          {"measured (s)", true},
                          {"predicted (s)", true},
                          {"of the run", true}}};
  for (const auto& [ranks, run] : longest) {
    std::map<Block, double> predicted;
    for (const BlockShare& share : run->prediction.shares) {
      predicted[share.block] += share.seconds;
    }
    const auto measured = blocks.find({ranks, run->run.sizes});
    if (measured == blocks.end()) {
      continue;
    }
    for (const auto& [block, of_block] : measured->second) {
      const auto found = predicted.find(block);
      table.rows.push_back({number(ranks, std::to_string(ranks)),
                            text(format_sizes(run->run.sizes)), text(std::string(name_of(block))),
                            seconds(of_block),
                            found == predicted.end() ? text("") : seconds(found->second),
                            percent(of_block / run->measured_s)});
    }
  }
  return table;
}

Table shrinkage_table(const Model& model) {
  Table table{.id = "sizes",
              .title = "How the sizes of a block follow from those of the run",
              .note =
                  "In a group of g of p ranks: run size * scale * (g/p)^exponent, times imbalance "
                  "for each division. Exponent 1: halves; 0: the whole at every level.",
              .columns = {{"block"},
                          {"size"},
                          {"scale", true},
                          {"exponent", true},
                          {"imbalance", true},
                          {"exponent from"}}};
  for (const Shrinkage& s : model.shrinkage) {
    if (s.block == Block::wait || s.block == Block::skeleton) {
      continue;
    }
    table.rows.push_back({text(std::string(name_of(s.block))), text(s.size),
                          number(s.scale, fmt::format("{:.4g}", s.scale)),
                          number(s.exponent, fmt::format("{:.3g}", s.exponent)),
                          number(s.imbalance, fmt::format("{:.4f}", s.imbalance)),
                          text(s.measured ? "this block" : "the size's other blocks")});
  }
  return table;
}

// --- figures

/// The size that takes the most values: the x axis of figures over sizes.
std::string main_size(const std::vector<Comparison>& comparisons) {
  std::string best;
  std::size_t most = 0;
  for (const std::string& name : size_names(comparisons)) {
    std::set<std::int64_t> values;
    for (const Comparison& c : comparisons) {
      values.insert(size_or_zero(c.run.sizes, name));
    }
    if (values.size() > most) {
      most = values.size();
      best = name;
    }
  }
  return best;
}

/// Runs on `ranks` ranks that differ in size `x` alone, each list ascending in it. Where every size
/// goes with x (as a tree's nodes with its frontier) that is all of them.
std::map<NamedSizes, std::vector<const Comparison*>> curves_over(
    const std::vector<Comparison>& comparisons, int ranks, const std::string& x) {
  std::map<NamedSizes, std::vector<const Comparison*>> curves;
  std::set<std::int64_t> xs;
  std::size_t runs = 0;
  for (const Comparison& c : comparisons) {
    if (c.run.ranks == ranks) {
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

Figure times_figure(const std::vector<Comparison>& comparisons, int ranks) {
  const std::string x = main_size(comparisons);
  Figure figure{
      .id = fmt::format("times-{}", ranks),
      .title = fmt::format("Time against size, {} {}", ranks, ranks == 1 ? "rank" : "ranks"),
      .note = "Predicted (line) and measured (points).",
      .x_axis = x,
      .y_axis = "time (s)",
      .log_x = true,
      .log_y = true,
      .counts_on_x = true};
  const auto curves = curves_over(comparisons, ranks, x);
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
      Series points{.name = fmt::format("{} {}, {}", p, p == 1 ? "rank" : "ranks",
                                        held_out ? "held out" : "fitted"),
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
Figure gap_figure(const LatencyGaps& gaps, bool latency) {
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
  for (const Communication& e : gaps.alltoallv) {
    alltoallv.push_back(&e);
  }
  add("MPI_Alltoallv", 0, alltoallv);
  std::map<int, std::vector<const Communication*>> by_level;
  for (const Communication& e : gaps.exchange) {
    by_level[e.level].push_back(&e);
  }
  for (const auto& [level, entries] : by_level) {
    add(fmt::format("exchange, level {}", level), 1 + level, entries);
  }
  return figure;
}

// --- verdicts

Verdict error_verdict(const std::vector<double>& errors, bool worst) {
  const double value = worst ? *std::max_element(errors.begin(), errors.end()) : median(errors);
  const double wanted = worst ? kPaperError : kMedianErrorWanted;
  return {value <= wanted,
          worst
              ? fmt::format("Worst error on held-out runs: {:.2f} % (the paper's worst: {:.2f} %)",
                            100 * value, 100 * wanted)
              : fmt::format("Median error on {} held-out runs: {:.2f} % (wanted: at most {:.0f} %)",
                            errors.size(), 100 * value, 100 * wanted)};
}

std::vector<Verdict> verdicts_of(const Model& model, const Measurements& measurements,
                                 const std::vector<Comparison>& comparisons) {
  std::vector<Verdict> verdicts;
  std::vector<double> held_out;
  for (const Comparison& c : comparisons) {
    if (c.held_out) {
      held_out.push_back(std::abs(c.relative_error));
    }
  }
  if (!held_out.empty()) {
    verdicts.push_back(error_verdict(held_out, false));
    verdicts.push_back(error_verdict(held_out, true));
  }
  const auto shares = largest_shares(measurements);
  for (const BlockModel& block : model.blocks) {
    const auto share = shares.find({block.block, block.ranks_per_host});
    if (share == shares.end() || share->second <= kShareThatCounts) {
      continue;
    }
    const LinearFit& fit = block.fit.fit;
    verdicts.push_back(
        {fit.r_squared >= kRSquaredWanted && fit.median_abs_relative_residual <= kResidualWanted,
         fmt::format("{}, {} {} per host: R² {:.4f} (wanted: at least {:.2f}), median residual "
                     "{:.2f} % (wanted: at most {:.0f} %)",
                     name_of(block.block), block.ranks_per_host,
                     block.ranks_per_host == 1 ? "rank" : "ranks", fit.r_squared, kRSquaredWanted,
                     100 * fit.median_abs_relative_residual, 100 * kResidualWanted)});
  }
  return verdicts;
}

std::vector<std::pair<std::string, std::string>> facts_of(const Model& model,
                                                          const LatencyGaps& gaps) {
  const Provenance& p = model.provenance;
  std::vector<std::pair<std::string, std::string>> facts = {
      {"application", fmt::format("{}, {}, {}", model.app, model.type, model.placement)},
      {"host", fmt::format("{}, {}, {} cores", p.host, p.processor, p.cores)},
      {"latency and gap from", gaps.source},
      {"forms", fmt::format("{}, {} weights", model.forms,
                            model.weights == Weights::relative ? "relative" : "ordinary")},
      {"runs", fmt::format("{} fitted, {} held out", model.fitted.size(), model.held_out.size())},
      {"model made", fmt::format("{} by {} {} ({})", p.created, p.program, p.version, p.commit)}};
  if (!model.exchange.empty()) {
    const ExchangeModel& exchange = model.exchange.front();
    facts.insert(facts.begin() + 3,
                 {"exchange", fmt::format("{:.4g} (l + K g), {}", exchange.factor,
                                          exchange.factor_is_fitted
                                              ? "factor fitted to the traces (the paper: 2)"
                                              : "factor as in the paper")});
  }
  return facts;
}

}  // namespace

Report make_report(const Model& model, const Measurements& measurements,
                   const std::optional<Machine>& machine) {
  if (measurements.app != model.app) {
    throw UsageError(
        fmt::format("the traces are of {}, the model is of {}", measurements.app, model.app));
  }
  PredictOptions options;
  if (machine) {
    options.latency_gaps = latency_gaps_of(*machine);
  }
  const LatencyGaps& gaps = options.latency_gaps ? *options.latency_gaps : model.latency_gaps;

  Report report{.title = fmt::format("{}: predicted and measured", model.app),
                .facts = facts_of(model, gaps),
                .comparisons = compare(model, measurements, options),
                .notes = measurements.notes};
  report.verdicts = verdicts_of(model, measurements, report.comparisons);
  std::set<std::string> remarks(model.notes.begin(), model.notes.end());
  for (const Comparison& c : report.comparisons) {
    remarks.insert(c.prediction.remarks.begin(), c.prediction.remarks.end());
  }
  for (const std::string& remark : remarks) {
    if (std::find(report.notes.begin(), report.notes.end(), remark) == report.notes.end()) {
      report.notes.push_back(remark);
    }
  }

  for (Table& table : std::vector<Table>{
           predictions_table(report.comparisons), coefficients_table(model, measurements),
           refused_table(model), shares_table(report.comparisons, measurements),
           times_table(report.comparisons), gaps_table(gaps), shrinkage_table(model)}) {
    if (!table.rows.empty()) {
      report.tables.push_back(std::move(table));
    }
  }
  std::set<int> ranks;
  for (const Comparison& c : report.comparisons) {
    ranks.insert(c.run.ranks);
  }
  for (const int p : ranks) {
    report.figures.push_back(times_figure(report.comparisons, p));
  }
  report.figures.push_back(errors_figure(report.comparisons));
  for (const bool latency : {true, false}) {
    Figure figure = gap_figure(gaps, latency);
    if (!figure.series.empty()) {
      report.figures.push_back(std::move(figure));
    }
  }
  return report;
}

}  // namespace cleave
