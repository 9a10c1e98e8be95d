// SPDX-License-Identifier: Apache-2.0
#include "apps/components/random_graph.hpp"

#include <boost/math/special_functions/lambert_w.hpp>
#include <cmath>

namespace cleave::components {

double outside_giant(double ends) {
  // 1 is a solution, and the only one up to 1.
  return ends > 1 ? -boost::math::lambert_w0(-ends * std::exp(-ends)) / ends : 1;
}

double leaving(double ends) {
  const double outside = outside_giant(ends);
  return 1 - outside + ends / 2 * outside * outside;
}

/// A component is the progeny of a branching process, whose number has the generating function G(z)
/// = z exp(c (G(z) - 1)) (Borel's law). So node t N is the least of its component with probability
/// H = G(1 - t) / (1 - t). This is the integral of (1 - H)^2 over t, less (1 - u)^2.
double joined(double ends) {
  constexpr double kSparse = 1e-3;
  if (ends < kSparse) {  // where the difference below has few digits
    return ends * ends / 3;
  }
  const double u = outside_giant(ends);
  return (ends - 2) * u * u + 2 / ends * std::exp(-ends) * std::expm1(ends * u);
}

Costs costs_on_random_graphs() {
  constexpr int kFirst = -8;  // M/N from 2^-8
  constexpr int kLast = 6;
  // 2 M / N ends meet at a node, and half as many where half of the edges are there.
  const auto curve = [](const char* name, auto&& function) {
    return Curve::sampled(name, "M", "N", kFirst, kLast, function);
  };
  return {.curves = {curve("leaving", [](double ratio) { return leaving(2 * ratio); }),
                     curve("outside", [](double ratio) { return outside_giant(ratio); }),
                     curve("joined", [](double ratio) { return joined(ratio); })},
          // Uniting takes the longer the more was united before.
          .terms = {{"sequential", {"N", "M", "N*leaving(M/N)^2"}},
                    {"combine", {"N", "N*outside(M/N)", "N*joined(M/N)"}}}};
}

}  // namespace cleave::components
