// SPDX-License-Identifier: Apache-2.0
#include "apps/components/union_find.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <cleave/random.hpp>

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

/// Makes every parent a root. Parents come before their children, so one pass is enough.
void flatten(std::span<Vertex> parent) {
  for (Vertex& p : parent) {
    p = parent[p];
  }
}

/// Whether `count` labels from `first` on are their vertices.
bool are_own(std::span<const Vertex> labels, std::size_t first, std::size_t count) {
  Vertex unlike = 0;
  for (std::size_t v = first; v < first + count; ++v) {
    unlike |= labels[v] ^ static_cast<Vertex>(v);
  }
  return unlike == 0;
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

/// The value that `of` has for most of a sample of the numbers below `size`, which is not 0.
/// Sorting it takes most of the time, which small graphs notice.
template <class Of>
auto most_frequent_of(Of of, std::size_t size) {
  constexpr std::size_t kSample = 64;
  const CounterRandom random(0);
  std::array<decltype(of(0)), kSample> sample{};
  for (std::size_t i = 0; i < kSample; ++i) {
    sample[i] = of(random(i) % size);
  }
  std::sort(sample.begin(), sample.end());
  auto best = sample.front();
  std::ptrdiff_t maximum = 0;
  for (auto run = sample.begin(); run != sample.end();) {
    const auto end = std::upper_bound(run, sample.end(), *run);
    if (end - run > maximum) {
      maximum = end - run;
      best = *run;
    }
    run = end;
  }
  return best;
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
/// are inside a component, or the first that reach their greater end.
void unite_near(std::span<Vertex> parent, std::span<const Edge> edges) {
  for (const auto [from, to] : edges) {
    const Vertex above_from = parent[from];
    const Vertex above_to = parent[to];
    if (above_from == above_to) {
      continue;
    }
    if (above_to == to && above_from < to) {
      parent[to] = above_from;
    } else {
      unite_by_rem(parent, from, to);
    }
  }
}

/// Whether nearly all edges of a sample have their ends near those of the edge before.
bool are_near(std::span<const Edge> edges) {
  constexpr std::size_t kSample = 64;
  constexpr std::size_t kMinNear = 56;
  constexpr Vertex kNear = 1024;  // 4 KiB of parents
  const auto is_near = [](Vertex a, Vertex b) { return (a < b ? b - a : a - b) <= kNear; };
  std::size_t near = 0;
  for (std::size_t i = 0; i < kSample && edges.size() > kSample; ++i) {
    const Edge* const edge = &edges[i * ((edges.size() - 1) / kSample)];
    near += is_near(edge[0].from, edge[1].from) && is_near(edge[0].to, edge[1].to) ? 1 : 0;
  }
  return near >= kMinNear;
}

/// A component, and the part of some edges that has both ends in it.
struct Inside {
  Vertex root = 0;
  double share = 0;
};

/// The one component that more than half of the ends of `edges` can be in, by a sample and a vote
/// (Boyer, Moore: "MJRTY - A Fast Majority Vote Algorithm", 1991). \pre  there are edges
Inside majority_of(std::span<Vertex> parent, std::span<const Edge> edges) {
  constexpr std::size_t kSample = 128;
  std::array<Edge, kSample> roots;
  const std::size_t size = std::min(kSample, edges.size());
  const std::size_t stride = edges.size() / size;
  Vertex candidate = 0;
  std::size_t votes = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto [from, to] = edges[i * stride];
    roots[i] = {.from = root_of(parent, from), .to = root_of(parent, to)};
    for (const Vertex root : {roots[i].from, roots[i].to}) {
      if (votes == 0) {
        candidate = root;
      }
      votes += root == candidate ? 1 : -1;
    }
  }
  const auto inside = std::count(roots.begin(), roots.begin() + size, Edge{candidate, candidate});
  return {.root = candidate, .share = static_cast<double>(inside) / static_cast<double>(size)};
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
    VertexSet::for_each_in_neither(members_, roots_, static_cast<Vertex>(parent_.size()),
                                   [this](Vertex v) { parent_[v] = parent_[parent_[v]]; });
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
      members_.add_if(joins, out);
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

void unite(std::span<Vertex> labels, std::span<const Edge> edges) {
  // Marking the giant costs about as much as uniting along N / 8 edges, looking for it as much as
  // along some hundred.
  const std::size_t step = labels.size() / 8 + 1;
  constexpr double kWorthwhile = 0.5;
  if (are_near(edges)) {
    unite_near(labels, edges);
    flatten_all_but(labels, changed_range(labels), most_frequent(labels));
    return;
  }
  while (edges.size() > 4 * step) {
    unite_in_order(labels, edges.first(step));
    edges = edges.subspan(step);
    const Inside inside = majority_of(labels, edges);
    if (inside.share > kWorthwhile) {
      flatten(labels);
      Giant giant(labels, inside.root);
      giant.unite(edges);
      giant.finish();
      return;
    }
  }
  unite_in_order(labels, edges);
  flatten(labels);
}

void unite_each(std::span<Vertex> labels, std::span<const Vertex> others) {
  const auto vertices = static_cast<Vertex>(labels.size());
  for (Vertex v = 0; v < vertices; ++v) {
    unite(labels, v, others[v]);
  }
  flatten(labels);
}

VertexRange changed_range(std::span<const Vertex> labels) {
  constexpr std::size_t kAtOnce = 64;
  std::size_t first = 0;
  std::size_t last = labels.size();
  while (last - first >= kAtOnce && are_own(labels, first, kAtOnce)) {
    first += kAtOnce;
  }
  while (last - first >= kAtOnce && are_own(labels, last - kAtOnce, kAtOnce)) {
    last -= kAtOnce;
  }
  return {.first = static_cast<Vertex>(first), .last = static_cast<Vertex>(last)};
}

void unite_flat(std::span<Vertex> labels, std::span<const Vertex> others) {
  const VertexRange theirs = changed_range(others);
  const VertexRange mine = changed_range(labels);
  const Vertex size = theirs.last - theirs.first;
  if (size == 0) {
    return;
  }
  // The giants of both sides have most vertices in common, and may have unlike roots.
  const LabelPair maximum = most_frequent_of(
      [&](std::size_t i) {
        const std::size_t v = theirs.first + i;
        return LabelPair{labels[v], others[v]};
      },
      size);
  Giants giants{.mine = maximum.mine,
                .theirs = maximum.theirs,
                .root = unite(labels, maximum.mine, maximum.theirs)};
  LabelPairs unlike;
  for (Vertex first = theirs.first; first < theirs.last;) {
    // From here on it is a forest, in which labels are found: they never exceed their vertex.
    const Vertex count = std::min(LabelPairs::kMax, theirs.last - first);
    take_where_root(labels.subspan(first, count), others.subspan(first, count), first, giants,
                    unlike);
    unite_pairs(labels, unlike);
    giants.root = root_of(labels, giants.root);
    first += count;
  }
  // The first of two ranges that have no vertex in common stays flat.
  const VertexRange unflat = mine.last <= theirs.first   ? theirs
                             : theirs.last <= mine.first ? mine
                                                         : changed_range(labels);
  flatten_all_but(labels, unflat, giants.root);
}

Vertex most_frequent(std::span<const Vertex> labels) {
  const auto root_of_label = [&](std::size_t v) {
    Vertex root = labels[v];
    while (labels[root] != root) {
      root = labels[root];
    }
    return root;
  };
  return most_frequent_of(root_of_label, labels.size());
}

}  // namespace cleave::components
