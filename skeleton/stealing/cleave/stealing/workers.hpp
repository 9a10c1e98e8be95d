// SPDX-License-Identifier: Apache-2.0
// The workers of one rank in a search: they visit the nodes of a bag (bag.hpp), steal from one
// another, and rest when they are told to. The first is the calling thread, which also speaks with
// the other ranks (balancer.hpp). Here is what depends on the types of nodes and totals; all else
// is in search_of_rank.hpp, and compiled once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <cleave/bag.hpp>
#include <cleave/blocks/call_options.hpp>
#include <cleave/stealing/kernel.hpp>
#include <cleave/stealing/search_of_rank.hpp>
#include <cleave/stealing/snapshot.hpp>

namespace cleave::detail {

template <Kernel K>
class Workers final : public BagInstance<typename K::Node, SearchOfRank> {
 public:
  using Node = typename K::Node;
  using Total = typename K::Total;

  Workers(K& kernel, std::unique_ptr<Transport> transport, Surroundings surroundings,
          typename K::Incumbent& incumbent, const CallOptions& options)
      : Instance({.workers = options.stealing.threads,
                  .max_stolen_bytes = options.stealing.max_stolen_bytes,
                  .poll_ns = options.stealing.poll_ns,
                  .seed = options.stealing.seed},
                 std::move(transport), std::move(surroundings), options),
        kernel_(kernel),
        incumbent_(incumbent) {
    for (int i = 0; i < options.stealing.threads; ++i) {
      workers_.push_back(std::make_unique<Worker>(transport_->rank(), i));
      this->add_worker(*workers_.back());
    }
  }

  /// Calls `fill` with where the first nodes are put and what they count into, before `run`. What
  /// it throws is a failure that ends the search.
  template <class Fill>
  void begin(Fill&& fill) {
    this->first().has_failed =
        !failure_.guard("begin", [&] { fill(deques_.of(0), workers_.front()->total); });
  }

  /// What a snapshot held. \throws Error  if it is damaged
  void restore(const SnapshotPart& part) {
    deques_.take(part.nodes);
    Total& total = workers_.front()->total;
    for (Unpacker unpacker(part.totals); unpacker.left() > 0;) {
      total = kernel_.combine(std::move(total), unpack_element<Total>(unpacker));
    }
    incumbent_.offer_key(part.incumbent);
  }

  /// All that the workers of this rank have counted.
  Total take_total() {
    Total all = std::move(workers_.front()->total);
    for (std::size_t i = 1; i < workers_.size(); ++i) {
      all = kernel_.combine(std::move(all), std::move(workers_[i]->total));
    }
    return all;
  }

 private:
  using Instance = BagInstance<Node, SearchOfRank>;
  using Instance::deques_;
  using Instance::failure_;
  using Instance::transport_;

  struct Worker : SearchWorker {
    using SearchWorker::SearchWorker;
    Total total{};
  };

  Worker& of(const SearchWorker& worker) {
    return *workers_[static_cast<std::size_t>(worker.index)];
  }

  std::int64_t visit_some(SearchWorker& worker) override {
    constexpr int kTurnsBetweenLooks = 16;
    constexpr std::int64_t kTooLong_ns = 1'000'000;
    const std::int64_t begin_ns = transport_->coarse_ns();
    SplitDeque<Node>& mine = deques_.of(worker.index);
    Total& total = of(worker).total;
    auto visitor = kernel_.visitor(mine);
    std::int64_t visited = 0;
    for (int turn = 1; visited < worker.batch && mine.has_private() && !visitor.is_stopped();
         ++turn) {
      visited += visitor.visit(worker.batch - visited, total, incumbent_);
      if (turn % kTurnsBetweenLooks == 0 && transport_->coarse_ns() - begin_ns > kTooLong_ns) {
        break;
      }
    }
    if (visitor.is_stopped()) {
      this->stop();
    }
    return visited;
  }

  std::optional<std::int64_t> counted_nodes(const SearchWorker& worker) override {
    return kernel_.nodes(std::as_const(of(worker).total));
  }
  std::size_t memory_bytes(const SearchWorker& worker) override {
    return deques_.of(worker.index).memory_bytes();
  }

  bool next_parcel(Parcel& parcel) override { return kernel_.next_parcel(parcel); }
  void deliver(std::span<const std::byte> parcel) override {
    failure_.guard("combine", [&] { kernel_.deliver(parcel, workers_.front()->total); });
  }

  std::int64_t incumbent() override { return incumbent_.key(); }
  void offer_incumbent(std::int64_t key) override { incumbent_.offer_key(key); }

  void write_part(SnapshotFolder& snapshots) override {
    if constexpr (Transferable<Total>) {
      Packer nodes;
      deques_.for_each([&nodes](const Node& node) { pack_element<Node>(nodes, node); });
      Packer totals;
      for (const auto& worker : workers_) {
        pack_element<Total>(totals, worker->total);
      }
      snapshots.write_part(nodes.bytes(), totals.bytes(), incumbent_.key());
    }
  }

  K& kernel_;
  typename K::Incumbent& incumbent_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace cleave::detail
