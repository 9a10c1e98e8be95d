// SPDX-License-Identifier: Apache-2.0
// What an application knows of its blocks' cost, beyond the sizes: terms that a block's time is
// made of, and curves that they refer to. A trace carries them to the model, which knows nothing of
// any application.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cleave {

/// A function of the ratio of two sizes, as points: `values[i]` at `ratios[i]`. Between two points
/// it is a straight line over log(ratio), beyond the ends it stays as it is there.
struct Curve {
  std::string name;            ///< as terms spell it: "leaving" of "N*leaving(M/N)"
  std::string size;            ///< the ratio is of this size
  std::string per;             ///< to this one
  std::vector<double> ratios;  ///< ascending, above 0; at least two
  std::vector<double> values;  ///< as many, each finite and at least 0

  double operator()(double ratio) const;

  /// `function` at ratios from 2^first to 2^last, eight to each doubling.
  /// \pre  first < last
  template <class Function>
  static Curve sampled(std::string name, std::string size, std::string per, int first, int last,
                       Function&& function) {
    Curve curve{.name = std::move(name), .size = std::move(size), .per = std::move(per)};
    for (int eighth = 8 * first; eighth <= 8 * last; ++eighth) {
      const double ratio = power_of_two(eighth / 8.0);
      curve.ratios.push_back(ratio);
      curve.values.push_back(function(ratio));
    }
    return curve;
  }

 private:
  static double power_of_two(double exponent);
};

/// Terms that a block's time may be made of, as "sequential": {"N", "M", "N*leaving(M/N)"}. The fit
/// decides which of them count (docs/explanation/model.md).
struct BlockTerms {
  std::string block;
  std::vector<std::string> terms;

  friend bool operator==(const BlockTerms&, const BlockTerms&) = default;
};

/// What an application declares (program.hpp, `costs`).
struct Costs {
  std::vector<Curve> curves;
  std::vector<BlockTerms> terms;
};

}  // namespace cleave
