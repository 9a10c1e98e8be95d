// SPDX-License-Identifier: Apache-2.0
// Ends a rank that would wait for ever, in two cases that MPICH leaves to the program:
//
// - Another rank ended before its first word to Hydra, the launcher, which then does not end the
//   rest. They would wait in MPI_Init.
// - This rank has run out of memory. UCX, which carries MPICH's messages, then drops a message and
//   goes on.
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace cleave::detail {

/// Looks once a second, as long as it lives. What it finds is one line on standard error, and the
/// end of this process with status 1. The launcher then ends the others. Looks for other ranks only
/// on this host and where Hydra started them directly. Cost: a thread that sleeps.
class Watch {
 public:
  /// Call it before MPI_Init. \param name  of the program, for its messages
  explicit Watch(std::string name);

  /// From now on all ranks have come.
  void all_have_started() { is_starting_ = false; }

 private:
  std::string name_;
  std::atomic<bool> is_starting_ = true;
  std::jthread thread_;  // last: it ends before what it uses
};

}  // namespace cleave::detail
