// SPDX-License-Identifier: Apache-2.0
// From tables of run times to measurements, as traces give them: what a model without a schedule
// is fitted to.
#pragma once

#include <string>
#include <vector>

#include "models/theory/samples.hpp"

namespace cleave::models {

/// Which of its rows are meant, and how.
struct TableChoice {
  std::string only;  ///< the benchmark or call path; may be empty where there is one
  std::string
      ranks_size;  ///< what is the number of ranks; empty: `ranks`, else `p`, if there is one
};

/// The rows of one series in `files`. Each file is a round of its own, or several. A time counts as
/// often as it says.
/// \throws FileError   naming the line and the field
/// \throws UsageError  if there are several series and none is chosen, or that one is not there;
///                     or if rows differ in the names of their sizes
Measurements measurements_of_tables(const std::vector<std::string>& files,
                                    const TableChoice& choice);

}  // namespace cleave::models
