// SPDX-License-Identifier: Apache-2.0
// Starting programs on ranks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/study/subprocess.hpp"
#include "models/theory/trace_run.hpp"

namespace cleave::models {

/// Starts programs under mpiexec, or another launcher.
class Launcher {
 public:
  /// \param given  a command line with {ranks} in it; empty: mpiexec, each rank on cores of its own
  ///               where there are enough
  explicit Launcher(std::string given) : given_(std::move(given)) {}

  /// Whether ranks are started by something else than mpiexec, maybe on other hosts.
  bool is_given() const { return !given_.empty(); }

  /// \return  how the program ended
  /// \throws Error  if the launcher cannot be started
  Ended run(const RanksAndThreads& workers, const std::filesystem::path& program,
            const std::vector<std::string>& options) const;

 private:
  std::vector<std::string> words(const RanksAndThreads& workers) const;

  std::string given_;
};

}  // namespace cleave::models
