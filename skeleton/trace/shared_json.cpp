// SPDX-License-Identifier: Apache-2.0
// The fields that traces, models and other files share.
#include <fmt/format.h>

#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

bool simulates_hosts(std::string_view mpi_library) { return mpi_library.starts_with("SMPI"); }

void fields(JsonFields& object, Provenance& p) {
  object("program", p.program)("version", p.version)("commit", p.commit);
  object("command_line", p.command_line)("host", p.host)("processor", p.processor);
  object("cores", p.cores, 1).optional("cache_bytes", p.cache_bytes, 0);
  object("mpi_library", p.mpi_library)("clock", p.clock)("created", p.created);
}

std::string wrong_size_name(std::string_view name) {
  return fmt::format(
      "'{}' is not a name of a size: a letter, then letters, digits and '_', at most 64",
      visible(name));
}

void sizes_field(JsonFields& object, NamedSizes& sizes) {
  object("sizes", sizes, 0);
  for (const auto& [name, value] : sizes) {
    object.require(is_size_name(name), "sizes", wrong_size_name(name));
  }
}

void block_field(JsonFields& object, Block& block) { object.choice("block", block, kBlockNames); }

}  // namespace cleave::detail
