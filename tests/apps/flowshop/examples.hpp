// SPDX-License-Identifier: Apache-2.0
// Random instances and nodes, and what they are by definition, computed the slow way.
#pragma once

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include "apps/flowshop/bounds.hpp"
#include "apps/flowshop/instance.hpp"

namespace cleave::flowshop::examples {

inline int draw(std::mt19937& random, int minimum, int maximum) {
  return minimum + static_cast<int>(random() % static_cast<unsigned>(maximum - minimum + 1));
}

/// Times from 0 to `max_time`: a small one makes many equal bounds.
inline Instance random_instance(std::mt19937& random, int jobs, int machines, int max_time) {
  Instance instance{.name = "random", .jobs = jobs, .machines = machines};
  for (int i = 0; i < jobs * machines; ++i) {
    instance.times.push_back(draw(random, 0, max_time));
  }
  return instance;
}

/// A node below the root with `fixed` jobs, each at either side.
inline Node random_node(std::mt19937& random, const Bounds& bounds, int fixed) {
  Node node = bounds.root();
  for (int i = 0; i < fixed; ++i) {
    const Side side = random() % 2 == 0 ? Side::front : Side::back;
    bounds.fix_job(node, side, draw(random, node.prefix, node.free_end - 1));
  }
  return node;
}

/// A node by its jobs alone, so that nothing is taken from what the node has computed.
struct PlainNode {
  std::vector<int> prefix;
  std::vector<int> free;
  std::vector<int> suffix;
};

inline PlainNode plain(const Node& node, int jobs) {
  const auto begin = node.permutation.begin();
  return {.prefix = {begin, begin + node.prefix},
          .free = {begin + node.prefix, begin + node.free_end},
          .suffix = {begin + node.free_end, begin + jobs}};
}

/// The permutation below a node that takes the free jobs in the order in which they are.
inline Permutation permutation_of(const PlainNode& node) {
  Permutation permutation = node.prefix;
  permutation.insert(permutation.end(), node.free.begin(), node.free.end());
  permutation.insert(permutation.end(), node.suffix.begin(), node.suffix.end());
  return permutation;
}

/// The child that fixes `job`.
inline PlainNode child_of(PlainNode node, Side side, int job) {
  std::erase(node.free, job);
  if (side == Side::front) {
    node.prefix.push_back(job);
  } else {
    node.suffix.insert(node.suffix.begin(), job);
  }
  return node;
}

/// The longest path from the first job's time on `first` to the last job's time on `last`, by
/// trying all paths.
inline int longest_path(const Instance& instance, std::span<const int> permutation, int first,
                        int last) {
  if (permutation.empty() || first > last) {
    return 0;
  }
  int rest = longest_path(instance, permutation.subspan(1), first, last);
  if (first < last) {
    rest = std::max(rest, longest_path(instance, permutation, first + 1, last));
  }
  return instance.time(first, permutation.front()) + rest;
}

inline int work(const Instance& instance, std::span<const int> jobs, int machine) {
  int sum = 0;
  for (const int job : jobs) {
    sum += instance.time(machine, job);
  }
  return sum;
}

inline int work_of_job(const Instance& instance, int job, int first_machine, int end_machine) {
  int sum = 0;
  for (int machine = first_machine; machine < end_machine; ++machine) {
    sum += instance.time(machine, job);
  }
  return sum;
}

/// The least work of any job on some machines.
inline int min_work(const Instance& instance, int first_machine, int end_machine) {
  int minimum = work_of_job(instance, 0, first_machine, end_machine);
  for (int job = 1; job < instance.jobs; ++job) {
    minimum = std::min(minimum, work_of_job(instance, job, first_machine, end_machine));
  }
  return minimum;
}

/// When `machine` is free after the prefix; after an empty one, the least head of all jobs.
inline int front_of(const Instance& instance, const PlainNode& node, int machine) {
  return node.prefix.empty() ? min_work(instance, 0, machine)
                             : longest_path(instance, node.prefix, 0, machine);
}

inline int back_of(const Instance& instance, const PlainNode& node, int machine) {
  return node.suffix.empty() ? min_work(instance, machine + 1, instance.machines)
                             : longest_path(instance, node.suffix, machine, instance.machines - 1);
}

/// LB1 as it is defined.
inline int one_machine_bound(const Instance& instance, const PlainNode& node) {
  int bound = 0;
  for (int machine = 0; machine < instance.machines; ++machine) {
    bound = std::max(bound, front_of(instance, node, machine) + work(instance, node.free, machine) +
                                back_of(instance, node, machine));
  }
  return bound;
}

/// LB2 as it is defined, with the best of all orders of the free jobs instead of Johnson's.
inline int two_machine_bound(const Instance& instance, const PlainNode& node) {
  int bound = one_machine_bound(instance, node);
  for (int first = 0; first < instance.machines; ++first) {
    for (int second = first + 1; second < instance.machines; ++second) {
      int minimum = -1;
      std::vector<int> order = node.free;
      std::sort(order.begin(), order.end());
      do {
        int first_end = front_of(instance, node, first);
        int second_end = front_of(instance, node, second);
        for (const int job : order) {
          first_end += instance.time(first, job);
          second_end =
              std::max(second_end, first_end + work_of_job(instance, job, first + 1, second)) +
              instance.time(second, job);
        }
        const int end = std::max(first_end + back_of(instance, node, first),
                                 second_end + back_of(instance, node, second));
        minimum = minimum < 0 ? end : std::min(minimum, end);
      } while (std::next_permutation(order.begin(), order.end()));
      bound = std::max(bound, minimum);
    }
  }
  return bound;
}

/// The least makespan below a node, by trying all orders of its free jobs.
inline int min_makespan(const Instance& instance, PlainNode node) {
  int minimum = -1;
  std::sort(node.free.begin(), node.free.end());
  do {
    const int length = makespan(instance, permutation_of(node));
    minimum = minimum < 0 ? length : std::min(minimum, length);
  } while (std::next_permutation(node.free.begin(), node.free.end()));
  return minimum;
}

inline int min_makespan(const Instance& instance) {
  return min_makespan(instance, plain(Bounds(instance).root(), instance.jobs));
}

}  // namespace cleave::flowshop::examples
