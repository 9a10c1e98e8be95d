// SPDX-License-Identifier: Apache-2.0
// Plans of intervals of the curve by their cuts: the chain DP, the interval DP, and from cuts
// to splits.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "apps/splitting/planner.hpp"

namespace cleave::splitting {

namespace {

constexpr Index kMaxSteps = Index{1} << 28;

/// Positions at which `parts` of the `total` parts of `leaves` may end, so that every part before
/// and after can be within `window`.
LeafRun ends_of_parts(Index leaves, LoadWindow window, Index parts, Index total) {
  Index low = parts * window.minimum;
  Index high = std::min(leaves, parts * window.maximum);
  Index last = leaves;
  if (window.minimum > 0) {
    low = std::max(low, leaves - (total - parts) * window.maximum);
    high = std::min(high, leaves - (total - parts) * window.minimum);
    last -= total - parts;
  }
  const Index begin = std::max(parts, std::clamp<Index>(low, 0, leaves + 1));
  return {begin, std::max(begin, std::min(high, last) + 1)};
}

/// The fewest leaves that a part may have.
Index fewest(LoadWindow window) { return std::max<Index>(window.minimum, 1); }

/// The chain DP. `Step` holds how many leaves a part has beyond the fewest.
template <class Step>
class Chain {
 public:
  Chain(const Problem& problem, LoadWindow window, std::vector<LeafRun> rows)
      : cut_stage_(problem.tree.cut_stage()), window_(window), rows_(std::move(rows)) {
    for (int s = 0; s <= problem.tree.l_max(); ++s) {
      const Index N = problem.tree.leaves_at_stage(s);
      prices_.push_back(problem.cost({.n = 0, .N = N, .giver_leaves = N}));
    }
  }

  /// The cheapest chain of parts from 0 to the last leaf.
  std::optional<std::vector<Index>> cuts() {
    const Index leaves = std::ssize(cut_stage_);
    double best = kInfinite;
    std::size_t best_parts = 0;
    std::vector<double> values = {0};
    for (std::size_t j = 1; j < rows_.size(); ++j) {
      values = next_row(j, values);
      const LeafRun row = rows_[j];
      if (row.begin <= leaves && leaves < row.end && values[leaves - row.begin] < best) {
        best = values[leaves - row.begin];
        best_parts = j;
      }
    }
    if (best == kInfinite) {
      return std::nullopt;
    }
    std::vector<Index> cuts;
    Index position = leaves;
    for (std::size_t j = best_parts; j > 1; --j) {
      position -= fewest(window_) + static_cast<Index>(steps_[j][position - rows_[j].begin]);
      cuts.push_back(position);
    }
    std::reverse(cuts.begin(), cuts.end());
    return cuts;
  }

 private:
  /// Row j from row j - 1: the least value among the positions one part back, by a queue of
  /// candidates whose values rise.
  std::vector<double> next_row(std::size_t j, const std::vector<double>& before) {
    const LeafRun from = rows_[j - 1];
    const LeafRun row = rows_[j];
    const Index leaves = std::ssize(cut_stage_);
    std::vector<double> values(static_cast<std::size_t>(row.size()));
    auto& steps = steps_.emplace_back(static_cast<std::size_t>(row.size()));
    queue_.resize(static_cast<std::size_t>(from.size()));
    std::size_t head = 0;
    std::size_t tail = 0;
    Index next = from.begin;
    for (Index y = row.begin; y < row.end; ++y) {
      for (; next < from.end && next < y && y - next >= window_.minimum; ++next) {
        const double value = before[next - from.begin];
        while (tail > head && queue_[tail - 1].value >= value) {
          --tail;
        }
        queue_[tail++] = {value, next};
      }
      while (head < tail && y - queue_[head].position > window_.maximum) {
        ++head;
      }
      double& value = values[y - row.begin];
      value = kInfinite;
      if (head < tail) {
        value = queue_[head].value + (y < leaves ? prices_[cut_stage_[y]] : 0);
        steps[y - row.begin] = static_cast<Step>(y - queue_[head].position - fewest(window_));
      }
    }
    return values;
  }

