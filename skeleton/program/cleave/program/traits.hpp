// SPDX-License-Identifier: Apache-2.0
// What can be known of a program from its types alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <cleave/run_options.hpp>
#include <cleave/sizes.hpp>

namespace cleave::detail {

/// "N=1M,M=2M", as --size takes it.
inline std::string as_size_option(const NamedSizes& sizes) {
  std::string text = format_sizes(sizes);
  std::erase(text, ' ');
  return text;
}

struct ProgramTraits {
  std::string name;     ///< of the application
  std::string program;  ///< the file that was started, as messages name it
  std::string summary;
  std::vector<SizeOption> sizes;
  bool searches = false;  ///< whether limits and snapshots apply
  std::vector<DC_Type> types;
  DC_Type type = DC_Type::hypercube;            ///< the default
  std::vector<Placement> placements;            ///< of the hypercube
  Placement placement = Placement::replicated;  ///< the hypercube's default

  /// Where a problem may lie before a call of that type.
  std::vector<Placement> placements_of(DC_Type of) const {
    return of == DC_Type::hypercube ? placements
                                    : std::vector{Placement::rooted, Placement::replicated};
  }
};

}  // namespace cleave::detail
