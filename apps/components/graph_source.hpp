// SPDX-License-Identifier: Apache-2.0
// Where graphs come from: a generator or a file, as the options say.
#pragma once

#include <cstdint>
#include <string>

#include <cleave/comm.hpp>
#include <cleave/sizes.hpp>

#include "apps/components/graph.hpp"
#include "apps/components/graph_file.hpp"

namespace cleave::components {

struct GraphSource {
  std::string name = "gnm";  ///< of a generator or a file
  bool has_weights = false;
  NamedSizes sizes;
  bool is_sized = false;  ///< by the command line
  bool is_quiet = false;
  Vertex first_vertex = 0;  ///< the number of the first vertex in the last file

  /// \throws UsageError  if these do not go together
  void check() const;

  bool is_generated() const;

  /// \throws Error  if it does not fit into memory; FileError
  Graph whole(std::uint64_t seed);
  /// This rank's edges of it. Collective.
  Graph part(const Comm& comm, std::uint64_t seed);

 private:
  Vertex vertices() const;
  Graph generated(std::uint64_t seed, Slice slice) const;
  ReadOptions read_options() const;
  /// The graph of a slice, once `all` slices together are right.
  Graph graph_of(GraphSlice slice, const GraphFacts& all);

  bool has_noted_ = false;
};

}  // namespace cleave::components
