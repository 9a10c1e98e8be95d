// SPDX-License-Identifier: Apache-2.0
// The time of a search by work stealing (docs/explanation/model.md, "Searches"): W nodes on R ranks
// of t threads take
//
//     T = tau W / (R t) / efficiency
//
// tau, the time of a node, has a factor for each number of workers that compute at once on a host.
// The efficiency is the part of the workers' time in which they visit nodes.
#pragma once

#include <optional>

#include "models/theory/law.hpp"

namespace cleave::models {

struct SearchModel {
  /// Seconds that a worker visits nodes, of `nodes`, its share of the tree, and of the workers that
  /// share a host.
  std::optional<Law> visits;
  /// 1 / efficiency, of `nodes`, `ranks` and `threads`.
  std::optional<Law> inverse_efficiency;
  int threads = 1;  ///< of a rank, the most that were measured
  // What a question changes (what_if.hpp): factors of the visits, and of all else.
  double what_if_visits = 1;
  double what_if_steals = 1;
};

/// What both are functions of.
inline NamedValues sizes_of_search(double nodes, int ranks, int threads) {
  return {{"nodes", nodes / ranks / threads},
          {"ranks", static_cast<double>(ranks)},
          {"threads", static_cast<double>(threads)}};
}

}  // namespace cleave::models
