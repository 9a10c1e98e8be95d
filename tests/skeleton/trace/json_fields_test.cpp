// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include <cleave/trace/json_fields.hpp>

#include "tests/support/message_of.hpp"

namespace cleave::detail {

namespace {

using ::cleave::testing::message_of;

TEST(JsonFields, OfAnotherKindAreRefusedByName) {
  const std::filesystem::path file = "x.json";
  const auto object =
      nlohmann::json::parse(R"({"f": "word", "n": -3, "a": [1, "b"], "o": {}, "l": [[1, 2], []]})");
  const JsonFields fields(file, "", object);
  const std::vector<std::pair<std::function<void()>, std::string>> refusals = {
      {[&] { fields.text("n"); }, "'n' must be a string, found -3"},
      {[&] { fields.text("none"); }, "'none' is missing"},
      {[&] { fields.boolean("f"); }, R"('f' must be true or false, found "word")"},
      {[&] { fields.number("f"); }, R"('f' must be a number, found "word")"},
      {[&] { fields.non_negative("n"); }, "'n' must be at least 0, found -3"},
      {[&] { fields.integer<int>("n", 0, 9); }, "'n' must be an integer from 0 to 9, found -3"},
      {[&] { fields.object("f"); }, R"('f' must be an object, found "word")"},
      {[&] { fields.objects("f"); }, R"('f' must be an array, found "word")"},
      {[&] { fields.lists("f"); }, R"('f' must be an array of arrays, found "word")"},
      {[&] { fields.lists("a"); }, "'a' must be an array of numbers, found 1"},
      {[&] { fields.numbers("o"); }, "'o' must be an array of numbers, found {}"},
      {[&] { fields.numbers("a"); }, R"('a' must hold numbers only, found "b")"},
      {[&] { fields.texts("f"); }, R"('f' must be an array of strings, found "word")"},
      {[&] { fields.texts("a"); }, "'a' must hold strings only, found 1"},
      {[&] { fields.integers("f", 0); }, R"('f' must be an array of integers, found "word")"}};
  for (const auto& [read, refusal] : refusals) {
    EXPECT_EQ(message_of(read), "x.json: field " + refusal);
  }
  EXPECT_EQ(fields.lists("l"), (std::vector<std::vector<double>>{{1, 2}, {}}));
  EXPECT_EQ(message_of([&] { fields.objects("a"); }),
            "x.json: in 'a[0]': expected a JSON object, found 1");
  EXPECT_EQ(message_of([&] { parse_json_object(file, "line 2", "[1]"); }),
            "x.json: line 2: expected a JSON object, found [1]");
}

}  // namespace

}  // namespace cleave::detail
