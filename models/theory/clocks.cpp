// SPDX-License-Identifier: Apache-2.0
#include "models/theory/clocks.hpp"

#include <algorithm>

namespace cleave::models {

std::map<Place, double> spent_on(const Arrival& moment) {
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

Arrival Spending::spend(Arrival moment, Place place, double seconds) {
  return {moment.seconds + seconds,
          &spent_.emplace_back(Spent{.before = moment.spent, .place = place, .seconds = seconds})};
}

Arrival Spending::after(Arrival moment, Arrival then) {
  const Spent* spent = moment.spent == nullptr ? then.spent : moment.spent;
  if (moment.spent != nullptr && then.spent != nullptr) {
    spent = &spent_.emplace_back(Spent{.before = moment.spent, .then = then.spent});
  }
  return {moment.seconds + then.seconds, spent};
}

int RankClocks::size() const {
  int ranks = 0;
  for (const Alike& alike : stretches_) {
    ranks += alike.ranks;
  }
  return ranks;
}

Arrival RankClocks::latest() const {
  return std::ranges::max_element(stretches_, {},
                                  [](const Alike& alike) { return alike.clock.seconds; })
      ->clock;
}

std::vector<Arrival> RankClocks::each() const {
  std::vector<Arrival> all;
  for (const Alike& alike : stretches_) {
    all.insert(all.end(), static_cast<std::size_t>(alike.ranks), alike.clock);
  }
  return all;
}

RankClocks RankClocks::slice(int first, int ranks) const {
  RankClocks some;
  int begin = 0;
  for (const Alike& alike : stretches_) {
    const int end = begin + alike.ranks;
    some.add(std::min(end, first + ranks) - std::max(begin, first), alike.clock);
    begin = end;
  }
  return some;
}

void RankClocks::add(int ranks, Arrival clock) {
  if (ranks <= 0) {
    return;
  }
  if (!stretches_.empty() && stretches_.back().clock.seconds == clock.seconds) {
    stretches_.back().ranks += ranks;
  } else {
    stretches_.push_back({ranks, clock});
  }
}

void RankClocks::add(const RankClocks& more) {
  for (const Alike& alike : more.stretches_) {
    add(alike.ranks, alike.clock);
  }
}

RankClocks RankClocks::later(const RankClocks& a, const RankClocks& b) {
  const std::vector<Arrival> of_a = a.each();
  const std::vector<Arrival> of_b = b.each();
  RankClocks both;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    both.add(1, of_b[i].seconds > of_a[i].seconds ? of_b[i] : of_a[i]);
  }
  return both;
}

}  // namespace cleave::models
