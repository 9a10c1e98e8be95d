// SPDX-License-Identifier: Apache-2.0
// A rank of a call on the hypercube, run alone by the real executor: every block has the sizes that
// it has on all the ranks. What the others would send is found once, before, and played
// (played_messages.hpp).
//
// Replicated, rooted and merging: the halves that the rank does not follow are divided and solved
// down to the leaves of their ranks, which are timed there. That takes about as long as one rank
// takes for the whole. Sorting: the others' messages follow from all parts, so all ranks run in
// this process (virtual_ranks.hpp), which takes memory for all parts.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/blocks/blocks.hpp>
#include <cleave/blocks/call_options.hpp>
#include <cleave/clock.hpp>
#include <cleave/comm.hpp>
#include <cleave/error.hpp>
#include <cleave/hypercube/hypercube.hpp>
#include <cleave/hypercube/played_messages.hpp>
#include <cleave/schedule/schedule.hpp>
#include <cleave/trace.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

/// What a preparation may take. Levels from the root on that would take more are left out.
struct RehearsalLimits {
  double max_s = 60;
  std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max();
};

/// Spans of several ranks.
struct Leaves {
  Recorder recorder{mpi_time_ns};
  std::vector<int> ranks;  ///< of each span
};

template <class T>
Bytes packed(const T& value) {
  const Outgoing<T> outgoing(value);
  return {outgoing.bytes().begin(), outgoing.bytes().end()};
}

/// Rank `rank` of a call on `ranks` ranks.
template <DividesInHalves App>
class Rehearsal {
 public:
  using Problem = typename App::Problem;
  using Solution = typename App::Solution;

  /// \param options  what is recorded in a call, by which clock: `rehearsed_ns`; the placement
  /// \param world    processes that rehearse ranks of the same call at the same time
  /// \param make     what a rank is given; of the whole problem, what rank 0 is given
  /// \param leaf     solves a rank's own part, unless it is empty
  /// \throws Error  if the application cannot go the way of the placement
  Rehearsal(const App& app, const CallOptions& options, const Comm& world, int ranks, int rank,
            std::function<Problem(int)> make, Leaf<App> leaf = nullptr)
      : app_(app),
        options_(options),
        world_(world),
        way_(way_for<App>(options.placement)),
        problem_holders_(traits_of(options.placement).problem),
        ranks_(ranks),
        rank_(rank),
        make_(std::move(make)),
        leaf_(std::move(leaf)),
        group_{.first = 0, .size = ranks} {}

  /// Finds what the others will send. \throws FunctorError and what else the functors throw
  void prepare(const RehearsalLimits& limits) {
    begin_ns_ = mpi_time_ns();
    limits_ = limits;
    leaves_.recorder.begin_repetition(0, true);
    if constexpr (SplitsParts<App>) {
      if (way_ == Way::splitting) {
        sort_parts();
        return;
      }
    }
    solve_siblings();
  }

  /// Makes the call. Collective over `world`. \return  its nanoseconds without messages
  std::int64_t run(Problem problem) {
    const PlayedMessages messages(world_, rank_ - group_.first, group_.size,
                                  {level_offset_, levels_of(ranks_)}, answers_);
    world_.barrier();
    const std::int64_t begin_ns = rehearsed_ns();
    try {
      add_sizes_of_all(problem);
      const Solution solution = Hypercube<App>(app_, options_, messages, way_, leaf_)
                                    .solve([&] { return std::move(problem); }, problem_holders_);
      const std::int64_t elapsed_ns = rehearsed_ns() - begin_ns;
      if (first_level_ == 0 && swaps(way_) && way_ != Way::splitting) {  // all get the whole
        options_.recorder->add_run_sizes(sizes_of_solution(app_, solution));
      }
      messages.finish();
      return elapsed_ns;
    } catch (...) {
      messages.finish();
      throw;
    }
  }

  int rank() const { return rank_; }
  /// Of the others, as far as they were solved: each solved once.
  const Leaves& leaves() const { return leaves_; }
  /// The first level that is rehearsed in full: 0, unless the limits forbid it.
  int first_level() const { return first_level_; }
  /// What is added to the levels of spans that `run` records.
  int level_offset() const { return level_offset_; }

