// SPDX-License-Identifier: Apache-2.0
// Whether a model's held-out quiet times lie in their intervals, most of which are narrow enough to
// be answers. It stands above every answer.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include <cleave/trace/json_fields.hpp>

namespace cleave::models {

struct Verdict {
  std::optional<bool> trusted;  ///< none where no run was held out
  int held_out = 0;             ///< runs
  int inside = 0;               ///< of these, in their intervals as far as their own spread allows
  double median_error = 0;      ///< |predicted - measured| / measured
  std::string worst;            ///< of a model that is not trusted: the run that is farthest off
  std::string advice;           ///< what to do then, or where no held-out run can be predicted
  /// Whether all of them were rehearsed: then nothing judges the law of other sizes and ranks.
  bool of_rehearsals = false;

  /// "trusted: 14 of 14 held-out runs in their intervals, median error 1.2 %".
  /// \param by_law  whether an answer below it is by the law; what that rests on is said then
  std::string sentence(bool by_law = false) const;
};

nlohmann::json to_json(const Verdict& verdict, bool by_law = false);
/// \throws FileError  naming the field
Verdict verdict_from(const detail::JsonFields& fields);

}  // namespace cleave::models
