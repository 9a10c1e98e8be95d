// error: cleave: the function `sequential` must take a Problem and return a Solution, as `conquer`
// SPDX-License-Identifier: Apache-2.0
#include <cleave/dc_call.hpp>

const auto result = cleave::DC_Call(
    cleave::DC_Type::hypercube, 5, [](const int& n) { return n < 2; },
    [](int n) {
      return cleave::Halves<int>{n / 2, n - n / 2};
    },
    [](int n) { return n; }, [](int a, int b) { return a + b; },
    [calls = 0](int n) mutable { return ++calls + n; });
