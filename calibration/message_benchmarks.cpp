// SPDX-License-Identifier: Apache-2.0
#include "calibration/message_benchmarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>

#include <cleave/comm.hpp>
#include <cleave/error.hpp>
#include <cleave/part.hpp>
#include <cleave/row.hpp>
#include <cleave/schedule/schedule.hpp>
#include <cleave/trace.hpp>

#include "models/theory/network.hpp"

namespace cleave::calibration {

using detail::Group;
using detail::other_of;

namespace {

constexpr std::size_t kMinRepetitions = 10;

/// A communicator of the first ranks of another one, freed at the end.
class FirstRanks {
 public:
  FirstRanks(const Comm& world, int ranks) {
    const int colour = world.rank() < ranks ? 0 : MPI_UNDEFINED;
    if (MPI_Comm_split(world.handle(), colour, world.rank(), &comm_) != MPI_SUCCESS) {
      throw Error("MPI_Comm_split failed");
    }
  }
  ~FirstRanks() {
    if (comm_ != MPI_COMM_NULL) {
      MPI_Comm_free(&comm_);
    }
  }
  FirstRanks(const FirstRanks&) = delete;
  FirstRanks& operator=(const FirstRanks&) = delete;

  bool includes_me() const { return comm_ != MPI_COMM_NULL; }
  Comm comm() const { return Comm(comm_); }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// The rank that swaps with this one across `level`; none if this rank's recursion has ended above
/// it, or has no partner there.
std::optional<int> partner_across(const Comm& comm, int level) {
  Group group{.first = 0, .size = comm.size()};
  for (int i = 0; i < level && group.size > 1; ++i) {
    group = group.half_of(comm.rank());
  }
  return other_of(comm.rank(), detail::Step::Ranks::all, group);
}

/// Whether some message of the pattern goes to another host. Collective.
bool leaves_host(const Comm& comm, const Pattern& pattern) {
  const std::vector<int>& hosts = hosts_of(comm).of_ranks();
  const std::optional<int> partner = partner_across(comm, pattern.level);
  return comm.allreduce_max(partner && hosts[*partner] != hosts[comm.rank()] ? 1 : 0) == 1;
}

/// Where messages come from and where they go: rows, as an application's data, of which the long
/// ones lie in huge pages and are moved faster. Each message has the place after the one before it,
/// so that no cache has what it reads or writes, as little as an application's.
class Buffers {
 public:
  Buffers(std::size_t rows, std::size_t bytes) {
    for (std::size_t i = 0; i < rows; ++i) {
      out_.emplace_back(bytes, std::byte{1});
      in_.emplace_back(bytes, std::byte{2});
    }
  }

  std::size_t longest() const { return out_.front().size(); }

  struct OutAndIn {
    std::span<const std::byte> out;
    std::span<std::byte> in;
  };
  /// \pre  bytes <= longest()
  OutAndIn next(std::size_t bytes) {
    if (bytes > longest() - at_) {
      at_ = 0;
      row_ = (row_ + 1) % out_.size();
    }
    const OutAndIn both{std::span(out_[row_]).subspan(at_, bytes),
                        std::span(in_[row_]).subspan(at_, bytes)};
    constexpr std::size_t kCacheLine = 64;
    at_ = std::min(longest(), at_ + (bytes + kCacheLine - 1) / kCacheLine * kCacheLine);
    return both;
  }

 private:
  std::vector<Row<std::byte>> out_;
  std::vector<Row<std::byte>> in_;
  std::size_t row_ = 0;
  std::size_t at_ = 0;
};

/// More than a rank's share of any cache.
constexpr std::size_t kBeyondCaches = std::size_t{32} << 20;

/// One rank's part in a pattern, ready to be repeated.
class Messages {
 public:
  Messages(const Comm& comm, const Pattern& pattern, std::int64_t max_bytes)
      : comm_(comm),
        partner_(partner_across(comm, pattern.level)),
        short_(kBeyondCaches / kMinHugeRow, kMinHugeRow - 1),
        long_(1, std::max(static_cast<std::size_t>(max_bytes), kBeyondCaches)) {}

  /// Moves the messages once; each rank sends and receives `message_bytes`.
  void move(std::int64_t message_bytes) {
    const auto bytes = static_cast<std::size_t>(message_bytes);
    const Buffers::OutAndIn both = (bytes <= short_.longest() ? short_ : long_).next(bytes);
    if (partner_) {
      comm_.exchange(*partner_, both.out, both.in);
    }
  }

