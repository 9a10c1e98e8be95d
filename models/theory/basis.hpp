// SPDX-License-Identifier: Apache-2.0
// Basis functions: what a block's time is a linear combination of, written as people write them:
// "1", "N", "N*log2(N)", "N^1.5", "N^log2(3)", "N*M".
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cleave::models {

/// Sizes as numbers: measured ones are counts, those derived by a model need not be whole.
using NamedValues = std::map<std::string, double>;

/// A product of powers of sizes and of their logarithms; without factors it is 1.
class Basis {
 public:
  struct Factor {
    std::string size;
    bool is_log = false;  ///< log2 of the size; of less than 1 it counts as 0
    double power = 1;

    friend bool operator==(const Factor&, const Factor&) = default;
  };

  Basis() = default;
  explicit Basis(std::vector<Factor> factors) : factors_(std::move(factors)) {}

  /// A term as `text` writes it: "1", or factors joined by '*', SIZE or log2(SIZE), each perhaps
  /// with ^POWER, where POWER is 1.5, 2/3 or log2(3). None of another text.
  static std::optional<Basis> parse(std::string_view text);
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

/// "1,N*log2(N)".
std::string text_of(const Form& form);
std::vector<std::string> term_names(const Form& form);
/// The sizes that any term depends on.
std::set<std::string> sizes_of(const Form& form);

}  // namespace cleave::models
