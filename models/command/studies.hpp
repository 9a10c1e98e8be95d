// SPDX-License-Identifier: Apache-2.0
// What `cleave study` runs for each application: the sizes of the paper's tables, and smaller ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cleave::models {

struct Study {
  std::string size_option;         ///< the application's option that a size is given by
  std::vector<std::string> sizes;  ///< its values, or options where they begin with '-'
  std::string placement;  ///< unless another is asked for; empty: the application's default
  int rounds = 3;         ///< how often every size is run
  int repetitions = 3;    ///< counted, of each run: more where a run takes milliseconds
  int warm_up = 1;        ///< runs before them: more where fresh memory pages show
  /// What the repetitions of a run solve (--inputs); empty: the application's default. Of one small
  /// input a processor learns every branch, and its repetitions take a fraction of what others do.
  std::string inputs;
};

/// The study of `app` by an executor, hypercube or work_stealing, with the `placement` that is
/// asked for, if any; `quick` takes seconds rather than minutes. An application that is not known
/// has `--size` and no sizes: they must be given.
Study study_of(std::string_view app, std::string_view type, std::string_view placement, bool quick);

}  // namespace cleave::models
