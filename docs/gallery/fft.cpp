// SPDX-License-Identifier: Apache-2.0
// The discrete Fourier transform: those of the even and of the odd places are combined (J. W.
// Cooley and J. W. Tukey, "An algorithm for the machine calculation of complex Fourier series",
// Mathematics of Computation 19, 1965). Shown: all ranks share the roots of unity; sizes are powers
// of two.
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <cleave/program.hpp>
#include <cleave/random.hpp>

#include "independent.hpp"

namespace {

using Number = std::complex<double>;
using Signal = std::vector<Number>;

struct FourierTransform {
  using Problem = Signal;
  using Solution = Signal;

  Signal roots;  // e^(-2 pi i k / N)

  bool trivial(const Signal& signal) const { return signal.size() <= 4096; }
  Signal conquer(const Signal& signal) const {
    Signal spectrum(signal.size());
    transform(signal.data(), 1, spectrum.data(), signal.size());
    return spectrum;
  }
  cleave::Halves<Signal> divide(const Signal& signal) const {
    cleave::Halves<Signal> halves;
    for (std::size_t i = 0; i < signal.size(); i += 2) {
      halves.left.push_back(signal[i]);
      halves.right.push_back(signal[i + 1]);
    }
    return halves;
  }
  Signal combine(Signal even, const Signal& odd) const {
    even.insert(even.end(), odd.begin(), odd.end());
    merge(even.data(), odd.size());
    return even;
  }
  Signal sequential(const Signal& signal) const { return conquer(signal); }
  cleave::Sizes sizes(const Signal& signal) const { return {{"N", signal.size()}}; }
  cleave::Sizes solution_sizes(const Signal& spectrum) const { return {{"N", spectrum.size()}}; }

 private:
  // From the spectra of the even and of the odd places, `half` numbers each, to that of all.
  void merge(Number* both, std::size_t half) const {
    const std::size_t step = roots.size() / (2 * half);
    for (std::size_t k = 0; k < half; ++k) {
      const Number even = both[k], x = both[half + k], w = roots[k * step];
      const Number odd(w.real() * x.real() - w.imag() * x.imag(),
                       w.real() * x.imag() + w.imag() * x.real());
      both[k] = even + odd;
      both[half + k] = even - odd;
    }
  }
  void transform(const Number* from, std::size_t stride, Number* to, std::size_t size) const {
    if (size == 1) return void(*to = *from);
    transform(from, 2 * stride, to, size / 2);
    transform(from + stride, 2 * stride, to + size / 2, size / 2);
    merge(to, size / 2);
  }
};

Signal roots_of_unity(std::size_t size) {
  Signal roots;
  for (std::size_t k = 0; k < size; ++k) {
    const double turn = static_cast<double>(k) / static_cast<double>(size);
    roots.push_back(std::polar(1.0, -2 * std::numbers::pi * turn));
  }
  return roots;
}

Signal random_signal(const cleave::NamedSizes& sizes, std::uint64_t seed) {
  const cleave::CounterRandom random(seed);
  Signal signal(sizes.at("N"));
  std::ranges::generate(signal, [&, i = 0]() mutable { return std::ldexp(random(i++), -64); });
  return signal;
}

std::optional<std::string> wrong(const Signal& signal, const Signal& spectrum) {
  for (std::size_t k = 0; k < signal.size(); k += signal.size() / 8 + 1) {
    const bool is_near = std::abs(gallery::fourier(signal, k) - spectrum[k]) < 1e-6;
    if (!is_near) return "number " + std::to_string(k) + " is not what the definition says";
  }
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  return cleave::run(
      argc, argv,
      cleave::Program<FourierTransform>{
          .summary = "Transforms a signal of N numbers.",
          .sizes = {{"N", 1 << 20}},
          .check_options =
              [](cleave::RunOptions& options) {
                if (!std::has_single_bit(static_cast<std::uint64_t>(options.sizes.at("N"))))
                  throw cleave::UsageError("--size: N must be a power of 2");
              },
          .study =
              [](const cleave::RunOptions&, bool is_quick) {
                cleave::Study study;
                for (int kilo = is_quick ? 1 : 8; kilo <= (is_quick ? 128 : 1024); kilo *= 2)
                  study.sizes.push_back("N=" + std::to_string(kilo) + "K");
                return study;
              },
          .application =
              [](const auto& o) { return FourierTransform{roots_of_unity(o.sizes.at("N"))}; },
          .make_problem = random_signal,
          .wrong = wrong,
      });
}
