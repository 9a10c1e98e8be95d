// SPDX-License-Identifier: Apache-2.0
// Checks component labels by a breadth-first search, which has nothing in common with union-find.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "apps/components/graph.hpp"

namespace cleave::components {

/// The least vertex of each vertex's component, by breadth-first search over adjacency lists.
Labels search_components(const Graph& graph);

/// The fault of `labels` as those of `graph`; nothing if they are right.
std::optional<std::string> wrong_labels(const Graph& graph, std::span<const Vertex> labels);

/// How many components there are. \pre flat labels
std::int64_t count_components(std::span<const Vertex> labels);

}  // namespace cleave::components
