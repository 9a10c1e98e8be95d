// SPDX-License-Identifier: Apache-2.0
#include "apps/components/union_find.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "apps/components/vertex_set.hpp"

namespace cleave::components {

namespace {

/// The root of `v`, halving the path to it (Tarjan, van Leeuwen: "Worst-case Analysis of Set Union
/// Algorithms", 1984). Most vertices are at most two links below a root, and take the same way
/// through this function.
Vertex root_of(std::span<Vertex> parent, Vertex v) {
  while (true) {
    v = parent[v] = parent[parent[v]];
    if (parent[v] == v) {
      return v;
    }
  }
}

/// Links the greater of two roots below the lesser. \return  the root of both
Vertex link(std::span<Vertex> parent, Vertex root_a, Vertex root_b) {
  if (root_a < root_b) {
    return parent[root_b] = root_a;
  }
  return root_b < root_a ? parent[root_a] = root_b : root_a;
}

/// \return  the root of both
Vertex unite(std::span<Vertex> parent, Vertex a, Vertex b) {
  return link(parent, root_of(parent, a), root_of(parent, b));
}

/// Unites the two of each pair; as they come in any order, what they are linked to is fetched some
/// way ahead.
void unite_pairs(std::span<Vertex> parent, const LabelPairs& pairs) {
  constexpr Vertex kAhead = 16;
  for (Vertex i = 0; i < std::min(kAhead, pairs.size); ++i) {
    __builtin_prefetch(&parent[pairs.mine[i]], 1);
    __builtin_prefetch(&parent[pairs.theirs[i]], 1);
  }
  for (Vertex i = 0; i < pairs.size; ++i) {
    const Vertex far = std::min(i + kAhead, pairs.size - 1);
    __builtin_prefetch(&parent[pairs.mine[far]], 1);
    __builtin_prefetch(&parent[pairs.theirs[far]], 1);
    if (parent[pairs.mine[i]] != parent[pairs.theirs[i]]) {
      unite(parent, pairs.mine[i], pairs.theirs[i]);
    }
  }
}

/// The value that more than half of `sample` can be, by a vote (Boyer, Moore: "MJRTY - A Fast
/// Majority Vote Algorithm", 1991).
template <class T>
T majority_of(std::span<const T> sample) {
  T candidate{};
  std::size_t votes = 0;
  for (const T& value : sample) {
    candidate = votes == 0 ? value : candidate;
    votes += value == candidate ? 1 : -1;
  }
  return candidate;
}

/// Unites along `edges` one after the other. They come in any order, so each misses the caches: the
/// parents of an edge some way ahead, and then theirs, are fetched meanwhile.
void unite_in_order(std::span<Vertex> parent, std::span<const Edge> edges) {
  constexpr std::size_t kAhead = 6;
  const std::size_t fetched = edges.size() - std::min(2 * kAhead, edges.size());
  for (std::size_t i = 0; i < fetched; ++i) {
    const Edge far = edges[i + 2 * kAhead];
    __builtin_prefetch(&parent[far.from], 1);
    __builtin_prefetch(&parent[far.to], 1);
    const Edge near = edges[i + kAhead];
    __builtin_prefetch(&parent[parent[near.from]], 1);
    __builtin_prefetch(&parent[parent[near.to]], 1);
    unite(parent, edges[i].from, edges[i].to);
  }
  for (std::size_t i = fetched; i < edges.size(); ++i) {
    unite(parent, edges[i].from, edges[i].to);
  }
}

/// Unites by Rem's algorithm with splicing (Patwary, Blair, Manne: "Experiments on Union-Find
/// Algorithms for the Disjoint-Set Data Structure", 2010).
void unite_by_rem(std::span<Vertex> parent, Vertex a, Vertex b) {
  while (parent[a] != parent[b]) {
    if (parent[a] < parent[b]) {
      std::swap(a, b);
    }
    const Vertex above = parent[a];
    parent[a] = parent[b];
    if (a == above) {
      return;
    }
    a = above;
  }
}

/// Unites along `edges` one after the other, for edges whose parents lie in the nearest cache. Most
/// are inside a component, or the first that reach their greater end. Labels are made as edges
/// reach them.
/// \return  the range that they reach, flat
VertexRange unite_near(std::span<Vertex> parent, std::span<const Edge> edges) {
  constexpr std::size_t kAtOnce = 1024;
  constexpr Vertex kNoVertex = kMaxVertices;
  VertexRange range;
  Edge link = {.from = 0, .to = kNoVertex};  // the last, to what is above it
  while (!edges.empty()) {
    const std::span<const Edge> some = edges.first(std::min(kAtOnce, edges.size()));
    range = widen(parent, range, range_of_ends(some));
    for (const Edge& edge : some) {
      __builtin_prefetch(&edge + kAtOnce);
      const auto [from, to] = edge;
      Vertex above_from = link.from;
      if (from != link.to) {
        above_from = parent[from];
      }
      const Vertex above_to = parent[to];
      if (above_from == above_to) {
        continue;
      }
      if (above_to == to && above_from < to) {
        parent[to] = above_from;
        link = {.from = above_from, .to = to};
      } else {
        unite_by_rem(parent, from, to);
        link.to = kNoVertex;
      }
    }
    edges = edges.subspan(some.size());
  }
  flatten_all(parent, range);
  return range;
}

/// Whether nearly all edges of a sample have their ends near those of the edge before, or there are
/// few.
bool are_near(std::span<const Edge> edges) {
  constexpr std::size_t kSample = 64;
  constexpr std::size_t kMinNear = 56;
  constexpr Vertex kNear = 1024;  // 4 KiB of parents
  const auto is_near = [](Vertex a, Vertex b) { return (a < b ? b - a : a - b) <= kNear; };
  if (edges.size() <= kSample) {
    return true;
  }
  std::size_t near = 0;
  for (std::size_t i = 0; i < kSample; ++i) {
    const Edge* const edge = &edges[i * ((edges.size() - 1) / kSample)];
    near += is_near(edge[0].from, edge[1].from) && is_near(edge[0].to, edge[1].to) ? 1 : 0;
  }
  return near >= kMinNear;
}

/// The one component that more than half of the ends of `edges` can be in, and the part of them
/// with both ends in it, as a sample says. \pre  there are edges
std::pair<Vertex, double> majority_of_ends(std::span<Vertex> parent, std::span<const Edge> edges) {
  constexpr std::size_t kSample = 128;
  std::array<Vertex, 2 * kSample> roots;
  const std::size_t size = std::min(kSample, edges.size());
  for (std::size_t i = 0; i < size; ++i) {
    const auto [from, to] = edges[i * (edges.size() / size)];
    roots[2 * i] = root_of(parent, from);
    roots[2 * i + 1] = root_of(parent, to);
  }
  const Vertex root = majority_of(std::span<const Vertex>(roots).first(2 * size));
  std::size_t inside = 0;
  for (std::size_t i = 0; i < size; ++i) {
    inside += roots[2 * i] == root && roots[2 * i + 1] == root ? 1 : 0;
  }
  return {root, static_cast<double>(inside) / static_cast<double>(size)};
}

/// The greatest component while edges are united. Those inside it are left out, as Afforest leaves
/// them out after a sample of the edges (Sutton, Ben-Nun, Barak: "Optimizing Parallel Graph
/// Connectivity Computation via Subgraph Sampling", 2018). It grows by both ends of every edge that
/// reaches it. Until `finish` its members need not be linked: its root is the least of them.
class Giant {
 public:
  /// \pre  flat `parent`, in which `root` is one
  Giant(std::span<Vertex> parent, Vertex root)
      : parent_(parent),
        root_(root),
        members_(VertexSet::with_label(parent, root_)),
        roots_(VertexSet::roots(parent)) {}

