// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/offline/interval_dp.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <cleave/error.hpp>

#include "apps/splitting/ledger/loads.hpp"
#include "apps/splitting/offline/cuts.hpp"

namespace cleave::splitting {

namespace {

/// A position on the curve with `parts` parts before it.
struct Candidate {
  Index parts = 0;
  Index position = 0;
};

/// Candidates by parts, then position, cut off beyond `most`. The last ones are ends of the curve.
template <class Loads>
std::vector<Candidate> candidates_of(const Problem& problem, const Loads& loads, LoadWindow window,
                                     Index maximum) {
  const Index leaves = loads.leaves();
  const Index total = loads.before(leaves);
  const bool exactly = window.minimum > 0;
  std::vector<Candidate> candidates = {{0, 0}};
  const Index parts = std::min<Index>(problem.processors, leaves);
  for (Index j = 1; j <= parts; ++j) {
    Index low = j * window.minimum;
    Index high = std::min(total, j * window.maximum);
    if (exactly) {
      low = std::max(low, total - (parts - j) * window.maximum);
      high = std::min(high, total - (parts - j) * window.minimum);
    }
    const Index end = std::min(leaves + 1, loads.first_at_least(high + 1));
    for (Index x = std::max(j, loads.first_at_least(low)); x < end; ++x) {
      candidates.push_back({j, x});
      if (static_cast<Index>(candidates.size()) > maximum) {
        return candidates;
      }
    }
  }
  return candidates;
}

template <class Loads>
class IntervalDp {
 public:
  IntervalDp(const Problem& problem, const Loads& loads, LoadWindow window,
             std::vector<Candidate> candidates)
      : problem_(problem),
        loads_(loads),
        window_(window),
        candidates_(std::move(candidates)),
        size_(candidates_.size()),
        value_(size_ * size_, kInfinite),
        transposed_(value_) {}

  std::optional<PricedPlan> solve() {
    fill_single_parts();
    const int last = problem_.tree.l_max();
    choice_.resize(static_cast<std::size_t>(last) + 1);
    for (int s = last; s >= 0; --s) {
      solve_stage(s);
    }
    double best = kInfinite;
    std::size_t best_end = 0;
    for (std::size_t b = 1; b < size_; ++b) {
      const bool whole = candidates_[b].position == problem_.tree.leaves() &&
                         (window_.minimum == 0 || candidates_[b].parts == problem_.processors);
      if (whole && value_[b] < best) {
        best = value_[b];
        best_end = b;
      }
    }
    if (best == kInfinite) {
      return std::nullopt;
    }
    std::vector<IntervalSplit> splits;
    collect(0, best_end, 0, splits);
    return plan_of_interval_splits(problem_, std::move(splits));
  }

 private:
  /// The candidates that exist at a stage, with the choices among them.
  struct StageChoice {
    std::vector<std::int32_t> place;  // by candidate: its row among those that exist, or -1
    std::vector<std::int32_t> cut;    // by row and row: the candidate to cut at, or -1: wait
    std::size_t rows = 0;
  };

  void fill_single_parts() {
    for (std::size_t a = 0; a < size_; ++a) {
      for (std::size_t b = a + 1; b < size_; ++b) {
        const bool one_part = candidates_[b].parts == candidates_[a].parts + 1 &&
                              candidates_[a].position < candidates_[b].position;
        if (one_part &&
            window_.holds(loads_.between(candidates_[a].position, candidates_[b].position))) {
          set(a, b, 0);
        }
      }
    }
  }

  /// By candidate: how many leaves of `stage` lie before it.
  std::vector<Index> leaves_before(int stage) const {
    const auto& cut_stage = problem_.tree.cut_stage();
    std::vector<Index> at_position;
    at_position.reserve(cut_stage.size() + 1);
    Index leaves = 0;
    for (const std::uint16_t first : cut_stage) {
      at_position.push_back(leaves);
      leaves += first <= stage ? 1 : 0;
    }
    at_position.push_back(leaves);
    std::vector<Index> before;
    for (const Candidate& candidate : candidates_) {
      before.push_back(at_position[static_cast<std::size_t>(candidate.position)]);
    }
    return before;
  }

