// error: cleave: Solution cannot cross to another rank: it holds a pointer, a reference or a view
// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string_view>

#include <cleave/dc_call.hpp>

struct Named {
  std::optional<std::string_view> name;
};
struct App {
  using Problem = int;
  using Solution = Named;
  bool trivial(const int& n) const { return n < 2; }
  cleave::Halves<int> divide(int n) const { return {n / 2, n - n / 2}; }
  Solution conquer(int) const { return {}; }
  Solution combine(Solution left, Solution) const { return left; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::hypercube, App{}, 5);
