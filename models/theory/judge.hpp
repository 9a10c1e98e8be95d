// SPDX-License-Identifier: Apache-2.0
// Judging a model by runs that it was not fitted to.
#pragma once

#include <string>
#include <vector>

#include "models/theory/model.hpp"
#include "models/theory/prediction.hpp"

namespace cleave::models {

/// A run as measured and as predicted.
struct JudgedRun {
  RunPoint run;
  Prediction prediction;
  double measured_s = 0;      ///< its quiet time
  double spread = 0;          ///< how far its quiet repetitions lie apart, relative
  double relative_error = 0;  ///< (predicted - measured) / measured
  bool held_out = false;      ///< whether its blocks come from elsewhere
  bool inside = false;        ///< the interval holds the quiet time, as far as the spread allows
};

/// \throws  as predict
JudgedRun judge_run(const Model& model, const RunPoint& run, const PredictOptions& options = {});

/// By the held-out ones among `runs`. Trusted is a model of which so many runs lie outside their
/// intervals by chance in more than one case of twenty, none by more than half its interval, and
/// half of whose runs count as inside only within 15 % of what was predicted.
Verdict judge(const std::vector<JudgedRun>& runs);
/// By those runs among `points` that can be predicted.
Verdict judge(const Model& model, const std::vector<RunPoint>& points,
              const PredictOptions& options = {});

/// Whether what was measured leaves doubt of the blocks of a rehearsed run more than of the
/// network.
bool is_wide_by_blocks(const Prediction& prediction);

/// What would make its interval narrower.
std::string narrower_by(const Prediction& prediction);

}  // namespace cleave::models
