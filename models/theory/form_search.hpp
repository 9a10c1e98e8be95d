// SPDX-License-Identifier: Apache-2.0
// Looks for likely forms where there are too many to try them all.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/theory/catalogue.hpp"
#include "models/theory/terms.hpp"

namespace cleave::models {

/// A slot for one of some terms, in one of the products that a form adds up.
struct Slot {
  std::vector<Term> terms;  ///< of one size
  std::size_t product = 0;
};

/// One slot after another gets its best term, or none, beside those at the others, until none
/// changes. All forms that are looked at are kept.
class FormSearch {
 public:
  /// \param look  says the logarithm of the evidence of a form
  explicit FormSearch(std::function<double(const Form&)> look) : look_(std::move(look)) {}

  struct Found {
    std::vector<Term> terms;
    double distance = 0;  ///< in nats: the price, less the evidence beside a constant
  };

  /// From `terms`, one a slot; Term() is none.
  Found improve(const std::vector<Slot>& slots, std::vector<Term> terms);

  /// Of all that were looked at, the `most` whose price and evidence are best.
  std::vector<PricedForm> likeliest(std::size_t most) const;

 private:
  Term best_at(std::size_t slot, const std::vector<Slot>& slots, std::vector<Term> terms);
  double distance_of(const std::vector<Term>& terms, const std::vector<Slot>& slots);

  struct Seen {
    double distance = 0;
    PricedForm form;
  };

  std::function<double(const Form&)> look_;
  std::map<std::vector<std::string>, Seen> seen_;  ///< by the sorted names of the terms
};

}  // namespace cleave::models
