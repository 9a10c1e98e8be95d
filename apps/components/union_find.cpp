#include "apps/components/union_find.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "apps/harness/random.hpp"

namespace cleave {

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

void unite(std::span<Vertex> parent, Vertex a, Vertex b) {
  link(parent, root_of(parent, a), root_of(parent, b));
}

/// Makes every parent a root. Parents come before their children, so one pass is enough.
void flatten(std::span<Vertex> parent) {
  for (Vertex& p : parent) {
    p = parent[p];
  }
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

/// Vertices that are known to be in the greatest component, a bit each: 32 times smaller than the
/// labels, so that it stays in a cache nearer to the core.
class Giant {
 public:
  static constexpr std::size_t kBlock = 64;  ///< edges that are tested at once

  /// Marks all vertices with the label `giant`. \pre  flat labels
  Giant(std::span<const Vertex> labels, Vertex giant) : bits_(labels.size() / kBlock + 1) {
    std::array<std::uint8_t, kBlock> is_in{};
    for (std::size_t block = 0; block < bits_.size(); ++block) {
      const std::size_t first = block * kBlock;
      const std::size_t count = std::min(kBlock, labels.size() - first);
      is_in.fill(0);
      for (std::size_t i = 0; i < count; ++i) {
        is_in[i] = labels[first + i] == giant ? 1 : 0;
      }
      bits_[block] = packed(is_in);
    }
  }

  bool contains(Vertex v) const { return (bits_[v / kBlock] >> (v % kBlock) & 1) != 0; }
  void add(Vertex v) { bits_[v / kBlock] |= std::uint64_t{1} << (v % kBlock); }

  /// Of kBlock edges from `edges` on: those that have an end outside, a bit each.
  std::uint64_t leaving(const Edge* edges) const {
    const std::uint64_t* const bits = bits_.data();
    std::uint64_t inside = 0;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kBlock; ++i) {
      const std::uint64_t both = bits[edges[i].from / kBlock] >> (edges[i].from % kBlock) &
                                 bits[edges[i].to / kBlock] >> (edges[i].to % kBlock);
      inside = (inside >> 1) | (both << 63);
    }
    return ~inside;
  }

 private:
  /// Truth values, a byte each, as bits; eight bytes at a time are gathered by one multiplication.
  static std::uint64_t packed(const std::array<std::uint8_t, kBlock>& bytes) {
    static_assert(std::endian::native == std::endian::little);
    const auto eights = std::bit_cast<std::array<std::uint64_t, kBlock / 8>>(bytes);
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < eights.size(); ++i) {
      bits |= (eights[i] * 0x0102040810204080U >> 56) << (8 * i);
    }
    return bits;
  }

  std::vector<std::uint64_t> bits_;
};

/// The part of `edges` that has both ends in the component of the root `giant`, by a sample.
double share_inside(std::span<Vertex> parent, std::span<const Edge> edges, Vertex giant) {
  constexpr std::size_t kSample = 256;
  const std::size_t stride = std::max<std::size_t>(1, edges.size() / kSample);
  std::size_t sampled = 0;
  std::size_t inside = 0;
  for (std::size_t i = 0; i < edges.size(); i += stride) {
    ++sampled;
    inside += root_of(parent, edges[i].from) == giant && root_of(parent, edges[i].to) == giant;
  }
  return static_cast<double>(inside) / static_cast<double>(sampled);
}

