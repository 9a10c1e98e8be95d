// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include <cleave/error.hpp>

// The loops over jobs are compiled once for processors with AVX2 and once for any; which runs is
// decided when the program starts.
#if defined(__x86_64__) && defined(__has_attribute)
#if __has_attribute(target_clones)
#define CLEAVE_FLOWSHOP_CLONES __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef CLEAVE_FLOWSHOP_CLONES
#define CLEAVE_FLOWSHOP_CLONES
#endif

namespace cleave::flowshop {

namespace {

Time as_time(int value) { return static_cast<Time>(value); }

/// The machines in the order in which a job that is fixed on one side meets them, beginning at the
/// machine where that side is open.
struct Sweep {
  const Time* times;      ///< of the first machine's jobs
  std::ptrdiff_t stride;  ///< from one machine's times to the next one's, in elements
  int machines;
  int padded_jobs;
  std::array<Time, kMaxMachines> reached;  ///< when the machine is free on this side
  std::array<Time, kMaxMachines> beyond;   ///< `remaining`, and what follows on the other side
};

/// Jobs, as many as one instruction handles. With plain arrays the compiler keeps each job in a
/// register of its own.
using Lanes = Time __attribute__((vector_size(kLanes * sizeof(Time))));

/// With t the time when a child's job leaves the machine before, its start is max(t, reached), and
/// the child's bound the largest start + beyond.
CLEAVE_FLOWSHOP_CLONES
void sweep_bounds(const Sweep& sweep, Time* bounds) {
  for (int begin = 0; begin < sweep.padded_jobs; begin += kLanes) {
    Lanes left{};
    Lanes bound{};
    const Time* times = sweep.times + begin;
    for (int machine = 0; machine < sweep.machines; ++machine, times += sweep.stride) {
      const Lanes reached = sweep.reached[machine] + Lanes{};
      const Lanes start = left > reached ? left : reached;
      const Lanes through = start + sweep.beyond[machine];
      bound = through > bound ? through : bound;
      Lanes time;
      std::memcpy(&time, times, sizeof(time));
      left = start + time;
    }
    std::memcpy(bounds + begin, &bound, sizeof(bound));
  }
}

/// When a child's job leaves each machine: the child's front, or its back.
CLEAVE_FLOWSHOP_CLONES
void sweep_ends(const Sweep& sweep, ByJob* ends) {
  ByJob left{};
  const Time* times = sweep.times;
  for (int machine = 0; machine < sweep.machines; ++machine, times += sweep.stride) {
    const Time reached = sweep.reached[machine];
    for (int job = 0; job < sweep.padded_jobs; ++job) {
      left[job] = static_cast<Time>(std::max(left[job], reached) + times[job]);
    }
    std::copy(left.begin(), left.begin() + sweep.padded_jobs, ends[machine].begin());
  }
}

/// bounds = max(bounds, ends + spans + rest)
CLEAVE_FLOWSHOP_CLONES
void raise_bounds(int padded_jobs, const Time* ends, const Time* spans, Time rest, Time* bounds) {
  for (int job = 0; job < padded_jobs; ++job) {
    bounds[job] = std::max(bounds[job], static_cast<Time>(ends[job] + spans[job] + rest));
  }
}

}  // namespace

Bounds::Bounds(const Instance& instance)
    : jobs_(instance.jobs),
      machines_(instance.machines),
      padded_jobs_((jobs_ + kLanes - 1) / kLanes * kLanes) {
  if (jobs_ < 1 || jobs_ > kMaxJobs || machines_ < 1 || machines_ > kMaxMachines) {
    throw UsageError(fmt::format(
        "{} has {} jobs on {} machines, branch-and-bound takes 1 to {} jobs on 1 to {} machines",
        instance.name, jobs_, machines_, kMaxJobs, kMaxMachines));
  }
  // A makespan is the sum of times along a path of jobs + machines - 1 of them.
  const int longest = *std::max_element(instance.times.begin(), instance.times.end());
  constexpr int kMaxMakespan = std::numeric_limits<Time>::max();
  if (longest > kMaxMakespan / (jobs_ + machines_ - 1)) {
    throw UsageError(fmt::format(
        "{} has a processing time of {}, branch-and-bound takes at most {} for its size",
        instance.name, longest, kMaxMakespan / (jobs_ + machines_ - 1)));
  }
  const auto machines = static_cast<std::size_t>(machines_);
  by_machine_.resize(machines * static_cast<std::size_t>(padded_jobs_));
  by_job_.resize(machines * static_cast<std::size_t>(jobs_));
  min_head_.fill(std::numeric_limits<Time>::max());
  min_tail_.fill(std::numeric_limits<Time>::max());
  for (int job = 0; job < jobs_; ++job) {
    int head = 0;
    for (int machine = 0; machine < machines_; ++machine) {
      const int time = instance.time(machine, job);
      by_machine_[static_cast<std::size_t>(machine) * static_cast<std::size_t>(padded_jobs_) +
                  static_cast<std::size_t>(job)] = as_time(time);
      by_job_[static_cast<std::size_t>(job) * machines + static_cast<std::size_t>(machine)] =
          as_time(time);
      min_head_[machine] = std::min(min_head_[machine], as_time(head));
      head += time;
    }
    int tail = 0;
    for (int machine = machines_ - 1; machine >= 0; --machine) {
      min_tail_[machine] = std::min(min_tail_[machine], as_time(tail));
      tail += instance.time(machine, job);
    }
  }
  for (int first = 0; first < machines_; ++first) {
    for (int second = first + 1; second < machines_; ++second) {
      append_johnson_order(first, second);
    }
  }
}

/// Johnson's rule with time lags (Mitten, "Sequencing n jobs on two machines with arbitrary time
/// lags", Management Science 5, 1959). First come the jobs that are shorter on the first machine,
/// by increasing time on it and lag. Then the others, by decreasing lag and time on the second.
void Bounds::append_johnson_order(int first, int second) {
  const auto begin = static_cast<std::ptrdiff_t>(johnson_.size());
  for (int job = 0; job < jobs_; ++job) {
    const Time* times = of_job(job);
    int lag = 0;
    for (int between = first + 1; between < second; ++between) {
      lag += times[between];
    }
    johnson_.push_back({times[first], times[second], as_time(lag), as_time(job)});
  }
  std::stable_sort(johnson_.begin() + begin, johnson_.end(),
                   [](const JohnsonJob& one, const JohnsonJob& other) {
                     const bool rising = one.on_first < one.on_second;
                     if (rising != (other.on_first < other.on_second)) {
                       return rising;
                     }
                     return rising ? one.on_first + one.lag < other.on_first + other.lag
                                   : one.lag + one.on_second > other.lag + other.on_second;
                   });
}

Node Bounds::root() const {
  Node root;
  root.front = min_head_;
  root.back = min_tail_;
  root.free_end = static_cast<std::uint8_t>(jobs_);
  for (int job = 0; job < jobs_; ++job) {
    root.permutation[job] = static_cast<Job>(job);
    for (int machine = 0; machine < machines_; ++machine) {
      root.remaining[machine] = as_time(root.remaining[machine] + of_job(job)[machine]);
    }
  }
  return root;
}

void Bounds::fix_job(Node& node, Side side, int position) const {
  assert(position >= node.prefix && position < node.free_end);
  const int place = side == Side::front ? node.prefix++ : --node.free_end;
  std::swap(node.permutation[position], node.permutation[place]);
  const Time* times = of_job(node.permutation[place]);
  int end = 0;
  if (side == Side::front) {
    for (int machine = 0; machine < machines_; ++machine) {
      end = std::max<int>(end, node.front[machine]) + times[machine];
      node.front[machine] = as_time(end);
    }
  } else {
    for (int machine = machines_ - 1; machine >= 0; --machine) {
      end = std::max<int>(end, node.back[machine]) + times[machine];
      node.back[machine] = as_time(end);
    }
  }
  for (int machine = 0; machine < machines_; ++machine) {
    node.remaining[machine] = as_time(node.remaining[machine] - times[machine]);
  }
}

int Bounds::leaf_makespan(const Node& leaf) const {
  assert(leaf.free_jobs() == 1);
  const Time* times = of_job(leaf.permutation[leaf.prefix]);
  const bool has_suffix = leaf.free_end < jobs_;
  int end = 0;
  int makespan = 0;
  for (int machine = 0; machine < machines_; ++machine) {
    end = std::max<int>(end, leaf.front[machine]) + times[machine];
    makespan = std::max(makespan, end + (has_suffix ? leaf.back[machine] : 0));
  }
  return makespan;
}

namespace {

/// The input of a sweep of the children on `side`, from the tables of `by_machine`.
Sweep make_sweep(const Node& node, Side side, const Time* by_machine, int machines,
                 int padded_jobs) {
  Sweep sweep{};
  sweep.machines = machines;
  sweep.padded_jobs = padded_jobs;
  if (side == Side::front) {
    sweep.times = by_machine;
    sweep.stride = padded_jobs;
    for (int machine = 0; machine < machines; ++machine) {
      sweep.reached[machine] = node.front[machine];
      sweep.beyond[machine] = as_time(node.remaining[machine] + node.back[machine]);
    }
  } else {
    sweep.times = by_machine + static_cast<std::ptrdiff_t>(machines - 1) * padded_jobs;
    sweep.stride = -padded_jobs;
    for (int step = 0; step < machines; ++step) {
      const int machine = machines - 1 - step;
      sweep.reached[step] = node.back[machine];
      sweep.beyond[step] = as_time(node.remaining[machine] + node.front[machine]);
    }
  }
  return sweep;
}

}  // namespace

void Bounds::one_machine(const Node& node, Side side, ByJob& bounds) const {
  sweep_bounds(make_sweep(node, side, by_machine_.data(), machines_, padded_jobs_), bounds.data());
}

// With a_k and b_k the times of the k-th free job in Johnson's order and lag_k its lag, the second
// machine ends at
//   max over k of  a_1 + ... + a_k  +  lag_k  +  b_k + ... + b_n
// after the first one begins (that it may begin later is part of LB1). The child fixes job j.
// Without it, the terms of the jobs before j are less by b_j, those of the jobs after j less by
// a_j, and its own is missing. So a running maximum from each end gives the value for every j.
void Bounds::two_machines(const Node& node, Side side, ByJob& bounds) const {
  assert(node.free_jobs() >= 2);
  constexpr int kNone = std::numeric_limits<int>::min() / 2;
  struct Term {
    JohnsonJob job;
    int length;          ///< of the term
    int longest_before;  ///< of the terms of the jobs before
  };
  std::array<bool, kMaxJobs> is_free{};
  for (int i = node.prefix; i < node.free_end; ++i) {
    is_free[node.permutation[i]] = true;
  }
  std::array<ByJob, kMaxMachines> ends;
  sweep_ends(make_sweep(node, side, by_machine_.data(), machines_, padded_jobs_), ends.data());

  ByJob spans{};
  std::array<Term, kMaxJobs> terms;
  const JohnsonJob* order = johnson_.data();
  for (int first = 0; first < machines_; ++first) {
    for (int second = first + 1; second < machines_; ++second, order += jobs_) {
      int count = 0;
      for (int i = 0; i < jobs_; ++i) {
        terms[count].job = order[i];
        count += is_free[order[i].job] ? 1 : 0;
      }
      int length = node.remaining[second];
      int longest = kNone;
      for (int k = 0; k < count; ++k) {
        Term& term = terms[k];
        length += term.job.on_first;
        term.length = length + term.job.lag;
        term.longest_before = longest;
        longest = std::max(longest, term.length);
        length -= term.job.on_second;
      }
      longest = kNone;
      for (int k = count - 1; k >= 0; --k) {
        const Term& term = terms[k];
        spans[term.job.job] = as_time(
            std::max(term.longest_before - term.job.on_second, longest - term.job.on_first));
        longest = std::max(longest, term.length);
      }
      if (side == Side::front) {
        raise_bounds(padded_jobs_, ends[first].data(), spans.data(), node.back[second],
                     bounds.data());
      } else {
        raise_bounds(padded_jobs_, ends[machines_ - 1 - second].data(), spans.data(),
                     node.front[first], bounds.data());
      }
    }
  }
}

}  // namespace cleave::flowshop
