// SPDX-License-Identifier: Apache-2.0
// How many visits the search of a tree takes, by sampling it (Knuth, "Estimating the efficiency of
// backtrack programs", 1975). The first nodes are visited breadth first, until there are enough to
// begin from. From each of these a random path goes down to a leaf: a node of which one child of k
// is followed stands for k. A sweep is one path from each. Its sum is right on average, and sweeps
// are independent, so their spread says how far the mean is to be trusted.
//
// Of a tree whose size lies in rare deep parts no such sample tells it. That shows: one path then
// makes much of the sum. No answer is given. No MPI, no clock, the same for the same seed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
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
  /// What one path makes of the sum of all, at most. Sizes of paths are skewed: what the sample
  /// misses lies in paths as large, and makes the truth greater.
  double largest_share = 0;
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

  /// Visits one node. Cost: that visit, and a copy of a node.
  void step() {
    if (is_whole_) {
      return;
    }
    if (is_widening_) {
      widen();
    } else {
      go_down();
    }
  }

  /// Forgets all, as after the tree has changed by a better incumbent.
  void begin_again() {
    wanted_ = kFirstBegins;
    is_whole_ = false;
    estimate_.reset();
    begin_sample();
  }

  /// Nothing while there are too few sweeps, or if they cannot tell.
  const std::optional<TreeSizeEstimate>& estimate() const { return estimate_; }

 private:
  static constexpr std::size_t kFirstBegins = 64;
  static constexpr std::size_t kMaxBegins = 1 << 14;
  static constexpr double kMaxVisitsForBegin = 16;  ///< where a tree stays narrow
  static constexpr int kMinSweeps = 5;
  static constexpr int kSweepsOfSample = 16;  ///< then more begins are worth more than more sweeps

  /// The most that one of `paths` may make of their sum. Where sizes have a tail that a sample
  /// tells, the largest share falls almost as 1 / paths; else it hardly falls.
  static double max_share(double paths) { return std::min(0.1, 30 / std::pow(paths, 0.75)); }

  void begin_sample() {
    begins_.assign(roots_.begin(), roots_.end());
    is_widening_ = true;
    top_ = 0;
    sweeps_.clear();
    largest_path_ = 0;
  }

  void begin_sweep() {
    at_ = 0;
    sum_ = 0;
    path_.reset();
  }

  /// Puts the children of the oldest begin behind all others.
  void widen() {
    if (begins_.empty()) {  // all is counted
      is_whole_ = true;
      estimate_ = TreeSizeEstimate{.visits = top_, .deviation = 0, .freedom = 0};
    } else if (begins_.size() >= wanted_ ||
               top_ >= kMaxVisitsForBegin * static_cast<double>(wanted_)) {
      is_widening_ = false;
      begin_sweep();
    } else {
      children_.clear();
      expand_(std::move(begins_.front()), children_);
      begins_.pop_front();
      ++top_;
      std::move(children_.begin(), children_.end(), std::back_inserter(begins_));
    }
  }

  /// One visit of the current path.
  void go_down() {
    if (!path_) {
      path_ = begins_[at_];
      weight_ = 1;
      of_path_ = 0;
    }
    of_path_ += weight_;
    children_.clear();
    expand_(*std::move(path_), children_);
    path_.reset();
    if (!children_.empty()) {
      weight_ *= static_cast<double>(children_.size());
      path_ = std::move(children_[random_() % children_.size()]);
      return;
    }
    sum_ += of_path_;
    largest_path_ = std::max(largest_path_, of_path_);
    if (++at_ == begins_.size()) {
      end_sweep();
    }
  }

  void end_sweep() {
    sweeps_.push_back(sum_);
    begin_sweep();
    if (std::ssize(sweeps_) >= kMinSweeps) {
      estimate_ = mean_of_sweeps();
    }
    if (std::ssize(sweeps_) >= kSweepsOfSample && wanted_ < kMaxBegins) {
      wanted_ *= 4;
      begin_sample();
    }
  }

  std::optional<TreeSizeEstimate> mean_of_sweeps() const {
    const auto n = static_cast<double>(sweeps_.size());
    double sum = 0;
    for (const double sweep : sweeps_) {
      sum += sweep;
    }
    double squares = 0;
    for (const double sweep : sweeps_) {
      squares += (sweep - sum / n) * (sweep - sum / n);
    }
    if (!std::isfinite(squares) ||
        largest_path_ > max_share(n * static_cast<double>(begins_.size())) * sum) {
      return std::nullopt;
    }
    return TreeSizeEstimate{.visits = top_ + sum / n,
                            .deviation = std::sqrt(squares / (n - 1) / n),
                            .freedom = n - 1,
                            .largest_share = sum > 0 ? largest_path_ / sum : 0};
  }

  std::vector<Node> roots_;
  Expand expand_;
  std::mt19937_64 random_;

  std::deque<Node> begins_;  ///< that paths go down from
  std::size_t wanted_ = 0;   ///< of them
  bool is_widening_ = true;  ///< there are not as many yet
  double top_ = 0;           ///< visits above them
  bool is_whole_ = false;    ///< the tree was smaller than what was wanted
  std::vector<double> sweeps_;

  // The current sweep.
  std::size_t at_ = 0;
  double sum_ = 0;
  std::optional<Node> path_;
  double weight_ = 1;
  double of_path_ = 0;
  double largest_path_ = 0;
  std::vector<Node> children_;
  std::optional<TreeSizeEstimate> estimate_;
};

}  // namespace cleave::detail
