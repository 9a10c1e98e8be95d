// SPDX-License-Identifier: Apache-2.0
// Sizes, their steps and blocks as traces and models have them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

using nlohmann::json;

void add_steps(json& object, const SizeSteps& steps) {
  for (const auto& [name, step] : steps) {
    object["steps"][name] = step.text();
  }
}

SizeSteps steps_from(const JsonFields& fields) {
  SizeSteps steps;
  if (!fields.has("steps")) {
    return steps;
  }
  const JsonFields texts = fields.object("steps");
  for (const auto& [name, text] : texts.raw().items()) {
    try {
      steps[name] = SizeStep::parse(texts.text(name.c_str()));
    } catch (const UsageError& e) {
      texts.refuse(name.c_str(), e.what());
    }
  }
  return steps;
}

std::string wrong_size_name(std::string_view name) {
  return fmt::format(
      "'{}' is not a name of a size: a letter, then letters, digits and '_', at most 64",
      visible(name));
}

NamedSizes sizes_from(const JsonFields& fields) {
  NamedSizes sizes;
  const JsonFields object = fields.object("sizes");
  for (const auto& [name, value] : object.raw().items()) {
    if (!is_size_name(name)) {
      fields.refuse("sizes", wrong_size_name(name));
    }
    sizes[name] = object.integer<std::int64_t>(name.c_str(), 0);
  }
  return sizes;
}

Block block_from(const JsonFields& fields) {
  const std::string name = fields.text("block");
  const std::optional<Block> block = block_named(name);
  if (!block) {
    fields.refuse("block",
                  fmt::format("is '{}', allowed are {}", name, fmt::join(kBlockNames, ", ")));
  }
  return *block;
}

}  // namespace cleave::detail
