// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/trace_file.hpp>

#include "tests/support/message_of.hpp"

namespace cleave::detail {

using ::cleave::testing::message_of;

struct Inner {
  int count = 0;
  friend bool operator==(const Inner&, const Inner&) = default;
};

static void fields(JsonFields& object, Inner& inner) { object("count", inner.count, 0, 9); }

struct Everything {
  std::string text;
  bool flag = false;
  double number = 0;
  std::uint64_t large = 0;
  std::int16_t small = 0;
  std::optional<Inner> present;
  std::optional<Inner> absent;
  std::vector<Inner> list;
  std::set<std::string> names;
  std::map<std::string, std::pair<double, double>> ranges;
  std::vector<std::vector<double>> rows;
  Block block = Block::divide;
  int inline_count = 0;
  int left_out = 4;

  friend bool operator==(const Everything&, const Everything&) = default;
};

static void fields(JsonFields& object, Everything& e) {
  object.format("test", 2);
  object("text", e.text)("flag", e.flag)("number", e.number, -8)("large", e.large);
  object("small", e.small)("present", e.present)("absent", e.absent)("list", e.list);
  object("names", e.names)("ranges", e.ranges, 0)("rows", e.rows);
  object.choice("block", e.block, kBlockNames).optional("left_out", e.left_out);
  object("object", [&](JsonFields& inner) { inner("count", e.inline_count); });
}

namespace {

const Everything kExample{.text = "\"quoted\"\t\033[31m\xc2\x9b\x7fä€\u202e\u2066\u200f",
                          .flag = true,
                          .number = -1.5e-300,
                          .large = UINT64_MAX,
                          .small = -32768,
                          .present = Inner{3},
                          .list = {{1}, {2}},
                          .names = {"a", "b"},
                          .ranges = {{"N", {1, 2.5}}},
                          .rows = {{1, 2}, {}},
                          .block = Block::wait,
                          .inline_count = 7};

Everything parsed(const std::string& text) {
  Everything read;
  JsonFields object = JsonFields::parse("x.json", "", text);
  fields(object, read);
  return read;
}

TEST(JsonFields, AreReadAsTheyWereWritten) {
  Everything expected = kExample;
  expected.text = "\"quoted\"??[31m??ä€???";  // no control character reaches a terminal
  EXPECT_EQ(parsed(json_text(kExample)), expected);
  EXPECT_EQ(visible("a\x9b\xe9x ä\xf0\x9f"), "a??x ä??") << "bytes that are not UTF-8";
  std::string without = json_text(kExample);
  without.erase(without.find(R"("left_out":4,)"), 13);
  EXPECT_EQ(parsed(without), expected);
}

TEST(JsonFields, OfAnotherKindAreRefusedByName) {
  const auto refusal = [](const std::string& from, const std::string& to) {
    std::string text = json_text(kExample);
    text.replace(text.find(from), from.size(), to);
    return message_of([&] { parsed(text); });
  };
  const std::vector<std::array<std::string, 3>> table = {
      {R"("flag")", R"("flab")", "field 'flag' is missing"},
      {R"("flag":true)", R"("flag":1)", "field 'flag' must be true or false, found 1"},
      {"-1.5e-300", "\"a\"", "field 'number' must be a number of at least -8, found \"a\""},
      {"-1.5e-300", "-9", "field 'number' must be a number of at least -8, found -9"},
      {"18446744073709551615", "-1", "field 'large' must be an unsigned integer, found -1"},
      {"-32768", "-32769", "field 'small' must be an integer from -32768 to 32767, found -32769"},
      {R"({"count":2})", R"({"count":10})",
       "in 'list[1]': field 'count' must be an integer from 0 to 9, found 10"},
      {R"({"count":2})", "2", "field 'list[1]' must be an object, found 2"},
      {R"(["a","b"])", R"(["a",1])", "field 'names[1]' must be a string, found 1"},
      {R"(["a","b"])", "{}", "field 'names' must be an array, found {}"},
      {"[1.0,2.5]", "[1]", "in 'ranges': field 'N' must be an array of 2, found [1]"},
      {R"("N":[1.0,2.5])", R"("\n\u001b[31m":1)",
       "in 'ranges': field '??[31m' must be an array of 2, found 1"},
      {"[1.0,2.0]", "[1,{}]", "field 'rows[0][1]' must be a number, found {}"},
      {R"("wait")", R"("weight")",
       "field 'block' is 'weight', allowed are divide, exchange, combine, sequential, conquer, "
       "skeleton, wait, steal, idle, sample, pivot, partition"},
      {R"("version":2)", R"("version":3)",
       "field 'version' is 3, this program reads version 2 of test"}};
  for (const auto& [from, to, message] : table) {
    EXPECT_EQ(refusal(from, to), "x.json: " + message);
  }
}

TEST(JsonFields, TextThatIsNoObjectIsRefused) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", "empty, expected a JSON object"},
      {"[1]", "expected a JSON object, found [1]"},
      {"{\"a\":", "not JSON (at byte 6)"},
      {"{\"a\":\"\xff\"}", "not JSON (at byte 7)"},
      {"{\"a\":1e999}", "holds a number that is too large"},
      {"{\"a\":" + std::string(100, '[') + "1" + std::string(100, ']') + "}",
       "nested deeper than 100"},
      {std::string(100000, '['), "nested deeper than 100"}};
  for (const auto& [text, message] : table) {
    EXPECT_EQ(message_of([&] { JsonFields::parse("f", "line 2", text); }), "f: line 2: " + message);
  }
  JsonFields::parse("f", "", "{\"a\":" + std::string(99, '[') + "1" + std::string(99, ']') + "}");
}

TEST(JsonText, HoldsNoNumberThatIsNotFinite) {
  for (const double number : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    Everything wrong = kExample;
    wrong.rows = {{}, {number}};
    EXPECT_THROW(json_text(wrong), Error);
  }
}

TEST(JsonText, HoldsAReplacementForBytesThatAreNotUtf8) {
  Everything other = kExample;
  other.text = "a\xff";
  EXPECT_EQ(parsed(json_text(other)).text, "a\xef\xbf\xbd");
}

}  // namespace

}  // namespace cleave::detail
