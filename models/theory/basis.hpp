// SPDX-License-Identifier: Apache-2.0
// Basis functions: what a block's time is a linear combination of, written as people write them:
// "1", "N", "N*log2(N)", "N^1.5", "N^log2(3)", "N*M", "N*leaving(M/N)".
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/costs.hpp>

#include "models/theory/samples.hpp"

namespace cleave::models {

/// A product of powers of sizes, of their logarithms, and of declared curves over the ratio of two;
/// without factors it is 1.
class Basis {
 public:
  struct Factor {
    std::string size;
    bool is_log = false;  ///< log2 of the size
    double power = 1;
    std::shared_ptr<const Curve> curve = {};  ///< of its own two sizes; `size` is then empty

    /// At its size, or at the two of its curve. log2 of less than 1 counts as 0.
    double operator()(double at, double per) const;

    friend bool operator==(const Factor& a, const Factor& b) {
      const bool same_curve = (a.curve == nullptr) == (b.curve == nullptr) &&
                              (a.curve == nullptr || a.curve->name == b.curve->name);
      return a.size == b.size && a.is_log == b.is_log && a.power == b.power && same_curve;
    }
  };

  Basis() = default;
  explicit Basis(std::vector<Factor> factors) : factors_(std::move(factors)) {}

  /// "1", or factors joined by '*': SIZE, log2(SIZE) and, of the declared `curves`,
  /// CURVE(SIZE/SIZE), each of them perhaps with ^POWER, where POWER may be 1.5, 2/3 or log2(3).
  ///
  /// \throws UsageError  naming what was expected and the position
  static Basis parse(std::string_view text, std::span<const Curve> curves = {});

  /// As `parse` reads it.
  std::string text() const;

  /// \throws Error  if `sizes` lacks one that this is a function of
  double operator()(const NamedValues& sizes) const;

  const std::vector<Factor>& factors() const { return factors_; }

  /// The names of the sizes that this is a function of.
  std::set<std::string> sizes() const;

  friend bool operator==(const Basis&, const Basis&) = default;

 private:
  std::vector<Factor> factors_;
};

/// The terms of a block's time, e.g. {1, N, M}.
using Form = std::vector<Basis>;

/// Terms joined by commas: "1,N*log2(N)". \throws UsageError  also for a term that comes twice
Form parse_form(std::string_view text, std::span<const Curve> curves = {});

std::string text_of(const Form& form);
std::vector<std::string> term_names(const Form& form);

/// The sizes that any term depends on.
std::set<std::string> sizes_of(const Form& form);

/// Whether all of it is the constant.
inline bool is_constant(const Form& form) { return form.size() == 1 && form.front() == Basis(); }

}  // namespace cleave::models
