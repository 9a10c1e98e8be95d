// error: cleave: the function `sequential` must take a Problem and return a Solution
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <cleave/dc_call.hpp>

const auto trivial = [](const int& n) { return n < 2; };
const auto divide = [](int n) { return cleave::Halves<int>{n / 2, n - n / 2}; };
const auto conquer = [](int n) { return n; };
const auto combine = [](int a, int b) { return a + b; };
const auto sequential = [](const std::string& text) { return static_cast<int>(text.size()); };

const auto result =
    cleave::DC_Call(cleave::DC_Type::hypercube, 5, trivial, divide, conquer, combine, sequential);
