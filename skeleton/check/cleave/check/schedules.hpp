// SPDX-License-Identifier: Apache-2.0
// Calls whose solutions are known, on virtual ranks: with blocks and messages that take any time,
// slow ranks, and a block that throws. A seed says which, so that each can be tried again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cleave/kernel/any_app.hpp>

namespace cleave {

/// Further tries, each of another schedule of a call.
struct CheckOptions {
  std::uint64_t schedules = 0;
  std::uint64_t seed = 1;  ///< of the first schedule; the next have the numbers after it
};

namespace detail {

/// A problem whose solution is known.
struct CheckedProblem {
  std::string name;  ///< "problem 2"
  std::shared_ptr<const AnyApp> app;
  /// A problem, or a part, for each of so many ranks; empty if there are not so many parts.
  std::function<Values(int ranks, bool in_parts)> given;
  /// Whether ranks that have all of it each, or all ranks with their parts, have the solution.
  std::function<bool(Values& solutions)> is_solution;
  std::function<std::vector<CheckedProblem>()> smaller;  ///< ones, for a shorter report
};

/// One schedule of a call, on which no promise depends.
struct CheckedSchedule {
  DC_Type type{};
  Placement placement{};
  int ranks = 2;
  /// Seed of what blocks and messages take. Without it blocks take 30 us, and messages no time.
  std::optional<std::uint64_t> delays{};
  /// The block that throws, counted over all ranks; they call once more then.
  std::optional<std::int64_t> throws{};
};

/// A schedule for each executor and placement that the application can have; none is disturbed.
std::vector<CheckedSchedule> plain_schedules(const AppTraits& app);

/// The promise that is broken in this schedule, a sentence; empty if none is.
/// \param blocks  where each block is told; may be null
std::string broken_in(const CheckedSchedule& schedule, const CheckedProblem& problem,
                      std::vector<std::string>* blocks = nullptr);

/// Tries schedules on 1 to 64 ranks, until one breaks a promise, and makes that one shorter.
/// \return  the sentence with its seed, and the last 20 blocks before it; empty if none is broken
std::string first_broken(const std::vector<CheckedProblem>& problems, const CheckOptions& options);

}  // namespace detail
}  // namespace cleave
