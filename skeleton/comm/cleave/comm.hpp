// SPDX-License-Identifier: Apache-2.0
// The ranks of a call: MPI's (`Comm`), or ranks that are not there (virtual_ranks.hpp,
// rehearsal.hpp); their hosts and clocks. Messages longer than MPI's 32-bit counts go in pieces.
// Waiting yields where ranks outnumber cores. MPICH does not: 30 ms for a barrier of 8 on 2 cores.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/host/host.hpp>

namespace cleave {

class Comm;
class Hosts;

namespace detail {

struct CommState;
struct Step;
class Transport;
using Bytes = std::vector<std::byte>;

/// One rank among the others, as executors see it. Every function means what it means of Comm.
class Messages {
 public:
  struct Outbound {
    int to;
    std::span<const std::byte> bytes;
  };
  struct Inbound {
    int from;
    std::span<std::byte> bytes;
  };

  virtual ~Messages() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void exchange(int partner, std::span<const std::byte> out,
                        std::span<std::byte> in) const = 0;
  virtual void exchange(std::span<const Outbound> out, std::span<const Inbound> in) const = 0;
  virtual void send(int to, std::span<const std::byte> message) const = 0;
  virtual void receive(int from, std::span<std::byte> message) const = 0;
  virtual void allreduce_min(std::span<std::int64_t> values) const = 0;
  virtual std::string bcast(std::string text, int root) const = 0;

  /// The executor is about to make this step of this rank.
  virtual void begin(const Step& /*step*/, int /*level*/) const {}
};

/// The place of a rank's workers.
struct Surroundings {
  std::vector<int> near;   ///< the other ranks of this host
  bool is_polite = false;  ///< whether idle workers leave their cores to others
};

/// One rank of a search among the others.
class SearchMessages : public Messages {
 public:
  virtual void gather(std::span<const std::byte> mine, std::span<std::byte> all) const = 0;
  /// The polled messages of this rank (transport.hpp).
  virtual std::unique_ptr<Transport> transport() const = 0;
  virtual Surroundings surroundings(int threads) const = 0;
};

}  // namespace detail

/// The ranks of an MPI communicator, with a message space of their own: messages of the caller's on
/// the same communicator are never mixed up with Cleave's. Cheap to copy.
///
/// Costs are those of p ranks, with l the latency of a message in seconds and g the gap in seconds
/// a byte (docs/explanation/model.md). Every function throws an Error where MPI reports a
/// failure; the communicator is unusable afterwards.
class Comm : public detail::SearchMessages {
 public:
  /// Collective over `comm` the first time: one MPI_Comm_dup and one MPI_Allgather, kept with
  /// `comm` and freed with it.
  /// \throws Error  if `comm` is MPI_COMM_NULL or an intercommunicator, or MPI is not running
  explicit Comm(MPI_Comm comm);

  /// One of `size` ranks that are not there, for a function that only asks who it is.
  static Comm as_rank(int rank, int size);

  int rank() const override;
  int size() const override;

  /// Collective. Cost: log2(p) l.
  void barrier() const;

  /// Sends to and receives from `partner` at once; both sides call it with matching lengths.
  /// Cost: 2 (l + g bytes) with the gap of both directions at once (eq. 9).
  void exchange(int partner, std::span<const std::byte> out,
                std::span<std::byte> in) const override;
  /// All messages at once, at most one from one rank to another; the receiver passes the sender's
  /// length. Cost: l a message and MiB, and g times the greater of the bytes sent and received.
  void exchange(std::span<const Outbound> out, std::span<const Inbound> in) const override;

  /// One message; the receiver passes its length. Cost: l + g bytes.
  void send(int to, std::span<const std::byte> message) const override;
  void receive(int from, std::span<std::byte> message) const override;

  /// The minimum, maximum or sum of all ranks' values. Collective, as all below. Cost: 2 log2(p) l.
  std::int64_t allreduce_min(std::int64_t value) const { return reduced(value, MPI_MIN); }
  std::int64_t allreduce_max(std::int64_t value) const { return reduced(value, MPI_MAX); }
  std::int64_t allreduce_sum(std::int64_t value) const { return reduced(value, MPI_SUM); }
  /// The minimum of each of several values, as many on every rank, in their place.
  void allreduce_min(std::span<std::int64_t> values) const override { reduce(values, MPI_MIN); }

