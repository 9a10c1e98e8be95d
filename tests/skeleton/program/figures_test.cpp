// SPDX-License-Identifier: Apache-2.0
// What a program may print of a solution is written as JSON.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/figures.hpp>

namespace cleave {
namespace {

std::string json_of(const Figures& figures) { return figures.json().dump(); }

TEST(Figures, AreWrittenInTheirOrderAsTheTypesTheyHave) {
  const std::string tree = "T1";
  const char* const kernel = "sha";
  EXPECT_EQ(
      json_of({{"tree", tree},
               {"kernel", kernel},
               {"view", std::string_view("v")},
               {"is_right", true},
               {"nodes", std::numeric_limits<std::int64_t>::min()},
               {"corners", std::numeric_limits<std::uint64_t>::max()},
               {"area", 0.5},
               {"best", nullptr}}),
      R"({"tree":"T1","kernel":"sha","view":"v","is_right":true,"nodes":-9223372036854775808,)"
      R"("corners":18446744073709551615,"area":0.5,"best":null})");
}

TEST(Figures, AreNamedWhereEachIsAPairOfANameAndAListElse) {
  EXPECT_EQ(json_of({{"one", 1}}), R"({"one":1})");
  EXPECT_EQ(json_of({{"times", {{"steal", 1}, {"idle", 2}}}, {"pair", {"a", "b"}}}),
            R"({"times":{"steal":1,"idle":2},"pair":["a","b"]})");
  EXPECT_EQ(json_of({{"same", 1}, {"same", 2}}), R"({"same":1})");
  EXPECT_EQ(json_of({{"one", 1}, 2}), R"([["one",1],2])");
}

TEST(Figures, HoldLists) {
  EXPECT_EQ(json_of({{"values", std::vector<Figures>{1, "two"}}}), R"({"values":[1,"two"]})");
  EXPECT_EQ(json_of(std::vector{3, 4}), "[3,4]");
  EXPECT_EQ(json_of({{"some", std::optional(5)}, {"none", std::optional<int>()}}),
            R"({"some":5,"none":null})");
  EXPECT_EQ(json_of(Figures()), "{}");
}

}  // namespace
}  // namespace cleave
