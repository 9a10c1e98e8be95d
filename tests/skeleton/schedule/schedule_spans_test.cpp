// SPDX-License-Identifier: Apache-2.0
// What the executors do is what the schedule says: the spans that each rank records, in their
// order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include <cleave/dc_call.hpp>
#include <cleave/schedule/messages.hpp>
#include <cleave/schedule/schedule.hpp>

#include "tests/skeleton/examples.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

int world_rank() { return Comm(MPI_COMM_WORLD).rank(); }
int world_size() { return Comm(MPI_COMM_WORLD).size(); }

std::vector<int> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> values(count);
  std::generate(values.begin(), values.end(), [&] { return static_cast<int>(random() >> 1); });
  return values;
}

using Lines = std::vector<std::string>;

std::string line_of(Block block, int level, int group, std::int64_t header_bytes = 0) {
  return fmt::format("{} at level {} of {} ranks{}", name_of(block), level, group,
                     header_bytes > 0 ? fmt::format(", {} B", header_bytes) : "");
}

/// The spans that a rank is to record, asking for room and making it left out.
class Expected {
 public:
  Expected(Way way, int ranks, int rank) : rank_(rank) {
    const Schedule schedule = schedule_of(way, ranks, rank);
    for (const Step& step : schedule.steps) {
      add(step, schedule.groups[static_cast<std::size_t>(step.group)]);
    }
  }
  const Lines& lines() const { return lines_; }

 private:
  void add(const Step& step, const ScheduledGroup& group) {
    level_ = group.level;
    size_ = group.ranks.size;
    if (!step.has_header) {
      add(step.block);
      return;
    }
    const bool is_left = group.ranks.left().contains(rank_);
    add_message(step.flow != (is_left ? Step::Flow::to_left : Step::Flow::to_right),
                step.flow != (is_left ? Step::Flow::to_right : Step::Flow::to_left));
  }

  void add(Block block, std::int64_t bytes = 0) {
    lines_.push_back(line_of(block, level_, size_, bytes));
  }

  /// The spans of a value that Link moves: packing, the header, room for what comes, the payload,
  /// taking it.
  void add_message(bool gives, bool gets) {
    if (gives) {
      add(Block::skeleton);
    }
    add(Block::wait, kHeaderBytes);
    if (gets) {
      add(Block::skeleton);
    }
    add(Block::exchange);
    if (gets) {
      add(Block::skeleton);
    }
  }

  int rank_;
  int level_ = 0;
  int size_ = 1;
  Lines lines_;
};

/// The spans of this rank. Asking for room is left out where it is due: one byte before a long
/// payload. So is the making of room in the sorting form, and the agreement on it.
Lines recorded(const Recorder& recorder, bool splits) {
  Lines lines;
  const auto spans = recorder.spans();
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    const bool is_asking = span.block == Block::wait && span.bytes == 1;
    const bool is_long = i + 1 < spans.size() && spans[i + 1].block == Block::exchange &&
                         spans[i + 1].bytes > static_cast<std::int64_t>(kMaxBytesUnasked);
    if (is_asking) {
      EXPECT_TRUE(is_long);
      continue;
    }
    if (!splits && span.block == Block::exchange &&
        span.bytes > static_cast<std::int64_t>(kMaxBytesUnasked)) {
      EXPECT_TRUE(i > 0 && spans[i - 1].bytes == 1 && spans[i - 1].block == Block::wait);
    }
    if (splits && span.block == Block::skeleton) {
      ++i;
      continue;
    }
    lines.push_back(
        line_of(span.block, span.level, span.group, span.block == Block::wait ? span.bytes : 0));
  }
  return lines;
}

template <class App, class Problem>
void expect_as_scheduled(Way way, Placement placement, const App& app, Problem problem) {
  Recorder recorder;
  recorder.begin_repetition(0, false);
  DC_Call(DC_Type::hypercube, app, std::move(problem),
          {.comm = MPI_COMM_WORLD, .recorder = &recorder, .placement = placement});
  EXPECT_EQ(recorded(recorder, way == Way::splitting),
            Expected(way, world_size(), world_rank()).lines());
}

class ScheduledSpans : public testing::TestWithParam<std::size_t> {};
// Messages below and beyond the length at which ranks ask for room.
INSTANTIATE_TEST_SUITE_P(Sizes, ScheduledSpans, testing::Values(400, 400000));

TEST_P(ScheduledSpans, OfReplicatedData) {
  expect_as_scheduled(Way::replicated, Placement::replicated, examples::Mergesort{},
                      random_values(GetParam(), 1));
}

TEST_P(ScheduledSpans, OfRootedData) {
  expect_as_scheduled(Way::rooted, Placement::rooted, examples::Mergesort{},
                      world_rank() == 0 ? random_values(GetParam(), 1) : std::vector<int>{});
}

TEST_P(ScheduledSpans, OfPartsThatAreMerged) {
  expect_as_scheduled(Way::merging, Placement::distributed, examples::MergedParts{},
                      random_values(GetParam(), static_cast<unsigned>(world_rank())));
}

TEST_P(ScheduledSpans, OfPartsThatAreSplit) {
  const std::vector<int> values = random_values(GetParam(), static_cast<unsigned>(world_rank()));
  expect_as_scheduled(Way::splitting, Placement::distributed, examples::SplitSort{},
                      Part<int>(std::span<const int>(values)));
}

}  // namespace
}  // namespace cleave
