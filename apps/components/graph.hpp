// SPDX-License-Identifier: Apache-2.0
// Graphs as lists of edges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <cleave/part.hpp>
#include <cleave/row.hpp>
#include <cleave/wire.hpp>

namespace cleave::components {

using Vertex = std::uint32_t;

/// A vertex is a 32-bit number, and so is the number of vertices.
inline constexpr std::int64_t kMaxVertices = 0xffffffff;

struct Edge {
  Vertex from = 0;
  Vertex to = 0;

  friend bool operator==(const Edge&, const Edge&) = default;
};

using Edges = Row<Edge>;

/// Edges that no longer change: copies and slices share them, and are made in constant time.
class SharedEdges {
 public:
  SharedEdges() = default;
  // Implicit: whatever takes edges takes a list of them.
  SharedEdges(Edges edges) : all_(std::make_shared<const Edges>(std::move(edges))), edges_(*all_) {}
  SharedEdges(std::initializer_list<Edge> edges) : SharedEdges(Edges(edges)) {}

  /// `count` of them from number `first` on, which are there.
  SharedEdges slice(std::size_t first, std::size_t count) const {
    SharedEdges some = *this;
    some.edges_ = edges_.subspan(first, count);
    return some;
  }

  operator std::span<const Edge>() const { return edges_; }
  std::size_t size() const { return edges_.size(); }
  const Edge& operator[](std::size_t i) const { return edges_[i]; }
  auto begin() const { return edges_.begin(); }
  auto end() const { return edges_.end(); }

  friend bool operator==(const SharedEdges& a, const SharedEdges& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::shared_ptr<const Edges> all_;
  std::span<const Edge> edges_;
};

/// An undirected graph on the vertices 0 ... vertices - 1, or a part of its edges.
struct Graph {
  Vertex vertices = 0;
  SharedEdges edges;
};

/// The vertices first ... last - 1.
struct VertexRange {
  Vertex first = 0;
  Vertex last = 0;
};

/// By vertex: the least vertex of its component.
using Labels = std::vector<Vertex>;

}  // namespace cleave::components

template <>
struct cleave::wire<cleave::components::SharedEdges>
    : cleave::WireByStorage<cleave::components::SharedEdges, cleave::components::Edges> {};
