// SPDX-License-Identifier: Apache-2.0
#include "models/theory/clocks.hpp"

#include <vector>

namespace cleave::models {

namespace {

const Arrival& later_of(const Arrival& a, const Arrival& b) {
  return b.seconds > a.seconds ? b : a;
}

}  // namespace

const RankClocks* Clocks::same(int size, Arrival moment) {
  return &lines_.emplace_back(RankClocks{.size = size, .latest = moment});
}

const RankClocks* Clocks::join(const RankClocks* left, const RankClocks* right) {
  const bool are_same = left->left == nullptr && right->left == nullptr &&
                        left->latest.seconds == right->latest.seconds;
  return are_same ? same(left->size + right->size, left->latest)
                  : &lines_.emplace_back(RankClocks{.size = left->size + right->size,
                                                    .latest = later_of(left->latest, right->latest),
                                                    .left = left,
                                                    .right = right});
}

const RankClocks* Clocks::slice(const RankClocks* line, int first, int size) {
  if (size == line->size) {
    return line;
  }
  if (line->left == nullptr) {
    return same(size, line->latest);
  }
  const int middle = line->left->size;
  if (first + size <= middle) {
    return slice(line->left, first, size);
  }
  if (first >= middle) {
    return slice(line->right, first - middle, size);
  }
  return join(slice(line->left, first, middle - first),
              slice(line->right, 0, first + size - middle));
}

const RankClocks* Clocks::later(const RankClocks* a, const RankClocks* b) {
  if (a == b) {
    return a;
  }
  if (a->left == nullptr && b->left == nullptr) {
    return same(a->size, later_of(a->latest, b->latest));
  }
  const int middle = (a->left != nullptr ? a : b)->left->size;
  const int rest = a->size - middle;
  return join(later(slice(a, 0, middle), slice(b, 0, middle)),
              later(slice(a, middle, rest), slice(b, middle, rest)));
}

const RankClocks* Clocks::changed(const RankClocks* line, const Change& change,
                                  std::map<const RankClocks*, const RankClocks*>& done) {
  const auto known = done.find(line);
  if (known != done.end()) {
    return known->second;
  }
  const RankClocks* const result = line->left == nullptr ? same(line->size, change(line->latest))
                                                         : join(changed(line->left, change, done),
                                                                changed(line->right, change, done));
  return done[line] = result;
}

const RankClocks* Clocks::after(Arrival moment, const RankClocks* line) {
  std::map<const RankClocks*, const RankClocks*> done;
  return changed(
      line,
      [&](Arrival m) {
        const Spent* const spent =
            m.spent == nullptr || moment.spent == nullptr
                ? (m.spent == nullptr ? moment.spent : m.spent)
                : &spent_.emplace_back(Spent{.before = moment.spent, .then = m.spent});
        return Arrival{moment.seconds + m.seconds, spent};
      },
      done);
}

const RankClocks* Clocks::spend(const RankClocks* line, Place place, double seconds) {
  std::map<const RankClocks*, const RankClocks*> done;
  return changed(
      line, [&](Arrival m) { return spend(m, place, seconds); }, done);
}

const RankClocks* Clocks::with(const RankClocks* line, int rank, Arrival moment) {
  const RankClocks* all = same(1, moment);
  if (rank > 0) {
    all = join(slice(line, 0, rank), all);
  }
  const int rest = line->size - rank - 1;
  return rest > 0 ? join(all, slice(line, rank + 1, rest)) : all;
}

Arrival Clocks::spend(Arrival moment, Place place, double seconds) {
  return {moment.seconds + seconds,
          &spent_.emplace_back(Spent{.before = moment.spent, .place = place, .seconds = seconds})};
}

Arrival Clocks::at(const RankClocks* line, int rank) {
  while (line->left != nullptr) {
    const bool is_left = rank < line->left->size;
    rank -= is_left ? 0 : line->left->size;
    line = is_left ? line->left : line->right;
  }
  return line->latest;
}

std::map<Place, double> Clocks::spent_on(const Arrival& moment) {
  std::map<Place, double> all;
  std::vector<const Spent*> open = {moment.spent};
  while (!open.empty()) {
    const Spent* const spent = open.back();
    open.pop_back();
    if (spent == nullptr) {
      continue;
    }
    open.push_back(spent->before);
    if (spent->then != nullptr) {
      open.push_back(spent->then);
    } else {
      all[spent->place] += spent->seconds;
    }
  }
  return all;
}

}  // namespace cleave::models
