// How far the sizes of observations reach.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/block_fit.hpp"

namespace cleave {

/// The least and the largest value of each size.
class Spans {
 public:
  explicit Spans(const std::vector<Observation>& observations = {});

  void add(const Spans& other);

  /// Whether no term of `form` is steeper than S log2 S in a size that varies by less than a factor
  /// of four: a power found between sizes close to each other is wrong by far beyond them. Where
  /// `whole` has a size vary by more, which in this part of it does not, the powers of a product
  /// count together: between M = 20K and 40K sqrt(N) tells of M/N, and M sqrt(N) of no growth.
  bool tell(const Form& form, const Spans& whole) const;

 private:
  void extend(const std::string& name, double value);
  bool vary(const std::string& name) const;

  std::map<std::string, std::pair<double, double>> ranges_;  ///< least and largest of each size
};

}  // namespace cleave
