// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/provenance.hpp>

namespace cleave::detail {

bool simulates_hosts(std::string_view mpi_library) { return mpi_library.starts_with("SMPI"); }

nlohmann::json to_json(const Provenance& p) {
  return {{"program", p.program},
          {"version", p.version},
          {"commit", p.commit},
          {"command_line", p.command_line},
          {"host", p.host},
          {"processor", p.processor},
          {"cores", p.cores},
          {"cache_bytes", p.cache_bytes},
          {"mpi_library", p.mpi_library},
          {"clock", p.clock},
          {"created", p.created}};
}

Provenance provenance_from(const JsonFields& fields) {
  const JsonFields p = fields.object("provenance");
  return {.program = p.text("program"),
          .version = p.text("version"),
          .commit = p.text("commit"),
          .command_line = p.text("command_line"),
          .host = p.text("host"),
          .processor = p.text("processor"),
          .cores = p.integer<int>("cores", 1),
          .cache_bytes =
              p.has("cache_bytes") ? p.integers("cache_bytes", 0) : std::vector<std::int64_t>{},
          .mpi_library = p.text("mpi_library"),
          .clock = p.text("clock"),
          .created = p.text("created")};
}

}  // namespace cleave::detail
