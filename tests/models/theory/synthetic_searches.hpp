// SPDX-License-Identifier: Apache-2.0
// Traces of searches that never ran, made from coefficients.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "models/theory/samples.hpp"

namespace cleave::models {

using namespace cleave::detail;

/// The truth that searches are made from: steals inside a rank grow with log2(threads) log2(nodes
/// of a worker), steals between ranks and requests in vain with log2(ranks).
struct Truth {
  double node_s = 2e-8;
  double noise = 0;

  double steals(int ranks, int threads, double nodes) const {
    const double inside =
        threads == 1 ? 0 : 2 * std::log2(threads) * std::log2(nodes / ranks / threads);
    const double between = ranks == 1 ? 0 : 3 * std::log2(ranks) * std::log2(nodes / ranks);
    return std::round(inside) + std::round(between);
  }
  double requests_in_vain(int ranks) const { return std::round(2 * std::log2(ranks)); }
  double requests(int ranks, double nodes) const {
    return ranks == 1 ? 0 : 1 + steals(ranks, 1, nodes) + requests_in_vain(ranks);
  }
  double steal_s(int ranks, int threads, double nodes) const {
    return steals(1, threads, nodes / ranks) * 5e-6 + steals(ranks, 1, nodes) * 3e-5 +
           requests_in_vain(ranks) * 6e-5;
  }
  double search_s(int ranks, int threads, double nodes) const {
    return node_s * nodes / (ranks * threads);
  }
  double starting_s(int ranks, int threads) const {
    return 4e-5 + 2e-5 * std::log2(ranks) + 2e-4 * (threads - 1);
  }
  double termination_s(int ranks) const { return 2e-6 + 2e-5 * std::log2(ranks); }
  double seconds(int ranks, int threads, double nodes) const {
    return search_s(ranks, threads, nodes) + steal_s(ranks, threads, nodes) +
           starting_s(ranks, threads) + termination_s(ranks);
  }
};

inline std::int64_t ns(double seconds) { return std::llround(seconds * 1e9); }

inline Trace search_trace(const Truth& truth, int ranks, int threads, std::int64_t nodes) {
  constexpr int kRepetitions = 3;
  Trace trace;
  trace.file = fmt::format("search-{}-{}-{}.trace.jsonl", ranks, threads, nodes);
  trace.run = {.app = "uts",
               .type = "work_stealing",
               .placement = "replicated",
               .ranks = ranks,
               .threads = threads,
               .ranks_per_host = ranks,
               .repetitions = kRepetitions,
               .clock_offset_ns = std::vector<std::int64_t>(static_cast<std::size_t>(ranks), 0)};
  std::mt19937 random(static_cast<unsigned>(ranks * 131 + threads * 17 + nodes));
  std::normal_distribution<double> normal(0, truth.noise);
  const auto size = static_cast<double>(nodes);
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const double throttled = 1 + normal(random);
    const double search_s = throttled * truth.search_s(ranks, threads, size);
    const double steal_s = truth.steal_s(ranks, threads, size);
    const double ending_s = truth.termination_s(ranks);
    for (int worker = 0; worker < ranks * threads; ++worker) {
      const bool starts_dry = worker != 0;
      const double starting_s = starts_dry ? truth.starting_s(ranks, threads) / 2 : 0;
      const bool asks = worker % threads == 0 && ranks > 1;
      const std::int64_t in_vain = std::llround(truth.requests_in_vain(ranks));
      const std::int64_t tried = std::llround(truth.requests(ranks, size));
      trace.workers.push_back({repetition,
                               {.rank = worker / threads,
                                .thread = worker % threads,
                                .nodes = nodes / (ranks * threads),
                                .searches = 1 + std::llround(truth.steals(ranks, threads, size)),
                                .local_tried = 10,
                                .local_made = 5,
                                .remote_tried = asks ? tried : 0,
                                .remote_made = asks ? tried - in_vain : 0,
                                .searching_ns = ns(search_s),
                                .stealing_ns = ns(steal_s + starting_s),
                                .starting_ns = ns(starting_s),
                                .idle_ns = ns(ending_s),
                                .ending_ns = ns(ending_s)}});
    }
    trace.repetitions.push_back(
        {.index = repetition,
         .elapsed_ns = ns(search_s + steal_s + ending_s + truth.starting_s(ranks, threads)),
         .sizes = {{"nodes", nodes}}});
  }
  return trace;
}

inline std::vector<Trace> search_traces(const Truth& truth,
                                        const std::vector<std::pair<int, int>>& workers,
                                        const std::vector<std::int64_t>& sizes) {
  std::vector<Trace> traces;
  for (const auto& [ranks, threads] : workers) {
    for (const std::int64_t nodes : sizes) {
      traces.push_back(search_trace(truth, ranks, threads, nodes));
    }
  }
  return traces;
}

}  // namespace cleave::models
