// SPDX-License-Identifier: Apache-2.0
// What a program writes to its terminal: results to standard output, a mistake as one line.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/figures.hpp>

namespace cleave::detail {

/// `text` on one line and without what a terminal would obey: messages may quote anything.
std::string one_line(std::string text);

/// "950", "1.2 k", "3.45 M", "12 G": three digits, by powers of 1000.
std::string rounded_count(double count);

/// Results for people, a line each with its name: numbers with four digits or as 41 k, seconds with
/// their unit, lists as words.
std::string figures_text(const Figures::Named& figures);

/// Refuses a file of `option` on standard output beside an answer in JSON. \throws UsageError
void check_has_standard_output(const std::string& option, const std::filesystem::path& file,
                               bool json);

/// \throws UsageError  if `file`, which `option` writes, is one of the files that are read
void check_is_not_read(const std::string& option, const std::filesystem::path& file,
                       const std::vector<std::string>& inputs);

/// Throws the first sentence whose condition holds, behind `start`. \throws UsageError
void refuse_first(const std::vector<std::pair<bool, std::string>>& refusals,
                  const std::string& start = "");

/// Writes `text` to standard output. \throws Error  if that cannot be written to
void write_out(const std::string& text);

/// Writes what was printed and is still kept. \throws Error  if any of it could not be written
void flush_out();

/// The command line as one string that a shell reads the same, for the provenance of files.
std::string command_line_of(int argc, char** argv);

/// Runs `body` in a program without MPI.
///
/// \return  the status: 0, 2 after a UsageError, 1 after another, whose line begins with `program`
int run_alone(const std::string& program, const std::function<void()>& body);

}  // namespace cleave::detail
