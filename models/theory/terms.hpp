// SPDX-License-Identifier: Apache-2.0
// Terms of forms and their prices: what the forms on trial are made of.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "models/theory/basis.hpp"
#include "models/theory/catalogue.hpp"
#include "models/theory/observation.hpp"

namespace cleave::models {

// Prices in nats; how they were chosen is in docs/explanation/model.md, "Forms".
inline constexpr double kConstantBeside = 0.5;
inline constexpr double kConstantAlone = 1;
inline constexpr double kFurtherTerm = 1;
inline constexpr double kOfTwoSizes = 1;
inline constexpr double kLogarithm = 2;
inline constexpr double kOfRanks = 1;
inline constexpr double kCommonPower = 2;
inline constexpr double kRarePower = 3;
inline constexpr double kTimesLogarithm = 1;

/// A term and its price.
struct Term {
  Basis basis;  ///< a constant: the size has no part in it
  double price = 0;

  friend bool operator==(const Term&, const Term&) = default;
};

/// The terms that each of some sizes may have.
using TermsOfSizes = std::vector<std::vector<Term>>;

/// S^power log2(S)^logarithms.
Basis power(const std::string& size, double power, int logarithms = 0);

/// Forms, each once whatever the order of its terms.
class FormList {
 public:
  /// Nothing happens if a term comes twice in `form`.
  void add(Form form, double price);

  /// Alone, and with a constant.
  void add_with_constant(const Form& form, double price);

  /// Fewer terms first, and of as many those that were added first.
  std::vector<PricedForm> take() &&;

 private:
  std::vector<PricedForm> forms_;
  std::set<std::vector<std::string>> known_;
};

/// What the terms are of: a block, or a whole run that nothing is known of but its sizes.
enum class Of { block, run };

/// Terms of one size; the first two are S and S log2 S. Powers above 1 only where the size varies
/// by a factor of four.
std::vector<Term> terms_of(const std::string& size, const Ranges& ranges, Of of);

/// S log2 T, of each two sizes.
std::vector<Term> with_log_of_other(const std::vector<std::string>& size_names);

Basis product_of(const Form& form);

/// Of the product of `terms`. A size by a power of the ranks that rises is rare: what is told all
/// of them grows with their logarithm.
double price_of_product(const std::vector<Term>& terms);

}  // namespace cleave::models
