// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cleave/error.hpp>
#include <cleave/study.hpp>
#include <cleave/trace/json_fields.hpp>

namespace cleave::detail {
namespace {

ProgramDescription read(const std::string& text) {
  ProgramDescription program;
  JsonFields object = JsonFields::parse("program", "", text);
  fields(object, program);
  return program;
}

TEST(ProgramDescription, IsReadAsItIsWritten) {
  const ProgramDescription program{.name = "sort",
                                   .summary = "Sorts.",
                                   .types = {"sequential", "hypercube"},
                                   .type = "hypercube",
                                   .placement = "rooted",
                                   .default_size = "N=1M",
                                   .study = {.sizes = {"-n 8", "-n 9"},
                                             .size_option = "--tree",
                                             .rounds = 4,
                                             .repetitions = 5,
                                             .warm_up = 0,
                                             .inputs = Inputs::each_new},
                                   .quick_study = {}};
  const std::string text = json_text(program);
  EXPECT_EQ(json_text(read(text)), text);
  std::string other = text;
  other.replace(other.find("\"new\""), 5, "\"old\"");
  EXPECT_THROW(read(other), FileError);
}

}  // namespace
}  // namespace cleave::detail
