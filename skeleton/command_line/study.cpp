// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <cleave/study.hpp>
#include <cleave/trace/json_fields.hpp>

namespace cleave::detail {

nlohmann::ordered_json to_json(const Study& study) {
  return {{"size_option", study.size_option}, {"sizes", study.sizes},
          {"rounds", study.rounds},           {"repetitions", study.repetitions},
          {"warm_up", study.warm_up},         {"inputs", name_of(study.inputs)}};
}

Study study_from(const JsonFields& fields) {
  const std::string inputs = fields.text("inputs");
  if (inputs != name_of(Inputs::same) && inputs != name_of(Inputs::each_new)) {
    fields.refuse("inputs", fmt::format("must be \"same\" or \"new\", found \"{}\"", inputs));
  }
  return {.sizes = fields.texts("sizes"),
          .size_option = fields.text("size_option"),
          .rounds = fields.integer<int>("rounds", 1),
          .repetitions = fields.integer<int>("repetitions", 1),
          .warm_up = fields.integer<int>("warm_up", 0),
          .inputs = inputs == name_of(Inputs::same) ? Inputs::same : Inputs::each_new};
}

}  // namespace cleave::detail
