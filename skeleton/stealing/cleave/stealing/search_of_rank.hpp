// SPDX-License-Identifier: Apache-2.0
// The workers of one rank in a search (workers.hpp), but for the types of its nodes and totals:
// when they visit, look for messages, rest and end, and what is told of them.
//
// A worker visits some nodes without looking up: as many as take it 5 to 20 us. Between two such
// batches it shares nodes, and the first one looks for messages.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cleave/blocks/call_options.hpp>
#include <cleave/stealing/bag_of_rank.hpp>
#include <cleave/stealing/snapshot.hpp>
#include <cleave/stealing/worker.hpp>

namespace cleave::detail {

class Helpers;

struct SearchWorker : Worker {
  using Worker::Worker;

  std::int64_t batch = 1;  ///< visits between two looks up
  std::int64_t nodes_before = 0;
  std::optional<Recorder> recorder;
  // Read by the main thread.
  alignas(kCacheLineBytes) std::atomic<std::int64_t> nodes_seen = 0;
  std::atomic<std::size_t> memory_bytes = 0;

  /// A batch is to take 5 to 20 us. It grows by and by, and shrinks at once where visits have
  /// become longer.
  void adapt_batch(std::int64_t visited, std::int64_t took_ns);
};

class SearchOfRank : public BagOfRank {
 public:
  SearchOfRank(const BagOptions& bag, std::unique_ptr<Transport> transport,
               Surroundings surroundings, const CallOptions& options);

  /// Works until all ranks have nothing to do any more, or one of them wants an end.
  Balancer::Outcome run(SnapshotFolder* snapshots);

  const std::optional<Failure>& failure() const { return failure_.get(); }
  /// Why the search was ended, if this rank wanted that and it is no failure of a functor.
  const std::string& refusal() const { return refusal_; }
  /// Why it was told to stop, if this rank was, and not by a visit.
  const std::string& stopped() const { return stopped_; }

  /// On rank 0: time in which all ranks rested for snapshots.
  std::int64_t snapshots_ns() const { return balancer_->statistics().snapshots_ns; }

  std::vector<WorkerStatistics> statistics() const;

 protected:
  /// To be called for each of them, in their order, before `run`.
  void add_worker(SearchWorker& worker);

  /// Visits a batch of nodes, or fewer where there are no more. It ends early where visits have
  /// become long, since others wait. \return  how many
  virtual std::int64_t visit_some(SearchWorker& worker) = 0;
  /// The size "nodes" of the worker's total; none where it has none.
  virtual std::optional<std::int64_t> counted_nodes(const SearchWorker& worker) = 0;
  /// Of the array of its deque.
  virtual std::size_t memory_bytes(const SearchWorker& worker) = 0;
  /// \throws  what wires and files do
  virtual void write_part(SnapshotFolder& snapshots) = 0;

  SearchWorker& first() { return *workers_.front(); }

 private:
  void start(Helpers& helpers);
  std::int64_t now_ns(const SearchWorker& worker) const;
  void help(SearchWorker& worker);
  std::int64_t work(SearchWorker& worker, std::int64_t begin_ns);
  std::int64_t search(SearchWorker& worker, std::int64_t begin_ns);
  std::int64_t look_for_work(SearchWorker& worker, std::int64_t begin_ns);
  void publish(SearchWorker& worker);
  std::int64_t nodes_of(const SearchWorker& worker);
  bool is_answered() const { return is_told_to_stop(); }
  void stop_worker(SearchWorker& worker);
  void finish(SearchWorker& worker);
  bool is_to_stop();
  void check_limits();

  // What the balancer asks.

  void take(std::span<const std::byte> nodes) final;
  std::uint8_t wishes() final;
  bool write_snapshot() final;
  bool complete_snapshot() final;

  const CallOptions& options_;
  const bool is_limited_;
  const Clock clock_;
  const std::int64_t offset_ns_;  ///< of that clock to the monotonic one
  std::vector<SearchWorker*> workers_;
  SnapshotFolder* snapshots_ = nullptr;
  std::string refusal_;
  std::string stopped_;
  std::int64_t begin_ns_ = 0;
};

}  // namespace cleave::detail
