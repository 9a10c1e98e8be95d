// SPDX-License-Identifier: Apache-2.0
// A report: the paper's tables and figures for one machine, as data. How they are shown is in
// text.hpp (terminal, CSV, Markdown) and page.hpp (HTML).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/model/model.hpp"
#include "models/predict/prediction.hpp"
#include "models/traces/files.hpp"
#include "models/traces/samples.hpp"

namespace cleave::models {

/// One cell: as people read it, and exactly.
struct Cell {
  std::string shown;
  std::string exact;
};

struct Column {
  std::string name;  ///< with its unit
  bool is_number = false;
};

struct Table {
  std::string id;  ///< name of its CSV file
  std::string title;
  std::string note;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

/// One curve or cloud of points.
struct Series {
  enum class Style { line, band, filled_points, hollow_points };
  std::string name;
  Style style = Style::line;
  int colour = 0;  ///< series of one colour belong together
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> low;  ///< of a band, with `y` as its upper edge
};

struct Figure {
  std::string id;
  std::string title;
  std::string note;
  std::string x_axis;  ///< title with unit
  std::string y_axis;
  bool log_x = false;
  bool log_y = false;
  bool counts_on_x = false;    ///< ticks where points are, as counts: 1M rather than 1048576
  std::vector<double> guides;  ///< dashed lines at these y
  std::vector<Series> series;
};

/// A claim and whether it holds.
struct Verdict {
  bool holds = false;
  std::string text;
};

/// One run as measured and as predicted.
struct Comparison {
  RunPoint run;
  bool held_out = false;
  double measured_s = 0;  ///< median over the repetitions
  double spread = 0;      ///< of a single repetition, relative (relative_spread)
  Prediction prediction;
  double relative_error = 0;  ///< (predicted - measured) / measured
};

struct Report {
  std::string title;
  std::vector<std::string> answers;  ///< lines: how long, and what holds it back
  std::vector<std::pair<std::string, std::string>> facts;  ///< of machine and runs
  std::vector<Comparison> comparisons;
  std::vector<Verdict> verdicts;
  std::vector<Table> tables;
  std::vector<Figure> figures;
  std::vector<std::string> notes;
};

/// The paper's largest error: 8.83 %, of graphs on 8 processors.
inline constexpr double kPaperError = 0.0883;

/// Compares every run in `measurements` with what `model` says of it. A run that the model was not
/// fitted to counts as held out. With `machine` its l and g replace the model's.
Report make_report(const Model& model, const Measurements& measurements,
                   const std::optional<Machine>& machine);

}  // namespace cleave::models
