// SPDX-License-Identifier: Apache-2.0
// What is told of long work, and of a program to `cleave study`.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <cleave/command_line/progress.hpp>
#include <cleave/error.hpp>
#include <cleave/study.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {
namespace {

TEST(Progress, DrawsABarWhereOneIsAskedForAndClearsIt) {
  ::setenv("CLEAVE_PROGRESS", "bar", 1);
  ::testing::internal::CaptureStderr();
  {
    std::atomic<int> looks = 0;
    const Progress progress("sort", [&] {
      ++looks;
      return Moment{.fraction = 0.25, .step = "run 2 of 8"};
    });
    while (looks < 6) {  // the first four are of a moment
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  const std::string drawn = ::testing::internal::GetCapturedStderr();
  ::unsetenv("CLEAVE_PROGRESS");
  EXPECT_EQ(drawn.find("\r\033[Ksort [=====               ] 25 %, "), 0U) << drawn;
  EXPECT_TRUE(drawn.ends_with("\r\033[K")) << drawn;
}

TEST(Progress, SaysHowFarAndHowLong) {
  EXPECT_EQ(
      "cleave-uts: " + text_of({.fraction = 0.35, .step = "run 3 of 6, 340 M visits"}, 130, 240),
      "cleave-uts: 35 %, 2 min 10 s gone, about 4 min 0 s to go: run 3 of 6, 340 M visits");
  EXPECT_EQ(text_of({}, 4, std::nullopt), "0 %, 4 s gone, end not known");
  EXPECT_EQ(format_duration(59), "59 s");
  EXPECT_EQ(format_duration(7500), "2 h 5 min");
}

TEST(Pace, IsThatOfTheTimeSinceTheFirstMoment) {
  Pace pace;
  EXPECT_FALSE(pace.remaining_s(0.2, 100)) << "what is done then took no time that is known";
  EXPECT_FALSE(pace.remaining_s(0.2, 110));
  EXPECT_DOUBLE_EQ(pace.remaining_s(0.4, 120).value(), 60);
  EXPECT_DOUBLE_EQ(pace.remaining_s(0.4, 130).value(), 50) << "a step that goes on";
  EXPECT_EQ(pace.remaining_s(0.4, 500), 0) << "and on";
  EXPECT_EQ(pace.remaining_s(1, 600), 0);
}

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

TEST(Count, HasThreeDigits) {
  EXPECT_EQ(rounded_count(0), "0");
  EXPECT_EQ(rounded_count(950), "950");
  EXPECT_EQ(rounded_count(999.7), "1 k");
  EXPECT_EQ(rounded_count(3452000), "3.45 M");
  EXPECT_EQ(rounded_count(1.2e16), "1.2e+04 T");
}

}  // namespace
}  // namespace cleave::detail
