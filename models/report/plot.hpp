// SPDX-License-Identifier: Apache-2.0
// A small plot in a terminal: time against ranks, both logarithmic, as predicted and as measured.
#pragma once

#include <string>
#include <vector>

#include "models/report/report.hpp"
#include "models/theory/prediction.hpp"

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

/// One size: as in `predictions`, which are all of it, and at the other numbers of ranks that
/// `runs` had, and as measured in those of this size and as many threads. Numbers of ranks that
/// cannot be predicted, or of which too little is known, are left out.
TerminalPlot plot_of(const Model& model, std::vector<Prediction> predictions,
                     const std::vector<RunPoint>& runs, const PredictOptions& options = {});

/// The answers of a report, and what was measured.
TerminalPlot plot_of_answers(const Report& report);

}  // namespace cleave::models
