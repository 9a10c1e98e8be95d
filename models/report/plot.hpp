// SPDX-License-Identifier: Apache-2.0
// A small plot in a terminal: time against ranks, both logarithmic, as predicted and as measured.
#pragma once

#include <string>
#include <vector>

#include "models/predict/prediction.hpp"
#include "models/report/report.hpp"

namespace cleave::models {

struct TerminalPlot {
  struct Predicted {
    double ranks = 1;
    double seconds = 0;
    double low = 0;
    double high = 0;
  };
  struct Measured {
    double ranks = 1;
    double seconds = 0;
  };
  std::string title;
  std::vector<Predicted> predicted;  ///< ascending in ranks
  std::vector<Measured> measured;
};

/// What a terminal can show.
struct PlotStyle {
  int columns = 80;
  bool is_unicode = false;
  bool has_colour = false;
};

/// Twelve lines and two of an axis, under a title. Nothing if fewer than two numbers of ranks are
/// predicted.
std::string to_terminal(const TerminalPlot& plot, const PlotStyle& style);

/// One size, as predicted at `ranks` and as measured in `runs` of this size and as many threads.
/// Numbers of ranks that cannot be predicted are left out.
TerminalPlot plot_of(const Model& model, const NamedSizes& sizes, const std::vector<int>& ranks,
                     const std::vector<RunPoint>& runs, const PredictOptions& options = {});

/// The largest problem that was measured, at every number of ranks that was, and on to 64.
TerminalPlot plot_of_answers(const Model& model, const std::vector<Comparison>& comparisons);

}  // namespace cleave::models
