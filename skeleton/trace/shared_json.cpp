// SPDX-License-Identifier: Apache-2.0
// The fields that traces, models and other files share.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

using nlohmann::json;

bool simulates_hosts(std::string_view mpi_library) { return mpi_library.starts_with("SMPI"); }

void fields(JsonFields& object, Provenance& p) {
  object("program", p.program)("version", p.version)("commit", p.commit);
  object("command_line", p.command_line)("host", p.host)("processor", p.processor);
  object("cores", p.cores, 1).optional("cache_bytes", p.cache_bytes, 0);
  object("mpi_library", p.mpi_library)("clock", p.clock)("created", p.created);
}

json to_json(const Provenance& provenance) {
  JsonFields object;
  fields(object, const_cast<Provenance&>(provenance));
  return object.raw();
}

Provenance provenance_from(const JsonFields& object) {
  return object.get<Provenance>("provenance");
}

void fields(JsonFields& object, Curve& curve) {
  object("name", curve.name)("size", curve.size)("per", curve.per);
  object("ratios", curve.ratios)("values", curve.values, 0);
  object.require(curve.ratios.size() >= 2 && curve.ratios.front() > 0 &&
                     std::ranges::is_sorted(curve.ratios, std::less_equal()),
                 "ratios", "must be at least two ascending numbers above 0");
  object.require(curve.values.size() == curve.ratios.size(), "values",
                 "must be one number of at least 0 for each ratio");
}

json to_json(const std::vector<Curve>& curves) {
  JsonFields object;
  object("curves", curves);
  return object.raw()["curves"];
}

std::vector<Curve> curves_from(const JsonFields& object) {
  return object.get<std::vector<Curve>>("curves");
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

NamedSizes sizes_from(const JsonFields& object) {
  NamedSizes sizes;
  sizes_field(const_cast<JsonFields&>(object), sizes);
  return sizes;
}

void block_field(JsonFields& object, Block& block) { object.choice("block", block, kBlockNames); }

Block block_from(const JsonFields& object) {
  Block block{};
  block_field(const_cast<JsonFields&>(object), block);
  return block;
}

}  // namespace cleave::detail
