// error: cleave: the function `combine` must take two Solutions
// SPDX-License-Identifier: Apache-2.0
#include <cleave/dc_call.hpp>

const auto trivial = [](const int& n) { return n < 2; };
const auto divide = [](int n) { return cleave::Halves<int>{n / 2, n - n / 2}; };
const auto conquer = [](int n) { return n; };
const auto combine = [](int a) { return a; };
const auto sequential = [](int n) { return n; };

const auto result =
    cleave::DC_Call(cleave::DC_Type::hypercube, 5, trivial, divide, conquer, combine, sequential);
