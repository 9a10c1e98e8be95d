// SPDX-License-Identifier: Apache-2.0
// What the parts of a search are functions of, and the time of a search that they make.
#pragma once

#include "models/theory/model.hpp"

namespace cleave::models {

/// Of the search: a worker's share of the tree, and the requests of others that it answers
/// meanwhile: as many as it makes, on average.
NamedValues sizes_of_search(double nodes, double requests);
/// Of steals, for one of `sharers` that each have `nodes` of the tree.
NamedValues sizes_of_steals(int sharers, double nodes);
/// Of start-up and termination.
NamedValues sizes_of_rounds(int ranks, int threads);

/// What the network takes of one steal, of one request in vain, of all the rounds of start-up, and
/// of termination.
struct SearchMessages {
  double steal_s = 0;
  double in_vain_s = 0;
  double start_up_s = 0;
  double termination_s = 0;
};

/// `bytes`: of the nodes of an answer. All 0 where the network is not known or there is one rank.
SearchMessages search_messages(const Network& network, int ranks, bool leaves_host, double bytes);

/// The parts of a search's time, in seconds.
struct SearchParts {
  double search_s = 0;
  double steal_s = 0;
  double start_up_s = 0;
  double termination_s = 0;

  double total_s() const { return search_s + steal_s + start_up_s + termination_s; }
};

/// \pre  the model is of a search
class SearchTime {
 public:
  /// \throws Error  if a part that is needed was refused, with the reason
  SearchTime(const Model& model, const Network& network, int ranks, int ranks_per_host, int threads,
             double nodes);

  /// By the medians of the laws, or by all their lower or upper ends, with latencies multiplied.
  SearchParts parts(double Estimate::*end = &Estimate::median, double latency_factor = 1) const;

 private:
  const Model& model_;
  const SearchModel& search_;
  const Network& network_;
  int ranks_;
  int ranks_per_host_;
  int threads_;
  double nodes_;
  SearchMessages messages_;
};

}  // namespace cleave::models