  struct Candidate {
    double value = 0;
    Index position = 0;
  };

  const std::vector<std::uint16_t>& cut_stage_;
  std::vector<double> prices_;  // F of a cut by its earliest stage
  LoadWindow window_;
  std::vector<LeafRun> rows_;                    // by number of parts: where they may end
  std::vector<std::vector<Step>> steps_ = {{}};  // by row and position
  std::vector<Candidate> queue_;
};

/// One split of an interval of final leaves into [begin, cut) and [cut, end) at a stage.
struct IntervalSplit {
  int stage = 0;
  Index begin = 0;
  Index cut = 0;
  Index end = 0;
};

/// Names givers and receivers: the smaller side of each cut goes to the next processor. Every
/// interval is the whole curve or a side of an earlier split in `splits`.
Planned plan_of_interval_splits(const Problem& problem, std::vector<IntervalSplit> splits) {
  std::stable_sort(
      splits.begin(), splits.end(),
      [](const IntervalSplit& a, const IntervalSplit& b) { return a.stage < b.stage; });
  Planned priced{.plan = {.processors = problem.processors, .mode = Mode::sfc}};
  std::map<Index, int> owner_from = {{0, 0}};  // by the beginning of each interval
  Growth growth(problem.tree);
  int receiver = 0;
  for (const IntervalSplit& split : splits) {
    while (growth.stage() < split.stage) {
      growth.advance();
    }
    const LeafRun left{growth.leaf_at(split.begin), growth.leaf_at(split.cut)};
    const LeafRun right{left.end, growth.leaf_at(split.end)};
    const int giver = owner_from.at(split.begin);
    const bool left_moves = left.size() < right.size();
    const LeafRun moved = left_moves ? left : right;
    ++receiver;
    owner_from[split.begin] = left_moves ? receiver : giver;
    owner_from[split.cut] = left_moves ? giver : receiver;
    priced.plan.splits.push_back({split.stage, giver, receiver, LeafSet(moved)});
    priced.cost += problem.cost(
        {.n = moved.size(), .N = growth.leaves(), .giver_leaves = left.size() + right.size()});
  }
  return priced;
}

/// A position on the curve with `parts` parts before it.
struct Candidate {
  Index parts = 0;
  Index position = 0;
};

/// Candidates by parts, then position, cut off beyond the most that are taken. The last ones are
/// ends of the curve.
std::vector<Candidate> candidates_of(const Problem& problem, LoadWindow window) {
  std::vector<Candidate> candidates = {{0, 0}};
  const Index leaves = problem.tree.leaves();
  const Index total = std::min<Index>(problem.processors, leaves);
  for (Index parts = 1; parts <= total; ++parts) {
    const LeafRun ends = ends_of_parts(leaves, window, parts, total);
    for (Index x = ends.begin; x < ends.end; ++x) {
      candidates.push_back({parts, x});
      if (static_cast<Index>(candidates.size()) > kMaxIntervalCandidates) {
        return candidates;
      }
    }
  }
  return candidates;
}

/// The interval DP. With f(x, y, s) the least cost of bringing the interval [x, y) from stage s to
/// parts within the window,
///   f(x, y, s) = min( f(x, y, s + 1),
///                     min over cuts c that exist at s: F(smaller side, N_s) + f(x, c, s) + f(c, y,
///                     s) )
/// and 0 for one part within the window. Intervals are independent of each other, which makes it
/// exact.
class IntervalDp {
 public:
  IntervalDp(const Problem& problem, LoadWindow window, std::vector<Candidate> candidates)
      : problem_(problem),
        window_(window),
        candidates_(std::move(candidates)),
        size_(candidates_.size()),
        value_(size_ * size_, kInfinite),
        transposed_(value_) {}

