// SPDX-License-Identifier: Apache-2.0
// Where graphs come from: a generator or a file, as the options say.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <cleave/comm.hpp>
#include <cleave/error.hpp>
#include <cleave/run_options.hpp>
#include <cleave/sizes.hpp>

#include "apps/components/generated_graphs.hpp"
#include "apps/components/graph.hpp"
#include "apps/components/graph_file.hpp"

namespace cleave::components {

inline constexpr std::array<std::string_view, 3> kGenerated = {"gnm", "rmat", "grid"};

/// The edges' share of what memory this rank may take; as much is left for the edges that another
/// rank sends, and for labels.
inline std::int64_t max_edge_bytes() {
  return available_memory() / hosts_of(Comm(MPI_COMM_WORLD)).ranks_per_host() / 2;
}

/// Labels are held by this rank, its partner's message and the last repetition.
inline void check_labels_fit(Vertex vertices) {
  constexpr std::int64_t kCopies = 3;
  const std::int64_t needed = kCopies * static_cast<std::int64_t>(sizeof(Vertex)) * vertices;
  const std::int64_t maximum = available_memory() / hosts_of(Comm(MPI_COMM_WORLD)).ranks_per_host();
  if (needed > maximum) {
    throw Error(
        fmt::format("{} vertices are too many for this machine: their labels take {} bytes "
                    "on a rank, {} are available",
                    vertices, needed, maximum));
  }
}

/// The sum of the ranks' facts, on every rank. Collective.
inline GraphFacts together(const Comm& comm, const GraphFacts& mine) {
  std::vector<GraphFacts> all(comm.rank() == 0 ? comm.size() : 0);
  comm.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  GraphFacts sum;
  std::ranges::for_each(all, [&sum](const GraphFacts& facts) { sum.add(facts); });
  comm.bcast(std::as_writable_bytes(std::span(&sum, 1)), 0);
  return sum;
}

struct GraphSource {
  std::string name = "gnm";  ///< of a generator or a file
  NamedSizes sizes;
  bool is_sized = false;  ///< by the command line
  bool is_quiet = false;
  Vertex first_vertex = 0;  ///< the number of the first vertex in the last file

  /// \throws UsageError  if these do not go together
  void check() const {
    if (!is_generated()) {
      if (is_sized && sizes.contains("M")) {
        throw UsageError("--size: the edges are those of the file " + name + ", leave out M");
      }
      return;
    }
    if (!sizes.contains("N") || (name != "grid" && !sizes.contains("M"))) {
      throw UsageError("--size: a random graph needs both, for example N=1M,M=2M");
    }
    if (name == "rmat" && !std::has_single_bit(static_cast<std::uint64_t>(sizes.at("N")))) {
      throw UsageError(
          fmt::format("--size: N={} of an R-MAT graph must be a power of two", sizes.at("N")));
    }
    if (name == "grid" && sizes.contains("M")) {
      throw UsageError("--size: the edges of a grid follow from N, leave out M");
    }
  }

  bool is_generated() const {
    return std::find(kGenerated.begin(), kGenerated.end(), name) != kGenerated.end();
  }

  /// \throws Error  if it does not fit into memory; FileError
  Graph whole(std::uint64_t seed) {
    if (is_generated()) {
      return generated(seed, {});
    }
    GraphSlice whole = read_graph(name, read_options());
    const GraphFacts all = whole.facts;
    return graph_of(std::move(whole), all);
  }

  /// This rank's edges of it. Collective.
  Graph part(const Comm& comm, std::uint64_t seed) {
    const Slice slice{.index = comm.rank(), .count = comm.size()};
    if (is_generated()) {
      return agree(comm, [&] { return generated(seed, slice); });
    }
    GraphSlice mine = agree(comm, [&] { return read_graph(name, read_options(), slice); });
    const GraphFacts all = together(comm, mine.facts);
    return agree(comm, [&] { return graph_of(std::move(mine), all); });
  }

 private:
  Vertex vertices() const { return static_cast<Vertex>(sizes.at("N")); }

  Graph generated(std::uint64_t seed, Slice slice) const {
    const std::int64_t edges = name == "grid" ? grid_edges(vertices()) : sizes.at("M");
    const std::int64_t share = slice.end(edges) - slice.begin(edges);
    if (share > max_edge_bytes() / static_cast<std::int64_t>(sizeof(Edge))) {
      throw Error(
          fmt::format("M={} edges are too many for this machine: a rank's share is {}, {} of "
                      "them fit into memory",
                      edges, share, max_edge_bytes() / static_cast<std::int64_t>(sizeof(Edge))));
    }
    check_labels_fit(vertices());
    if (name == "grid") {
      return grid_graph(vertices(), slice);
    }
    return (name == "gnm" ? random_graph : rmat_graph)(vertices(), edges, seed, slice);
  }

  ReadOptions read_options() const {
    return {.vertices = is_sized && sizes.contains("N") ? std::optional(vertices()) : std::nullopt,
            .max_bytes = max_edge_bytes()};
  }

  /// The graph of a slice, once `all` slices together are right.
  Graph graph_of(GraphSlice slice, const GraphFacts& all) {
    const std::string note = check_graph(name, read_options(), all, slice.head);
    if (!std::exchange(has_noted_, true) && !note.empty() && !is_quiet &&
        Comm(MPI_COMM_WORLD).rank() == 0) {
      fmt::print(stderr, "cleave-components: note: {}\n", note);
    }
    check_labels_fit(all.vertices);
    first_vertex = slice.head.first_vertex;
    return {.vertices = all.vertices, .edges = std::move(slice.edges)};
  }

  bool has_noted_ = false;
};

}  // namespace cleave::components
