// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/trace.hpp>

#include "tests/support/address_space.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

TEST(Sizes, TheFirstValueOfANameStays) {
  Sizes sizes{{"N", 3}};
  sizes.add(Sizes{{"N", 5}, {"M", 7}});
  ASSERT_EQ(sizes.size(), 2U);
  EXPECT_EQ(sizes.begin()[0], (Size{"N", 3}));
  EXPECT_EQ(sizes.begin()[1], (Size{"M", 7}));
}

/// Time that a test gives to a recorder in place of the system's.
std::int64_t told_ns = 0;
std::int64_t told_delay_ns = 0;
int looks = 0;

TEST(Recorder, TakesTheRunDelayOfSpansThatAreLongEnough) {
  const auto before = std::exchange(run_delay_ns, [] { return ++looks, told_delay_ns; });
  Recorder recorder([] { return told_ns; });
  const auto span = [&](std::int64_t length_ns, std::int64_t delay_ns) {
    const ThreadMoment begin = recorder.begin();
    told_ns += length_ns;
    told_delay_ns += delay_ns;
    recorder.record(Block::divide, 0, 1, begin, recorder.end(begin), 0, {});
    return recorder.spans().back();
  };
  told_delay_ns = 7'000'000;  // before all spans
  EXPECT_EQ(span(5'000'000, 3'000'000).run_delay_ns, 3e6F);
  EXPECT_EQ(span(5'000'000, 0).run_delay_ns, 0);
  EXPECT_EQ(looks, 4);
  EXPECT_EQ(span(19'000, 18'000).run_delay_ns, 0) << "it is too short for a look";
  EXPECT_EQ(looks, 5);
  EXPECT_EQ(span(21'000, 40'000).run_delay_ns, 21e3F) << "at most its length";
  Recorder all;
  all.append(recorder);
  EXPECT_EQ(all.spans().front().run_delay_ns, 3e6F);
  run_delay_ns = before;
}

TEST(Recorder, KeepsSpansWithTheirSizesAndRepetition) {
  Recorder recorder;
  recorder.begin_repetition(4, false);
  recorder.record(Block::divide, 1, 2, 10, 30, 0, {{"N", 100}, {"M", 200}});
  recorder.record(Block::exchange, 1, 2, 30, 35, 64, {});
  recorder.add_run_sizes({{"N", 1000}});
  recorder.end_repetition(99);

  ASSERT_EQ(recorder.spans().size(), 2U);
  const Span& divide = recorder.spans()[0];
  EXPECT_EQ(divide.repetition, 4);
  EXPECT_EQ(divide.group, 2);
  EXPECT_EQ(divide.end_ns - divide.begin_ns, 20);
  const Sizes sizes = recorder.sizes_of(divide);
  ASSERT_EQ(sizes.size(), 2U);
  EXPECT_EQ(sizes.begin()[1], (Size{"M", 200}));
  EXPECT_TRUE(recorder.sizes_of(recorder.spans()[1]).empty());
  ASSERT_EQ(recorder.repetitions().size(), 1U);
  EXPECT_EQ(recorder.repetitions()[0].elapsed_ns, 99);
}

TEST(Recorder, KeepsTheFirstSpansAndCountsThoseBeyondItsCapacity) {
  Recorder recorder(monotonic_ns, 10);
  for (int i = 0; i < 1000; ++i) {
    recorder.record(Block::divide, i % 4, 2, i, i + 3, 5, {});
  }
  ASSERT_EQ(recorder.spans().size(), 10U);
  EXPECT_EQ(recorder.spans().back().begin_ns, 9);
  EXPECT_EQ(recorder.dropped(), 990);
  Recorder all(monotonic_ns, 15);
  all.append(recorder);
  all.append(recorder);
  EXPECT_EQ(all.spans().size(), 15U);
  EXPECT_EQ(all.dropped(), 2 * 990 + 5);
}

TEST(Recorder, CountsTheSpansThatThereIsNoMemoryFor) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer ends a process without memory";
#endif
  constexpr int kSpans = 1 << 20;  // 64 MiB
  Recorder recorder;
  {
    const testing::AddressSpace tight(rlim_t{20} << 20);
    for (int i = 0; i < kSpans; ++i) {
      recorder.record(Block::divide, 1, 2, i, i + 1, 0, {{"N", i}});
    }
  }
  EXPECT_GT(recorder.dropped(), 0);
  EXPECT_EQ(std::ssize(recorder.spans()) + recorder.dropped(), kSpans);
  EXPECT_EQ(recorder.spans().back().size_values[0], std::ssize(recorder.spans()) - 1);
}

TEST(Recorder, RefusesMoreListsOfNamesThanASpanCanTell) {
  std::vector<std::string> names;
  for (int i = 0; i <= 256; ++i) {
    names.push_back("size" + std::to_string(i));
  }
  Recorder recorder;
  for (int i = 0; i < 256; ++i) {
    recorder.record(Block::divide, 0, 1, i, i + 1, 0, {{names[i], i}});
  }
  EXPECT_THROW(recorder.record(Block::divide, 0, 1, 256, 257, 0, {{names[256], 256}}), Error);
  EXPECT_EQ(recorder.spans().size(), 256U);
  recorder.record(Block::divide, 0, 1, 256, 257, 0, {{names[7], 1}});
  EXPECT_EQ(recorder.sizes_of(recorder.spans().back()).begin()[0], (Size{"size7", 1}));
}

}  // namespace
}  // namespace cleave
