// SPDX-License-Identifier: Apache-2.0
#include "apps/uts/tree.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include <cleave/error.hpp>

#include "apps/uts/kernel.hpp"

namespace cleave::uts {

namespace {

constexpr std::uint32_t kValues = std::uint32_t{1} << 31;  // of UTS 1.1

/// Deeper geometric levels are not tabulated, nor those of EXPDEC beyond the last that CYCLIC has:
/// few trees reach them, and no large part of one.
constexpr std::uint32_t kTabulatedDepths = 1024;

std::vector<std::uint32_t> steps_of(const TreeParameters& parameters, std::uint32_t depth) {
  std::vector<std::uint32_t> steps;
  const auto children = [&](std::uint32_t value) {
    return geometric_children(parameters, depth, value);
  };
  const std::uint32_t maximum = children(kValues - 1);
  std::uint32_t first = 0;
  for (std::uint32_t wanted = 1; wanted <= maximum; ++wanted) {
    std::uint32_t last = kValues - 1;
    while (first < last) {
      const std::uint32_t middle = first + (last - first) / 2;
      if (children(middle) >= wanted) {
        last = middle;
      } else {
        first = middle + 1;
      }
    }
    steps.push_back(first);
  }
  return steps;
}

/// u < q exactly if a value of `bits` bits is less than this.
std::uint64_t values_below(double q, int bits) {
  return static_cast<std::uint64_t>(std::ceil(std::ldexp(std::min(q, 1.0), bits)));
}

BinomialRule binomial_rule(const TreeParameters& parameters) {
  const double q = parameters.interior_probability;
  const std::uint32_t m = parameters.interior_children;
  return parameters.is_prins ? prins_rule(q, m)
                             : BinomialRule{.mask = 0x7fffffff,
                                            .below = values_below(q, 31),
                                            .children = std::min(m, kMaxUtsChildren)};
}

std::uint32_t balanced_children(const TreeParameters& parameters) {
  return std::min(static_cast<std::uint32_t>(parameters.root_branching), kMaxUtsChildren);
}

}  // namespace

// UTS 1.1, shape functions.
double mean_children(const TreeParameters& parameters, std::uint32_t depth) {
  const double b = parameters.root_branching;
  if (depth == 0) {
    return b;
  }
  const double d = parameters.depth_parameter;
  switch (parameters.shape) {
    case Shape::linear:
      return b * (1 - depth / d);
    case Shape::exp_dec:
      return b * std::pow(depth, -std::log(b) / std::log(d));
    case Shape::cyclic:
      return depth > 5 * d ? 0 : std::pow(b, std::sin(2 * 3.141592653589793 * depth / d));
    case Shape::fixed:
      return depth < d ? b : 0;
  }
  return 0;
}

std::uint32_t alike_from(const TreeParameters& parameters) {
  const std::uint32_t d = parameters.depth_parameter;
  switch (parameters.type) {
    case TreeType::binomial:
      return 0;
    case TreeType::hybrid:
      return static_cast<std::uint32_t>(std::ceil(parameters.binomial_from * d));
    case TreeType::balanced:
      return d;
    case TreeType::geometric:
      break;
  }
  switch (parameters.shape) {
    case Shape::linear:
    case Shape::fixed:
      return d;
    case Shape::cyclic:
      return 5 * d + 1;
    case Shape::exp_dec:
      break;
  }
  return std::numeric_limits<std::uint32_t>::max();
}

BinomialRule prins_rule(double q, std::uint32_t children) {
  return {.mask = 0xffffffff, .below = values_below(q, 32), .children = children};
}

GeometricRule::GeometricRule(const std::vector<std::uint32_t>& steps) {
  assert(steps.size() <= kMaxUtsChildren);
  steps_.fill(kValues);
  std::copy(steps.begin(), steps.end(), steps_.begin());
  for (std::uint32_t bucket = 0; bucket < at_min_.size(); ++bucket) {
    const auto above = std::upper_bound(steps.begin(), steps.end(), bucket << kBucketShift);
    at_min_[bucket] = static_cast<std::uint8_t>(above - steps.begin());
  }
}

std::uint32_t geometric_children(const TreeParameters& parameters, std::uint32_t depth,
                                 std::uint32_t value) {
  const double p = 1 / (1 + mean_children(parameters, depth));
  const double u = static_cast<double>(value) / kValues;
  const double children = std::floor(std::log(1 - u) / std::log(1 - p));
  return static_cast<std::uint32_t>(std::min<double>(children, kMaxUtsChildren));
}

Tree::Tree(const TreeParameters& parameters)
    : parameters_(parameters), alike_from_(alike_from(parameters)) {
  const TreeParameters& p = parameters_;
  if (p.type == TreeType::geometric || p.type == TreeType::hybrid) {
    if (p.shape == Shape::exp_dec && p.depth_parameter < 2) {
      throw UsageError("d=1 has no meaning for the shape EXPDEC, which divides by log(d)");
    }
    const std::uint32_t tabulated =
        std::min({alike_from_, kTabulatedDepths, 5 * p.depth_parameter + 1});
    for (std::uint32_t depth = 0; depth < tabulated; ++depth) {
      rules_above_.emplace_back(GeometricRule(steps_of(p, depth)));
    }
  }
  if (p.type == TreeType::binomial || p.type == TreeType::hybrid) {
    rule_below_ = binomial_rule(p);
  }
  root_id_ = p.is_prins ? p.root : id_of_seed(p.root.back());
  root_children_ = p.type == TreeType::binomial ? static_cast<std::uint32_t>(p.root_branching)
                                                : children(root_id_, 0);
}

bool Tree::surely_ends() const {
  return std::get<BinomialRule>(rule_below_).children * parameters_.interior_probability < 1;
}

std::uint32_t Tree::children(const NodeId& id, std::uint32_t depth) const {
  const std::uint32_t word = id.back();
  if (const ChildRule* const found = rule(depth)) {
    return std::visit([word](const auto& rule_of_depth) { return rule_of_depth(word); }, *found);
  }
  if (parameters_.type == TreeType::balanced) {
    return balanced_children(parameters_);
  }
  return geometric_children(parameters_, depth, word & (kValues - 1));
}

}  // namespace cleave::uts
