// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/heuristic.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include <cleave/random.hpp>
#include <cleave/row.hpp>

namespace cleave::flowshop {

namespace {

struct Insertion {
  std::size_t position = 0;
  int makespan = 0;
};

/// Tries one job at every position of a partial permutation, in O(machines jobs).
class Inserter {
 public:
  explicit Inserter(const Instance& instance)
      : instance_(instance), machines_(static_cast<std::size_t>(instance.machines)) {
    const std::size_t cells = (static_cast<std::size_t>(instance.jobs) + 1) * machines_;
    ends_.resize(cells);
    tails_.resize(cells);
  }

  /// The first position where `permutation` with `job` has the least makespan.
  Insertion best(const Permutation& permutation, int job) {
    compute_ends(permutation);
    compute_tails(permutation);
    Insertion best{.makespan = makespan_at(0, job)};
    for (std::size_t position = 1; position <= permutation.size(); ++position) {
      const int makespan = makespan_at(position, job);
      if (makespan < best.makespan) {
        best = {position, makespan};
      }
    }
    return best;
  }

 private:
  /// Row 0 of `ends_`: before the first job; row k: when each machine ends the k-th.
  void compute_ends(const Permutation& permutation) {
    std::fill_n(ends_.begin(), machines_, 0);
    for (std::size_t k = 0; k < permutation.size(); ++k) {
      int end = 0;
      for (std::size_t machine = 0; machine < machines_; ++machine) {
        end = std::max(end, ends_[k * machines_ + machine]) + time(machine, permutation[k]);
        ends_[(k + 1) * machines_ + machine] = end;
      }
    }
  }

  /// Row k of `tails_`: from when each machine begins the k-th job (from 0) to the end of all.
  void compute_tails(const Permutation& permutation) {
    const std::size_t jobs = permutation.size();
    std::fill_n(tails_.begin() + static_cast<std::ptrdiff_t>(jobs * machines_), machines_, 0);
    for (std::size_t k = jobs; k-- > 0;) {
      int tail = 0;
      for (std::size_t machine = machines_; machine-- > 0;) {
        tail =
            std::max(tail, tails_[(k + 1) * machines_ + machine]) + time(machine, permutation[k]);
        tails_[k * machines_ + machine] = tail;
      }
    }
  }

  int makespan_at(std::size_t position, int job) const {
    int end = 0;
    int makespan = 0;
    for (std::size_t machine = 0; machine < machines_; ++machine) {
      const std::size_t cell = position * machines_ + machine;
      end = std::max(end, ends_[cell]) + time(machine, job);
      makespan = std::max(makespan, end + tails_[cell]);
    }
    return makespan;
  }

  int time(std::size_t machine, int job) const {
    return instance_.time(static_cast<int>(machine), job);
  }

  const Instance& instance_;
  std::size_t machines_;
  std::vector<int> ends_;
  std::vector<int> tails_;
};

void insert(Permutation& permutation, std::size_t position, int job) {
  permutation.insert(permutation.begin() + static_cast<std::ptrdiff_t>(position), job);
}

int remove(Permutation& permutation, std::size_t position) {
  const int job = permutation[position];
  permutation.erase(permutation.begin() + static_cast<std::ptrdiff_t>(position));
  return job;
}

/// Inserts `job` where it is best. \return the makespan
int insert_best(Permutation& permutation, int job, Inserter& inserter) {
  const Insertion insertion = inserter.best(permutation, job);
  insert(permutation, insertion.position, job);
  return insertion.makespan;
}

/// Uniform numbers in the order of their use.
class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}

  std::size_t index(std::size_t size) {
    return below(static_cast<std::uint32_t>(random_(used_++)), static_cast<std::uint32_t>(size));
  }
  double unit() { return std::ldexp(static_cast<double>(random_(used_++) >> 11), -53); }

 private:
  CounterRandom random_;
  std::uint64_t used_ = 0;
};

/// Moves single jobs, in random order, to where they are best, until no move improves.
void improve_by_insertion(Schedule& schedule, Inserter& inserter, Random& random) {
  for (bool improved = true; improved;) {
    improved = false;
    Permutation order = schedule.permutation;
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random.index(i)]);
    }
    for (const int job : order) {
      Permutation rest = schedule.permutation;
      remove(rest,
             static_cast<std::size_t>(std::find(rest.begin(), rest.end(), job) - rest.begin()));
      const int makespan = insert_best(rest, job, inserter);
      if (makespan < schedule.makespan) {
        schedule = {std::move(rest), makespan};
        improved = true;
      }
    }
  }
}

/// Takes jobs out at random and inserts them again, each where it is best.
Schedule rebuild(const Schedule& schedule, Inserter& inserter, Random& random) {
  constexpr std::size_t kJobsTakenOut = 4;
  Schedule rebuilt = schedule;
  Permutation taken_out;
  while (taken_out.size() < kJobsTakenOut && !rebuilt.permutation.empty()) {
    taken_out.push_back(remove(rebuilt.permutation, random.index(rebuilt.permutation.size())));
  }
  for (const int job : taken_out) {
    rebuilt.makespan = insert_best(rebuilt.permutation, job, inserter);
  }
  return rebuilt;
}

/// Ruiz and Stuetzle's constant temperature: 0.4 of a tenth of the mean processing time.
double temperature(const Instance& instance) {
  constexpr double kFactor = 0.4;
  const double total = std::accumulate(instance.times.begin(), instance.times.end(), 0.0);
  return kFactor * total / (static_cast<double>(instance.times.size()) * 10);
}

}  // namespace

Schedule neh(const Instance& instance) {
  std::vector<int> work(static_cast<std::size_t>(instance.jobs));
  for (int job = 0; job < instance.jobs; ++job) {
    for (int machine = 0; machine < instance.machines; ++machine) {
      work[static_cast<std::size_t>(job)] += instance.time(machine, job);
    }
  }
  Permutation longest_first(work.size());
  std::iota(longest_first.begin(), longest_first.end(), 0);
  std::stable_sort(longest_first.begin(), longest_first.end(), [&work](int one, int other) {
    return work[static_cast<std::size_t>(one)] > work[static_cast<std::size_t>(other)];
  });
  Inserter inserter(instance);
  Schedule schedule;
  for (const int job : longest_first) {
    schedule.makespan = insert_best(schedule.permutation, job, inserter);
  }
  return schedule;
}

Schedule iterated_greedy(const Instance& instance, std::uint64_t seed, std::int64_t iterations,
                         int good_enough) {
  Inserter inserter(instance);
  Random random(seed);
  Schedule current = neh(instance);
  improve_by_insertion(current, inserter, random);
  Schedule best = current;
  for (std::int64_t i = 0; i < iterations && best.makespan > good_enough; ++i) {
    Schedule candidate = rebuild(current, inserter, random);
    improve_by_insertion(candidate, inserter, random);
    const int worse_by = candidate.makespan - current.makespan;
    if (worse_by <= 0 || random.unit() < std::exp(-worse_by / temperature(instance))) {
      current = std::move(candidate);
    }
    if (current.makespan < best.makespan) {
      best = current;
    }
  }
  return best;
}

}  // namespace cleave::flowshop
