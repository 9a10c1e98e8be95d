// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/offline/chain_dp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <cleave/error.hpp>

#include "apps/splitting/ledger/loads.hpp"

namespace cleave::splitting {

namespace {

constexpr Index kMaxSteps = Index{1} << 28;

/// F of a cut at each position, made at its earliest stage, by stage.
class StagePrices {
 public:
  explicit StagePrices(const Problem& problem) : cut_stage_(problem.tree.cut_stage()) {
    for (int s = 0; s <= problem.tree.l_max(); ++s) {
      const Index N = problem.tree.leaves_at_stage(s);
      prices_.push_back(problem.cost({.n = 0, .N = N, .giver_leaves = N}));
    }
  }
  double operator()(Index position) const { return prices_[cut_stage_[position]]; }

 private:
  const std::vector<std::uint16_t>& cut_stage_;
  std::vector<double> prices_;
};

/// Prices that were given by position.
class GivenPrices {
 public:
  explicit GivenPrices(std::vector<double> prices) : prices_(std::move(prices)) {}
  double operator()(Index position) const { return prices_[position]; }

 private:
  std::vector<double> prices_;
};

/// Positions [begin, end) that cut j may take.
struct Row {
  Index begin = 0;
  Index end = 0;
  Index size() const { return end - begin; }
};

/// Rows 0 to `parts`, so that every part before and after can be within the window.
template <class Loads>
std::vector<Row> rows_of(const Loads& loads, LoadWindow window, Index parts, bool exactly,
                         std::optional<Index> band) {
  const Index leaves = loads.leaves();
  const Index total = loads.before(leaves);
  std::vector<Row> rows;
  for (Index j = 0; j <= parts; ++j) {
    Index low = j * window.minimum;
    Index high = std::min(total, j * window.maximum);
    if (exactly) {
      low = std::max(low, total - (parts - j) * window.maximum);
      high = std::min(high, total - (parts - j) * window.minimum);
    }
    if (band && j > 0 && j < parts) {
      const Index even = total * j / parts;
      low = std::max(low, even - *band);
      high = std::min(high, even + *band);
    }
    Row row{std::max(j, loads.first_at_least(low)), loads.first_at_least(high + 1)};
    row.end = std::min(row.end, exactly ? leaves - (parts - j) + 1 : leaves + 1);
    row.end = std::max(row.begin, row.end);
    rows.push_back(row);
  }
  rows[0] = {0, 1};
  return rows;
}

/// The DP. `Step` holds how many leaves a part has beyond `fewest`, the fewest that any may have.
template <class Step, class Loads, class Prices>
class Chain {
 public:
  Chain(const Prices& prices, const Loads& loads, LoadWindow window, std::vector<Row> rows,
        Index fewest)
      : prices_(prices), loads_(loads), window_(window), rows_(std::move(rows)), fewest_(fewest) {}

  /// The cheapest chain of parts from 0 to the last leaf.
  std::optional<std::vector<Index>> cuts() {
    const Index leaves = loads_.leaves();
    double best = kInfinite;
    std::size_t best_parts = 0;
    std::vector<double> values = {0};
    for (std::size_t j = 1; j < rows_.size(); ++j) {
      values = next_row(j, values);
      const Row row = rows_[j];
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
      position -= fewest_ + static_cast<Index>(steps_[j][position - rows_[j].begin]);
      cuts.push_back(position);
    }
    std::reverse(cuts.begin(), cuts.end());
    return cuts;
  }

 private:
  /// Row j from row j - 1: the least value among the positions one part back, by a queue of
  /// candidates whose values rise.
  std::vector<double> next_row(std::size_t j, const std::vector<double>& before) {
    const Row from = rows_[j - 1];
    const Row row = rows_[j];
    const Index leaves = loads_.leaves();
    std::vector<double> values(static_cast<std::size_t>(row.size()));
    auto& steps = steps_.emplace_back(static_cast<std::size_t>(row.size()));
    queue_.resize(static_cast<std::size_t>(from.size()));
    std::size_t head = 0;
    std::size_t tail = 0;
    Index next = from.begin;
    for (Index y = row.begin; y < row.end; ++y) {
      for (; next < from.end && next < y && loads_.between(next, y) >= window_.minimum; ++next) {
        const double value = before[next - from.begin];
        while (tail > head && queue_[tail - 1].value >= value) {
          --tail;
        }
        queue_[tail++] = {value, next};
      }
      while (head < tail && loads_.between(queue_[head].position, y) > window_.maximum) {
        ++head;
      }
      double& value = values[y - row.begin];
      value = kInfinite;
      if (head < tail) {
        value = queue_[head].value + (y < leaves ? prices_(y) : 0);
        steps[y - row.begin] = static_cast<Step>(y - queue_[head].position - fewest_);
      }
    }
    return values;
  }

  struct Candidate {
    double value = 0;
    Index position = 0;
  };

