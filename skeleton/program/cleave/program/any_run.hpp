// SPDX-License-Identifier: Apache-2.0
// A program's application with its problem and its solution, whatever their types are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <cleave/blocks/call_options.hpp>
#include <cleave/comm.hpp>
#include <cleave/costs.hpp>
#include <cleave/program/holding.hpp>
#include <cleave/run_options.hpp>

namespace cleave::detail {

/// What is wrong, if anything is.
using Wrong = std::optional<std::string>;

class SearchMessages;
struct RehearsedRank;

/// What a program says of its problem that needs no type.
struct ProblemFacts {
  std::string work;  ///< the size that `imbalance` counts; empty: the first of the program
  bool is_generated = true;
  std::function<Costs()> costs;           ///< may be empty
  std::function<std::string()> instance;  ///< may be empty
};

/// The members of Program (program.hpp), called in this order.
class AnyRun {
 public:
  explicit AnyRun(ProblemFacts facts) : facts_(std::move(facts)) {}
  virtual ~AnyRun() = default;
  AnyRun(const AnyRun&) = delete;
  AnyRun& operator=(const AnyRun&) = delete;

  const ProblemFacts& facts() const { return facts_; }

  /// Frees the last solution, and makes what this rank holds of the problem of `seed`. Collective
  /// where it is a part.
  virtual void make_problem(const Comm& comm, const RunOptions& options, std::uint64_t seed,
                            Holding holding) = 0;
  /// Whether a problem can be copied, and so be solved more than once.
  virtual bool keeps_problem() const = 0;
  /// Frees the last solution, and makes ready what is solved next.
  virtual void begin_solving() = 0;
  /// Collective, unless it is sequential.
  virtual void solve(DC_Type type, const CallOptions& options) = 0;
  /// The same by work stealing, as one of ranks that are all here; the solution is that of rank 0.
  virtual void solve_as(const SearchMessages& rank, const CallOptions& options) = 0;
  /// Rehearses rank `rank` (rehearsal.hpp), of which `holding` says what each holds. Collective.
  /// \param max_bytes  that the preparation may take
  /// \throws UsageError  if the problem of other ranks cannot be made here
  virtual RehearsedRank rehearse(const Comm& world, const RunOptions& options,
                                 const CallOptions& call, int rank, std::int64_t max_bytes,
                                 const std::function<Holding(int rank)>& holding) const = 0;

  /// Whether the program checks parts.
  virtual bool checks_parts() const = 0;
  /// What is wrong with this rank's part of the solution; collective over `holders`.
  virtual Wrong wrong_part(const Comm& holders, const RunOptions& options) const = 0;
  /// Makes the solution on rank 0 the whole one. Collective.
  virtual void gather_solution(const Comm& comm) = 0;
  /// What is wrong with a whole solution, whose problem this rank has or, if it lies `in_parts`,
  /// makes.
  virtual Wrong wrong(const RunOptions& options, bool in_parts) const = 0;

  /// Collective over the ranks that share the solution.
  virtual Figures figures(const Comm& holders) const = 0;
  /// Whether the program writes the solution: by `keep`, which is collective over them, too.
  virtual bool keeps_solution() const = 0;
  virtual void keep(const Comm& holders) const = 0;

 private:
  ProblemFacts facts_;
};

}  // namespace cleave::detail
