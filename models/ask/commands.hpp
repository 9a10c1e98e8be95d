// SPDX-License-Identifier: Apache-2.0
// The commands of the program `cleave`. Each adds its options to the command line; it runs when its
// name is there.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cleave::models {

void add_fit_command(CLI::App& program, const std::string& command_line);
void add_predict_command(CLI::App& program);
void add_plan_command(CLI::App& program);
void add_compare_command(CLI::App& program);
void add_export_command(CLI::App& program);
void add_report_command(CLI::App& program);
/// \param options  what follows after "--": those of the program that is studied
void add_study_command(CLI::App& program, const std::string& command_line,
                       const std::vector<std::string>& options);
void add_new_command(CLI::App& program);

}  // namespace cleave::models
