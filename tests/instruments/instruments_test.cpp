// SPDX-License-Identifier: Apache-2.0
#include "tests/instruments/instruments.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <chrono>
#include <new>
#include <utility>

#include <cleave/error.hpp>
#include <cleave/trace.hpp>

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

std::chrono::nanoseconds processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// How long a block that computes for `ms` of processor time lasts.
std::chrono::nanoseconds duration_of_block(const CallOptions& options, int ms) {
  const auto begin = std::chrono::steady_clock::now();
  options.hooks.before_block(Block::divide, 0);
  const auto used_before = processor_time();
  while (processor_time() - used_before < std::chrono::milliseconds(ms)) {
  }
  options.hooks.after_block(Block::divide, 0);
  return std::chrono::steady_clock::now() - begin;
}

TEST(Dilation, MakesABlockLastAMultipleOfItsProcessorTime) {
  CallOptions options;
  int asked = 0;
  options.hooks.before_block = [&asked](Block, int) { ++asked; };
  dilate_blocks(options, 4, false);
  EXPECT_GE(duration_of_block(options, 10), std::chrono::milliseconds(40));
  EXPECT_EQ(asked, 1);  // what was watching before still does
}

TEST(Dilation, GivesABlockTheLeastOfItsTimesInRepetitions) {
  Recorder recorder;
  CallOptions options;
  options.recorder = &recorder;
  dilate_blocks(options, 20, true);
  auto repetition = [&, index = 0](int first_ms, int second_ms) mutable {
    recorder.begin_repetition(index++, false);
    const auto first = duration_of_block(options, first_ms);
    const auto second = duration_of_block(options, second_ms);
    recorder.end_repetition(1);
    return std::pair(first, second);
  };
  using std::chrono::milliseconds;
  const auto as_they_come = repetition(2, 10);
  EXPECT_GE(as_they_come.first, milliseconds(40));
  EXPECT_GE(as_they_come.second, milliseconds(200));
  const auto min_of_two = repetition(4, 5);
  EXPECT_GE(min_of_two.first, milliseconds(40));
  EXPECT_LT(min_of_two.first, milliseconds(80));
  EXPECT_GE(min_of_two.second, milliseconds(100));
  EXPECT_LT(min_of_two.second, milliseconds(200));
}

}  // namespace
}  // namespace cleave
