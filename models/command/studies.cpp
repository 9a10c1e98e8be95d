#include "models/command/studies.hpp"

#include <fmt/format.h>

namespace cleave {

namespace {

constexpr int kDoublings = 6;

/// N = first, 2 first, ... in units of `unit`.
std::vector<std::string> sort_sizes(int first, char unit) {
  std::vector<std::string> sizes;
  for (int i = 0; i < kDoublings; ++i) {
    sizes.push_back(fmt::format("N={}{}", first << i, unit));
  }
  return sizes;
}

/// N nodes in K and M = N, 2N, 4N, 8N edges, so that M is no multiple of N (the paper's M = 2N
/// determines no coefficients).
std::vector<std::string> graph_sizes(int first) {
  std::vector<std::string> sizes;
  for (int n = first; n <= 8 * first; n *= 2) {
    for (int m = n; m <= 8 * n; m *= 2) {
      sizes.push_back(fmt::format("N={}K,M={}K", n, m));
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

}  // namespace

Study study_of(std::string_view app, bool quick) {
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
            .rounds = quick ? 2 : 9,
            .repetitions = 7,
            .warm_up = 3};
  }
  if (app == "uts") {
    return {.size_option = "--tree", .sizes = trees(quick ? 5000 : 50000)};
  }
  return {.size_option = "--size"};
}

}  // namespace cleave