 private:
  /// A group that the rank is of, whose other half is solved here.
  struct Divided {
    Group group;
    int level = 0;
    bool is_heard = true;              ///< whether the rank gets the other half's solution
    std::optional<Problem> problem{};  ///< of the other half; none of parts
  };

  static int levels_of(int ranks) { return std::bit_width(static_cast<unsigned>(ranks - 1)); }

  double spent_s() const { return static_cast<double>(mpi_time_ns() - begin_ns_) * 1e-9; }

  /// From the leaf up: each takes about twice the one before it.
  void solve_siblings() {
    const auto levels = static_cast<std::size_t>(levels_of(ranks_));
    answers_.problems.resize(levels);
    answers_.solutions.resize(levels);
    std::vector<Divided> path = groups_of_rank();
    if (problem_holders_ != Holders::parts) {
      Problem whole = make_(0);
      whole_sizes_ = sizes_of_problem(app_, whole);
      divide_along(path, std::move(whole));
    }
    double last_s = 0;
    std::int64_t last_bytes = 0;
    for (Divided& divided : path | std::views::reverse) {
      const double begin_s = spent_s();
      constexpr std::int64_t kCopies = 4;  // of a solution: its halves, itself, its message
      if (begin_s + 2 * last_s > limits_.max_s || last_bytes > limits_.max_bytes / (2 * kCopies)) {
        first_level_ = divided.level + 1;
        return;
      }
      const Group other = is_left_of(divided.group) ? divided.group.right() : divided.group.left();
      const Solution solution = solved(std::move(divided.problem), other, divided.level + 1);
      if (divided.is_heard) {
        auto& answer = answers_.solutions[static_cast<std::size_t>(divided.level)];
        answer = packed(solution);
        last_bytes = std::ssize(*answer);
      }
      last_s = spent_s() - begin_s;
    }
  }

  static CallOptions of_others(Recorder& recorder) {
    CallOptions options;
    options.recorder = &recorder;
    return options;
  }

  bool is_left_of(Group group) const { return group.left().contains(rank_); }

  std::vector<Divided> groups_of_rank() const {
    std::vector<Divided> path;
    for (Group group{.first = 0, .size = ranks_}; group.size > 1; group = group.half_of(rank_)) {
      path.push_back({.group = group, .level = static_cast<int>(path.size())});
    }
    return path;
  }

  /// The problems of the other halves, as far down as problems are not trivial: below, nobody
  /// divides or sends.
  void divide_along(std::vector<Divided>& path, Problem problem) {
    for (auto divided = path.begin(); divided != path.end(); ++divided) {
      if (app_.trivial(std::as_const(problem))) {
        path.erase(divided, path.end());
        return;
      }
      const Group group = divided->group;
      KeptOf<App> kept;  // which the run keeps
      auto halves = divide_keeping(app_, std::move(problem), group.share(), kept);
      if constexpr (Transferable<Problem>) {
        if (moves_problems(way_) && rank_ == group.right().first) {
          answers_.problems[static_cast<std::size_t>(divided->level)] = packed(halves.right);
        }
      }
      divided->is_heard = swaps(way_) || rank_ == group.first;
      divided->problem = std::move(is_left_of(group) ? halves.right : halves.left);
      problem = std::move(is_left_of(group) ? halves.left : halves.right);
    }
  }

  /// The solution of `group`, whose problem this is; of parts, it is made here.
  Solution solved(std::optional<Problem> problem, Group group, int level) {
    if (group.size == 1) {
      return leaf(problem ? *std::move(problem) : make_(group.first), group.first, level);
    }
    KeptOf<App> kept;
    std::optional<Problem> left;
    std::optional<Problem> right;
    if (problem) {
      if (app_.trivial(std::as_const(*problem))) {
        return app_.conquer(*std::move(problem));
      }
      auto halves = divide_keeping(app_, *std::move(problem), group.share(), kept);
      left = std::move(halves.left);
      right = std::move(halves.right);
    }
    Solution of_left = solved(std::move(left), group.left(), level + 1);
    Solution of_right = solved(std::move(right), group.right(), level + 1);
    return combine_kept(app_, std::move(of_left), std::move(of_right), kept);
  }

