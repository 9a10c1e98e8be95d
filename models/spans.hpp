// SPDX-License-Identifier: Apache-2.0
// How far the sizes of observations reach.
#pragma once

#include <string>
#include <vector>

#include "models/block_fit.hpp"

namespace cleave::models {

/// The least and the largest value of each size, and of the ratio of two.
class Spans {
 public:
  explicit Spans(const std::vector<Observation>& observations = {});

  void add(const Spans& other);

  /// Whether no term of `form` is steeper than S log2 S in a size that varies by less than a factor
  /// of four: a power found between sizes close to each other is wrong by far beyond them. Where a
  /// size varies by so much in `whole`, but not in this part of it, the powers of a product count
  /// together: between M = 20K and 40K sqrt(N) tells of M/N, and M sqrt(N) of no growth. Nor any
  /// that depends on a ratio which is nearly the same in all of `whole`, as that of nodes and
  /// frontier in trees of one kind: what it varies by is chance.
  bool tell(const Form& form, const Spans& whole) const;

 private:
  bool vary(const std::string& name, double enough) const;

  Ranges ranges_;
};

}  // namespace cleave::models
