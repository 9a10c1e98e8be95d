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
  Permutation prefix;
  Permutation free;
  Permutation suffix;
};

inline PlainNode plain(const Node& node, int jobs) {
  const auto begin = node.permutation.begin();
  return {.prefix = {begin, begin + node.prefix},
          .free = {begin + node.prefix, begin + node.free_end},
          .suffix = {begin + node.free_end, begin + jobs}};
}

/// The longest of all paths from the first job's time on `first` to the last job's time on `last`.
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

/// The least path of any one job.
inline int least_path(const Instance& instance, int first, int last) {
  std::vector<int> paths;
  for (int job = 0; job < instance.jobs; ++job) {
    paths.push_back(longest_path(instance, std::span(&job, 1), first, last));
  }
  return *std::ranges::min_element(paths);
}

/// When `machine` is free after the prefix; after an empty one, the least head of all jobs.
inline int front_of(const Instance& instance, const PlainNode& node, int machine) {
  return node.prefix.empty() ? least_path(instance, 0, machine - 1)
                             : longest_path(instance, node.prefix, 0, machine);
}

inline int back_of(const Instance& instance, const PlainNode& node, int machine) {
  return node.suffix.empty() ? least_path(instance, machine + 1, instance.machines - 1)
                             : longest_path(instance, node.suffix, machine, instance.machines - 1);
}

/// LB1 as it is defined.
inline int one_machine_bound(const Instance& instance, const PlainNode& node) {
  int bound = 0;
  for (int machine = 0; machine < instance.machines; ++machine) {
    bound = std::max(bound, front_of(instance, node, machine) +
                                longest_path(instance, node.free, machine, machine) +
                                back_of(instance, node, machine));
  }
  return bound;
}

/// The least `cost(order)` over all orders of `jobs`.
template <class Cost>
int min_over_orders(Permutation jobs, Cost&& cost) {
  std::ranges::sort(jobs);
  int minimum = cost(jobs);
  while (std::ranges::next_permutation(jobs).found) {
    minimum = std::min(minimum, cost(jobs));
  }
  return minimum;
}

/// LB2 as it is defined, with the best of all orders of the free jobs instead of Johnson's.
inline int two_machine_bound(const Instance& instance, const PlainNode& node) {
  int bound = one_machine_bound(instance, node);
  for (int first = 0; first < instance.machines; ++first) {
    for (int second = first + 1; second < instance.machines; ++second) {
      const auto end_of = [&, front = front_of(instance, node, first),
                           front_of_second = front_of(instance, node, second),
                           back = back_of(instance, node, first),
                           back_of_second = back_of(instance, node, second)](const auto& order) {
        int first_end = front;
        int second_end = front_of_second;
        for (const int& job : order) {
          first_end += instance.time(first, job);
          const int lag = longest_path(instance, std::span(&job, 1), first + 1, second - 1);
          second_end = std::max(second_end, first_end + lag) + instance.time(second, job);
        }
        return std::max(first_end + back, second_end + back_of_second);
      };
      bound = std::max(bound, min_over_orders(node.free, end_of));
    }
  }
  return bound;
}

/// The least makespan below a node, by trying all orders of its free jobs.
inline int min_makespan(const Instance& instance, const PlainNode& node) {
  return min_over_orders(node.free, [&](const Permutation& order) {
    Permutation permutation = node.prefix;
    permutation.insert(permutation.end(), order.begin(), order.end());
    permutation.insert(permutation.end(), node.suffix.begin(), node.suffix.end());
    return makespan(instance, permutation);
  });
}

inline int min_makespan(const Instance& instance) {
  return min_makespan(instance, plain(Bounds(instance).root(), instance.jobs));
}

}  // namespace cleave::flowshop::examples
