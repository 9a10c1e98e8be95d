// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include <cleave/application.hpp>
#include <cleave/comm.hpp>
#include <cleave/dc_call.hpp>
#include <cleave/part.hpp>
#include <cleave/schedule/schedule.hpp>

#include "calibration/message_benchmarks.hpp"

namespace cleave::calibration {

namespace {

using detail::Way;

/// Problems and solutions are nothing but their length, which tells their level: the one that has
/// the whole problem is empty.
struct Silence {
  using Problem = std::vector<std::byte>;
  using Solution = std::vector<std::byte>;
  static constexpr bool kMergesParts = true;

  const std::vector<std::int64_t>& bytes;

  bool trivial(const Problem&) const { return false; }
  Solution conquer(Problem problem) const { return problem; }
  Solution sequential(Problem problem) const { return problem; }
  Halves<Problem> divide(const Problem& problem) const {
    const auto half = std::find(bytes.begin(), bytes.end(), std::ssize(problem));
    const std::int64_t below = half == bytes.end()       ? bytes.front()
                               : half + 1 == bytes.end() ? *half
                                                         : *(half + 1);
    return {Problem(below), Problem(below)};
  }
  Solution combine(Solution left, const Solution& /*right*/) const {
    const auto half = std::find(bytes.begin(), bytes.end(), std::ssize(left));
    if (half != bytes.begin() && half != bytes.end()) {
      left.resize(*(half - 1));
    }
    return left;
  }
};

/// Keys of so many floats that are all equal, cut in proportion to the ranks.
template <std::size_t kFloats>
struct SilentSort {
  using Element = std::array<float, kFloats>;
  using Splitter = Element;  ///< whose first tells how much comes before it
  using Problem = Part<Element>;
  using Solution = Part<Element>;

  bool trivial(const Problem&) const { return false; }
  Solution conquer(Problem part) const { return part; }
  Solution sequential(Problem part) const { return part; }
  Halves<Problem> divide(Problem part) const { return {std::move(part), Problem()}; }
  Solution combine(Solution left, const Solution& /*right*/) const { return left; }
  std::vector<Splitter> sample(std::span<const Element>, std::size_t count, std::uint64_t) const {
    return std::vector<Splitter>(count);
  }
  Split<Splitter> splitter(const std::vector<Splitter>&, Share share) const {
    return {{static_cast<float>(share.left) / static_cast<float>(share.total)}};
  }
  Cut partition(std::span<Element> part, const Split<Splitter>& split, ClassOrder order) const {
    const bool ascends = order == ClassOrder::ascending;
    const float before = ascends ? split.splitter[0] : 1 - split.splitter[0];
    const auto first = static_cast<std::size_t>(before * static_cast<double>(part.size()));
    return {.less = ascends ? first : part.size() - first};
  }
};

int depth_of(int rank, int ranks) {
  int depth = 0;
  for (detail::Group group{.first = 0, .size = ranks}; group.size > 1; ++depth) {
    group = group.half_of(rank);
  }
  return depth;
}

/// One call; its problem is made before the clock starts. \return  what it took on this rank
std::int64_t call_once(const Comm& world, const CallMessages& messages, Recorder& recorder) {
  const auto timed = [&](const auto& app, auto problem, Placement placement) {
    world.barrier();
    const std::int64_t begin_ns = mpi_time_ns();
    DC_Call(DC_Type::hypercube, app, std::move(problem),
            {.comm = world.handle(), .recorder = &recorder, .placement = placement});
    return mpi_time_ns() - begin_ns;
  };
  const auto timed_sort = [&]<std::size_t kFloats>() {
    using Sort = SilentSort<kFloats>;
    const auto half = messages.bytes.front() / static_cast<std::int64_t>(4 * kFloats);
    typename Sort::Problem part(static_cast<std::size_t>(2 * half));
    std::ranges::fill(part, typename Sort::Element{});
    return timed(Sort{}, std::move(part), Placement::distributed);
  };
  if (messages.way == Way::splitting) {
    return messages.key_bytes <= 4   ? timed_sort.template operator()<1>()
           : messages.key_bytes <= 8 ? timed_sort.template operator()<2>()
                                     : timed_sort.template operator()<4>();
  }
  const bool in_parts = messages.way == Way::merging;
  const int depth = in_parts ? depth_of(world.rank(), world.size()) : 0;
  return timed(Silence{messages.bytes},
               Silence::Problem(depth == 0 ? 0 : messages.bytes[depth - 1]),
               in_parts                      ? Placement::distributed
               : messages.way == Way::rooted ? Placement::rooted
                                             : Placement::replicated);
}

}  // namespace

void make_calls(const Comm& world, const CallMessages& messages, const NamedSizes& sizes,
                double seconds, Recorder& recorder) {
  constexpr int kWarmUp = 2;
  constexpr int kFewest = 5;
  constexpr int kMost = 500;
  const std::int64_t begin_ns = mpi_time_ns();
  for (int i = 0; i < kMost; ++i) {
    recorder.begin_repetition(i, i < kWarmUp);
    for (const auto& [name, value] : sizes) {
      recorder.add_run_sizes({{name, value}});
    }
    recorder.end_repetition(world.allreduce_max(call_once(world, messages, recorder)));
    const bool is_time_left = static_cast<double>(mpi_time_ns() - begin_ns) * 1e-9 < seconds;
    const bool goes_on = i + 1 < kWarmUp + kFewest || (world.rank() == 0 && is_time_left);
    if (world.allreduce_max(goes_on ? 1 : 0) == 0) {
      break;
    }
  }
}

}  // namespace cleave::calibration
