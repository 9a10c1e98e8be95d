// SPDX-License-Identifier: Apache-2.0
// Answers to a user's first questions: how long a run takes, how surely, what holds it back.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/theory/prediction.hpp"

namespace cleave::models {

/// Seconds by block, all levels added up, in the order in which the blocks come.
std::vector<std::pair<std::string_view, double>> seconds_by_block(const Prediction& prediction);

/// The block that takes most of the time, and its part of it; none of a table.
std::optional<std::pair<std::string_view, double>> held_back_by(const Prediction& prediction);

/// One line: "N=1G on 64 ranks: 1.2 s when quiet (95 %: 1.0 to 1.5 s); as this host was, 95 % of
/// runs between 1.0 and 1.7 s, 33 % of it divide; 4 times beyond what is known: not checked".
std::string answer_line(const Prediction& prediction);

/// One line of the verdict of a question: its state, how many checks speak for it, and how far they
/// reach, or where they fail.
std::string sentence_of(const Verdict& verdict, double reach);
/// The verdict of what the model has said; not checked, too, where its interval is wide.
std::string sentence_of(const Model& model, const Prediction& said);

/// A run as measured and as predicted.
struct JudgedRun {
  RunPoint run;
  Prediction prediction;
  double measured_s = 0;      ///< its quiet time
  double spread = 0;          ///< how far its quiet repetitions lie apart, relative
  double relative_error = 0;  ///< (predicted - measured) / measured
  bool held_out = false;      ///< whether its blocks come from elsewhere
  bool inside = false;        ///< whether the interval holds the quiet time
};

/// \throws  as predict
JudgedRun judge_run(const Model& model, const RunPoint& run);

/// "95 % of runs between 3 ms and 4 ms", if that is known.
std::string runs_text(const Prediction& prediction);

/// "48 KiB", "447 GiB".
std::string bytes_text(double bytes);

/// The sizes of the largest problem that the model was fitted to.
NamedSizes largest_fitted(const Model& model);

/// Two likely forms of a block that answer a question apart.
struct FormsApart {
  std::string text;    ///< "divide is N or N^1.25: 7 s to 14 s; N=32M would tell"
  NamedSizes telling;  ///< a run of the fitted ranks that tells which is right; maybe none
};

/// The answer to a question, which commands, JSON and the page show.
struct Answer {
  int ranks = 1;
  std::optional<Prediction> prediction;  ///< none if it cannot be told; the line says why
  std::string line;                      ///< answer_line, and the forms that answer it apart
  std::string verdict;                   ///< sentence_of the model's verdict
  std::vector<std::string> notes;        ///< what it rests on: remarks, and forms apart
  NamedSizes telling;                    ///< FormsApart::telling
  bool comes_first = false;              ///< whether every report begins with it
};

/// The verdict above several answers, and its sentence: that of so far a reach, or of an answer of
/// a wide interval.
std::pair<State, std::string> verdict_of(const Model& model, const std::vector<Answer>& answers,
                                         double reach);

/// The forms of a model's block that say most different times of what `said` is of; none where
/// likely ones are within a fifth, or the run is known.
std::optional<FormsApart> forms_apart(const Model& model, const Prediction& said);

Answer answer_of(const Model& model, Prediction prediction);
/// The answer for one run, or the reason why there is none. \throws UsageError
Answer answer_or_reason(const Model& model, const Place& place);

/// The notes of several answers, each once: "l and g are those of 8 ranks" if it is so of every
/// number of ranks, else "at 16 to 1024 ranks: l and g are those of 8 ranks".
std::vector<std::string> notes_of(const std::vector<Answer>& answers);

/// On 1, 2, 4 ... 64 ranks, of which 2, 8 and 64 come first. Of a table: on its numbers of ranks,
/// and twice and four times the most, which come first with it.
std::vector<Answer> answers_of(const Model& model);

/// The answers that a study was asked for: of each rehearsal of a size that was rehearsed where no
/// run is.
std::vector<Answer> answers_of_rehearsals(const Model& model);

}  // namespace cleave::models
