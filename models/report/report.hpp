// SPDX-License-Identifier: Apache-2.0
// A report: tables, and what figures are drawn from, as data. How they are shown is in text.hpp
// (terminal, CSV, Markdown) and page/page.hpp (HTML).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/sizes.hpp>
#include <cleave/trace/machine_file.hpp>

#include "models/report/answer.hpp"
#include "models/theory/judge.hpp"
#include "models/theory/model.hpp"
#include "models/theory/prediction.hpp"
#include "models/theory/samples.hpp"
#include "models/theory/verdict.hpp"

namespace cleave::models {

/// One cell: as people read it, and exactly.
struct Cell {
  std::string shown;
  std::string exact;
};

struct Column {
  std::string name;  ///< with the unit of what is exact: "measured (s)"
  bool is_number = false;
  bool is_detail = false;  ///< a terminal shows it where details are asked for

  /// Its head for people, whose cells have units of their own: "measured".
  std::string shown() const {
    return name.substr(0, name.size() - (name.ends_with(" (s)") ? 4 : 0));
  }
};

struct Table {
  std::string id;  ///< name of its CSV file
  std::string title;
  std::string note;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

struct Note {
  std::string text;
  bool is_grave = false;  ///< answers may be wrong for it
};

/// A block of a run, or a part of a search: its fit against what was measured.
struct Residual {
  std::string block;
  NamedSizes run_sizes;
  double measured_s = 0;
  double relative = 0;  ///< (fitted - measured) / measured
};

/// What each worker of a search did of its nodes, by rank and thread: 1 is an even share.
struct WorkerShares {
  int ranks = 1;
  int threads = 1;
  std::vector<double> of_even;
};

/// The files that a command would be given to ask the same.
struct Origin {
  std::string model;    ///< the file: of a study's folder a command answers by rehearsals, too
  std::string machine;  ///< whose l and g replace the model's; empty where none does
};

struct Report {
  std::string title;
  Verdict verdict;  ///< by the runs that are compared; the model's own where none is held out
  std::vector<Answer> asked;    ///< which were rehearsed; where there are any they come first
  std::vector<Answer> answers;  ///< by the model
  std::vector<std::pair<std::string, std::string>> facts;  ///< of machine and runs
  std::vector<JudgedRun> comparisons;
  std::vector<Table> tables;
  std::vector<Note> notes;  ///< grave ones first
  std::vector<Residual> residuals;
  std::vector<WorkerShares> worker_shares;  ///< of the longest searches
  Model model;                              ///< with the l and g that were asked for
  Origin origin;                            ///< for the caller to set
};

/// Compares every run in `measurements` with what `model` says of it, or a rehearsal of its ranks
/// and sizes. A run that the model was not fitted to counts as held out, and so does one that was
/// rehearsed. With `machine` its l and g replace the model's.
///
/// \param options  what was rehearsed, and which messages were measured
Report make_report(const Model& model, const Measurements& measurements,
                   const std::optional<detail::Machine>& machine, PredictOptions options = {});

/// How far the fit of each block lies from what was measured of it: one for each block at each
/// level of each run on the hypercube. Of a search: for each part of each run. Blocks whose fits
/// leave messages out (pivot) have none.
std::vector<Residual> residuals_of(const Model& model, const Measurements& measurements,
                                   const std::vector<JudgedRun>& comparisons);

/// What a person is told first.
std::vector<Answer> first_answers(const Report& report);
/// Whether one of these is by the law, rather than rehearsed.
bool first_answers_by_law(const Report& report);

}  // namespace cleave::models
