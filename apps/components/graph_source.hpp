// SPDX-License-Identifier: Apache-2.0
// Where graphs come from: a generator or a file, as the options say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/sizes.hpp>

#include "apps/components/graph.hpp"
#include "apps/components/graph_file.hpp"

namespace cleave::components {

struct GraphSource {
  std::string name = "gnm";                 ///< of a generator or a file
  std::optional<GraphFormat> given_format;  ///< of a file; else by its name and header
  bool renumbers = false;
  NamedSizes sizes;
  bool is_sized = false;  ///< by the command line
  bool is_quiet = false;

  /// \throws UsageError  if these do not go together
  void check() const;

  bool is_generated() const;
  GraphFormat format() const;
  /// Of the vertices of the last graph, if they were renumbered.
  const std::vector<Id>& ids() const { return ids_; }

  /// \throws Error  if it does not fit into memory; FileError
  Graph whole(std::uint64_t seed);
  /// This rank's edges of it. Collective.
  Graph part(const Comm& comm, std::uint64_t seed);

 private:
  Vertex vertices() const;
  Graph generated(std::uint64_t seed, Slice slice) const;
  ReadOptions read_options() const;
  GraphSlice read(Slice slice) const;
  /// The graph of a slice that is right, `all` slices together having these ids if they are
  /// renumbered.
  Graph graph_of(GraphSlice slice, const GraphFacts& all, std::vector<Id> ids);

  bool has_noted_ = false;
  std::vector<Id> ids_;
};

}  // namespace cleave::components
