// SPDX-License-Identifier: Apache-2.0
// How many visits the search of a tree takes, by sampling it level by level (Rubinstein,
// "Stochastic enumeration method for counting NP-hard problems", 2013). A sweep goes down from the
// roots. Of the nodes of a level it keeps at most `width`, drawn at random, and each stands for as
// many as were there for one kept. The sum over the levels is right on average. Sweeps are
// independent, so their spread says how far their mean is to be trusted.
//
// A tree whose size lies in rare deep parts is not told by any sample. That shows in the spread. No
// MPI, no clock, the same for the same seed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace cleave::detail {

/// A mean of sweeps, with its deviation.
struct TreeSizeEstimate {
  double visits = 0;
  double deviation = 0;  ///< of `visits`
  double freedom = 0;    ///< sweeps - 1; 0 where the tree was visited as a whole
};

/// Samples the tree below some nodes.
/// \tparam Expand  `expand(Node, std::vector<Node>& children)` visits a node
template <class Node, class Expand>
class TreeSize {
 public:
  TreeSize(std::vector<Node> roots, Expand expand, std::uint64_t seed)
      : roots_(std::move(roots)), expand_(std::move(expand)), random_(seed) {
    begin_again();
  }

  /// Visits one node. Cost: that visit, and a draw for each child of a level that is full.
  void step() {
    if (is_whole_) {
      return;
    }
    children_.clear();
    expand_(std::move(level_[at_++]), children_);
    sum_ += stands_for_;
    for (Node& child : children_) {
      keep(std::move(child));
    }
    if (at_ == level_.size()) {
      end_level();
    }
  }

  /// Forgets all but how wide sweeps are worth to be, as after the tree has changed by a better
  /// incumbent.
  void begin_again() {
    is_whole_ = false;
    estimate_.reset();
    sweeps_.clear();
    begin_sweep();
  }

  /// Nothing while there are too few sweeps, or if they cannot tell.
  const std::optional<TreeSizeEstimate>& estimate() const { return estimate_; }

 private:
  static constexpr std::size_t kFirstWidth = 16;
  static constexpr std::size_t kMaxWidth = 1 << 12;
  static constexpr int kMinSweeps = 5;
  static constexpr int kSweepsOfWidth = 16;  ///< then wider ones are worth more than more of them
  /// Of one sweep, relative. Beyond it some sweeps are so much larger than most that a few of them
  /// do not tell their mean.
  static constexpr double kMaxDeviation = 0.75;

  void begin_sweep() {
    stands_for_ = 1;
    sum_ = 0;
    is_all_ = true;
    next_.clear();
    in_next_ = 0;
    for (const Node& root : roots_) {
      keep(root);
    }
    end_level();
  }

  /// One of `width_` of the next level, each as likely (Waterman's reservoir).
  void keep(Node child) {
    ++in_next_;
    if (next_.size() < width_) {
      next_.push_back(std::move(child));
    } else if (const std::uint64_t place = random_() % in_next_; place < width_) {
      next_[place] = std::move(child);
    }
  }

  void end_level() {
    if (next_.empty()) {
      end_sweep();
      return;
    }
    is_all_ = is_all_ && in_next_ == next_.size();
    stands_for_ *= static_cast<double>(in_next_) / static_cast<double>(next_.size());
    std::swap(level_, next_);
    next_.clear();
    in_next_ = 0;
    at_ = 0;
  }

  void end_sweep() {
    sweeps_.push_back(sum_);
    if (is_all_) {
      is_whole_ = true;
      estimate_ = TreeSizeEstimate{.visits = sum_};
      return;
    }
    if (std::ssize(sweeps_) >= kMinSweeps) {
      estimate_ = mean_of_sweeps();
      if (width_ < kMaxWidth && (!estimate_ || std::ssize(sweeps_) >= kSweepsOfWidth)) {
        width_ *= 4;
        sweeps_.clear();
      }
    }
    begin_sweep();
  }

  std::optional<TreeSizeEstimate> mean_of_sweeps() const {
    const auto n = static_cast<double>(sweeps_.size());
    double sum = 0;
    for (const double sweep : sweeps_) {
      sum += sweep;
    }
    const double mean = sum / n;
    double squares = 0;
    for (const double sweep : sweeps_) {
      squares += (sweep - mean) * (sweep - mean);
    }
    const double deviation = std::sqrt(squares / (n - 1));
    if (!(deviation <= kMaxDeviation * mean)) {
      return std::nullopt;
    }
    return TreeSizeEstimate{
        .visits = mean, .deviation = deviation / std::sqrt(n), .freedom = n - 1};
  }

  std::vector<Node> roots_;
  Expand expand_;
  std::mt19937_64 random_;

  std::size_t width_ = kFirstWidth;
  bool is_whole_ = false;  ///< a sweep has visited all
  std::vector<double> sweeps_;

  // The current sweep.
  std::vector<Node> level_;  ///< not empty, unless there is no root
  std::size_t at_ = 0;       ///< the next to visit of `level_`
  std::vector<Node> next_;
  std::uint64_t in_next_ = 0;  ///< nodes of the next level, of which `next_` keeps some
  double stands_for_ = 1;      ///< nodes that one of `level_` stands for
  double sum_ = 0;             ///< visits so far
  bool is_all_ = true;         ///< no node was left out

  std::vector<Node> children_;
  std::optional<TreeSizeEstimate> estimate_;
};

}  // namespace cleave::detail
