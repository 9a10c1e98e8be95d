// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <cleave/error.hpp>

#include "apps/quicksort/key_file.hpp"

namespace cleave::quicksort {
namespace {

TEST(TextKeys, InSlicesAreAllKeys) {
  const std::string text = "5\n-3\r\n7\n-2147483648\n2147483647";
  const std::vector<std::int32_t> expected = {5, -3, 7, -2147483648, 2147483647};
  for (const int slices : {1, 2, 3, 50}) {
    std::vector<std::int32_t> all;
    for (int i = 0; i < slices; ++i) {
      const auto some = parse_keys<std::int32_t>(text, "x", {i, slices});
      all.insert(all.end(), some.begin(), some.end());
    }
    EXPECT_EQ(all, expected);
  }
  EXPECT_TRUE(parse_keys<double>("", "x").empty());
}

TEST(TextKeys, AreReadBackAsTheyWereWritten) {
  const std::vector<double> keys = {0.1, -1e300, 5e-324, 3,
                                    std::numeric_limits<double>::infinity()};
  EXPECT_EQ(parse_keys<double>(text_of_keys(std::span(keys)), "x"), keys);
  const std::vector<std::uint64_t> large = {18446744073709551615U, 0};
  EXPECT_EQ(parse_keys<std::uint64_t>(text_of_keys(std::span(large)), "x"), large);
  EXPECT_TRUE(std::isnan(parse_keys<float>("nan", "x").at(0)));
}

TEST(TextKeys, ThatAreNoneAreRefusedByLine) {
  const auto refused = [](std::string_view text) -> std::string {
    try {
      parse_keys<std::int32_t>(text, "x");
    } catch (const FileError& e) {
      return e.what();
    }
    return "";
  };
  for (const std::string line : {"2 3", "1.5", "1,5", "# 1", "", " 1", "1 ", "x"}) {
    EXPECT_EQ(
        refused("1\n" + line + "\n"),
        "x: line 2: '" + line + "' is not one number of this kind of key, --key chooses another");
  }
  EXPECT_EQ(refused("2147483648\n"),
            "x: line 1: 2147483648 is out of the range of these keys: choose another --key");
}

}  // namespace
}  // namespace cleave::quicksort
