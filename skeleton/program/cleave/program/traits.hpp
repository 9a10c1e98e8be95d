// SPDX-License-Identifier: Apache-2.0
// A program as it is known before its command line is read.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/blocks/in_halves.hpp>
#include <cleave/program/any_run.hpp>
#include <cleave/run_options.hpp>
#include <cleave/sizes.hpp>
#include <cleave/tree_search.hpp>

namespace CLI {
class App;
}  // namespace CLI

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
  std::vector<FileOption> files;
  std::function<void(CLI::App&)> add_options{};
  std::function<void(RunOptions&)> check_options{};
  std::function<Study(const RunOptions&, bool is_quick)> study{};
  AnyProgram begin{};
  bool searches = false;         ///< whether limits and snapshots apply
  bool shares_own_part = false;  ///< whether ranks of the hypercube may have several threads
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

/// The traits that the types of `App` tell.
/// \param makes_parts  whether a run can give each rank its part
template <class App>
ProgramTraits program_traits_of(bool makes_parts) {
  constexpr bool kOnHypercube = RunsOnHypercube<App>;
  ProgramTraits traits;
  traits.searches = TreeSearch<App>;
  traits.shares_own_part = SharesOwnPart<App>;
  traits.types = {DC_Type::sequential, DC_Type::work_stealing};
  if (kOnHypercube) {
    traits.types.insert(traits.types.begin() + 1, DC_Type::hypercube);
  }
  for (const PlacementTraits& of : kPlacements) {
    if (of.problem == Holders::parts ? makes_parts : kOnHypercube) {
      traits.placements.push_back(of.placement);
    }
  }
  traits.placement = makes_parts ? Placement::distributed : Placement::replicated;
  traits.type = TreeSearch<App> || !kOnHypercube ? DC_Type::work_stealing : DC_Type::hypercube;
  return traits;
}

}  // namespace cleave::detail
