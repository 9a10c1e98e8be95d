// SPDX-License-Identifier: Apache-2.0
// All digits of N!, by binary splitting (B. Haible and T. Papanikolaou, "Fast multiprecision
// evaluation of series of rational numbers", ANTS 1998): the product of a range is that of its
// halves. Long numbers are multiplied by a Fourier transform of floating-point numbers (A.
// Schonhage and V. Strassen 1971, D. E. Knuth, TAOCP 2, 4.3.3). Shown: solutions of megabytes,
// which ranks exchange; a size of the solution that combine depends on.
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <cleave/program.hpp>

namespace {

constexpr int kBase = 10000;
using Number = std::vector<std::uint16_t>;  // digits to the base, the lowest first
using Complex = std::complex<double>;
using Values = std::vector<Complex>;

Complex times(Complex a, Complex b) {  // without the tests for infinities of operator*
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// The discrete Fourier transform (Stockham 1966). roots[i] is exp(2 pi i / size of values).
void transform(Values& values, const Values& roots) {
  Values next(values.size());
  for (std::size_t step = 1, half = values.size() / 2; step <= half; step *= 2) {
    for (std::size_t i = 0; i < half; ++i) {
      const std::size_t turn = i - i % step;
      const Complex a = values[i], b = values[i + half];
      next[i + turn] = a + b;
      next[i + turn + step] = times(a - b, roots[turn]);
    }
    values.swap(next);
  }
}

struct Range {
  std::int64_t first = 1, last = 1;  // both are factors
};

struct Factorial {
  using Problem = Range;
  using Solution = Number;

  bool trivial(Range r) const { return r.last - r.first < 100; }
  Number conquer(Range r) const {
    Number digits{1};
    for (std::int64_t factor = r.first, carry = 0; factor <= r.last; ++factor) {
      for (std::uint16_t& digit : digits) {
        carry += digit * factor;
        digit = static_cast<std::uint16_t>(carry % kBase);
        carry /= kBase;
      }
      for (; carry > 0; carry /= kBase) digits.push_back(static_cast<std::uint16_t>(carry % kBase));
    }
    return digits;
  }
  cleave::Halves<Range> divide(Range r) const {
    const std::int64_t middle = std::midpoint(r.first, r.last);
    return {{r.first, middle}, {middle + 1, r.last}};
  }
  Number combine(const Number& a, const Number& b) const {
    const std::size_t size = std::bit_ceil(a.size() + b.size());
    Values values(size), roots(size / 2);
    const double turn = 2 * std::numbers::pi / static_cast<double>(size);
    for (std::size_t i = 0; i < size / 2; ++i)
      roots[i] = std::polar(1.0, turn * static_cast<double>(i));
    for (std::size_t i = 0; i < a.size(); ++i) values[i].real(a[i]);
    for (std::size_t i = 0; i < b.size(); ++i) values[i].imag(b[i]);
    transform(values, roots);
    for (Complex& value : values) value = times(value, value);  // (a + b i)^2 has 2 a b i in it
    transform(values, roots);  // the inverse, from behind, times the size
    Number digits(a.size() + b.size());
    std::int64_t carry = 0;
    for (std::size_t i = 0; i < digits.size(); ++i, carry /= kBase) {
      carry += std::llround(values[(size - i) % size].imag() / 2 / static_cast<double>(size));
      digits[i] = static_cast<std::uint16_t>(carry % kBase);
    }
    if (digits.back() == 0) digits.pop_back();
    return digits;
  }
  cleave::Sizes sizes(Range r) const { return {{"N", r.last - r.first + 1}}; }
  cleave::Sizes solution_sizes(const Number& digits) const { return {{"digits", digits.size()}}; }
};

// The rest of the product, and of its digits, by a prime.
std::optional<std::string> wrong(Range r, const Number& digits) {
  constexpr std::uint64_t kPrime = 4294967291;
  std::uint64_t right = 1, rest = 0;
  for (std::int64_t factor = r.first; factor <= r.last; ++factor) right = right * factor % kPrime;
  for (std::size_t i = digits.size(); i-- > 0;) rest = (rest * kBase + digits[i]) % kPrime;
  return rest == right ? std::nullopt : std::optional("its rest by a prime is not that of N!");
}

cleave::Figures figures(const Number& digits) {
  std::int64_t sum = 0, decimals = 4 * std::ssize(digits);
  for (int digit : digits) {
    for (; digit > 0; digit /= 10) sum += digit % 10;
  }
  for (int first = digits.back(); first < kBase / 10; first *= 10) --decimals;
  return {{"decimals", decimals}, {"sum", sum}};
}

}  // namespace

int main(int argc, char** argv) {
  return cleave::run(argc, argv,
                     cleave::Program<Factorial>{
                         .summary = "Finds all digits of N!, how many there are and their sum.",
                         .sizes = {{"N", 1 << 17, 1 << 24}},
                         .make_problem =
                             [](const auto& sizes, auto) {
                               return Range{1, sizes.at("N")};
                             },
                         .is_generated = [] { return false; },
                         .wrong = wrong,
                         .figures = figures,
                     });
}
