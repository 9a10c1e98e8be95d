// SPDX-License-Identifier: Apache-2.0
// A batch script for Slurm.
#pragma once

#include <string>

#include "models/theory/model.hpp"
#include "models/theory/prediction.hpp"

namespace cleave::models {

struct BatchOptions {
  std::string program;  ///< what srun starts
  /// The way in which srun starts ranks unless SLURM_MPI_TYPE says another: pmi2 for MPICH, pmix
  /// for Open MPI. Empty: the cluster's own way.
  std::string mpi_type;
  /// Folder for snapshots of a search, whose job is stopped before its limit and queued again.
  std::string checkpoint;
};

/// A batch script that runs the model's application: nodes, tasks, memory, and a time limit of a
/// tenth more than the upper end of the interval and a minute to start in. Whatever comes from the
/// model is quoted for the shell.
/// \throws UsageError  if a program without snapshots is to write some
std::string slurm_script(const Model& model, const PlanChoice& choice, const BatchOptions& options);

}  // namespace cleave::models