  const Prices& prices_;
  const Loads& loads_;
  LoadWindow window_;
  std::vector<Row> rows_;
  Index fewest_;
  std::vector<std::vector<Step>> steps_ = {{}};  // by row and position
  std::vector<Candidate> queue_;
};

/// The cuts with rows narrowed by `narrow`.
template <class Loads, class Prices, class Narrow>
std::optional<std::vector<Index>> solve(const Problem& problem, const Loads& loads,
                                        LoadWindow window, std::optional<Index> band,
                                        const Prices& prices, const Narrow& narrow) {
  const Index parts = std::min<Index>(problem.processors, loads.leaves());
  const bool exactly = window.minimum > 0;
  if (exactly && problem.processors > loads.leaves()) {
    return std::nullopt;
  }
  std::vector<Row> rows = rows_of(loads, window, parts, exactly, band);
  narrow(rows);
  Index steps = 0;
  for (const Row& row : rows) {
    steps += row.size();
  }
  if (steps > kMaxSteps) {
    throw Error(
        fmt::format("the exact chain of {} parts within loads {} to {} takes {} steps, at most {} "
                    "are allowed: narrow the window or use the banded planner",
                    parts, window.minimum, window.maximum, steps, kMaxSteps));
  }
  const bool unit = problem.weights.empty();
  const Index fewest = unit ? std::max<Index>(window.minimum, 1) : 1;
  const Index range = (unit ? window.maximum : loads.leaves()) - fewest;
  if (range <= std::numeric_limits<std::uint16_t>::max()) {
    return Chain<std::uint16_t, Loads, Prices>(prices, loads, window, std::move(rows), fewest)
        .cuts();
  }
  return Chain<std::uint32_t, Loads, Prices>(prices, loads, window, std::move(rows), fewest).cuts();
}

template <class Prices, class Narrow>
std::optional<std::vector<Index>> solve(const Problem& problem, LoadWindow window,
                                        std::optional<Index> band, const Prices& prices,
                                        const Narrow& narrow) {
  return problem.weights.empty()
             ? solve(problem, UnitLoads(problem.tree.leaves()), window, band, prices, narrow)
             : solve(problem, WeightedLoads(problem.weights), window, band, prices, narrow);
}

void keep_rows(std::vector<Row>&) {}

template <class Loads>
std::optional<std::vector<Index>> greedy_cuts(const Problem& problem, const Loads& loads,
                                              LoadWindow window) {
  const Index leaves = loads.leaves();
  const Index total = loads.before(leaves);
  const Index parts = problem.processors;
  const auto& cut_stage = problem.tree.cut_stage();
  std::vector<Index> cuts;
  Index before = 0;
  for (Index j = 1; j < parts; ++j) {
    const Index low =
        std::max(loads.before(before) + window.minimum, total - (parts - j) * window.maximum);
    const Index high =
        std::min(loads.before(before) + window.maximum, total - (parts - j) * window.minimum);
    const Index even = total * j / parts;
    const Index end = std::min(leaves, loads.first_at_least(high + 1));
    Index best = -1;
    for (Index y = std::max(before + 1, loads.first_at_least(low)); y < end; ++y) {
      if (best < 0 || cut_stage[y] < cut_stage[best] ||
          (cut_stage[y] == cut_stage[best] &&
           std::abs(loads.before(y) - even) < std::abs(loads.before(best) - even))) {
        best = y;
      }
    }
    if (best < 0) {
      if (window.minimum == 0 && total - loads.before(before) <= window.maximum) {
        return cuts;  // the rest is one part, the processors after it stay empty
      }
      return std::nullopt;
    }
    cuts.push_back(best);
    before = best;
  }
  if (!window.holds(total - loads.before(before))) {
    return std::nullopt;
  }
  return cuts;
}

}  // namespace

std::optional<std::vector<Index>> chain_cuts(const Problem& problem, LoadWindow window,
                                             std::optional<Index> band) {
  return solve(problem, window, band, StagePrices(problem), keep_rows);
}

std::optional<std::vector<Index>> chain_cuts_at_prices(const Problem& problem, LoadWindow window,
                                                       std::vector<double> prices) {
  return solve(problem, window, std::nullopt, GivenPrices(std::move(prices)), keep_rows);
}

std::optional<std::vector<Index>> chain_cuts_through(const Problem& problem, LoadWindow window,
                                                     const std::vector<Index>& fixed, int every) {
  return solve(problem, window, std::nullopt, StagePrices(problem), [&](std::vector<Row>& rows) {
    for (std::size_t i = 0; i < fixed.size(); ++i) {
      Row& row = rows[(i + 1) * static_cast<std::size_t>(every)];
      row = {std::max(row.begin, fixed[i]), std::min(row.end, fixed[i] + 1)};
      row.end = std::max(row.begin, row.end);
    }
  });
}

std::optional<std::vector<Index>> greedy_cuts(const Problem& problem, LoadWindow window) {
  return problem.weights.empty() ? greedy_cuts(problem, UnitLoads(problem.tree.leaves()), window)
                                 : greedy_cuts(problem, WeightedLoads(problem.weights), window);
}

}  // namespace cleave::splitting
