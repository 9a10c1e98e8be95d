#include "apps/components/components.hpp"

#include <numeric>

namespace cleave {

namespace {

/// Unites the trees of `a` and `b` by Rem's algorithm with splicing (Patwary, Blair, Manne:
/// "Experiments on Union-Find Algorithms for the Disjoint-Set Data Structure", SEA 2010).
/// The parent of a vertex is never greater than it, so that the root is the least of its tree.
void unite(Labels& parent, Vertex a, Vertex b) {
  while (parent[a] != parent[b]) {
    if (parent[a] < parent[b]) {
      std::swap(a, b);
    }
    const Vertex next = parent[a];
    parent[a] = parent[b];
    if (next == a) {
      return;
    }
    a = next;
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
  for (const Edge& edge : edges) {
    unite(labels, edge.from, edge.to);
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
