// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/tree/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include <cleave/error.hpp>
#include <cleave/trace/checksum.hpp>

namespace cleave::splitting {

namespace {

constexpr Index kMaxNodes = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kMaxLevels = std::numeric_limits<std::uint16_t>::max();

}  // namespace

int Shape::children() const {
  int product = 1;
  for (int axis = 0; axis < d; ++axis) {
    product *= k;
  }
  return product;
}

void check(Shape shape) {
  if (shape.k != 2 && shape.k != 3) {
    throw Error(fmt::format("k is {}, allowed are 2 and 3", shape.k));
  }
  if (shape.d != 2 && shape.d != 3) {
    throw Error(fmt::format("d is {}, allowed are 2 and 3", shape.d));
  }
}

Tree::Tree(Shape shape, std::vector<std::vector<std::uint8_t>> levels)
    : shape_(shape), refined_(std::move(levels)) {
  check(shape);
  children_ = shape.children();
  if (refined_.empty()) {
    refined_.push_back({0});
  }
  if (refined_.size() >= kMaxLevels) {
    throw Error(fmt::format("{} levels, at most {} are allowed", refined_.size(), kMaxLevels - 1));
  }
  Index expected = 1;
  for (std::size_t level = 0; level < refined_.size(); ++level) {
    const auto& row = refined_[level];
    if (static_cast<Index>(row.size()) != expected) {
      throw Error(fmt::format("level {} has {} nodes, expected {} ({} for each refined node above)",
                              level, row.size(), expected, children_));
    }
    Index refined = 0;
    for (std::size_t node = 0; node < row.size(); ++node) {
      if (row[node] > 1) {
        throw Error(fmt::format("level {} node {} is {}, allowed are 0 and 1", level, node,
                                static_cast<int>(row[node])));
      }
      refined += row[node];
    }
    nodes_ += expected;
    expected = refined * children_;
    if (nodes_ + expected > kMaxNodes) {
      throw Error(fmt::format("more than {} nodes, from level {} on", kMaxNodes, level));
    }
    if (expected == 0 && level + 1 < refined_.size()) {
      throw Error(fmt::format("level {} follows a level without refined nodes", level + 1));
    }
  }
  if (expected > 0) {
    refined_.emplace_back(static_cast<std::size_t>(expected), std::uint8_t{0});
    nodes_ += expected;
  }
  count_leaves();
  place_leaves();
}

void Tree::count_leaves() {
  const int deepest = static_cast<int>(refined_.size()) - 1;
  refined_before_.resize(refined_.size());
  refined_nodes_.resize(refined_.size());
  leaves_below_.resize(refined_.size());
  leaves_at_stage_ = {1};
  for (int level = 0; level <= deepest; ++level) {
    std::int32_t refined = 0;
    refined_before_[level].reserve(refined_[level].size());
    for (std::size_t node = 0; node < refined_[level].size(); ++node) {
      refined_before_[level].push_back(refined);
      if (refined_[level][node] != 0) {
        refined_nodes_[level].push_back(static_cast<std::int32_t>(node));
        ++refined;
      }
    }
    if (level < deepest) {
      leaves_at_stage_.push_back(leaves_at_stage_.back() + Index{refined} * (children_ - 1));
    }
  }
  l_min_ = 0;
  while (refined_nodes_[l_min_].size() == refined_[l_min_].size()) {
    ++l_min_;
  }
  for (int level = deepest; level >= 0; --level) {
    auto& below = leaves_below_[level];
    below.assign(refined_[level].size(), 1);
    for (const std::int32_t node : refined_nodes_[level]) {
      const auto child = leaves_below_[level + 1].begin() + first_child(level, node);
      below[node] = 0;
      std::for_each(child, child + children_, [&](std::int32_t leaves) { below[node] += leaves; });
    }
  }
}

void Tree::place_leaves() {
  first_leaf_.resize(refined_.size());
  first_leaf_[0] = {0};
  cut_stage_.assign(static_cast<std::size_t>(leaves_below_[0][0]), 0);
  for (std::size_t level = 0; level + 1 < refined_.size(); ++level) {
    first_leaf_[level + 1].reserve(refined_[level + 1].size());
    for (const std::int32_t node : refined_nodes_[level]) {
      std::int32_t leaf = first_leaf_[level][node];
      for (int child = 0; child < children_; ++child) {
        if (child > 0) {
          cut_stage_[leaf] = static_cast<std::uint16_t>(level + 1);
        }
        const std::size_t index = first_leaf_[level + 1].size();
        first_leaf_[level + 1].push_back(leaf);
        leaf += leaves_below_[level + 1][index];
      }
    }
  }
}

std::string Tree::fingerprint() const {
  std::string all = {static_cast<char>(shape_.k), static_cast<char>(shape_.d)};
  for (const auto& row : refined_) {
    all.append(row.begin(), row.end());
  }
  return detail::hexadecimal(detail::crc_64(all));
}

}  // namespace cleave::splitting