  /// Unites along `edges`.
  void unite(std::span<const Edge> edges) {
    constexpr std::size_t kAtOnce = 8192;
    std::vector<Edge> leaving(kAtOnce + kAhead);
    while (!edges.empty()) {
      const std::size_t count = std::min(kAtOnce, edges.size());
      const std::size_t left = members_.copy_leaving(edges.first(count), leaving.data());
      unite_far(leaving, join_roots(std::span(leaving).first(left)));
      edges = edges.subspan(count);
    }
  }

  /// Flattens all labels.
  void finish() {
    members_.label_members(parent_, root_);
    flatten_all(parent_, {.first = 0, .last = static_cast<Vertex>(parent_.size())});
  }

 private:
  static constexpr std::size_t kAhead = 8;

  /// Takes in the roots at the other end of edges that reach the giant: nearly all of the edges
  /// that leave it.
  /// \return  how many are left to be united along; they are the first of `edges` then
  std::size_t join_roots(std::span<Edge> edges) {
    std::size_t left = 0;
    for (const Edge edge : edges) {
      const bool from_is_in = members_.contains(edge.from);
      const bool is_reached = from_is_in | members_.contains(edge.to);
      // Either end may be in: exchanged without a branch.
      const Vertex both = edge.from ^ edge.to;
      const Vertex out = edge.from ^ (both & (0U - static_cast<Vertex>(from_is_in)));
      const bool joins = is_reached & roots_.contains(out) & (out > root_);
      members_.add(out, joins);
      edges[left] = edge;
      left += joins ? 0 : 1;
    }
    return left;
  }

