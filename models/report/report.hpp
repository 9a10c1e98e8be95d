// SPDX-License-Identifier: Apache-2.0
// A report: what a model says beside what was measured, as tables and as data of figures; on a
// terminal, and as a page (page/page.hpp).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <cleave/sizes.hpp>

#include "models/report/answer.hpp"
#include "models/report/table.hpp"
#include "models/theory/model.hpp"
#include "models/theory/prediction.hpp"
#include "models/theory/samples.hpp"

namespace cleave::models {

struct Note {
  std::string text;
  bool is_grave = false;  ///< answers may be wrong for it
};

/// The files that a command would be given to ask the same.
struct Origin {
  std::string model;
  std::string machine;  ///< its l and g replace the model's; may be empty
};

struct Report {
  std::string title;
  std::string kept_state;       ///< Measurements
  std::vector<Answer> asked;    ///< of rehearsals; if there are any they come first
  std::vector<Answer> answers;  ///< of the largest size
  std::vector<std::pair<std::string, std::string>> facts;  ///< of machine and runs
  std::vector<JudgedRun> comparisons;
  std::vector<Table> tables;
  std::vector<Note> notes;  ///< grave ones first
  Model model;              ///< with checks by the compared runs
  Origin origin;            ///< for the caller to set
};

/// Compares every run in `measurements` with what `model` says of it. A run that the model was not
/// fitted to counts as held out.
Report make_report(const Model& model, const Measurements& measurements);

/// The answers that a person is told first.
std::vector<Answer> first_answers(const Report& report);
/// Prediction::reach of the first answer that is farthest from what is known, else that of the
/// verdict: whose verdict stands above all.
double reach_of(const Report& report);

/// A row for each of several answers, with what was measured of it among `runs`.
Table answers_table(const std::vector<Answer>& answers, const std::vector<JudgedRun>& runs = {});

/// The verdict, the answers that a person is told first, and notes in what is left of `lines`.
std::string answers_text(const Report& report, std::ptrdiff_t lines);

/// A folder to write into: made if its parent exists. \throws FileError
void make_folder(const std::filesystem::path& folder);

/// Writes the report as a page into `folder`, which exists. \throws FileError
void write_report(const std::filesystem::path& folder, const Report& report);

// The parts of make_report.

/// The tables that have rows; first the one that a reader comes for.
std::vector<Table> make_tables(const Model& model, const Measurements& measurements,
                               const std::vector<JudgedRun>& comparisons);

/// Seconds of each block of each run, by ranks and sizes: summed over levels, of the slowest rank.
std::map<std::pair<int, NamedSizes>, std::map<detail::Block, double>> measured_blocks(
    const Measurements& measurements);

}  // namespace cleave::models
