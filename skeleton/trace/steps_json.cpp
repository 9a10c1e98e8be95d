// SPDX-License-Identifier: Apache-2.0
// The steps of sizes as traces and models have them.
#include <nlohmann/json.hpp>

#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/trace_file.hpp>

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

}  // namespace cleave::detail
