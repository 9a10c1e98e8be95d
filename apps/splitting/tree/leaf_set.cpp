// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/tree/leaf_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include <cleave/error.hpp>

namespace cleave::splitting {

LeafSet::LeafSet(LeafRun run) { append(run); }

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

}  // namespace cleave::splitting
