// SPDX-License-Identifier: Apache-2.0
// What a fit and its predictions consist of, so that each part can be left out to see what it moves
// (`cleave fit --without NAME`, tests/referee/ablation).
#pragma once

#include <array>
#include <string_view>

namespace cleave::models {

struct Mechanisms {
  bool declared = true;     ///< the terms that the application declares
  bool powers = true;       ///< powers above 1
  bool plausible = true;    ///< forms that predict nearly as well as the best one
  bool resampling = true;   ///< of runs, for the coefficients
  bool noise = true;        ///< of repetitions, in the played runs
  bool hosts = true;        ///< the ranks of a host are slow together
  bool tilt = true;         ///< uneven divisions
  bool precision = true;    ///< noisy sizes count less
  bool pieces = true;       ///< of l and g, by message length
  bool calibration = true;  ///< intervals are widened by what held-out runs say
};

struct Mechanism {
  std::string_view name;
  bool Mechanisms::*is_there;
};

inline constexpr std::array<Mechanism, 10> kMechanisms = {
    {{"declared", &Mechanisms::declared},
     {"powers", &Mechanisms::powers},
     {"plausible", &Mechanisms::plausible},
     {"resampling", &Mechanisms::resampling},
     {"noise", &Mechanisms::noise},
     {"hosts", &Mechanisms::hosts},
     {"tilt", &Mechanisms::tilt},
     {"precision", &Mechanisms::precision},
     {"pieces", &Mechanisms::pieces},
     {"calibration", &Mechanisms::calibration}}};

}  // namespace cleave::models
