// error: cleave: the application's `divide` must take a `const Problem&`, or a Problem that can be
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include <cleave/dc_call.hpp>

struct App {
  using Problem = std::unique_ptr<int>;
  using Solution = int;
  bool trivial(const Problem& n) const { return *n < 2; }
  int conquer(Problem n) const { return *n; }
  std::vector<Problem> divide(Problem n) const {
    std::vector<Problem> parts;
    parts.push_back(std::move(n));
    return parts;
  }
  int combine(int left, int right) const { return left + right; }
  int after(const Problem& n, int solution) const { return *n + solution; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::hypercube, App{}, std::make_unique<int>(5));
