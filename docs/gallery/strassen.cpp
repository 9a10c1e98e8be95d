// SPDX-License-Identifier: Apache-2.0
// The product of two matrices by seven products of half the side (V. Strassen, "Gaussian
// elimination is not optimal", Numerische Mathematik 13, 1969). Elements are integers modulo 2^64.
// Shown: more than two subproblems, which the ranks share, and whose solutions are combined at
// once.
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cleave/program.hpp>
#include <cleave/random.hpp>

#include "independent.hpp"

namespace {

using Number = std::uint64_t;
using Matrix = std::vector<Number>;  // square, row by row

std::size_t side_of(const Matrix& m) { return std::lround(std::sqrt(m.size())); }

struct Product {
  Matrix a, b;
};

struct Strassen {
  using Problem = Product;
  using Solution = Matrix;

  bool trivial(const Product& p) const { return is_short(side_of(p.a)); }
  Matrix conquer(const Product& p) const {  // as at school
    const std::size_t side = side_of(p.a);
    Matrix c(p.a.size());
    for (std::size_t i = 0; i < c.size(); ++i) {
      const Number* const row = &p.b[i % side * side];
      Number* const sum = &c[i / side * side];
      for (std::size_t j = 0; j < side; ++j) sum[j] += p.a[i] * row[j];
    }
    return c;
  }
  std::vector<Product> divide(const Product& p) const {
    const std::size_t half = side_of(p.a) / 2, below = 2 * half * half;
    std::vector<Product> seven(7);
    for (auto& [left, right] : seven) left.reserve(half * half), right.reserve(half * half);
    for (std::size_t i = 0; i < half * half; ++i) {
      const std::size_t at = i / half * 2 * half + i % half;
      const Number a = p.a[at], b = p.a[at + half], c = p.a[at + below], d = p.a[at + below + half];
      const Number e = p.b[at], f = p.b[at + half], g = p.b[at + below], h = p.b[at + below + half];
      const std::array left = {a + d, c + d, a, d, a + b, c - a, b - d};
      const std::array right = {e + h, e, f - h, g - e, h, e + f, g + h};
      for (std::size_t k = 0; k < 7; ++k) {
        seven[k].a.push_back(left[k]);
        seven[k].b.push_back(right[k]);
      }
    }
    return seven;
  }
  Matrix combine(const std::vector<Matrix>& m) const {
    const std::size_t half = side_of(m[0]), below = 2 * half * half;
    Matrix c(2 * below);
    for (std::size_t i = 0; i < m[0].size(); ++i) {
      Number* const block = &c[i / half * 2 * half + i % half];
      block[0] = m[0][i] + m[3][i] - m[4][i] + m[6][i];
      block[half] = m[2][i] + m[4][i];
      block[below] = m[1][i] + m[3][i];
      block[below + half] = m[0][i] - m[1][i] + m[2][i] + m[5][i];
    }
    return c;
  }
  cleave::Sizes sizes(const Product& p) const {
    std::size_t products = 1, side = side_of(p.a);
    for (; !is_short(side); side /= 2) products *= 7;
    return {{"N", side_of(p.a)}, {"cells", p.a.size()}, {"work", products * side * side * side}};
  }

 private:
  // A side that is not halved.
  static bool is_short(std::size_t side) { return side <= 64 || side % 2 == 1; }
};

Matrix random_matrix(std::size_t cells, std::uint64_t seed) {
  const cleave::CounterRandom random(seed);
  Matrix m;
  while (m.size() < cells) m.push_back(random(m.size()));
  return m;
}

std::optional<std::string> wrong(const Product& p, const Matrix& c) {
  const bool is_right = gallery::is_product(p.a, p.b, c, side_of(c));
  return is_right ? std::nullopt : std::optional("it is not the product");
}

}  // namespace

int main(int argc, char** argv) {
  const auto make_problem = [](const cleave::NamedSizes& sizes, std::uint64_t seed) {
    const std::int64_t cells = sizes.at("N") * sizes.at("N");
    return Product{random_matrix(cells, 2 * seed), random_matrix(cells, 2 * seed + 1)};
  };
  return cleave::run(argc, argv,
                     cleave::Program<Strassen>{.summary = "Multiplies two matrices of side N.",
                                               .sizes = {{"N", 1024}},
                                               .make_problem = make_problem,
                                               .wrong = wrong});
}
