// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <ranges>
#include <utility>

#include <cleave/clock.hpp>
#include <cleave/comm/virtual_ranks.hpp>
#include <cleave/error.hpp>
#include <cleave/kernel/call.hpp>
#include <cleave/kernel/link.hpp>
#include <cleave/kernel/rehearsal.hpp>

namespace cleave::detail {

namespace {

std::int64_t played_ns = 0;  ///< in which the clock of rehearsals stood

/// The clock stands while this lives.
class Pause {
 public:
  Pause() = default;
  ~Pause() { played_ns += mpi_time_ns() - begin_ns_; }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  const std::int64_t begin_ns_ = mpi_time_ns();
};

void copy(std::span<const std::byte> from, std::span<std::byte> to) {
  if (from.size() != to.size()) {
    throw Error(
        "the rehearsed rank asks for another message than in its preparation: the application "
        "is not deterministic, or keeps state from call to call");
  }
  std::ranges::copy(from, to.begin());
}

int levels_of(int ranks) { return std::bit_width(static_cast<unsigned>(ranks - 1)); }

Bytes packed(const Values& list, const ListWire& list_wire) {
  const OutgoingList outgoing(list, list_wire);
  return {outgoing.bytes().begin(), outgoing.bytes().end()};
}

CallOptions of_others(Recorder& recorder) {
  CallOptions options;
  options.recorder = &recorder;
  return options;
}

}  // namespace

std::vector<Bytes> heard_by(int rank, int ranks, const std::function<void(const Messages&)>& work) {
  VirtualRanks all(ranks, {}, nullptr, rank);
  all.run(work);
  return all.take_heard();
}

std::int64_t rehearsed_ns() { return mpi_time_ns() - played_ns; }

void PlayedMessages::wait_for_others(int meetings) const {
  for (; meetings_ < meetings; ++meetings_) {
    world_.barrier();
  }
}

void PlayedMessages::finish() const {
  const Pause pause;
  wait_for_others(2 * levels_.count);
}

void PlayedMessages::begin(const Step& step, int level) const {
  if (step.kind == Step::Kind::work || step.kind == Step::Kind::agree) {
    return;
  }
  const Pause pause;
  const auto& payloads = step.what == Step::What::solution ? answers_.solutions : answers_.problems;
  payload_ = static_cast<std::size_t>(level) < payloads.size()
                 ? &payloads[static_cast<std::size_t>(level)]
                 : nullptr;
  had_header_ = false;
  const int level_of_all = levels_.first + level;
  wait_for_others(step.what == Step::What::solution ? 2 * levels_.count - level_of_all
                                                    : level_of_all + 1);
}

/// A header, a byte about room where either side asks, a payload.
void PlayedMessages::exchange(int /*partner*/, std::span<const std::byte> out,
                              std::span<std::byte> in) const {
  const Pause pause;
  if (!had_header_) {
    had_header_ = true;
    Header mine;
    Header theirs;
    if (!out.empty()) {
      copy(out.first(kHeaderBytes), bytes_of(mine));
    }
    if (!in.empty()) {
      if (payload_ != nullptr && *payload_) {
        theirs = {.payload = Header::follows, .bytes = std::ssize(**payload_)};
      }
      copy(bytes_of(theirs), in.first(kHeaderBytes));
    }
    asks_ = std::max(mine.bytes, theirs.bytes) > static_cast<std::int64_t>(kMaxBytesUnasked);
  } else if (asks_) {
    asks_ = false;
    std::ranges::fill(in, std::byte{1});
  } else if (!in.empty()) {
    copy(**payload_, in);
  }
}

void PlayedMessages::exchange(std::span<const Comm::Outbound> /*out*/,
                              std::span<const Comm::Inbound> in) const {
  for (const Comm::Inbound& message : in) {
    receive(message.from, message.bytes);
  }
}

void PlayedMessages::receive(int /*from*/, std::span<std::byte> message) const {
  const Pause pause;
  static const Bytes kNone;
  const bool is_left = answers_.messages && played_ < answers_.messages->size();
  copy(is_left ? (*answers_.messages)[played_++] : kNone, message);
}

Rehearsal::Rehearsal(const AnyApp& app, const CallOptions& options, const Comm& world, int ranks,
                     int rank, std::function<ErasedValue(int)> make, Solver solver)
    : app_(app),
      lists_(app),
      options_(options),
      world_(world),
      way_(way_for(options.placement, app.traits())),
      problem_holders_(traits_of(options.placement).problem),
      ranks_(ranks),
      rank_(rank),
      make_(std::move(make)),
      solver_(std::move(solver)),
      group_{.first = 0, .size = ranks} {}

void Rehearsal::prepare(const RehearsalLimits& limits) {
  begin_ns_ = mpi_time_ns();
  limits_ = limits;
  leaves_.recorder.begin_repetition(0, true);
  way_ == Way::splitting ? sort_parts() : solve_siblings();
}

std::int64_t Rehearsal::run(ErasedValue problem) {
  const PlayedMessages messages(world_, rank_ - group_.first, group_.size,
                                {level_offset_, levels_of(ranks_)}, answers_);
  world_.barrier();
  const std::int64_t begin_ns = rehearsed_ns();
  try {
    add_sizes_of_all(problem);
    const ErasedValue solution = solve_on_hypercube(
        app_, options_, messages, way_, solver_, [&] { return std::move(problem); },
        problem_holders_);
    const std::int64_t elapsed_ns = rehearsed_ns() - begin_ns;
    if (first_level_ == 0 && swaps(way_) && way_ != Way::splitting) {  // all get the whole
      options_.recorder->add_run_sizes(app_.solution_sizes(solution));
    }
    messages.finish();
    return elapsed_ns;
  } catch (...) {
    messages.finish();
    throw;
  }
}

/// From the leaf up: each takes about twice the one before it.
void Rehearsal::solve_siblings() {
  const auto levels = static_cast<std::size_t>(levels_of(ranks_));
  answers_.problems.resize(levels);
  answers_.solutions.resize(levels);
  std::vector<Divided> path;
  for (Group group{.first = 0, .size = ranks_}; group.size > 1; group = group.half_of(rank_)) {
    path.push_back({.group = group, .level = static_cast<int>(path.size())});
  }
  if (problem_holders_ != Holders::parts) {
    Values whole = list_of(make_(0));
    whole_sizes_ = lists_.sizes(whole);
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
    const Values solution = solved(std::move(divided.problem), other, divided.level + 1);
    if (divided.is_heard) {
      auto& answer = answers_.solutions[static_cast<std::size_t>(divided.level)];
      answer = packed(solution, app_.traits().solution);
      last_bytes = std::ssize(*answer);
    }
    last_s = spent_s() - begin_s;
  }
}

/// The problems of the other halves, as far down as problems are not trivial: below, nobody divides
/// or sends.
void Rehearsal::divide_along(std::vector<Divided>& path, Values problem) {
  for (auto divided = path.begin(); divided != path.end(); ++divided) {
    if (lists_.trivial(problem)) {
      path.erase(divided, path.end());
      return;
    }
    const Group group = divided->group;
    Kept kept;  // which the run keeps
    Halves<Values> halves = lists_.divide(std::move(problem), group.share(), kept);
    if (moves_problems(way_) && rank_ == group.right().first) {
      answers_.problems[static_cast<std::size_t>(divided->level)] =
          packed(halves.right, app_.traits().problem);
    }
    divided->is_heard = swaps(way_) || rank_ == group.first;
    divided->problem = std::move(is_left_of(group) ? halves.right : halves.left);
    problem = std::move(is_left_of(group) ? halves.left : halves.right);
  }
}

/// The solution of `group`, whose problem this is; of parts, it is made here.
Values Rehearsal::solved(std::optional<Values> problem, Group group, int level) {
  if (group.size == 1) {
    return solved_alone(problem ? *std::move(problem) : list_of(make_(group.first)), group.first,
                        level);
  }
  Kept kept;
  std::optional<Values> left;
  std::optional<Values> right;
  if (problem) {
    if (lists_.trivial(*problem)) {
      return lists_.conquer(*std::move(problem));
    }
    Halves<Values> halves = lists_.divide(*std::move(problem), group.share(), kept);
    left = std::move(halves.left);
    right = std::move(halves.right);
  } else {
    kept.emplace_back();
  }
  Values of_left = solved(std::move(left), group.left(), level + 1);
  Values of_right = solved(std::move(right), group.right(), level + 1);
  return lists_.combine(std::move(of_left), std::move(of_right), kept);
}

Values Rehearsal::solved_alone(Values problem, int rank, int level) {
  const CallOptions options = of_others(leaves_.recorder);
  Blocks blocks(app_, options, solver_);
  auto solution = blocks.solve(std::move(problem), Level{.index = level, .group = 1});
  if (const auto& failure = blocks.failure()) {
    throw FunctorError(rank, failure->level, failure->block, failure->message);
  }
  leaves_.ranks.resize(leaves_.recorder.spans().size(), rank);
  return *std::move(solution);
}

/// All ranks of the largest group that the limits allow run here.
void Rehearsal::sort_parts() {
  choose_group();
  Values parts;
  std::vector<Recorder> recorders;
  for (int i = 0; i < group_.size; ++i) {
    constexpr std::size_t kSpans = 1024;  // a few a level
    parts.push_back(make_(group_.first + i));
    recorders.emplace_back(mpi_time_ns, kSpans);
  }
  answers_.messages = heard_by(rank_ - group_.first, group_.size, [&](const Messages& messages) {
    const auto index = static_cast<std::size_t>(messages.rank());
    const CallOptions options = of_others(recorders[index]);
    solve_on_hypercube(
        app_, options, messages, way_, nullptr, [&] { return std::move(parts[index]); },
        Holders::parts);
  });
  for (int i = 0; i < group_.size; ++i) {
    keep_own_part(recorders[static_cast<std::size_t>(i)], group_.first + i);
  }
}

/// By what this rank's own part takes.
void Rehearsal::choose_group() {
  constexpr int kMaxVirtual = 1024;
  constexpr int kCopies = 3;  // of a part: what it receives lies beside it, and is on its way
  ErasedValue mine = make_(rank_);
  const std::int64_t bytes = app_.elements(mine).bytes;
  Recorder unread(mpi_time_ns, 1);
  const CallOptions options = of_others(unread);
  Blocks(app_, options).solve(list_of(std::move(mine)), Level{});  // a failure shows below
  const double sorted_s = 2 * spent_s();                           // and partitioned at every level
  while (group_.size > 1 && (group_.size > kMaxVirtual || group_.size * sorted_s > limits_.max_s ||
                             bytes > limits_.max_bytes / kCopies / group_.size)) {
    group_ = group_.half_of(rank_);
    first_level_ = ++level_offset_;
  }
}

void Rehearsal::keep_own_part(const Recorder& recorder, int rank) {
  for (const Span& span : recorder.spans()) {
    if (rank != rank_ && (span.block == Block::sequential || span.block == Block::conquer)) {
      leaves_.recorder.record(span.block, span.level + level_offset_, span.group, span.begin_ns,
                              span.end_ns, span.bytes, recorder.sizes_of(span));
      leaves_.ranks.push_back(rank);
    }
  }
}

/// Adds the sizes of the whole problem, which some ranks of a run do not have. Where only some of
/// the ranks sort, they are counted from this rank's part.
void Rehearsal::add_sizes_of_all(const ErasedValue& problem) {
  options_.recorder->add_run_sizes(whole_sizes_);
  if (level_offset_ > 0) {
    options_.recorder->add_run_sizes({{"N", app_.elements(problem).count * ranks_}});
  }
}

}  // namespace cleave::detail