  /// Unites along the first `count` of `edges`, after which there are `kAhead` more.
  void unite_far(std::span<const Edge> edges, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      __builtin_prefetch(&parent_[edges[i + kAhead].from], 1);
      __builtin_prefetch(&parent_[edges[i + kAhead].to], 1);
      const auto [from, to] = edges[i];
      const Vertex root_a = root_with_giant(from);
      const Vertex root_b = root_with_giant(to);
      const Vertex linked = link(parent_, root_a, root_b);
      if (root_a != root_b) {
        roots_.remove(std::max(root_a, root_b));
      }
      if (root_a == root_ || root_b == root_) {
        root_ = linked;
        for (const Vertex v : {from, to, root_a, root_b}) {
          members_.add(v);
        }
      }
    }
  }

  Vertex root_with_giant(Vertex v) {
    if (members_.contains(v)) {
      return root_;
    }
    const Vertex root = root_of(parent_, v);
    return members_.contains(root) ? root_ : root;
  }

  std::span<Vertex> parent_;
  Vertex root_;
  VertexSet members_;
  VertexSet roots_;  ///< that are linked to no other vertex
};

}  // namespace

VertexRange widen(std::span<Vertex> labels, VertexRange range, VertexRange other) {
  if (range.first == range.last) {
    range = {.first = other.first, .last = other.first};
  }
  const VertexRange both = {.first = std::min(range.first, other.first),
                            .last = std::max(range.last, other.last)};
  const auto make_own = [labels](Vertex first, Vertex last) {
    std::iota(labels.begin() + first, labels.begin() + last, first);
  };
  make_own(both.first, range.first);
  make_own(range.last, both.last);
  return both;
}

VertexRange unite(std::span<Vertex> labels, std::span<const Edge> edges) {
  if (are_near(edges)) {
    return unite_near(labels, edges);
  }
  const VertexRange all =
      widen(labels, {}, {.first = 0, .last = static_cast<Vertex>(labels.size())});
  // Marking the giant costs about as much as uniting along N / 8 edges, looking for it as much as
  // along some hundred.
  const std::size_t step = labels.size() / 8 + 1;
  constexpr double kWorthwhile = 0.5;
  while (edges.size() > 4 * step) {
    unite_in_order(labels, edges.first(step));
    edges = edges.subspan(step);
    const auto [root, share_inside] = majority_of_ends(labels, edges);
    if (share_inside > kWorthwhile) {
      flatten_all(labels, all);
      Giant giant(labels, root);
      giant.unite(edges);
      giant.finish();
      return all;
    }
  }
  unite_in_order(labels, edges);
  flatten_all(labels, all);
  return all;
}

void unite_each(std::span<Vertex> labels, std::span<const Vertex> others) {
  const auto vertices = static_cast<Vertex>(labels.size());
  for (Vertex v = 0; v < vertices; ++v) {
    unite(labels, v, others[v]);
  }
  flatten_all(labels, {.first = 0, .last = vertices});
}

VertexRange unite_flat(std::span<Vertex> labels, VertexRange mine, std::span<const Vertex> others,
                       VertexRange theirs) {
  if (others.empty()) {
    return mine;
  }
  // Vertices between both sides, then those of the other side alone.
  mine = widen(labels, mine, {.first = theirs.last, .last = theirs.first});
  const Vertex first = std::clamp(mine.first, theirs.first, theirs.last);
  const Vertex last = std::clamp(mine.last, first, theirs.last);
  const auto others_of = [=](Vertex from, Vertex to) {
    return others.subspan(from - theirs.first, to - from);
  };
  std::ranges::copy(others_of(theirs.first, first), labels.begin() + theirs.first);
  std::ranges::copy(others_of(last, theirs.last), labels.begin() + last);
  const VertexRange both = {.first = std::min(mine.first, theirs.first),
                            .last = std::max(mine.last, theirs.last)};
  if (first == last) {
    return both;
  }
  // The giants of both sides have most vertices in common, and may have unlike roots.
  std::array<LabelPair, 64> sample;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const std::size_t v = first + i * (last - first) / sample.size();
    sample[i] = {.mine = labels[v], .theirs = others[v - theirs.first]};
  }
  const LabelPair maximum = majority_of(std::span<const LabelPair>(sample));
  Giants giants{.mine = maximum.mine,
                .theirs = maximum.theirs,
                .root = unite(labels, maximum.mine, maximum.theirs)};
  LabelPairs unlike;
  for (Vertex v = first; v < last;) {
    // From here on it is a forest, in which labels are found: they never exceed their vertex.
    const Vertex count = std::min(LabelPairs::kMax, last - v);
    take_where_root(labels, others_of(v, v + count), v, giants, unlike);
    unite_pairs(labels, unlike);
    giants.root = root_of(labels, giants.root);
    v += count;
  }
  flatten_all(labels, both);
  return both;
}

}  // namespace cleave::components
