// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <utility>

#include <cleave/comm.hpp>
#include <cleave/comm/virtual_ranks.hpp>
#include <cleave/dc_call.hpp>
#include <cleave/error.hpp>
#include <cleave/kernel/link.hpp>
#include <cleave/kernel/rehearsal.hpp>

namespace cleave::detail {

namespace {

std::int64_t played_ns = 0;  ///< in which the clock of rehearsals stood

/// The clock stands while this lives.
struct Pause {
  ~Pause() { played_ns += mpi_time_ns() - begin_ns; }
  const std::int64_t begin_ns = mpi_time_ns();
};

void copy(std::span<const std::byte> from, std::span<std::byte> to) {
  if (from.size() != to.size()) {
    throw Error(
        "the rehearsed rank asks for another message than in its preparation: the application "
        "is not deterministic, or keeps state from call to call");
  }
  std::ranges::copy(from, to.begin());
}

double seconds_since(std::int64_t begin_ns) {
  return static_cast<double>(mpi_time_ns() - begin_ns) * 1e-9;
}

Bytes packed(const Values& list, const ListWire& list_wire) {
  const OutgoingList outgoing(list, list_wire);
  return {outgoing.bytes().begin(), outgoing.bytes().end()};
}

CallOptions recorded_by(Recorder* recorder, Placement placement) {
  return {{.recorder = recorder, .placement = placement}};
}

/// The result of a block of `rank`. \throws FunctorError  if it failed
template <class T>
T checked(std::optional<T> result, const Blocks& blocks, int rank) {
  if (const auto& failure = blocks.failure()) {
    throw FunctorError(rank, failure->level, failure->block, failure->message);
  }
  return *std::move(result);
}

}  // namespace

/// The messages of the rank in one call.
///
/// Rehearsals of several ranks, one a process of `world`, run at the same time: each waits for the
/// others before the messages of every level. Ranks take part in different numbers of messages, so
/// they count levels, down and up again, and all wait equally often. Others do not fail.
class PlayedMessages final : public Messages {
 public:
  explicit PlayedMessages(const Rehearsal& call) : call_(call) {}

  /// Waits for the levels that this rank had no messages at. Collective, once the call has ended.
  void finish() const {
    const Pause pause;
    wait_for_others(2 * levels());
  }

  int rank() const override { return call_.rank_ - call_.group_.first; }
  int size() const override { return call_.group_.size; }
  void send(int /*to*/, std::span<const std::byte> /*message*/) const override {}
  void allreduce_min(std::span<std::int64_t> /*values*/) const override {}
  std::string bcast(std::string text, int /*root*/) const override { return text; }

  void begin(const Step& step, int level) const override {
    if (step.kind == Step::Kind::work || step.kind == Step::Kind::agree) {
      return;
    }
    const Pause pause;
    const bool is_solution = step.what == Step::What::solution;
    payload_ = nullptr;
    if (static_cast<std::size_t>(level) < call_.payloads_.size()) {
      const HeardPayloads& of_level = call_.payloads_[static_cast<std::size_t>(level)];
      const auto& payload = is_solution ? of_level.solution : of_level.problem;
      payload_ = payload ? &*payload : nullptr;
    }
    had_header_ = false;
    const int level_of_all = call_.prepared_.level_offset + level;
    wait_for_others(is_solution ? 2 * levels() - level_of_all : level_of_all + 1);
  }

  /// A header, a byte about room where either side asks, a payload.
  void exchange(int /*partner*/, std::span<const std::byte> out,
                std::span<std::byte> in) const override {
    const Pause pause;
    if (!had_header_) {
      had_header_ = true;
      Header mine;
      Header theirs;
      if (!out.empty()) {
        copy(out.first(kHeaderBytes), bytes_of(mine));
      }
      if (!in.empty()) {
        if (payload_ != nullptr) {
          theirs = {.has_payload = 1, .bytes = std::ssize(*payload_)};
        }
        copy(bytes_of(theirs), in.first(kHeaderBytes));
      }
      asks_ = std::max(mine.bytes, theirs.bytes) > static_cast<std::int64_t>(kMaxBytesUnasked);
    } else if (asks_) {
      asks_ = false;
      std::ranges::fill(in, std::byte{1});
    } else if (!in.empty()) {
      copy(*payload_, in);
    }
  }

