// SPDX-License-Identifier: Apache-2.0
// What `cleave study` runs of a program. The program says so with --describe, and the command reads
// it (docs/reference/formats.md). No MPI.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/dc_type.hpp>

namespace cleave {

/// What `cleave study` runs of an application: every size, several times, on several numbers of
/// ranks.
struct Study {
  /// Each is what `size_option` takes, or options themselves where it begins with '-'.
  std::vector<std::string> sizes;
  std::string size_option = "--size";
  int rounds = 3;       ///< how often every size is run
  int repetitions = 3;  ///< of each run; more where a run takes milliseconds
  int warm_up = 1;      ///< runs before them; more where fresh memory pages show
  Inputs inputs = Inputs::same;
};

namespace detail {

class JsonFields;

/// Of what a program prints with --describe.
inline constexpr int kDescriptionVersion = 1;

nlohmann::ordered_json to_json(const Study& study);
/// \throws FileError  that names the field, if they are not those of a study
Study study_from(const JsonFields& fields);

}  // namespace detail

}  // namespace cleave
