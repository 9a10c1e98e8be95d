// error: cleave: the application must have `Split<Splitter> splitter(std::vector<Splitter> samples,
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <cleave/dc_call.hpp>

struct App {
  using Element = int;
  using Splitter = int;
  using Problem = cleave::Part<int>;
  using Solution = cleave::Part<int>;
  bool trivial(const Problem& part) const { return part.size() < 2; }
  cleave::Halves<Problem> divide(Problem part) const { return {std::move(part), {}}; }
  Solution conquer(Problem part) const { return part; }
  Solution combine(Solution left, Solution) const { return left; }
  std::vector<int> sample(std::span<const int>, std::size_t, std::uint64_t) const { return {}; }
  int splitter(std::vector<int>, cleave::Share) const { return {}; }
  cleave::Cut partition(std::span<int>, const cleave::Split<int>&, cleave::ClassOrder) const {
    return {};
  }
};

const auto result = cleave::DC_Call(cleave::DC_Type::hypercube, App{}, cleave::Part<int>{});
