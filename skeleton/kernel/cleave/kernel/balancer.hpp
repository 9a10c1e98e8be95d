// SPDX-License-Identifier: Apache-2.0
// The protocol between the ranks of a search: remote steals, incumbents, the detection of the end,
// and the moments of rest in which snapshots are written. It knows neither nodes nor MPI: nodes are
// bytes that a Workload packs, messages go by a Transport. docs/explanation/work-stealing.md tells
// it message by message.
//
// Detecting the end (Mattern, "Algorithms for distributed termination detection", 1987, section 6:
// four counters). Rank 0 sends waves down a tree of the ranks. Each rank answers up the tree
// once its subtree has answered and it is passive itself: no worker has a node, the bag is empty.
// Its answer holds how many work messages (those that can make a passive rank active) it has sent
// and received so far; sums go up. Rank 0 ends the search when wave k + 1 counts as many sent as
// wave k counted received. Proof that nothing is left then:
//   Let t be a moment after the last answer to wave k and before the first to wave k + 1, S(t) and
//   R(t) all work messages sent and received until then, R_k and S_k+1 the sums of the waves. No
//   message is received before it is sent, and counts never shrink, so
//     R_k <= R(t) <= S(t) <= S_k+1.
//   From R_k = S_k+1 follows equality throughout. S(t) = R(t): no work message is under way at t.
//   R_k = R(t): no rank has received work between its answer to wave k and t. It was passive when
//   it answered, and only received work makes it active, so it is passive at t. At t, therefore,
//   all ranks are passive and no work is under way, and that can never change again.
// Nothing is assumed of how long messages take or in which order those of different ranks arrive.
//
// Draining. The same detection, of all messages but those of the waves and with "passive" for "all
// workers rest, no request is out", finds the moment at which nothing at all is under way: then a
// snapshot may be written, and the ranks may part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <cleave/comm/transport.hpp>
#include <cleave/schedule/schedule.hpp>

namespace cleave::detail {

/// The wishes of a rank, as bits.
enum Wish : std::uint8_t {
  kNothing = 0,
  kSnapshot = 1,  ///< a snapshot, now
  kEnd = 2,       ///< an end of the search before all is done
  kLost = 4,      ///< no snapshot any more: a node was lost on this rank
};

/// A message of the application's own: the balancer carries and counts it.
struct Parcel {
  int to = 0;
  std::vector<std::byte> bytes;
};

/// The part of its rank's workers and bag that the balancer needs, for the rank's main thread. A
/// bag alone has no parcels, incumbents or snapshots.
class Workload {
 public:
  virtual ~Workload() = default;

  /// Whether no worker has a node and the bag is empty.
  virtual bool passive() = 0;
  /// Whether a worker is idle and finds nothing in this rank.
  virtual bool wants_work() = 0;
  /// Packs nodes for a thief and removes them; nothing if there are none to spare.
  virtual std::vector<std::byte> give() = 0;
  virtual void take(std::span<const std::byte> nodes) = 0;

  /// The next of the parcels that the workers want sent; false if there is none.
  virtual bool next_parcel(Parcel& /*parcel*/) { return false; }
  virtual void deliver(std::span<const std::byte> /*parcel*/) {}

  // The incumbent as its key: the least is the best.
  virtual std::int64_t incumbent() { return std::numeric_limits<std::int64_t>::max(); }
  virtual void offer_incumbent(std::int64_t /*key*/) {}

  /// Tells the workers to rest after their visit, or to go on.
  virtual void rest(bool on) = 0;
  virtual bool all_rest() = 0;

  /// A combination of Wish.
  virtual std::uint8_t wishes() = 0;

