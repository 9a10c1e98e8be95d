// SPDX-License-Identifier: Apache-2.0
// A largest clique of a graph: branch-and-bound whose bound is the number of colours that the
// candidates need (E. Tomita and T. Seki, "An efficient branch-and-bound algorithm for finding a
// maximum clique", DMTCS 2003), on sets of bits (P. San Segundo et al., "An exact bit-parallel
// algorithm for the maximum clique problem", Computers & OR 38, 2011). Shown: the greatest value is
// the best; all nodes share the graph.
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cleave/program.hpp>
#include <cleave/random.hpp>

#include "independent.hpp"

namespace {

constexpr std::size_t kMax = 512;
using Set = std::bitset<kMax>;  // its first element is _Find_first of libstdc++

std::vector<int> vertices_of(Set set) {
  std::vector<int> vertices;
  for (; set.any(); set.flip(vertices.back())) {
    vertices.push_back(static_cast<int>(set._Find_first()));
  }
  return vertices;
}

struct Branch {
  Set clique, candidates;            // each of which is joined to all of the clique
  std::int32_t size = 0, bound = 0;  // of the clique; no clique of this branch is larger than bound
};

struct Best {
  std::int64_t nodes = 0;
  Set clique;
};

struct MaxClique {
  using Problem = Branch;
  using Solution = Best;
  using Bound = cleave::Maximise<std::int32_t>;

  std::vector<Set> joined;  // to each vertex

  void visit(const Branch& b, cleave::Children<Branch>& children, Best& best,
             cleave::Incumbent<Bound>& incumbent) const {
    ++best.nodes;
    if (b.bound <= incumbent.value()) return;
    if (incumbent.offer(b.size)) best.clique = b.clique;
    Set before, left = b.candidates;
    for (std::int32_t bound = b.size + 1; left.any(); ++bound) {
      // No two vertices of a colour are joined, so a clique has one of each at most.
      for (Set free = left; free.any();) {
        const std::size_t v = free._Find_first();
        if (bound > incumbent.value()) {
          children.push({Set(b.clique).set(v), before & joined[v], b.size + 1, bound});
        }
        free = free.reset(v) & ~joined[v];
        left.reset(v);
        before.set(v);
      }
    }
  }
  Best combine(const Best& left, const Best& right) const {
    const bool is_right = left.clique.count() < right.clique.count();
    return {left.nodes + right.nodes, is_right ? right.clique : left.clique};
  }
  cleave::Sizes solution_sizes(const Best& best) const { return {{"nodes", best.nodes}}; }
};

// Each two vertices are joined with probability 1/2.
MaxClique random_graph(const cleave::RunOptions& options) {
  const cleave::CounterRandom random(options.seed);
  const int vertices = static_cast<int>(options.sizes.at("N"));
  MaxClique graph{std::vector<Set>(vertices)};
  for (int v = 1; v < vertices * vertices; ++v) {
    const int a = v / vertices, b = v % vertices;
    if (a < b && random(v) % 2 == 0) graph.joined[a].set(b), graph.joined[b].set(a);
  }
  return graph;
}

Branch whole_graph(const cleave::NamedSizes& sizes, std::uint64_t) {
  Branch root{.bound = static_cast<std::int32_t>(sizes.at("N"))};
  for (int v = 0; v < root.bound; ++v) root.candidates.set(v);
  return root;
}

}  // namespace

int main(int argc, char** argv) {
  MaxClique graph;
  return cleave::run(
      argc, argv,
      cleave::Program<MaxClique>{
          .summary = "Finds a largest clique of a random graph of N vertices.",
          .sizes = {{"N", 300, kMax}},
          .application = [&](const auto& options) { return graph = random_graph(options); },
          .make_problem = whole_graph,
          .wrong = [&](const Branch& root, const Best& best) -> std::optional<std::string> {
            const auto is_joined = [&](int v, int w) { return graph.joined[v][w]; };
            const auto right = gallery::largest_clique(vertices_of(root.candidates), is_joined);
            const auto found = gallery::largest_clique(vertices_of(best.clique), is_joined);
            if (found == right && best.clique.count() == right) return std::nullopt;
            return "a largest clique has " + std::to_string(right) + " vertices";
          },
          .figures = [](const Best& best) -> cleave::Figures {
            return {{"vertices", best.clique.count()}};
          },
      });
}