  void solve_stage(int stage) {
    const std::vector<Index> leaf = leaves_before(stage);
    const Index N = problem_.tree.leaves_at_stage(stage);
    StageChoice& choice = choice_[static_cast<std::size_t>(stage)];
    choice.place.assign(size_, -1);
    std::vector<std::size_t> existing;
    for (std::size_t a = 0; a < size_; ++a) {
      const Index position = candidates_[a].position;
      if (position == problem_.tree.leaves() || problem_.tree.cut_stage()[position] <= stage) {
        choice.place[a] = static_cast<std::int32_t>(existing.size());
        existing.push_back(a);
      }
    }
    choice.rows = existing.size();
    choice.cut.assign(choice.rows * choice.rows, -1);
    // Smaller intervals first: left ends from right to left, right ends from left to right.
    for (std::size_t ra = existing.size(); ra-- > 0;) {
      const std::size_t a = existing[ra];
      for (std::size_t rb = ra + 1; rb < existing.size(); ++rb) {
        const std::size_t b = existing[rb];
        if (candidates_[b].parts < candidates_[a].parts + 2) {
          continue;
        }
        double best = value_[a * size_ + b];
        for (std::size_t rc = ra + 1; rc < rb; ++rc) {
          const std::size_t c = existing[rc];
          const double sides = value_[a * size_ + c] + transposed_[b * size_ + c];
          if (sides >= best) {
            continue;
          }
          const Index whole = leaf[b] - leaf[a];
          const Index n = std::min(leaf[c] - leaf[a], leaf[b] - leaf[c]);
          const double cost = sides + problem_.cost({.n = n, .N = N, .giver_leaves = whole});
          if (cost < best) {
            best = cost;
            choice.cut[ra * choice.rows + rb] = static_cast<std::int32_t>(c);
          }
        }
        set(a, b, best);
      }
    }
  }

  void set(std::size_t a, std::size_t b, double value) {
    value_[a * size_ + b] = value;
    transposed_[b * size_ + a] = value;
  }

  /// The splits of the interval from candidate a to b, from stage `s` on, outermost first.
  void collect(std::size_t a, std::size_t b, int s, std::vector<IntervalSplit>& splits) const {
    for (; s < static_cast<int>(choice_.size()); ++s) {
      const StageChoice& choice = choice_[static_cast<std::size_t>(s)];
      const std::int32_t c =
          choice.cut[static_cast<std::size_t>(choice.place[a]) * choice.rows + choice.place[b]];
      if (c >= 0) {
        splits.push_back({s, candidates_[a].position,
                          candidates_[static_cast<std::size_t>(c)].position,
                          candidates_[b].position});
        collect(a, static_cast<std::size_t>(c), s, splits);
        collect(static_cast<std::size_t>(c), b, s, splits);
        return;
      }
    }
  }

  const Problem& problem_;
  const Loads& loads_;
  LoadWindow window_;
  std::vector<Candidate> candidates_;
  std::size_t size_;
  std::vector<double> value_;  // f of the stage in work, by left and right candidate
  std::vector<double>
      transposed_;  // the same by right and left, so that both sides are read in order
  std::vector<StageChoice> choice_;
};

template <class Loads>
std::optional<PricedPlan> interval_dp(const Problem& problem, const Loads& loads,
                                      LoadWindow window) {
  if (window.minimum > 0 && problem.processors > loads.leaves()) {
    return std::nullopt;
  }
  auto candidates = candidates_of(problem, loads, window, kMaxIntervalCandidates);
  if (static_cast<Index>(candidates.size()) > kMaxIntervalCandidates) {
    throw Error(
        fmt::format("exact planning at A1 > 0 within loads {} to {} has more than {} places for "
                    "cuts, the most that the interval DP takes: narrow the window, or use "
                    "--planner two_phase, which is not exact",
                    window.minimum, window.maximum, kMaxIntervalCandidates));
  }
  return IntervalDp<Loads>(problem, loads, window, std::move(candidates)).solve();
}

}  // namespace

Index interval_dp_candidates(const Problem& problem, LoadWindow window) {
  const Index maximum = kMaxIntervalCandidates;
  return static_cast<Index>(
      problem.weights.empty()
          ? candidates_of(problem, UnitLoads(problem.tree.leaves()), window, maximum).size()
          : candidates_of(problem, WeightedLoads(problem.weights), window, maximum).size());
}

std::optional<PricedPlan> interval_dp(const Problem& problem, LoadWindow window) {
  return problem.weights.empty() ? interval_dp(problem, UnitLoads(problem.tree.leaves()), window)
                                 : interval_dp(problem, WeightedLoads(problem.weights), window);
}

}  // namespace cleave::splitting
