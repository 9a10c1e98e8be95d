// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>

#include <cleave/study.hpp>
#include <cleave/trace/json_fields.hpp>

namespace cleave {

void fields(detail::JsonFields& object, Study& study) {
  constexpr std::array kInputs = {name_of(Inputs::same), name_of(Inputs::each_new)};
  object("size_option", study.size_option)("sizes", study.sizes)("rounds", study.rounds, 1);
  object("repetitions", study.repetitions, 1)("warm_up", study.warm_up, 0);
  object.choice("inputs", study.inputs, kInputs);
}

void detail::fields(JsonFields& object, ProgramDescription& program) {
  constexpr int kVersion = 2;
  object.format("cleave-program", kVersion);
  object("name", program.name)("summary", program.summary)("types", program.types);
  object("type", program.type)("placement", program.placement);
  object("default_size", program.default_size);
  object("study", program.study)("quick_study", program.quick_study);
}

}  // namespace cleave