  /// `bytes` of `root` on every rank; the lengths must be equal. Cost: log2(p) (l + g bytes).
  void bcast(std::span<std::byte> bytes, int root) const;
  /// `text` of `root` on every rank.
  std::string bcast(std::string text, int root) const override;
  /// One value of each rank, in rank order; empty on ranks other than 0.
  std::vector<std::int64_t> gather(std::int64_t value) const;
  /// `mine` of all ranks, equally long, in rank order in `all`, which only rank 0 uses.
  /// Cost: log2(p) l + g times the bytes of `all`.
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) const override;

  std::unique_ptr<detail::Transport> transport() const override;
  detail::Surroundings surroundings(int threads) const override;

  /// Cleave's own duplicate, for collectives that this class does not have.
  MPI_Comm handle() const;

 private:
  friend const Hosts& hosts_of(const Comm& comm);

  explicit Comm(const detail::CommState* state) : state_(state) {}
  void exchange_pieces(std::span<const Outbound> out, std::span<const Inbound> in,
                       std::size_t piece_bytes) const;
  void wait_all(std::span<MPI_Request> requests) const;
  void reduce(std::span<std::int64_t> values, MPI_Op op) const;
  std::int64_t reduced(std::int64_t value, MPI_Op op) const {
    reduce({&value, 1}, op);
    return value;
  }

  /// A collective of MPI, or where waits are polite its non-blocking form.
  template <class Block, class Post, class... Arguments>
  void collective(const char* call, Block block, Post post, Arguments... arguments) const;

  const detail::CommState* state_;
};

/// The hosts of a communicator when it was first used.
class Hosts {
 public:
  /// Collective. Cost: an MPI_Allgather.
  explicit Hosts(MPI_Comm comm);

  /// The host of each rank, named by its lowest rank.
  const std::vector<int>& of_ranks() const { return of_ranks_; }
  int ranks_per_host() const { return ranks_per_host_; }  ///< the most on any host
  /// The cores that each rank may use of its host: by its affinity and its control group.
  const std::vector<detail::AllowedCores>& allowed_cores() const { return allowed_cores_; }
  /// Whether ranks, of so many threads each, outnumber these: then waits leave the core to others.
  bool oversubscribed(int threads = 1) const { return threads > cores_per_rank_; }

 private:
  std::vector<int> of_ranks_;
  std::vector<detail::AllowedCores> allowed_cores_;
  int ranks_per_host_ = 1;
  int cores_per_rank_ = 1;  ///< where ranks have the fewest; 0 if they outnumber their cores
};

/// The hosts of `comm`'s ranks. No message.
const Hosts& hosts_of(const Comm& comm);

namespace detail {

/// \throws Error  if `code`, which `call` returned, is no success
void check_mpi(const char* call, int code);

void run_and_agree(const Messages& comm, const std::function<void()>& work);

/// Calls `take`, which does not throw, on rank 0 with each rank's text, in rank order. Collective.
/// Cost: 2 l + g bytes for each other rank.
void for_each_text(const Comm& comm, const std::string& mine,
                   const std::function<void(const std::string&)>& take);

/// The name and version of the MPI library, in one line.
std::string mpi_library();

/// The hardware threads that this rank's workers are to be bound to, each on a core that no other
/// worker is bound to. Empty where workers outnumber cores or leave one idle, or in simulations.
std::vector<int> hardware_threads_of_workers(const Comm& comm, int threads);

}  // namespace detail

/// A Clock for the recorders of ranks: the steady clock, or MPI's where hosts are simulated.
/// MPICH's MPI_Wtime is the clock of the day, which may be set back.
std::int64_t mpi_time_ns();
/// The name of the clock of mpi_time_ns.
std::string mpi_clock_name();

/// Runs `function`, which may fail on some ranks only, on every rank; if it throws on any, that
/// rank throws on, and every other an Error with the message of the lowest such rank. Collective.
template <class Function>
auto agree(const detail::Messages& comm, Function&& function) {
  if constexpr (std::is_void_v<decltype(function())>) {
    detail::run_and_agree(comm, [&function] { function(); });
  } else {
    std::optional<decltype(function())> result;
    detail::run_and_agree(comm, [&] { result.emplace(function()); });
    return *std::move(result);
  }
}

}  // namespace cleave