/// Unites along `edges` but leaves out those inside the giant component, as Afforest does after a
/// sample of the edges (Sutton, Ben-Nun, Barak: "Optimizing Parallel Graph Connectivity Computation
/// via Subgraph Sampling", 2018). The giant grows by both ends of every edge that reaches it.
/// \return  the last edges, which are not looked at: fewer than Giant::kBlock
std::span<const Edge> unite_outside_giant(std::span<Vertex> parent, std::span<const Edge> edges) {
  constexpr std::size_t kAtOnce = 256;
  constexpr std::size_t kAhead = 8;
  flatten(parent);
  Vertex root = most_frequent(parent);
  Giant giant(parent, root);
  std::vector<Edge> leaving(kAtOnce + Giant::kBlock + kAhead);
  while (edges.size() >= Giant::kBlock) {
    std::size_t count = 0;
    while (count < kAtOnce && edges.size() >= Giant::kBlock) {
      for (std::uint64_t bits = giant.leaving(edges.data()); bits != 0; bits &= bits - 1) {
        leaving[count++] = edges[static_cast<std::size_t>(std::countr_zero(bits))];
      }
      edges = edges.subspan(Giant::kBlock);
    }
    for (std::size_t i = 0; i < count; ++i) {
      __builtin_prefetch(&parent[leaving[i + kAhead].from], 1);
      __builtin_prefetch(&parent[leaving[i + kAhead].to], 1);
      // Most often one end is in, and either may be: exchanged without a branch.
      const Vertex both = leaving[i].from ^ leaving[i].to;
      const Vertex in =
          leaving[i].to ^ (both & (0U - static_cast<Vertex>(giant.contains(leaving[i].from))));
      const Vertex out = in ^ both;
      const Vertex root_in = giant.contains(in) ? root : root_of(parent, in);
      const Vertex root_out = root_of(parent, out);
      const Vertex linked = link(parent, root_in, root_out);
      if (root_in == root || root_out == root) {
        root = linked;
        giant.add(in);
        giant.add(out);
      }
    }
  }
  return edges;
}

}  // namespace

void unite(std::span<Vertex> labels, std::span<const Edge> edges) {
  // Finding and marking the giant costs about as much as uniting along N / 8 edges.
  const std::size_t step = labels.size() / 8 + 1;
  constexpr double kWorthwhile = 0.6;
  while (edges.size() > 4 * step) {
    unite_in_order(labels, edges.first(step));
    edges = edges.subspan(step);
    if (share_inside(labels, edges, most_frequent(labels)) > kWorthwhile) {
      edges = unite_outside_giant(labels, edges);
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

void unite_flat(std::span<Vertex> labels, std::span<const Vertex> others) {
  const auto vertices = static_cast<Vertex>(labels.size());
  constexpr Vertex kBlock = 1024;
  std::array<std::pair<Vertex, Vertex>, kBlock> disagreeing;
  std::pair<Vertex, Vertex> united;
  for (Vertex first = 0; first < vertices; first += std::min(kBlock, vertices - first)) {
    // What is below is a forest already, in which labels are found: they never exceed their vertex.
    const Vertex last = first + std::min(kBlock, vertices - first);
    std::size_t count = 0;
    for (Vertex v = first; v < last; ++v) {
      const Vertex mine = labels[v];
      const Vertex theirs = others[v];
      labels[v] = mine == v ? theirs : mine;
      // Written in any case and kept if need be: whether it is follows no pattern.
      disagreeing[count] = {mine, theirs};
      const bool is_root_on_neither = (mine != v) & (theirs != v);
      const bool is_new = (mine != united.first) | (theirs != united.second);
      count += is_root_on_neither & (mine != theirs) & is_new;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto [mine, theirs] = disagreeing[i];
      if (labels[mine] != labels[theirs]) {
        unite(labels, mine, theirs);
      }
    }
    if (count > 0) {
      united = disagreeing[count / 2];  // most likely the two giants
    }
  }
  flatten(labels);
}

Vertex most_frequent(std::span<const Vertex> labels) {
  constexpr std::size_t kSample = 256;
  const CounterRandom random(0);
  std::array<Vertex, kSample> sample{};
  for (std::size_t i = 0; i < kSample; ++i) {
    Vertex root = labels[random(i) % labels.size()];
    while (labels[root] != root) {
      root = labels[root];
    }
    sample[i] = root;
  }
  std::sort(sample.begin(), sample.end());
  Vertex best = sample.front();
  std::ptrdiff_t most = 0;
  for (auto run = sample.begin(); run != sample.end();) {
    const auto end = std::upper_bound(run, sample.end(), *run);
    if (end - run > most) {
      most = end - run;
      best = *run;
    }
    run = end;
  }
  return best;
}

}  // namespace cleave
