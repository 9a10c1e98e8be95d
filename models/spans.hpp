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
  /// of four: a power found between sizes close to each other is wrong by far beyond them.
  bool tell(const Form& form) const;

 private:
  void extend(const std::string& name, double value);

  std::map<std::string, std::pair<double, double>> ranges_;  ///< least and largest of each size
};

}  // namespace cleave
