// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

#include <cleave/error.hpp>
#include <cleave/file.hpp>

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
  for (std::size_t level = 0; level < refined_.size() || expected > 0; ++level) {
    if (level == refined_.size()) {
      refined_.emplace_back(static_cast<std::size_t>(expected), std::uint8_t{0});
    }
    const auto& row = refined_[level];
    if (std::ssize(row) != expected || expected == 0) {
      throw Error(fmt::format("level {} has {} nodes, expected {} ({} for each refined node above)",
                              level, row.size(), expected, children_));
    }
    auto& before = refined_before_.emplace_back();
    auto& nodes = refined_nodes_.emplace_back();
    before.reserve(row.size());
    for (std::size_t node = 0; node < row.size(); ++node) {
      before.push_back(static_cast<std::int32_t>(nodes.size()));
      if (row[node] != 0) {
        nodes.push_back(static_cast<std::int32_t>(node));
      }
    }
    if (std::ssize(nodes) == expected && l_min_ == static_cast<int>(level)) {
      ++l_min_;
    }
    leaves_at_stage_.push_back(
        level == 0 ? 1 : leaves_at_stage_.back() + expected - expected / children_);
    nodes_ += expected;
    expected = std::ssize(nodes) * children_;
    if (nodes_ + expected > kMaxNodes) {
      throw Error(fmt::format("more than {} nodes, from level {} on", kMaxNodes, level));
    }
  }
  place_leaves();
}

void Tree::place_leaves() {
  leaves_below_.resize(refined_.size());
  for (int level = l_max(); level >= 0; --level) {
    auto& below = leaves_below_[level];
    below.assign(refined_[level].size(), 1);
    for (const std::int32_t node : refined_nodes_[level]) {
      const auto child = leaves_below_[level + 1].begin() + first_child(level, node);
      below[node] = std::accumulate(child, child + children_, std::int32_t{0});
    }
  }
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
  return fmt::format("{:016x}", detail::crc_64(std::as_bytes(std::span(all))));
}

LeafSet::LeafSet(std::vector<LeafRun> runs) {
  std::sort(runs.begin(), runs.end(), [](LeafRun a, LeafRun b) { return a.begin < b.begin; });
  for (const LeafRun& run : runs) {
    if (run.begin < 0 || run.end <= run.begin) {
      throw Error(
          fmt::format("a run of leaves begins at {} and holds {}, it must begin at 0 or "
                      "later and hold at least 1",
                      run.begin, run.size()));
    }
    if (!runs_.empty() && run.begin < runs_.back().end) {
      throw Error(fmt::format("leaf {} is named twice", run.begin));
    }
    append(run);
  }
}

LeafSet LeafSet::of_positions(const std::vector<Index>& positions) {
  LeafSet set;
  for (const Index position : positions) {
    set.append({position, position + 1});
  }
  return set;
}

void LeafSet::append(LeafRun run) {
  if (run.size() == 0) {
    return;
  }
  if (!runs_.empty() && runs_.back().end == run.begin) {
    runs_.back().end = run.end;
  } else {
    runs_.push_back(run);
  }
  size_ += run.size();
}

Index LeafSet::count_in(LeafRun range) const {
  Index count = 0;
  for (const LeafRun& run : runs_) {
    count += std::max<Index>(0, std::min(run.end, range.end) - std::max(run.begin, range.begin));
  }
  return count;
}

bool LeafSet::contains_all(const LeafSet& other) const {
  auto mine = runs_.begin();
  for (const LeafRun& run : other.runs_) {
    mine = std::find_if(mine, runs_.end(), [&](LeafRun r) { return run.begin < r.end; });
    if (mine == runs_.end() || run.begin < mine->begin || mine->end < run.end) {
      return false;
    }
  }
  return true;
}

LeafSet LeafSet::take(Index n, Side side) {
  assert(0 <= n && n <= size_);
  LeafSet first;
  LeafSet second;
  Index left = side == Side::front ? n : size_ - n;
  for (const LeafRun& run : runs_) {
    const Index here = std::min(left, run.size());
    first.append({run.begin, run.begin + here});
    second.append({run.begin + here, run.end});
    left -= here;
  }
  if (side == Side::front) {
    *this = std::move(second);
    return first;
  }
  *this = std::move(first);
  return second;
}

void LeafSet::remove(const LeafSet& other) {
  assert(contains_all(other));
  LeafSet kept;
  auto gone = other.runs_.begin();
  for (const LeafRun& run : runs_) {
    Index begin = run.begin;
    for (; gone != other.runs_.end() && gone->begin < run.end; ++gone) {
      kept.append({begin, gone->begin});
      begin = gone->end;
    }
    kept.append({begin, run.end});
  }
  *this = std::move(kept);
}

Index Growth::first_final(Index leaf) const {
  return leaf == leaves() ? tree_->leaves() : first_final_[leaf];
}

Index Growth::leaf_at(Index position) const {
  if (position == tree_->leaves()) {
    return leaves();
  }
  return std::upper_bound(first_final_.begin(), first_final_.end(), position) -
         first_final_.begin() - 1;
}

void Growth::advance() {
  Growth next(*tree_);
  next.stage_ = stage_ + 1;
  next.level_.clear();
  next.node_.clear();
  next.first_final_.clear();
  const auto add = [&](int level, Index node) {
    next.level_.push_back(static_cast<std::uint16_t>(level));
    next.node_.push_back(static_cast<std::int32_t>(node));
    next.first_final_.push_back(static_cast<std::int32_t>(tree_->first_leaf(level, node)));
  };
  for (Index leaf = 0; leaf < leaves(); ++leaf) {
    const int level = level_[leaf];
    if (!tree_->refined(level, node_[leaf])) {
      add(level, node_[leaf]);
      continue;
    }
    const Index child = tree_->first_child(level, node_[leaf]);
    for (Index i = 0; i < tree_->children(); ++i) {
      add(level + 1, child + i);
    }
  }
  *this = std::move(next);
}

Tree parse_tree(const std::filesystem::path& path, const std::string& text) {
  std::string_view rest = text;
  const auto next_line = [&] {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    return line;
  };
  const std::string_view first = next_line();
  const auto is_axis = [](char c) { return c == '2' || c == '3'; };
  if (first.size() != 3 || !is_axis(first[0]) || first[1] != ' ' || !is_axis(first[2])) {
    throw FileError(path, fmt::format("line 1: '{}', expected 'k d', each 2 or 3", first));
  }
  std::vector<std::vector<std::uint8_t>> levels;
  while (!rest.empty()) {
    const std::string_view line = next_line();
    if (const auto at = line.find_first_not_of("01"); at != std::string_view::npos) {
      throw FileError(path, fmt::format("line {} column {}: '{}', expected 0 or 1",
                                        levels.size() + 2, at + 1, line[at]));
    }
    auto& level = levels.emplace_back(line.size());
    std::ranges::transform(line, level.begin(), [](char c) { return c == '1' ? 1 : 0; });
  }
  try {
    return Tree({.k = first[0] - '0', .d = first[2] - '0'}, std::move(levels));
  } catch (const Error& e) {
    throw FileError(path, e.what());
  }
}

std::string tree_text(const Tree& tree) {
  std::string text = fmt::format("{} {}\n", tree.shape().k, tree.shape().d);
  for (int level = 0; level < std::max(tree.l_max(), 1); ++level) {
    for (Index node = 0; node < tree.nodes_of_level(level); ++node) {
      text += tree.refined(level, node) ? '1' : '0';
    }
    text += '\n';
  }
  return text;
}

}  // namespace cleave::splitting