  std::optional<Planned> solve() {
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
        const Index leaves = candidates_[b].position - candidates_[a].position;
        if (candidates_[b].parts == candidates_[a].parts + 1 && leaves > 0 &&
            window_.holds(leaves)) {
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
  LoadWindow window_;
  std::vector<Candidate> candidates_;
  std::size_t size_;
  std::vector<double> value_;  // f of the stage in work, by left and right candidate
  std::vector<double>
      transposed_;  // the same by right and left, so that both sides are read in order
  std::vector<StageChoice> choice_;
};

/// Splits [bounds.front(), bounds.back()) at all bounds between, in one stage. It goes from either
/// end up to the interval with the most leaves at that stage, so that each of the others moves
/// once.
void split_at_once(const Growth& growth, const std::vector<Index>& bounds,
                   std::vector<IntervalSplit>& splits) {
  std::size_t largest = 0;
  Index maximum = 0;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const Index leaves = growth.leaf_at(bounds[i + 1]) - growth.leaf_at(bounds[i]);
    if (leaves > maximum) {
      maximum = leaves;
      largest = i;
    }
  }
  for (std::size_t i = 0; i < largest; ++i) {
    splits.push_back({growth.stage(), bounds[i], bounds[i + 1], bounds.back()});
  }
  for (std::size_t i = bounds.size() - 2; i > largest; --i) {
    splits.push_back({growth.stage(), bounds[largest], bounds[i], bounds[i + 1]});
  }
}

}  // namespace

std::optional<std::vector<Index>> chain_cuts(const Problem& problem, LoadWindow window) {
  const Index leaves = problem.tree.leaves();
  const Index parts = std::min<Index>(problem.processors, leaves);
  if (window.minimum > 0 && problem.processors > leaves) {
    return std::nullopt;
  }
  std::vector<LeafRun> rows = {{0, 1}};
  Index steps = 0;
  for (Index j = 1; j <= parts; ++j) {
    rows.push_back(ends_of_parts(leaves, window, j, parts));
    steps += rows.back().size();
  }
  if (steps > kMaxSteps) {
    throw Error(
        fmt::format("the chain of {} parts of {} to {} leaves takes {} steps, at most {} are "
                    "allowed: narrow the window",
                    parts, window.minimum, window.maximum, steps, kMaxSteps));
  }
  if (window.maximum - fewest(window) <= std::numeric_limits<std::uint16_t>::max()) {
    return Chain<std::uint16_t>(problem, window, std::move(rows)).cuts();
  }
  return Chain<std::uint32_t>(problem, window, std::move(rows)).cuts();
}

Planned plan_of_cuts(const Problem& problem, const std::vector<Index>& cuts) {
  const auto& cut_stage = problem.tree.cut_stage();
  std::vector<IntervalSplit> splits;
  std::vector<Index> made = {0, problem.tree.leaves()};
  Growth growth(problem.tree);
  while (splits.size() < cuts.size()) {
    growth.advance();
    std::vector<Index> after = {0};
    auto cut = cuts.begin();
    for (std::size_t i = 0; i + 1 < made.size(); ++i) {
      std::vector<Index> bounds = {made[i]};
      for (; cut != cuts.end() && *cut < made[i + 1]; ++cut) {
        if (*cut > made[i] && cut_stage[*cut] <= growth.stage()) {
          bounds.push_back(*cut);
        }
      }
      bounds.push_back(made[i + 1]);
      split_at_once(growth, bounds, splits);
      after.insert(after.end(), bounds.begin() + 1, bounds.end());
    }
    made = std::move(after);
  }
  return plan_of_interval_splits(problem, std::move(splits));
}

Index interval_dp_candidates(const Problem& problem, LoadWindow window) {
  return static_cast<Index>(candidates_of(problem, window).size());
}

std::optional<Planned> interval_dp(const Problem& problem, LoadWindow window) {
  if (window.minimum > 0 && problem.processors > problem.tree.leaves()) {
    return std::nullopt;
  }
  auto candidates = candidates_of(problem, window);
  if (static_cast<Index>(candidates.size()) > kMaxIntervalCandidates) {
    throw Error(fmt::format(
        "exact planning at A1 > 0 with {} to {} leaves a part has more than {} places for "
        "cuts, the most that the interval DP takes: narrow the window, or use "
        "--planner chain, which is not exact",
        window.minimum, window.maximum, kMaxIntervalCandidates));
  }
  return IntervalDp(problem, window, std::move(candidates)).solve();
}

}  // namespace cleave::splitting
