// SPDX-License-Identifier: Apache-2.0
// Which counts a size may have, where not every one makes a problem.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace cleave {

/// 1, base, base^2 and so on, of a base of at least 2.
struct PowersOf {
  std::int64_t base;
};

/// unit, 2 unit, 3 unit and so on, of a unit of at least 1.
struct MultiplesOf {
  std::int64_t unit;
};

class SizeStep {
 public:
  constexpr SizeStep() = default;  ///< any count
  constexpr SizeStep(PowersOf powers) : is_of_powers_(true), number_(powers.base) {}
  constexpr SizeStep(MultiplesOf multiples) : number_(multiples.unit) {}
  /// As `text` writes it. \throws UsageError
  static SizeStep parse(std::string_view text);

  bool is_of_powers() const { return is_of_powers_; }
  std::int64_t number() const { return number_; }  ///< the base or the unit
  bool is_any() const { return !is_of_powers_ && number_ == 1; }
  /// Whether base or unit are large enough. All that follows is of such alone.
  bool is_valid() const { return number_ > (is_of_powers_ ? 1 : 0); }

  /// \pre  count > 0
  bool allows(std::int64_t count) const;
  /// The allowed count whose ratio to `count` is nearest to 1. \pre  count > 0
  std::int64_t nearest(std::int64_t count) const;
  /// "powers of 2", "multiples of 64".
  std::string text() const;

 private:
  bool is_of_powers_ = false;
  std::int64_t number_ = 1;
};

/// Of the sizes that may not have any count, by name.
using SizeSteps = std::map<std::string, SizeStep>;

}  // namespace cleave
