// SPDX-License-Identifier: Apache-2.0
// The messages of a rank that is rehearsed alone (rehearsal.hpp): what the others would say was
// found before, and is handed out in no time of the rehearsal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/schedule/schedule.hpp>

namespace cleave::detail {

/// What a rank gets from the others in a call.
struct Answers {
  // By level, none where no payload comes.
  std::vector<std::optional<Bytes>> problems;
  std::vector<std::optional<Bytes>> solutions;
  /// Of the sorting form: all messages, in their order.
  std::optional<std::vector<Bytes>> messages;
};

/// What `rank` hears of the others, in its order, when all of `ranks` ranks do their `work` in this
/// process.
std::vector<Bytes> heard_by(int rank, int ranks, const std::function<void(const Messages&)>& work);

/// A Clock of rehearsals: mpi_time_ns, but for the time in which messages were played.
std::int64_t rehearsed_ns();

/// One rank in one call.
///
/// Rehearsals of several ranks, one a process of `world`, run at the same time: each waits for the
/// others before the messages of every level. Ranks take part in different numbers of messages, so
/// they count levels, down and up again, and all wait equally often.
class PlayedMessages final : public Messages {
 public:
  /// Where a call lies in the recursion over ranks that is rehearsed.
  struct Levels {
    int first = 0;  ///< its own level 0
    int count = 0;  ///< in all, the same of every process
  };

  /// All but the numbers must outlive this.
  PlayedMessages(const Comm& world, int rank, int size, Levels levels, const Answers& answers)
      : world_(world), rank_(rank), size_(size), levels_(levels), answers_(answers) {}

  /// Waits for the levels that this rank had no messages at. Collective, once the call has ended.
  void finish() const;

  void begin(const Step& step, int level) const override;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void exchange(int partner, std::span<const std::byte> out,
                std::span<std::byte> in) const override;
  void exchange(std::span<const Comm::Outbound> out,
                std::span<const Comm::Inbound> in) const override;
  void send(int /*to*/, std::span<const std::byte> /*message*/) const override {}
  void receive(int from, std::span<std::byte> message) const override;
  /// The others do not fail.
  void allreduce_min(std::span<std::int64_t> /*values*/) const override {}
  std::string bcast(std::string text, int /*root*/) const override { return text; }

 private:
  void wait_for_others(int meetings) const;

  const Comm& world_;
  const int rank_;
  const int size_;
  const Levels levels_;
  const Answers& answers_;
  // Of the call.
  mutable int meetings_ = 0;        ///< with the others
  mutable std::size_t played_ = 0;  ///< of Answers::messages
  // Of the transfer (link.hpp).
  mutable const std::optional<Bytes>* payload_ = nullptr;
  mutable bool had_header_ = false;
  mutable bool asks_ = false;  ///< a byte about room comes before the payload
};

}  // namespace cleave::detail
