#include "apps/components/components.hpp"

#include <algorithm>
#include <numeric>

namespace cleave {

namespace {

/// The root of `v`, halving the path to it (Tarjan, van Leeuwen: "Worst-case Analysis of Set Union
/// Algorithms", 1984).
Vertex root_of(Labels& parent, Vertex v) {
  while (parent[v] != v) {
    parent[v] = parent[parent[v]];
    v = parent[v];
  }
  return v;
}

/// Unites the trees of `a` and `b` by linking the greater root to the lesser, so that the parent of
/// a vertex is never greater than it and the root is the least of its tree.
void unite(Labels& parent, Vertex a, Vertex b) {
  const Vertex root_a = root_of(parent, a);
  const Vertex root_b = root_of(parent, b);
  if (root_a < root_b) {
    parent[root_b] = root_a;
  } else if (root_b < root_a) {
    parent[root_a] = root_b;
  }
}

/// Makes every parent a root. Parents come before their children, so one pass is enough.
void flatten(Labels& parent) {
  for (Vertex& p : parent) {
    p = parent[p];
  }
}

}  // namespace

Labels separate(Vertex vertices) {
  Labels labels(vertices);
  std::iota(labels.begin(), labels.end(), Vertex{0});
  return labels;
}

Labels unite(Labels labels, const std::vector<Edge>& edges) {
  // Edges come in any order, so each misses the caches: the parents of an edge some way ahead are
  // fetched meanwhile.
  constexpr std::size_t kAhead = 8;
  const std::size_t fetched = edges.size() - std::min(kAhead, edges.size());
  for (std::size_t i = 0; i < fetched; ++i) {
    __builtin_prefetch(&labels[edges[i + kAhead].from], 1);
    __builtin_prefetch(&labels[edges[i + kAhead].to], 1);
    unite(labels, edges[i].from, edges[i].to);
  }
  for (std::size_t i = fetched; i < edges.size(); ++i) {
    unite(labels, edges[i].from, edges[i].to);
  }
  flatten(labels);
  return labels;
}

Labels unite(Labels labels, const Labels& others) {
  const auto vertices = static_cast<Vertex>(labels.size());
  for (Vertex v = 0; v < vertices; ++v) {
    unite(labels, v, others[v]);
  }
  flatten(labels);
  return labels;
}

}  // namespace cleave
