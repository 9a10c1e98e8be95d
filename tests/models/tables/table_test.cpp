// SPDX-License-Identifier: Apache-2.0
#include "models/tables/table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cleave/error.hpp>

namespace cleave::models {
namespace {

constexpr const char* kTable =
    "# a comment\nname,N,ranks,seconds,repetitions,round\n\"a, \"\"b\"\"\",8,1,2,3,0\r\n\nc,8, "
    "1,2e-3,1,7\n";

TEST(TableRows, AreTheLinesUnderTheNames) {
  std::vector<std::string> texts;
  for (const TableRow& row : rows_of("table", kTable)) {
    texts.push_back(fmt::format("{}|{}|{}|{}|{}", row.series, format_sizes(row.sizes), row.seconds,
                                row.repetitions, row.round));
  }
  EXPECT_EQ(texts,
            (std::vector<std::string>{"a, \"b\"|N=8, ranks=1|2|3|0", "c|N=8, ranks=1|0.002|1|7"}));
}

TEST(TableRows, AreRefusedWithTheLineAndTheColumn) {
  const std::string convert = "are converted by: python -m cleave.convert table";
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"N,time\n1,2\n", "line 1: 'N,time' is no header of a CSV table of sizes and seconds"},
      {"N;seconds\n1;2\n", convert},
      {"PARAMETER p\n", convert},
      {"{\"params\":{\"p\":4},\"value\":2}\n", convert},
      {"N,seconds\n1,2\nx,2\n", "line 3: N is 'x', which is not a number"},
      {"N,seconds\n1.5,2\n", "line 2: N is 1.5: whole numbers from 1 to"},
      {"N,seconds\n1,0\n", "line 2: seconds is 0: a time is above 0"},
      {"N,seconds\n1,nan\n", "seconds is nan"},
      {"N,seconds\n1\n", "line 2: 1 fields, where the header has 2"},
      {"N,seconds\n\"1,2\n", "line 2: a quote is not closed"},
      {"N M,seconds\n1,2\n", "'N M' cannot name a size"},
      {"N,N,seconds\n1,1,2\n", "column N is there twice"},
      {"N,seconds,repetitions\n1,1,2.5\n", "repetitions is 2.5: whole numbers from 1 to 1000"},
      {"N,seconds\n", "holds no run time"}};
  for (const auto& [text, message] : refused) {
    try {
      rows_of("table", text);
      ADD_FAILURE() << text;
    } catch (const FileError& e) {
      EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
    }
  }
}

TEST(Tables, AreToldFromCleavesOwnFiles) {
  EXPECT_TRUE(is_table(kTable));
  EXPECT_TRUE(is_table("{\"benchmarks\": []}"));
  EXPECT_FALSE(is_table("{\"format\":\"cleave-trace\",\"version\":3}\n"));
}

}  // namespace
}  // namespace cleave::models
