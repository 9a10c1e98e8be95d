// SPDX-License-Identifier: Apache-2.0
// How long steps of work take that are still to do, by those that are done. Arithmetic alone.
#pragma once

#include <optional>
#include <string>

namespace cleave::detail {

/// From `low` to `high`, in one unit.
struct Range {
  double low = 0;
  double high = 0;
};

/// Seconds a unit of work. A step's work is a weight about in proportion to its time.
class Pace {
 public:
  /// A step is done. \pre  work > 0
  void add(double work, double seconds);

  /// Seconds that remain of `work` to do, of which `current_s` have passed: by the mean pace of the
  /// steps that are done, with twice their standard deviation, but a tenth at least, to either
  /// side. \return  nothing while no step is done
  std::optional<Range> remaining_s(double work, double current_s) const;

 private:
  double work_ = 0;
  double seconds_ = 0;
  double squares_ = 0;  ///< of seconds a unit, times the work of each
};

/// "31 to 36 s", "3 to 5 min", "1.5 to 2.1 h", "less than 1 s".
std::string format_range(const Range& seconds);

/// "12 s", "3 min 20 s", "2 h 5 min".
std::string format_duration(double seconds);

}  // namespace cleave::detail
