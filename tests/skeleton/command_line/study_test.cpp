// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cleave/error.hpp>
#include <cleave/study.hpp>
#include <cleave/trace/json_fields.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

Study read_study(const nlohmann::json& object) {
  return study_from(JsonFields("program", "", object));
}

TEST(Study, IsReadAsItIsWritten) {
  const Study study{.sizes = {"-n 8", "-n 9"},
                    .size_option = "--tree",
                    .rounds = 4,
                    .repetitions = 5,
                    .warm_up = 0,
                    .inputs = Inputs::each_new};
  EXPECT_EQ(to_json(read_study(to_json(study))), to_json(study));
}

TEST(Study, OfOtherInputsIsRefused) {
  nlohmann::json object = to_json(Study{});
  object["inputs"] = "old";
  try {
    read_study(object);
    ADD_FAILURE() << "accepted";
  } catch (const FileError& e) {
    EXPECT_STREQ(e.what(), "program: field 'inputs' must be \"same\" or \"new\", found \"old\"");
  }
}

}  // namespace
}  // namespace cleave
