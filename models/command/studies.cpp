// SPDX-License-Identifier: Apache-2.0
#include "models/command/studies.hpp"

#include <fmt/format.h>

#include <utility>

namespace cleave::models {

namespace {

constexpr int kDoublings = 6;

/// N = first, 2 first, ... in M, or in K.
std::vector<std::string> sort_sizes(int first, char unit) {
  std::vector<std::string> sizes;
  for (int i = 0; i < kDoublings; ++i) {
    sizes.push_back(fmt::format("N={}{}", first << i, unit));
  }
  return sizes;
}

/// N = first to 32 first in K, six for each doubling: a partition's time breaks where keys
/// overflow a cache, and each side of a break needs sizes of its own.
std::vector<std::string> close_sort_sizes(int first) {
  std::vector<std::string> sizes;
  for (int i = 0; i < kDoublings; ++i) {
    for (const int sixteenths : {16, 18, 20, 23, 25, 28}) {
      sizes.push_back(fmt::format("N={}K", (first << i) / 16 * sixteenths));
    }
  }
  sizes.resize(sizes.size() - 5);
  return sizes;
}

/// N nodes in K and M = N to 8N edges, so that M is no multiple of N (the paper's M = 2N determines
/// no coefficients), with values between the powers of two of N, since somewhere the nodes
/// overflow a cache, and of the density, since combining changes from so much an edge to so much a
/// node.
std::vector<std::string> graph_sizes(int first) {
  std::vector<std::string> sizes;
  for (const int halves_of_first : {2, 3, 4, 6, 8, 12, 16}) {
    const int n = first / 2 * halves_of_first;
    for (const int halves : {2, 3, 4, 6, 8, 12, 16}) {
      sizes.push_back(fmt::format("N={}K,M={}K", n, n / 2 * halves));
    }
  }
  return sizes;
}

/// Binomial trees of Prins et al. (2003) of about 16 n nodes, n of them below the root.
std::vector<std::string> trees(int first) {
  std::vector<std::string> sizes;
  for (int i = 0; i < kDoublings; ++i) {
    sizes.push_back(fmt::format("prins:r=0,n={},q=0.234375,m=4", first << i));
  }
  return sizes;
}

/// Geometric trees of UTS 1.1 with 4 children on average, by depth and seed: each has about twice
/// the nodes of the one before, from 4 million to 490 million; quick, to 66 million.
std::vector<std::string> geometric_trees(bool quick) {
  constexpr int kQuick = 5;
  std::vector<std::string> sizes;
  for (const auto& [depth, seed] :
       {std::pair(10, 19), std::pair(10, 7), std::pair(11, 19), std::pair(11, 7), std::pair(12, 19),
        std::pair(12, 7), std::pair(13, 19), std::pair(13, 7)}) {
    sizes.push_back(fmt::format("-t 1 -a 3 -b 4 -d {} -r {}", depth, seed));
  }
  if (quick) {
    sizes.resize(kQuick);
  }
  return sizes;
}

}  // namespace

Study study_of(std::string_view app, std::string_view type, std::string_view placement,
               bool quick) {
  if (app == "quicksort" && placement == "distributed") {
    return {.size_option = "--size",
            .sizes = close_sort_sizes(quick ? 128 : 1024),
            .repetitions = 5,
            .warm_up = 4};
  }
  if (app == "quicksort") {
    return {.size_option = "--size",
            .sizes = quick ? sort_sizes(128, 'K') : sort_sizes(1, 'M'),
            .placement = "replicated",
            .repetitions = 5,
            .warm_up = 4};
  }
  if (app == "components") {
    return {.size_option = "--size",
            .sizes = graph_sizes(quick ? 16 : 128),
            .placement = "replicated",
            .rounds = quick ? 2 : 6,
            .repetitions = 5,
            .warm_up = 3,
            .inputs = "new"};
  }
  if (app == "uts" && type == "work_stealing") {
    return {.size_option = "--tree", .sizes = geometric_trees(quick), .rounds = quick ? 2 : 3};
  }
  if (app == "uts") {
    return {.size_option = "--tree", .sizes = trees(quick ? 5000 : 50000)};
  }
  return {.size_option = "--size"};
}

}  // namespace cleave::models
