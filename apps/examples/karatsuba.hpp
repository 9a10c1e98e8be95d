// SPDX-License-Identifier: Apache-2.0
// Karatsuba's multiplication of polynomials (Karatsuba and Ofman 1962); coefficients are integers
// modulo 2^64. A product of length n takes three products of length n / 2:
//
//     (a0 + a1 x^h) (b0 + b1 x^h) = low + (middle - low - high) x^h + high x^2h
//     low = a0 b0,  high = a1 b1,  middle = (a0 + a1) (b0 + b1)
//
// Times depend on three sizes: the N coefficients that are added, the short products, whose vectors
// must be had, and the work within these, in multiplications.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <cleave/application.hpp>

using Polynomial = std::vector<std::uint64_t>;  // coefficient i is that of x^i
using Product = std::array<Polynomial, 2>;      // of the same length

struct Karatsuba {
  using Problem = Product;
  using Solution = Polynomial;

  static constexpr std::size_t kShort = 128;  // multiplied as at school
  bool trivial(const Product& p) const { return p[0].size() <= kShort; }
  Polynomial conquer(const Product& p) const {
    const auto& [a, b] = p;
    Polynomial c(a.empty() ? 0 : 2 * a.size() - 1);
    for (std::size_t i = 0; i < a.size(); ++i) {
      add(c, a[i], i, b);
    }
    return c;
  }
  std::vector<Product> divide(const Product& p) const {
    Product low, high, middle;
    for (const int i : {0, 1}) {
      const auto half = p[i].begin() + (std::ssize(p[i]) + 1) / 2;
      low[i] = {p[i].begin(), half};
      high[i] = {half, p[i].end()};
      middle[i] = low[i];
      add(middle[i], 1, 0, high[i]);
    }
    return {middle, low, high};
  }
  Polynomial combine(const std::vector<Polynomial>& parts) const {
    const Polynomial &middle = parts[0], &low = parts[1], &high = parts[2];
    const std::size_t half = (low.size() + 1) / 2;
    Polynomial c(2 * half + high.size());
    add(c, 1, 0, low);
    add(c, 1, half, middle);
    add(c, -1, half, low);
    add(c, -1, half, high);
    add(c, 1, 2 * half, high);
    return c;
  }
  cleave::Sizes sizes(const Product& p) const {
    std::size_t n = p[0].size(), products = 1;
    for (; n > kShort; n = (n + 1) / 2) products *= 3;
    return {{"N", p[0].size()}, {"work", products * n * n}, {"products", products}};
  }

 private:
  // Adds factor x^shift g to f.
  static void add(Polynomial& f, std::uint64_t factor, std::size_t shift, const Polynomial& g) {
    for (std::size_t i = 0; i < g.size(); ++i) {
      f[shift + i] += factor * g[i];
    }
  }
};
