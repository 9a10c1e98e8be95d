// Basis functions: what a block's time is a linear combination of, written as people write them:
// "1", "N", "N*log2(N)", "N^1.5", "N*M".
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cleave {

/// Sizes as numbers: measured ones are counts, those derived by a model need not be whole.
using NamedValues = std::map<std::string, double>;

/// A product of powers of sizes and of their logarithms; without factors it is 1.
class Basis {
 public:
  struct Factor {
    std::string size;
    bool logarithm = false;  ///< log2(size) instead of size
    double power = 1;

    friend bool operator==(const Factor&, const Factor&) = default;
  };

  Basis() = default;
  explicit Basis(std::vector<Factor> factors) : factors_(std::move(factors)) {}

  /// "1", or factors SIZE, SIZE^POWER, log2(SIZE), log2(SIZE)^POWER joined by '*'.
  /// \throws UsageError  naming what was expected and the position
  static Basis parse(std::string_view text);

  /// As `parse` reads it.
  std::string text() const;

  /// log2(0) counts as 0.
  /// \throws Error  if `sizes` lacks one that this is a function of
  double operator()(const NamedValues& sizes) const;

  const std::vector<Factor>& factors() const { return factors_; }

  friend bool operator==(const Basis&, const Basis&) = default;

 private:
  std::vector<Factor> factors_;
};

/// The terms of a block's time, e.g. {1, N, M}.
using Form = std::vector<Basis>;

/// Terms joined by commas: "1,N*log2(N)". \throws UsageError  also for a term that comes twice
Form parse_form(std::string_view text);

std::string text_of(const Form& form);
std::vector<std::string> term_names(const Form& form);

}  // namespace cleave
