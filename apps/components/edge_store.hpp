// SPDX-License-Identifier: Apache-2.0
// The edges that a reader has found so far, within the memory allowed.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <utility>

#include <cleave/error.hpp>
#include <cleave/row.hpp>

namespace cleave::components {

template <class Edge>
class EdgeStore {
 public:
  EdgeStore(const std::filesystem::path& file, std::int64_t max_bytes)
      : file_(file), max_edges_(static_cast<std::size_t>(max_bytes) / sizeof(Edge)) {}

  /// \throws FileError  if so many are too many
  void reserve(std::size_t edges) {
    if (edges > max_edges_) {
      throw FileError(file_,
                      fmt::format("too large for this machine: a rank's share is {} edges or "
                                  "more, {} of them fit into memory",
                                  edges, max_edges_));
    }
    edges_.reserve(edges);
  }

  void add(Edge edge) {
    if (edges_.size() == edges_.capacity()) {
      reserve(std::max(edges_.size() + 1, std::min(2 * edges_.size(), max_edges_)));
    }
    edges_.push_back(edge);
  }

  std::size_t size() const { return edges_.size(); }
  Row<Edge> take() { return std::move(edges_); }

 private:
  const std::filesystem::path& file_;
  std::size_t max_edges_;
  Row<Edge> edges_;
};

}  // namespace cleave::components
