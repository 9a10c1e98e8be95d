// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <algorithm>
#include <random>
#include <vector>

#include <cleave/dc_call.hpp>

struct Mergesort {
  using Problem = std::vector<int>;
  using Solution = std::vector<int>;

  bool trivial(const Problem& p) const { return p.size() < 2; }
  Solution conquer(Problem p) const { return p; }
  cleave::Halves<Problem> divide(Problem p) const {
    const auto middle = p.begin() + p.size() / 2;
    return {{p.begin(), middle}, {middle, p.end()}};
  }
  Solution combine(Solution left, Solution right) const {
    Solution merged(left.size() + right.size());
    std::merge(left.begin(), left.end(), right.begin(), right.end(), merged.begin());
    return merged;
  }
  Solution sequential(Problem p) const {
    std::sort(p.begin(), p.end());
    return p;
  }
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::vector<int> numbers(1'000'000);
  std::generate(numbers.begin(), numbers.end(), std::mt19937());

  const auto sorted =
      cleave::DC_Call(cleave::DC_Type::hypercube, Mergesort{}, numbers, {.comm = MPI_COMM_WORLD});

  const bool ok = std::is_sorted(sorted.begin(), sorted.end());
  MPI_Finalize();
  return ok && sorted.size() == numbers.size() ? 0 : 1;
}
