// SPDX-License-Identifier: Apache-2.0
// What `cleave study` runs of a program, by its --describe (docs/reference/formats.md). No MPI.
#pragma once

#include <string>
#include <vector>

#include <cleave/dc_type.hpp>

namespace cleave {

namespace detail {
class JsonFields;
}  // namespace detail

/// The runs that `cleave study` makes: every size, several times, on several numbers of ranks.
struct Study {
  /// Each is what `size_option` takes, or options themselves where it begins with '-'.
  std::vector<std::string> sizes;
  std::string size_option = "--size";
  int rounds = 3;       ///< processes that run every size; at least 3
  int repetitions = 3;  ///< of each process; more where a run takes milliseconds
  int warm_up = 1;      ///< runs before them; more where fresh memory pages show
  Inputs inputs = Inputs::same;
};

/// The fields of a study in JSON.
void fields(detail::JsonFields& object, Study& study);

namespace detail {

/// The description that a program prints with --describe.
struct ProgramDescription {
  std::string name;  ///< of the application
  std::string summary;
  std::vector<std::string> types;
  std::string type;          ///< the default, or that of the options
  std::string placement;     ///< the same
  std::string default_size;  ///< "N=1M,M=2M"; empty where --size takes none
  Study study;
  Study quick_study;
};

void fields(JsonFields& object, ProgramDescription& program);

}  // namespace detail

}  // namespace cleave
