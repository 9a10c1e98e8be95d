// SPDX-License-Identifier: Apache-2.0
#include "models/report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/duration.hpp>

#include "models/report/answer.hpp"
#include "models/report/cells.hpp"
#include "models/theory/statistics.hpp"

namespace cleave::models {

namespace {

constexpr int kRows = 12;
constexpr int kLabel = 10;  ///< columns of the axis of times

/// What a place shows; the later hides the earlier.
enum class Mark : char { nothing, interval, line, measured };

struct Glyphs {
  std::string_view interval;
  std::string_view line;
  std::string_view measured;
  std::string_view axis;
  std::string_view corner;
  std::string_view floor;
};
constexpr Glyphs kUnicode = {"░", "━", "●", "│", "└", "─"};
constexpr Glyphs kAscii = {":", "-", "o", "|", "+", "-"};

/// A range of values onto so many places.
class Scale {
 public:
  Scale(double low, double high, int places)
      : low_(std::log(low)), width_(std::log(high) - std::log(low)), places_(places) {}

  int place_of(double value) const {
    const double part = width_ > 0 ? (std::log(value) - low_) / width_ : 0.5;
    return std::clamp(static_cast<int>(std::lround(part * (places_ - 1))), 0, places_ - 1);
  }
  double value_at(int place) const {
    return std::exp(low_ + width_ * place / std::max(places_ - 1, 1));
  }

