// error: cleave: the function `divide` must take a Problem, or a Problem and a Share, and return
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <cleave/dc_call.hpp>

const auto trivial = [](const int& n) { return n < 2; };
const auto divide = [](int n) { return std::pair<int, int>{n / 2, n - n / 2}; };
const auto conquer = [](int n) { return n; };
const auto combine = [](int a, int b) { return a + b; };
const auto sequential = [](int n) { return n; };

const auto result =
    cleave::DC_Call(cleave::DC_Type::hypercube, 5, trivial, divide, conquer, combine, sequential);
