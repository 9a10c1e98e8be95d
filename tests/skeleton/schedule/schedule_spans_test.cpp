// SPDX-License-Identifier: Apache-2.0
// What the executors do is what the schedule says: the spans of each rank, in their order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <new>

#include <cleave/dc_call.hpp>
#include <cleave/schedule/schedule.hpp>

#include "tests/skeleton/examples.hpp"

namespace cleave {

using namespace cleave::detail;
using examples::random_values, examples::world;
namespace {

using Lines = std::vector<std::string>;

std::string line_of(Block block, int level, int group, bool gives = false) {
  return fmt::format("{} at level {} of {} ranks{}", name_of(block), level, group,
                     gives && block == Block::exchange ? ", with sizes" : "");
}

/// The spans that this rank is to record, but for the skeleton's own. What moves has a header.
Lines expected(Way way) {
  Lines lines;
  const Schedule schedule = schedule_of(way, world().size(), world().rank());
  for (const Step& step : schedule.steps) {
    const auto& [ranks, level, parent, left] =
        schedule.groups[static_cast<std::size_t>(step.group)];
    if (step.kind == Step::Kind::move && step.what != Step::What::part) {
      lines.push_back(line_of(Block::wait, level, ranks.size));
    }
    const bool to_own_half = ranks.left().contains(world().rank())
                                 ? step.flow == Step::Flow::to_left
                                 : step.flow == Step::Flow::to_right;
    lines.push_back(line_of(step.block, level, ranks.size, !to_own_half));
  }
  return lines;
}

/// The spans that this rank has recorded. Asking for room, by one byte, is left out: a long payload
/// follows. So is the agreement on the room that the sorting form makes.
Lines recorded(const Recorder& recorder, bool splits) {
  Lines lines;
  bool asks = false;
  bool makes_room = false;
  for (const Span& span : recorder.spans()) {
    if (std::exchange(asks, span.block == Block::wait && span.bytes == 1)) {
      EXPECT_TRUE(span.block == Block::exchange && span.bytes > std::int64_t{kMaxBytesUnasked});
    }
    if (splits && span.block == Block::exchange) {
      EXPECT_EQ(span.bytes, recorder.sizes_of(span).begin()->value * std::int64_t{sizeof(int)});
    }
    const bool agrees = std::exchange(makes_room, splits && span.block == Block::skeleton);
    if (!asks && !agrees && span.block != Block::skeleton) {
      lines.push_back(
          line_of(span.block, span.level, span.group, !recorder.sizes_of(span).empty()));
    }
  }
  return lines;
}

template <class App, class Problem>
void expect_as_scheduled(Way way, Placement placement, const App& app, Problem problem) {
  Recorder recorder;
  recorder.begin_repetition(0, false);
  DC_Call(DC_Type::hypercube, app, std::move(problem),
          {.comm = MPI_COMM_WORLD, .recorder = &recorder, .placement = placement});
  EXPECT_EQ(recorded(recorder, way == Way::splitting), expected(way));
}

class ScheduledSpans : public testing::TestWithParam<std::size_t> {};
// Messages below and beyond the length at which ranks ask for room.
INSTANTIATE_TEST_SUITE_P(Sizes, ScheduledSpans, testing::Values(400, 400000));

TEST_P(ScheduledSpans, AreOfAnyPlacement) {
  const std::vector<int> same = examples::random_values(GetParam(), 1);
  const std::vector<int> own =
      examples::random_values(GetParam(), static_cast<unsigned>(world().rank()));
  expect_as_scheduled(Way::replicated, Placement::replicated, examples::Mergesort{}, same);
  expect_as_scheduled(Way::rooted, Placement::rooted, examples::Mergesort{},
                      world().rank() == 0 ? same : std::vector<int>{});
  expect_as_scheduled(Way::merging, Placement::distributed, examples::MergedParts{}, own);
  expect_as_scheduled(Way::splitting, Placement::distributed, examples::SplitSort{},
                      Part<int>(std::span<const int>(own)));
}

TEST_P(ScheduledSpans, AMessageWithoutRoomIsOneExceptionOnEveryRank) {
  const std::vector<int> values = examples::random_values(GetParam(), 1);
  for (const Placement placement : {Placement::replicated, Placement::rooted}) {
    for (int failing = 0, piece = 0; failing < world().size(); ++piece) {
      int pieces_left = world().rank() == failing ? piece : -1;
      const auto fail = [&](Block block, int /*level*/) {
        if (block == Block::skeleton && pieces_left-- == 0) {
          throw std::bad_alloc();
        }
      };
      std::string error;
      try {
        call(DC_Type::hypercube, examples::Mergesort{}, std::vector<int>(values),
             {{.comm = MPI_COMM_WORLD, .placement = placement}, fail});
      } catch (const FunctorError& e) {
        error = fmt::format("rank {}, {}", e.rank(), e.block());
      }
      const std::int64_t missing = world().rank() == failing && pieces_left < 0 ? 1 : 0;
      const bool is_without = world().allreduce_max(missing) != 0;
      EXPECT_EQ(error, is_without ? fmt::format("rank {}, exchange", failing) : "");
      failing += is_without ? 0 : 1;
      piece = is_without ? piece : -1;
    }
  }
}

}  // namespace
}  // namespace cleave