  void exchange(std::span<const Comm::Outbound> /*out*/,
                std::span<const Comm::Inbound> in) const override {
    for (const Comm::Inbound& message : in) {
      if (!message.bytes.empty()) {
        receive(message.from, message.bytes);
      }
    }
  }

  void receive(int /*from*/, std::span<std::byte> message) const override {
    const Pause pause;
    copy(played_ < call_.messages_.size() ? call_.messages_[played_++] : Bytes(), message);
  }

 private:
  int levels() const { return std::bit_width(static_cast<unsigned>(call_.ranks_ - 1)); }
  void wait_for_others(int meetings) const {
    for (; meetings_ < meetings; ++meetings_) {
      call_.world_.barrier();
    }
  }

  const Rehearsal& call_;
  // State of the call.
  mutable int meetings_ = 0;        ///< with the others
  mutable std::size_t played_ = 0;  ///< of the messages
  // State of the transfer (link.hpp).
  mutable const Bytes* payload_ = nullptr;
  mutable bool had_header_ = false;
  mutable bool asks_ = false;  ///< a byte about room comes before the payload
};

std::int64_t rehearsed_ns() { return mpi_time_ns() - played_ns; }

Rehearsal::Rehearsal(const AnyApp& app, const CallOptions& options, const Comm& world, int ranks,
                     int rank, std::function<ErasedValue(int)> make, Solver solver)
    : app_(app),
      options_(options),
      world_(world),
      way_(way_for(options.placement, app.traits())),
      ranks_(ranks),
      rank_(rank),
      make_(std::move(make)),
      solver_(std::move(solver)),
      group_{.first = 0, .size = ranks} {}

void Rehearsal::prepare(const RehearsalLimits& limits) {
  begin_ns_ = mpi_time_ns();
  limits_ = limits;
  prepared_.own_parts.begin_repetition(0, true);
  way_ == Way::splitting ? sort_parts() : solve_siblings();
}

std::int64_t Rehearsal::run(ErasedValue problem) {
  const PlayedMessages messages(*this);
  world_.barrier();
  const std::int64_t begin_ns = rehearsed_ns();
  try {
    // Some ranks of a run do not have the whole problem.
    options_.recorder->add_run_sizes(whole_sizes_);
    if (prepared_.level_offset > 0) {
      options_.recorder->add_run_sizes({{"N", app_.elements(problem).count * ranks_}});
    }
    const ErasedValue solution =
        solve_on_hypercube(app_, options_, messages, solver_, [&] { return std::move(problem); });
    const std::int64_t elapsed_ns = rehearsed_ns() - begin_ns;
    if (prepared_.first_level == 0 && swaps(way_) && way_ != Way::splitting) {  // all get the whole
      options_.recorder->add_run_sizes(app_.solution_sizes(solution));
    }
    messages.finish();
    return elapsed_ns;
  } catch (...) {
    messages.finish();
    throw;
  }
}

/// From the leaf up: each takes about twice the one before. Below a trivial problem nobody works.
void Rehearsal::solve_siblings() {
  const CallOptions options;
  Blocks blocks(app_, options);
  std::vector<std::optional<Values>> siblings;  // of the other half at each level; none of parts
  std::vector<Group> groups;
  std::optional<Values> problem;
  if (options_.placement != Placement::distributed) {
    problem = list_of(make_(0));
    whole_sizes_ = app_.sizes(problem->front());
  }
  for (Group group{.first = 0, .size = ranks_}; group.size > 1; group = group.half_of(rank_)) {
    const Level level{.index = static_cast<int>(groups.size()), .group = group.size};
    HeardPayloads payloads;
    std::optional<Values> sibling;
    if (problem && checked(blocks.trivial(*problem, level), blocks, rank_)) {
      break;
    }
    if (problem) {
      Kept kept;  // which the run keeps
      auto halves = checked(blocks.divide(*std::move(problem), group.share(), {}, level, kept),
                            blocks, rank_);
      if (moves_problems(way_) && rank_ == group.right().first) {
        payloads.problem = packed(halves.right, app_.traits().problem);
      }
      const bool is_left = group.left().contains(rank_);
      sibling = std::move(is_left ? halves.right : halves.left);
      problem = std::move(is_left ? halves.left : halves.right);
    }
    groups.push_back(group);
    siblings.push_back(std::move(sibling));
    payloads_.push_back(std::move(payloads));
  }
  double last_s = 0;
  std::int64_t last_bytes = 0;
  for (std::size_t level = groups.size(); level-- > 0;) {
    const Group group = groups[level];
    const double begin_s = seconds_since(begin_ns_);
    constexpr std::int64_t kCopies = 4;  // of a solution: its halves, itself, its message
    if (begin_s + 2 * last_s > limits_.max_s || last_bytes > limits_.max_bytes / (2 * kCopies)) {
      prepared_.first_level = static_cast<int>(level) + 1;
      return;
    }
    const Values solution = solved(std::move(siblings[level]),
                                   group.left().contains(rank_) ? group.right() : group.left(),
                                   static_cast<int>(level) + 1);
    if (swaps(way_) || rank_ == group.first) {
      payloads_[level].solution = packed(solution, app_.traits().solution);
      last_bytes = std::ssize(*payloads_[level].solution);
    }
    last_s = seconds_since(begin_ns_) - begin_s;
  }
}

/// The solution of `group`, whose problem this is; of parts, it is made here.
Values Rehearsal::solved(std::optional<Values> problem, Group group, int level) {
  const CallOptions options =
      recorded_by(group.size == 1 ? &prepared_.own_parts : nullptr, options_.placement);
  Blocks blocks(app_, options, solver_);
  const Level at{.index = level, .group = group.size};
  if (group.size == 1) {
    Values own = problem ? *std::move(problem) : list_of(make_(group.first));
    Values solution = checked(blocks.solve(std::move(own), at), blocks, group.first);
    prepared_.ranks.resize(prepared_.own_parts.spans().size(), group.first);
    return solution;
  }
  Kept kept;
  std::optional<Values> left;
  std::optional<Values> right;
  if (!problem) {
    kept.emplace_back();
  } else if (checked(blocks.trivial(*problem, at), blocks, group.first)) {
    return checked(blocks.conquer(*std::move(problem), at), blocks, group.first);
  } else {
    auto halves = checked(blocks.divide(*std::move(problem), group.share(), {}, at, kept), blocks,
                          group.first);
    left = std::move(halves.left);
    right = std::move(halves.right);
  }
  Values of_left = solved(std::move(left), group.left(), level + 1);
  Values of_right = solved(std::move(right), group.right(), level + 1);
  return checked(blocks.combine(std::move(of_left), std::move(of_right), {}, at, kept), blocks,
                 group.first);
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
  const auto sort_part = [&](const Messages& messages) {
    const auto index = static_cast<std::size_t>(messages.rank());
    const CallOptions options = recorded_by(&recorders[index], options_.placement);
    solve_on_hypercube(app_, options, messages, nullptr, [&] { return std::move(parts[index]); });
  };
  messages_ = run_virtual_ranks(group_.size, sort_part, {}, nullptr, rank_ - group_.first).heard;
  for (int rank = group_.first; rank < group_.first + group_.size; ++rank) {
    const Recorder& recorder = recorders[static_cast<std::size_t>(rank - group_.first)];
    for (const Span& span : recorder.spans()) {
      if (rank != rank_ && (span.block == Block::sequential || span.block == Block::conquer)) {
        prepared_.own_parts.record(span.block, span.level + prepared_.level_offset, span.group,
                                   span.begin_ns, span.end_ns, span.bytes, recorder.sizes_of(span));
        prepared_.ranks.push_back(rank);
      }
    }
  }
}

/// By what this rank's own part takes.
void Rehearsal::choose_group() {
  constexpr int kMaxVirtual = 1024;
  constexpr int kCopies = 3;  // of a part: what it receives lies beside it, and is on its way
  ErasedValue mine = make_(rank_);
  const std::int64_t bytes = app_.elements(mine).bytes;
  const CallOptions options;
  Blocks(app_, options).solve(list_of(std::move(mine)), Level{});  // a failure shows below
  const double sorted_s = 2 * seconds_since(begin_ns_);            // partitioned at every level
  while (group_.size > 1 && (group_.size > kMaxVirtual || group_.size * sorted_s > limits_.max_s ||
                             bytes > limits_.max_bytes / kCopies / group_.size)) {
    group_ = group_.half_of(rank_);
    prepared_.first_level = ++prepared_.level_offset;
  }
}

}  // namespace cleave::detail
