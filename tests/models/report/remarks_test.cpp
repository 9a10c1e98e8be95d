// SPDX-License-Identifier: Apache-2.0
#include "models/report/remarks.hpp"

#include <gtest/gtest.h>

namespace cleave::models {
namespace {

Prediction at(int ranks, std::vector<std::string> remarks) {
  return {.ranks = ranks, .sizes = {}, .shares = {}, .remarks = std::move(remarks)};
}

std::vector<std::string> texts_of(const std::vector<Prediction>& predictions) {
  Remarks remarks;
  for (const Prediction& prediction : predictions) {
    remarks.add(prediction);
  }
  return remarks.texts();
}

using Texts = std::vector<std::string>;

TEST(Remarks, OfAllNumbersOfRanksNameNone) {
  EXPECT_EQ(texts_of({at(16, {"l"}), at(64, {"l"}), at(64, {"l"})}), Texts{"l"});
  EXPECT_EQ(texts_of({at(16, {"l"})}), Texts{"l"});
}

TEST(Remarks, NameTheRanksThatTheyAreOf) {
  EXPECT_EQ(texts_of({at(8, {}), at(16, {"l"}), at(64, {"l", "g"}), at(256, {"l"})}),
            (Texts{"at 16 to 256 ranks: l", "at 64 ranks: g"}));
  EXPECT_EQ(texts_of({at(1, {"l"}), at(2, {})}), Texts{"at 1 rank: l"});
}

TEST(Remarks, AreOfARangeOnlyWhereEveryNumberInItHasThem) {
  EXPECT_EQ(texts_of({at(2, {"l"}), at(4, {"l"}), at(8, {}), at(16, {"l"})}),
            Texts{"at 2, 4, 16 ranks: l"});
}

TEST(Remarks, AreNoneWhereThereAreNone) { EXPECT_EQ(texts_of({at(2, {})}), Texts{}); }

}  // namespace
}  // namespace cleave::models