 private:
  double low_;
  double width_;
  int places_;
};

/// `value` between two that are predicted, on a straight line between logarithms.
double between(double x, double x0, double x1, double y0, double y1) {
  const double part = x1 > x0 ? std::log(x / x0) / std::log(x1 / x0) : 0;
  return y0 * std::pow(y1 / y0, part);
}

TerminalPlot::Predicted predicted_at(const std::vector<TerminalPlot::Predicted>& all, double x) {
  const auto after = std::ranges::lower_bound(all, x, {}, &TerminalPlot::Predicted::ranks);
  const auto& right = after == all.end() ? all.back() : *after;
  const auto& left = after == all.begin() ? right : *(after - 1);
  const auto at = [&](double TerminalPlot::Predicted::*value) {
    return between(x, left.ranks, right.ranks, left.*value, right.*value);
  };
  return {.ranks = x,
          .seconds = at(&TerminalPlot::Predicted::seconds),
          .low = at(&TerminalPlot::Predicted::low),
          .high = at(&TerminalPlot::Predicted::high)};
}

std::pair<double, double> range_of_times(const TerminalPlot& plot) {
  double low = plot.predicted.front().seconds;
  double high = low;
  const auto take = [&](double value) {
    if (value > 0 && std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  };
  for (const auto& p : plot.predicted) {
    take(p.seconds);
    take(p.low);
    take(p.high);
  }
  for (const auto& m : plot.measured) {
    take(m.seconds);
  }
  return {low, high};
}

/// Rows from the top, each of `columns` marks.
std::vector<std::vector<Mark>> marks_of(const TerminalPlot& plot, const Scale& across,
                                        const Scale& up, int columns) {
  std::vector rows(kRows, std::vector<Mark>(static_cast<std::size_t>(columns), Mark::nothing));
  const auto put = [&](int column, int place, Mark mark) {
    rows[static_cast<std::size_t>(kRows - 1 - place)][static_cast<std::size_t>(column)] = mark;
  };
  for (int column = 0; column < columns; ++column) {
    const auto p = predicted_at(plot.predicted, across.value_at(column));
    const int from = up.place_of(std::max(p.low, up.value_at(0)));
    for (int place = from; place <= up.place_of(p.high); ++place) {
      put(column, place, Mark::interval);
    }
    put(column, up.place_of(p.seconds), Mark::line);
  }
  for (const auto& m : plot.measured) {
    put(across.place_of(m.ranks), up.place_of(m.seconds), Mark::measured);
  }
  return rows;
}

std::string line_of(const std::vector<Mark>& row, const Glyphs& glyphs, bool has_colour) {
  std::string text;
  Mark before = Mark::nothing;
  for (const Mark mark : row) {
    if (has_colour && mark != before) {
      text += before == Mark::nothing ? "" : "\033[0m";
      text += mark == Mark::measured   ? "\033[1;33m"
              : mark == Mark::line     ? "\033[36m"
              : mark == Mark::interval ? "\033[2m"
                                       : "";
    }
    before = mark;
    text += mark == Mark::measured   ? glyphs.measured
            : mark == Mark::line     ? glyphs.line
            : mark == Mark::interval ? glyphs.interval
                                     : std::string_view(" ");
  }
  if (has_colour && before != Mark::nothing) {
    text += "\033[0m";
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// Numbers of ranks under the axis, as many as there is room for.
std::string ticks_of(const TerminalPlot& plot, const Scale& across, int columns) {
  std::set<int> ranks;
  for (const auto& p : plot.predicted) {
    ranks.insert(static_cast<int>(p.ranks));
  }
  std::string line(static_cast<std::size_t>(columns), ' ');
  int free_from = 0;
  for (const int r : ranks) {
    const std::string text = std::to_string(r);
    const int width = static_cast<int>(text.size());
    const int at = std::min(across.place_of(r), columns - width);
    if (at >= free_from) {
      line.replace(static_cast<std::size_t>(at), text.size(), text);
      free_from = at + width + 1;
    }
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string to_terminal(const TerminalPlot& plot, const PlotStyle& style) {
  if (plot.predicted.size() < 2 || range_of_times(plot).first <= 0) {
    return "";
  }
  const Glyphs& glyphs = style.is_unicode ? kUnicode : kAscii;
  const int columns = std::clamp(style.columns - kLabel - 2, 20, 100);
  const auto [low, high] = range_of_times(plot);
  const Scale across(plot.predicted.front().ranks, plot.predicted.back().ranks, columns);
  const Scale up(low, high, kRows);
  const auto rows = marks_of(plot, across, up, columns);
  std::string text = plot.title + '\n';
  for (int i = 0; i < kRows; ++i) {
    const bool has_label = i % 3 == 0 || i == kRows - 1;
    text += fmt::format(
        "{:>{}} {}{}\n", has_label ? detail::format_seconds(up.value_at(kRows - 1 - i)) : "",
        kLabel, glyphs.axis, line_of(rows[static_cast<std::size_t>(i)], glyphs, style.has_colour));
  }
  text += fmt::format("{:>{}} {}", "", kLabel, glyphs.corner);
  for (int i = 0; i < columns; ++i) {
    text += glyphs.floor;
  }
  return text + fmt::format("\n{:>{}}  {}\n", "ranks", kLabel, ticks_of(plot, across, columns));
}

namespace {

/// Adds predictions of the same size at the numbers of ranks that `runs` had.
void add_measured_ranks(std::vector<Prediction>& predictions, const Model& model,
                        const std::vector<RunPoint>& runs, const PredictOptions& options) {
  const NamedSizes sizes = predictions.front().sizes;
  for (const RunPoint& run : runs) {
    if (std::ranges::find(predictions, run.ranks, &Prediction::ranks) != predictions.end()) {
      continue;
    }
    try {
      predictions.push_back(predict_for_answer(model, run.ranks, sizes, options));
    } catch (const UsageError&) {
      throw;
    } catch (const Error&) {  // the answers say why
      continue;
    }
  }
}

}  // namespace

TerminalPlot plot_of(const Model& model, std::vector<Prediction> predictions,
                     const std::vector<RunPoint>& runs, const PredictOptions& options) {
  if (predictions.empty()) {
    return {};
  }
  add_measured_ranks(predictions, model, runs, options);
  std::erase_if(predictions, [](const Prediction& p) { return !p.is_answer(); });
  if (predictions.empty()) {
    return {};
  }
  std::ranges::sort(predictions, {}, &Prediction::ranks);
  const auto repeated = std::ranges::unique(predictions, {}, &Prediction::ranks);
  predictions.erase(repeated.begin(), repeated.end());
  TerminalPlot plot;
  for (const Prediction& p : predictions) {
    plot.predicted.push_back({.ranks = static_cast<double>(p.ranks),
                              .seconds = p.seconds,
                              .low = p.low,
                              .high = p.high});
  }
  const Prediction& first = predictions.front();
  for (const RunPoint& run : runs) {
    const double seconds = run.seconds.empty() ? 0 : quiet_time(run.seconds);
    const bool is_shown =
        seconds > 0 && first.ranks <= run.ranks && run.ranks <= predictions.back().ranks;
    if (is_shown && run.threads == first.threads && std::ranges::includes(run.sizes, first.sizes)) {
      plot.measured.push_back({.ranks = static_cast<double>(run.ranks), .seconds = seconds});
    }
  }
  plot.title = fmt::format("{}{}predicted (line, 95 %){}", format_sizes(first.sizes),
                           first.sizes.empty() ? "" : ": ",
                           plot.measured.empty() ? "" : " and measured (points)");
  return plot;
}

TerminalPlot plot_of_answers(const Report& report) {
  std::vector<Prediction> predictions;
  for (const Answer& answer : report.answers) {
    if (answer.prediction) {
      predictions.push_back(*answer.prediction);
    }
  }
  std::vector<RunPoint> runs;
  for (const JudgedRun& c : report.comparisons) {
    runs.push_back(c.run);
  }
  return plot_of(report.model, std::move(predictions), runs);
}

}  // namespace cleave::models
