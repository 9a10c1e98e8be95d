// SPDX-License-Identifier: Apache-2.0
#include "tests/instruments/instruments.hpp"

#include <gtest/gtest.h>

#include <new>

#include <cleave/error.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

TEST(Injection, HappensAtItsRankLevelAndBlockOnly) {
  const auto injection = parse_injection("throw:rank=1,level=2,block=combine");
  EXPECT_EQ(arm({injection}, 0), nullptr);
  const auto before = arm({injection}, 1);
  EXPECT_NO_THROW(before(Block::combine, 1));
  EXPECT_NO_THROW(before(Block::divide, 2));
  EXPECT_THROW(before(Block::combine, 2), Error);
}

TEST(Injection, ThrowsWhatItIsToldTheTimeItIsTold) {
  const auto before = arm({parse_injection("throw:rank=0,level=0,block=divide,what=memory,nth=2"),
                           parse_injection("throw:rank=0,level=0,block=combine,what=number")},
                          0);
  EXPECT_NO_THROW(before(Block::divide, 0));
  EXPECT_THROW(before(Block::divide, 0), std::bad_alloc);
  EXPECT_NO_THROW(before(Block::divide, 0));
  EXPECT_THROW(before(Block::combine, 0), int);
}

TEST(Injection, ThatIsNoneIsRefused) {
  for (const char* text :
       {"", "throw", "throw:", "boil:rank=0,level=0,block=divide", "throw:rank=0,level=0",
        "throw:rank=x,level=0,block=divide", "throw:rank=0,level=0,block=exchange",
        "throw:rank=0,level=0,block=divide,ms=1", "throw:rank=0,level=0,block=divide,what=tea",
        "damage:rank=0,level=0,block=divide", "delay:rank=0,level=0,block=divide"}) {
    EXPECT_THROW(parse_injection(text), UsageError) << text;
  }
  EXPECT_EQ(parse_injection("delay:rank=0,level=0,block=divide,ms=7").delay_ms, 7);
}

}  // namespace
}  // namespace cleave
