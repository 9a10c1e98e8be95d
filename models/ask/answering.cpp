// SPDX-License-Identifier: Apache-2.0
#include "models/ask/answering.hpp"

#include <cleave/command_line/output.hpp>
#include <cleave/error.hpp>
#include <cleave/file.hpp>

#include "models/report/answer.hpp"

namespace cleave::models {

void Answering::add_to(CLI::App& command) {
  command.add_flag("--json", json, "Print one JSON object on one line instead");
  command.add_flag("--quiet", quiet, "Print errors only");
}

void Answering::say(const std::string& text) const {
  if (is_for_people()) {
    detail::write_out(text);
  }
}

void Answering::print(const Json& object) const {
  if (json) {
    detail::write_out(object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
  }
}

void Answering::set_output(const std::string& option, const std::string& file,
                           const std::vector<std::string>& inputs) {
  detail::check_is_not_read(option, file, inputs);
  gives_file = is_standard_output(file);
  detail::check_has_standard_output(option, file, json);
}

Json to_json(const Report& report) {
  Json answers = Json::array();
  for (const Answer& answer : first_answers(report)) {
    answers.push_back(
        {{"text", answer.line},
         {"prediction", answer.prediction ? Json(to_json(*answer.prediction)) : Json()}});
  }
  Json runs = Json::array();
  for (const JudgedRun& c : report.comparisons) {
    runs.push_back(Json(to_json(c)));
  }
  Json object;
  object["verdict"] = to_json(report.verdict, first_answers_by_law(report));
  object["answers"] = std::move(answers);
  object["runs"] = std::move(runs);
  object["notes"] = Json::array();
  for (const Note& note : report.notes) {
    object["notes"].push_back(note.text);
  }
  return object;
}

}  // namespace cleave::models