  /// Writes this rank's part of a snapshot, while nothing is under way on any rank.
  /// \return  false if that failed, which the workload remembers
  virtual bool write_snapshot() { return true; }
  /// On rank 0, once all ranks have written: makes the snapshot valid. \return  as above
  virtual bool complete_snapshot() { return true; }
};

/// The children of a rank in the binomial tree along which work reaches all ranks from rank 0,
/// which begins with it. The last one has the most ranks below it.
std::vector<int> binomial_children(int rank, int size);
/// \pre  rank > 0
inline int binomial_parent(int rank) { return rank & (rank - 1); }

struct BalancerStatistics {
  std::int64_t tried = 0;  ///< requests, with the first one that is not sent
  std::int64_t made = 0;   ///< of these, answered with work
  /// On rank 0: time in which all ranks rested for snapshots after which the search went on.
  std::int64_t snapshots_ns = 0;
};

/// One rank's end of the protocol.
class Balancer {
 public:
  enum class Outcome { running, done, ended_early };

  /// \param near  the other ranks of this host, which thieves prefer
  Balancer(Transport& transport, Workload& workload, std::vector<int> near, std::uint64_t seed);

  /// Handles what has arrived and says what is to be said, whenever it is called. Cost without a
  /// message: a look for one, 40 ns with MPICH. \return  whether a message was handled
  bool step();

  /// Once this is not `running`, no message is under way to this rank or from it.
  Outcome outcome() const { return outcome_; }

  /// Whether a rank waits for its first work from this one, which may still have some.
  bool is_waited_for() const { return !waiting_thieves_.empty(); }

  const BalancerStatistics& statistics() const { return statistics_; }

 private:
  enum class Phase : std::uint8_t { search, drain, snapshot, finish };
  /// The last two are a wave's.
  enum class Kind : std::uint8_t { request, no_work, work, parcel, incumbent, alarm, down, up };
  /// Messages.
  struct Counts {
    std::int64_t sent = 0;
    std::int64_t received = 0;
    void add(const Counts& more) { sent += more.sent, received += more.received; }
  };
  /// The beginning of every message.
  struct Header {
    Kind kind = Kind::request;
    Phase phase = Phase::search;  ///< of a wave
    std::uint8_t wishes = kNothing;
    bool done = false;  ///< phase finish: whether all is done
    std::int32_t wave = 0;
    std::int64_t incumbent = 0;
    Counts counts{};  ///< of a wave
  };
  static_assert(sizeof(Header) == kSearchMessageBytes);
  struct Wave {
    std::int32_t number = 0;
    bool is_answered = false;
    std::uint8_t wishes = kNothing;
    std::size_t children_answered = 0;
    Counts counts{};
  };

  void handle(const Message& message);
  void count(Kind kind, std::int64_t Counts::*way);
  bool give_to(int thief);
  void serve_waiting_thieves();
  void steal_if_wanted();
  int choose_victim();
  void announce_incumbent();
  void send_parcels();
  void raise_alarm();
  void begin_wave(Phase phase, bool done = false);
  void enter_wave(const Header& down);
  void answer_wave();
  void complete_wave();
  void send(int to, Header header, std::span<const std::byte> payload = {});
  void send_to_all(std::span<const int> ranks, const Header& header);

  Transport& transport_;
  Workload& workload_;
  const int rank_;
  const int size_;
  const std::vector<int> near_;
  const int parent_;  ///< in the tree of the waves
  std::vector<int> children_;
  std::minstd_rand random_;

  Phase phase_ = Phase::search;
  Outcome outcome_ = Outcome::running;
  Counts work_;  ///< messages that can make a rank active
  Counts all_;   ///< all messages but those of waves

  bool request_is_out_ = false;
  std::vector<int> waiting_thieves_;  ///< for their first work, the one with most ranks below last
  std::optional<std::int64_t> keeps_until_ns_;
  int failed_requests_ = 0;
  std::int64_t next_request_ns_ = 0;
  std::int64_t announced_incumbent_;
  bool alarm_is_raised_ = false;
  BalancerStatistics statistics_;

  Wave wave_{.is_answered = true};

  // Rank 0.
  static constexpr std::int64_t kNoWave = -1;
  std::int64_t received_by_last_wave_ = kNoWave;
  std::uint8_t wishes_ = kNothing;  ///< of all ranks, as far as known
  bool all_is_done_ = false;
  std::int64_t rest_begin_ns_ = 0;  ///< when the ranks were told to rest
};

}  // namespace cleave::detail
