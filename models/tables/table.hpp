// SPDX-License-Identifier: Apache-2.0
// Tables of run times that any program has measured: CSV with a header, a column a size, and
// `seconds` (docs/reference/formats.md). A model without a schedule is fitted to them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <cleave/sizes.hpp>

#include "models/theory/model.hpp"
#include "models/theory/samples.hpp"

namespace cleave::models {

/// A time that was measured.
struct TableRow {
  std::string series;   ///< the column `name`; empty where there is none
  NamedSizes sizes;     ///< the number of ranks among them
  int round = 0;        ///< rows of one round were measured one after the other
  int repetitions = 1;  ///< that the row stands for
  double seconds = 0;   ///< above 0
};

/// Whether `text` is none of Cleave's own files, which name their format in the first line.
bool is_table(std::string_view text);

/// The rows of a table, at least one. \throws FileError  naming the line and the column, and how
/// another form is converted
std::vector<TableRow> rows_of(const std::string& file, std::string_view text);

/// Which rows of a table are meant, and how.
struct TableChoice {
  std::string only;   ///< the series; may be empty where there is one
  std::string usual;  ///< where there are several and `only` is empty
};

/// The rows of one series in `files`. Each file is a round of its own, or several. A time counts as
/// often as it says.
/// \throws FileError   as rows_of
/// \throws UsageError  if there are several series and none is chosen, or that one is not there;
///                     or if rows of several files differ in the names of their sizes
Measurements measurements_of_tables(const std::vector<std::string>& files,
                                    const TableChoice& choice);

/// Names the run that narrows the answer at `asked` most, if it takes as long as predicted: of at
/// most twice any size and the dearest processor time. Empty among the points.
std::string advice_on(const TableModel& table, const NamedValues& asked);

/// Leaves out the points of a table, at most a quarter, that do not follow from the others, with a
/// note for each; none where a regime begins.
void leave_out_odd(Measurements& measurements);

/// Sentences: where a regime begins, and advice for four times all that varies.
std::vector<std::string> findings_of(const TableModel& table);

}  // namespace cleave::models
