// SPDX-License-Identifier: Apache-2.0
// A node of the search tree: jobs fixed at the front and at the back of the permutation, and what
// bounding its children needs. Its bytes are its value, so that it can cross to another rank.
#pragma once

#include <array>
#include <cstdint>

namespace cleave::flowshop {

/// A time of the search: 16 bits, so that one instruction handles 16 jobs.
using Time = std::int16_t;
using Job = std::uint8_t;

/// The largest instance that is searched. They set the size of every node.
inline constexpr int kMaxJobs = 100;
inline constexpr int kMaxMachines = 20;

struct Node {
  /// When each machine is free after the prefix; while that is empty, the least time that any job
  /// of the instance spends on the machines before.
  std::array<Time, kMaxMachines> front{};
  /// The least time from the end of each machine's last free job to the end of all. While the
  /// suffix is empty, the least time that any job of the instance spends on the machines after.
  std::array<Time, kMaxMachines> back{};
  /// Work of the free jobs on each machine.
  std::array<Time, kMaxMachines> remaining{};
  /// The prefix, the free jobs in any order, the suffix.
  std::array<Job, kMaxJobs> permutation{};
  std::uint8_t prefix = 0;    ///< jobs fixed at the front
  std::uint8_t free_end = 0;  ///< where in the permutation the suffix begins

  int free_jobs() const { return free_end - prefix; }

  /// Whether the permutation is decided: there is one place for the one job left.
  bool is_leaf() const { return free_jobs() <= 1; }

  friend bool operator==(const Node&, const Node&) = default;
};

}  // namespace cleave::flowshop
