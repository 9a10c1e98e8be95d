// SPDX-License-Identifier: Apache-2.0
// What a program around `cleave::run` says of itself (docs/reference/formats.md); where it lies.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <cleave/study.hpp>

namespace cleave::models {

struct ProgramDescription : detail::ProgramDescription {
  std::filesystem::path file;
};

/// The folder that this program is in, with cleave-calibrate and the applications.
std::filesystem::path program_folder();

/// The program that a person names: with a '/' it is a path. Otherwise it is cleave-NAME in
/// `program_folder()`, NAME in the PATH or ./NAME.
/// \throws UsageError  saying where it looked, or why the file cannot be run
std::filesystem::path find_program(const std::string& name);

/// Asks the program what it is, when it is run with `options`; it gets ten seconds.
/// \throws UsageError  if it is no Cleave program or refuses the options
ProgramDescription describe_program(const std::filesystem::path& file,
                                    const std::vector<std::string>& options);

/// The description of a run with these options, which the program checks without running it.
/// \throws UsageError  if it refuses them
std::string check_options_of_run(const std::filesystem::path& file,
                                 const std::vector<std::string>& options);

}  // namespace cleave::models
