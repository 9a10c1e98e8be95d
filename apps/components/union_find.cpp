#include "apps/components/union_find.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "apps/harness/random.hpp"

namespace cleave {

namespace {

/// The root of `v`, halving the path to it (Tarjan, van Leeuwen: "Worst-case Analysis of Set Union
/// Algorithms", 1984).
Vertex root_of(std::span<Vertex> parent, Vertex v) {
  while (parent[v] != v) {
    parent[v] = parent[parent[v]];
    v = parent[v];
  }
  return v;
}

void unite(std::span<Vertex> parent, Vertex a, Vertex b) {
  const Vertex root_a = root_of(parent, a);
  const Vertex root_b = root_of(parent, b);
  if (root_a < root_b) {
    parent[root_b] = root_a;
  } else if (root_b < root_a) {
    parent[root_a] = root_b;
  }
}

/// Makes every parent a root. Parents come before their children, so one pass is enough.
void flatten(std::span<Vertex> parent) {
  for (Vertex& p : parent) {
    p = parent[p];
  }
}

/// Unites along `edges` one after the other. They come in any order, so each misses the caches: the
/// parents of an edge some way ahead are fetched meanwhile.
void unite_in_order(std::span<Vertex> parent, std::span<const Edge> edges) {
  constexpr std::size_t kAhead = 8;
  const std::size_t fetched = edges.size() - std::min(kAhead, edges.size());
  for (std::size_t i = 0; i < fetched; ++i) {
    __builtin_prefetch(&parent[edges[i + kAhead].from], 1);
    __builtin_prefetch(&parent[edges[i + kAhead].to], 1);
    unite(parent, edges[i].from, edges[i].to);
  }
  for (std::size_t i = fetched; i < edges.size(); ++i) {
    unite(parent, edges[i].from, edges[i].to);
  }
}

/// The vertices of the greatest component, a bit each: 32 times smaller than the labels, so that it
/// stays in a cache nearer to the core.
class Giant {
 public:
  static constexpr std::size_t kBlock = 64;  ///< edges that are tested at once

  explicit Giant(std::size_t vertices) : bits_(vertices / kBlock + 1) {}

  /// \pre  flat labels
  void mark(std::span<const Vertex> labels) {
    const Vertex giant = most_frequent(labels);
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

/// Unites along `edges` but leaves out those inside the giant component, as Afforest does after a
/// sample of the edges (Sutton, Ben-Nun, Barak: "Optimizing Parallel Graph Connectivity Computation
/// via Subgraph Sampling", 2018). The giant grows, so it is marked again when a quarter of N edges
/// were not left out; and edges are taken in order for a while where most are not.
void unite_outside_giant(std::span<Vertex> parent, std::span<const Edge> edges) {
  const std::size_t vertices = parent.size();
  const std::size_t most_leaving = vertices / 4 + 1;
  constexpr std::size_t kAtOnce = 256;
  std::vector<Edge> leaving(kAtOnce + Giant::kBlock);
  Giant giant(vertices);
  std::size_t in_order = vertices;
  while (edges.size() > 2 * vertices) {
    const std::size_t now = std::min(in_order, edges.size());
    unite_in_order(parent, edges.first(now));
    edges = edges.subspan(now);
    flatten(parent);
    giant.mark(parent);

    std::size_t left = 0;
    std::size_t tested = 0;
    while (left < most_leaving && edges.size() >= Giant::kBlock) {
      std::size_t count = 0;
      while (count < kAtOnce && edges.size() >= Giant::kBlock) {
        for (std::uint64_t bits = giant.leaving(edges.data()); bits != 0; bits &= bits - 1) {
          leaving[count++] = edges[static_cast<std::size_t>(std::countr_zero(bits))];
        }
        edges = edges.subspan(Giant::kBlock);
        tested += Giant::kBlock;
      }
      unite_in_order(parent, std::span(leaving).first(count));
      left += count;
    }
    in_order = tested > 2 * left ? 0 : 2 * std::max(in_order, vertices);
  }
  unite_in_order(parent, edges);
}

}  // namespace

void separate(std::span<Vertex> labels) { std::iota(labels.begin(), labels.end(), Vertex{0}); }

void unite(std::span<Vertex> labels, std::span<const Edge> edges) {
  unite_outside_giant(labels, edges);
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
  for (Vertex v = 0; v < vertices; ++v) {
    // What is below v is a forest already, in which labels are found: they never exceed v.
    const Vertex mine = labels[v];
    const Vertex theirs = others[v];
    labels[v] = mine == v ? theirs : mine;
    const bool is_root_on_neither = mine != v && theirs != v;
    if (is_root_on_neither && mine != theirs && labels[mine] != labels[theirs]) {
      unite(labels, mine, theirs);
    }
  }
  flatten(labels);
}

Vertex most_frequent(std::span<const Vertex> labels) {
  constexpr std::size_t kSample = 256;
  const CounterRandom random(0);
  std::array<Vertex, kSample> sample{};
  for (std::size_t i = 0; i < kSample; ++i) {
    sample[i] = labels[random(i) % labels.size()];
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
