// SPDX-License-Identifier: Apache-2.0
// What the machine takes from a rank in between, as a timer or another program that the core turns
// to: short pauses that come as often in a short block as in a long one, for each second of
// computation. On one rank they are soon forgotten; where many ranks wait for each other one of
// them is always late.
#pragma once

#include <random>
#include <vector>

namespace cleave::models {

/// One repetition of a block, beside what is typical of it.
struct NoisyTime {
  double expected_s = 0;
  double measured_s = 0;
  double visible_s = 0;  ///< what is less than this above the expected time is no OS noise
};

/// OsNoise of about one length.
struct OsNoise {
  double length_s = 0;
  double per_second = 0;  ///< of computation, on one rank
};

/// The seconds by which the os_noise that come within `seconds` of computation differ from what
/// the typical time has of them: long blocks always have some.
double draw_os_noise(const std::vector<OsNoise>& os_noise, double seconds, std::mt19937_64& random);

/// Ascending lengths from 10 us on, each at most 1.5 times as long as the shortest of its class.
/// How often they come is asked for each length apart: one of length e can be seen in those times
/// only whose `visible_s` is less, so each that was seen counts one over the sum of these times.
/// Classes of fewer than 5 are left out: how often those come is not known.
std::vector<OsNoise> fit_os_noise(std::vector<NoisyTime> times);

}  // namespace cleave::models