 private:
  Comm comm_;
  std::optional<int> partner_;
  Buffers short_;
  Buffers long_;
};

struct TimedMoves {
  double seconds = 0;         ///< of one move on this rank
  bool is_disturbed = false;  ///< whether a rank was ready to run and had no core
};

/// `moves` in a row. Collective.
TimedMoves timed_moves(const Comm& comm, Messages& messages, std::int64_t message_bytes,
                       int moves) {
  constexpr double kMaxDelay = 0.01;
  // A rank may also wait for its core in the barrier.
  const std::int64_t before_ns = detail::run_delay_ns();
  comm.barrier();
  const std::int64_t begin_ns = mpi_time_ns();
  for (int i = 0; i < moves; ++i) {
    messages.move(message_bytes);
  }
  const auto ns = static_cast<double>(mpi_time_ns() - begin_ns);
  const auto delay_ns = static_cast<double>(detail::run_delay_ns() - before_ns);
  return {ns * 1e-9 / moves, comm.allreduce_max(delay_ns > kMaxDelay * ns ? 1 : 0) == 1};
}

/// The longest of all ranks' `seconds`. Collective.
double longest_of(const Comm& comm, double seconds) {
  return static_cast<double>(comm.allreduce_max(std::llround(seconds * 1e9))) * 1e-9;
}

/// So many moves that the clock's resolution and the ranks' different starts do not count.
int moves_for(double seconds) {
  constexpr double kMinSeconds = 50e-6;
  constexpr double kMaxMoves = 200;
  return static_cast<int>(
      std::clamp(std::ceil(kMinSeconds / std::max(seconds, 1e-9)), 1.0, kMaxMoves));
}

std::vector<MessageSamples> sample(const Comm& comm, const Pattern& pattern,
                                   const MeasureOptions& options) {
  Messages messages(comm, pattern, options.message_bytes.back());
  std::vector<MessageSamples> samples;
  std::vector<std::vector<double>> disturbed(options.message_bytes.size());
  std::vector<int> moves;
  for (const std::int64_t bytes : options.message_bytes) {
    samples.push_back({.message_bytes = bytes});
    moves.push_back(moves_for(longest_of(comm, timed_moves(comm, messages, bytes, 3).seconds)));
  }
  const std::int64_t begin_ns = mpi_time_ns();
  for (bool go_on = true; go_on;) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      MessageSamples& s = samples[i];
      if (!s.stable) {
        const TimedMoves timed = timed_moves(comm, messages, s.message_bytes, moves[i]);
        (timed.is_disturbed ? disturbed[i] : s.seconds).push_back(timed.seconds);
        s.stable = comm.allreduce_min(median_is_stable(s.seconds, options.tolerance) ? 1 : 0) == 1;
      }
    }
    // Every rank holds as many samples; only the time is rank 0's to tell.
    const double fraction = static_cast<double>(mpi_time_ns() - begin_ns) * 1e-9 / options.seconds;
    const bool all_stable =
        std::all_of(samples.begin(), samples.end(), [](const auto& s) { return s.stable; });
    go_on = comm.allreduce_min(comm.rank() == 0 && (fraction >= 1 || all_stable) ? 0 : 1) == 1;
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::vector<double>& seconds = samples[i].seconds;
    if (seconds.size() < kMinRepetitions) {
      seconds.insert(seconds.end(), disturbed[i].begin(), disturbed[i].end());
    }
    seconds = of_slowest_rank(comm, std::move(seconds));
  }
  return samples;
}

}  // namespace

std::vector<Pattern> patterns_for(int ranks) {
  std::vector<Pattern> patterns;
  int level = 0;
  for (Group group{.first = 0, .size = ranks}; group.size > 1; group = group.right()) {
    patterns.push_back({.ranks = ranks, .level = level++});
  }
  return patterns;
}

std::vector<double> of_slowest_rank(const Comm& comm, std::vector<double> seconds) {
  const std::int64_t mine_ps = std::llround(detail::median(seconds) * 1e12);
  const bool is_slowest = comm.allreduce_max(mine_ps) == mine_ps;
  const auto slowest = static_cast<int>(comm.allreduce_min(is_slowest ? comm.rank() : comm.size()));
  comm.bcast(std::as_writable_bytes(std::span(seconds)), slowest);
  return seconds;
}

bool median_is_stable(std::span<const double> seconds, double tolerance) {
  if (seconds.size() < kMinRepetitions) {
    return false;
  }
  std::vector<double> sorted(seconds.begin(), seconds.end());
  std::ranges::sort(sorted);
  const auto n = static_cast<double>(sorted.size());
  const auto at_rank = [&](double rank) {
    return sorted[static_cast<std::size_t>(std::clamp(rank, 1.0, n)) - 1];
  };
  const double spread = 1.96 * std::sqrt(n);
  const double median = detail::median(sorted);
  return at_rank(std::ceil(1 + (n + spread) / 2)) - median <= tolerance * median &&
         median - at_rank(std::floor((n - spread) / 2)) <= tolerance * median;
}

Communication measure(const Comm& world, const Pattern& pattern, const MeasureOptions& options) {
  Communication result{.ranks = pattern.ranks, .level = pattern.level};
  {
    const FirstRanks first(world, pattern.ranks);
    if (first.includes_me()) {
      result.oversubscribed = hosts_of(first.comm()).oversubscribed();
      result.between_hosts = leaves_host(first.comm(), pattern);
      result.samples = sample(first.comm(), pattern, options);
    }
  }
  world.barrier();
  if (world.rank() != 0) {
    return {};
  }
  models::fit_communication(result);
  return result;
}

}  // namespace cleave::calibration
