// SPDX-License-Identifier: Apache-2.0
// Lower bounds of the makespan for all children of a node at once.
//
// LB1, one machine (Lageweg, Lenstra, Rinnooy Kan, "A general bounding scheme for the permutation
// flow-shop problem", Operations Research 26, 1978): on no machine can the free jobs begin before
// `front`, take less than `remaining`, or leave less than `back` to do. It is computed as LB1_d
// does (Gmys, Mezmaz, Melab, Tuyttens, "A computationally efficient branch-and-bound algorithm for
// the permutation flow-shop scheduling problem", European Journal of Operational Research 284,
// 2020): all children in one sweep over the machines, which gives the same values.
//
// LB2, two machines (same sources): for every pair of machines the shortest schedule of the free
// jobs by Johnson's rule, the work in between being a time lag. All children in one sweep as well.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "apps/flowshop/instance.hpp"

namespace cleave::flowshop {

/// A time of the search: 16 bits, so that one instruction handles 16 jobs.
using Time = std::int16_t;
using Job = std::uint8_t;

/// The largest instance that is searched. They set the size of every node.
inline constexpr int kMaxJobs = 100;
inline constexpr int kMaxMachines = 20;

/// A node of the search tree: jobs fixed at the front and at the back of the permutation, and what
/// bounding its children needs. Its bytes are its value, so that it can cross to another rank.
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

/// Where a child has its new job: at the end of the prefix or at the beginning of the suffix.
enum class Side { front, back };

/// Jobs handled by one instruction; tables have room for a multiple of it.
inline constexpr int kLanes = 16;
inline constexpr int kPaddedJobs = (kMaxJobs + kLanes - 1) / kLanes * kLanes;

/// By job; of jobs that are not free, no meaning.
using ByJob = std::array<Time, kPaddedJobs>;

class Bounds {
 public:
  /// \throws UsageError  if the instance has more than kMaxJobs or kMaxMachines, or times so large
  ///                     that a makespan may not fit into `Time`
  explicit Bounds(const Instance& instance);

  Node root() const;

  /// Makes `node` its child that has the free job at `position` of the permutation on `side`.
  /// \pre  node.prefix <= position < node.free_end
  void fix_job(Node& node, Side side, int position) const;

  /// The makespan of the one permutation below a leaf.
  int leaf_makespan(const Node& leaf) const;

  /// LB1 of the children of `node` on `side`, by the job that they fix.
  void one_machine(const Node& node, Side side, ByJob& bounds) const;

  /// Raises LB1 of the children of `node` on `side` to LB2.
  /// \pre  at least two free jobs
  void two_machines(const Node& node, Side side, ByJob& bounds) const;

 private:
  /// A job in Johnson's order of one pair of machines.
  struct JohnsonJob {
    Time on_first;
    Time on_second;
    Time lag;  ///< its time on the machines between
    Time job;
  };

  const Time* of_machine(int machine) const {
    return &by_machine_[static_cast<std::size_t>(machine) * static_cast<std::size_t>(padded_jobs_)];
  }
  const Time* of_job(int job) const {
    return &by_job_[static_cast<std::size_t>(job) * static_cast<std::size_t>(machines_)];
  }
  void append_johnson_order(int first, int second);

  int jobs_;
  int machines_;
  int padded_jobs_;
  std::vector<Time> by_machine_;     ///< times, machine by machine, each padded with 0
  std::vector<Time> by_job_;         ///< the same, job by job
  std::vector<JohnsonJob> johnson_;  ///< pair (0, 1), (0, 2), ... (1, 2), ...
  std::array<Time, kMaxMachines> min_head_{};
  std::array<Time, kMaxMachines> min_tail_{};
};

}  // namespace cleave::flowshop