  Solution leaf(Problem problem, int rank, int level) {
    const CallOptions options = of_others(leaves_.recorder);
    Blocks<App> blocks(app_, options, leaf_);
    auto solution = blocks.solve(std::move(problem), Level{.index = level, .group = 1});
    if (const auto& failure = blocks.failure()) {
      throw FunctorError(rank, failure->level, failure->block, failure->message);
    }
    leaves_.ranks.resize(leaves_.recorder.spans().size(), rank);
    return *std::move(solution);
  }

  /// All ranks of the largest group that the limits allow run here.
  void sort_parts()
    requires SplitsParts<App>
  {
    choose_group();
    std::vector<Problem> parts;
    std::vector<Recorder> recorders;
    for (int i = 0; i < group_.size; ++i) {
      constexpr std::size_t kSpans = 1024;  // a few a level
      parts.push_back(make_(group_.first + i));
      recorders.emplace_back(mpi_time_ns, kSpans);
    }
    answers_.messages = heard_by(rank_ - group_.first, group_.size, [&](const Messages& messages) {
      const auto index = static_cast<std::size_t>(messages.rank());
      const CallOptions options = of_others(recorders[index]);
      Hypercube<App>(app_, options, messages, way_)
          .solve([&] { return std::move(parts[index]); }, Holders::parts);
    });
    for (int i = 0; i < group_.size; ++i) {
      keep_leaf(recorders[static_cast<std::size_t>(i)], group_.first + i);
    }
  }

  /// By what this rank's own part takes.
  void choose_group()
    requires SplitsParts<App>
  {
    constexpr int kMaxVirtual = 1024;
    constexpr int kCopies = 3;  // of a part: what it receives lies beside it, and is on its way
    Problem mine = make_(rank_);
    const auto bytes = static_cast<std::int64_t>(mine.size() * sizeof(typename App::Element));
    Recorder unread(mpi_time_ns, 1);
    const CallOptions options = of_others(unread);
    Blocks<App>(app_, options).solve(std::move(mine), Level{});  // a failure shows below
    const double sorted_s = 2 * spent_s();                       // and partitioned at every level
    while (group_.size > 1 &&
           (group_.size > kMaxVirtual || group_.size * sorted_s > limits_.max_s ||
            bytes > limits_.max_bytes / kCopies / group_.size)) {
      group_ = group_.half_of(rank_);
      first_level_ = ++level_offset_;
    }
  }

  void keep_leaf(const Recorder& recorder, int rank) {
    for (const Span& span : recorder.spans()) {
      if (rank != rank_ && (span.block == Block::sequential || span.block == Block::conquer)) {
        leaves_.recorder.record(span.block, span.level + level_offset_, span.group, span.begin_ns,
                                span.end_ns, span.bytes, recorder.sizes_of(span));
        leaves_.ranks.push_back(rank);
      }
    }
  }

  /// Those of the whole problem, which some ranks of a run do not have. Where only some of the
  /// ranks sort, they are counted from this rank's part.
  void add_sizes_of_all(const Problem& problem) {
    options_.recorder->add_run_sizes(whole_sizes_);
    if constexpr (SplitsParts<App>) {
      if (level_offset_ > 0) {
        options_.recorder->add_run_sizes(
            {{"N", problem.size() * static_cast<std::size_t>(ranks_)}});
      }
    }
  }

  const App& app_;
  const CallOptions& options_;
  const Comm& world_;
  const Way way_;
  const Holders problem_holders_;
  const int ranks_;
  const int rank_;
  const std::function<Problem(int)> make_;
  const Leaf<App> leaf_;
  RehearsalLimits limits_;
  std::int64_t begin_ns_ = 0;
  Group group_;  ///< that runs here
  int level_offset_ = 0;
  int first_level_ = 0;
  Sizes whole_sizes_;
  Answers answers_;
  Leaves leaves_;
};

}  // namespace cleave::detail
