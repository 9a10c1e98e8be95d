// SPDX-License-Identifier: Apache-2.0
// The files of a new project: examples, and the files beside them, in which @name@ is the project's
// name, and @question@ one to predict.
#pragma once

#include <string_view>

namespace cleave::models::project {

extern const std::string_view cmake_lists;
extern const std::string_view readme;

extern const std::string_view halves;
extern const std::string_view halves_main;
extern const std::string_view halves_test;
extern const std::string_view search;
extern const std::string_view search_main;
extern const std::string_view search_test;

}  // namespace cleave::models::project
