// SPDX-License-Identifier: Apache-2.0
// The commands of the program `cleave`. Each adds its options to the command line; it runs when its
// name is there.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cleave::models {

void add_fit_command(CLI::App& program, const std::string& command_line);
void add_predict_command(CLI::App& program);
void add_plan_command(CLI::App& program);
void add_compare_command(CLI::App& program);
void add_export_command(CLI::App& program);
void add_report_command(CLI::App& program);
void add_study_command(CLI::App& program, const std::string& command_line);
void add_new_command(CLI::App& program);

/// What a program started from here ended with that was ended by Ctrl-C.
inline constexpr int kInterruptedStatus = 130;

}  // namespace cleave::models
