// SPDX-License-Identifier: Apache-2.0
// How the repetitions of a block differ from what is typical of it, as they were measured.
#pragma once

#include <random>
#include <vector>

namespace cleave::models {

/// A measured time of a block beside what is typical of its run, level and sizes.
struct NoisyTime {
  int run = 0;         ///< of the repetition
  int repetition = 0;  ///< of the run
  double typical_s = 0;
  double measured_s = 0;
};

class Noise {
 public:
  /// The times of one length, within a factor of four.
  struct Length {
    double typical_s = 0;  ///< their median
    /// Measured over typical, of each repetition of a run; from the repetition with the least mean
    /// to the one with the most.
    std::vector<std::vector<double>> repetitions;
  };

  Noise() = default;
  /// \pre  ascending
  explicit Noise(std::vector<Length> lengths);
  /// Of each length at most 64 repetitions and of each at most 16 times are kept, evenly.
  static Noise of(std::vector<NoisyTime> times);

  /// Times that are typically `seconds`. What is shorter than all that was measured has the
  /// disturbances of the shortest in seconds rather than in proportion. Refers to the noise.
  class Times {
   public:
    /// One of them, on a host that is as slow as `slowness` of all: 0 the fastest repetition of
    /// those measured, 1 the slowest.
    double draw(double slowness, std::mt19937_64& random) const;
    double typical() const { return seconds_; }

   private:
    friend class Noise;
    double seconds_ = 0;
    const Length* length_ = nullptr;  ///< none: as typical
    bool is_shortest_ = false;
  };
  Times times_of(double seconds) const;

  const std::vector<Length>& lengths() const { return lengths_; }

 private:
  std::vector<Length> lengths_;  ///< ascending
  std::vector<double> upper_s_;  ///< up to where each is the nearest, by ratio
};

}  // namespace cleave::models
