// SPDX-License-Identifier: Apache-2.0
// Work stealing: a search of an application's nodes by the workers of all ranks. Here is what knows
// the types of nodes and totals: the loop of visits, and what is packed. search.cpp has the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/comm.hpp>
#include <cleave/comm/transport.hpp>
#include <cleave/kernel/balancer.hpp>
#include <cleave/kernel/blocks.hpp>
#include <cleave/kernel/erased_value.hpp>
#include <cleave/kernel/segments.hpp>
#include <cleave/options.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

class AnyApp;

/// The nodes that the workers of one rank visit, and their totals, one for each worker.
class Searched {
 public:
  virtual ~Searched() = default;

  virtual AnySegments& segments() = 0;
  /// Makes the first nodes, on rank 0.
  virtual void begin(ErasedValue problem) = 0;
  /// Visits at most `maximum` nodes of `worker`, who calls. It ends early where visits have become
  /// long, since others wait. \param is_stopped  set where a visit stops the search
  virtual std::int64_t visit_some(int worker, std::int64_t maximum, const Transport& clock,
                                  bool& is_stopped) = 0;
  /// The size "nodes" of the worker's total; none where it has none.
  virtual std::optional<std::int64_t> nodes(int worker) const = 0;
  /// The total of all workers of this rank; nothing of tasks whose solution is on another rank.
  virtual ErasedValue take_total() = 0;
  virtual void pack_totals(Packer& packer) const = 0;
  virtual void add_totals(Unpacker& unpacker) = 0;
  /// The incumbent's key: the least is the best.
  virtual std::int64_t incumbent() const = 0;
  virtual void offer_incumbent(std::int64_t key) = 0;
  /// Messages of its own, by the main thread.
  virtual bool next_parcel(Parcel& parcel) = 0;
  virtual void deliver(std::span<const std::byte> parcel) = 0;
};

/// One DC_Call by work stealing on one rank, of MPI or a virtual one. Collective.
ErasedValue search(const AnyApp& app, const std::function<std::unique_ptr<Searched>()>& make,
                   const std::function<ErasedValue()>& given, const CallOptions& options,
                   const SearchMessages& ranks);

/// \tparam Kernel  what a worker does with a node: a tree search, or an application's general form
///                 as one (fork_join.hpp). Each worker has a visitor of its own deque.
template <class Kernel>
class SearchedBy final : public Searched {
 public:
  template <class App>
  SearchedBy(const App& app, int rank, const CallOptions& options)
      : kernel_(app, rank, options),
        segments_(options.stealing.threads, kInitialCapacity, kernel_.wire()),
        totals_(static_cast<std::size_t>(options.stealing.threads)) {}

  AnySegments& segments() override { return segments_; }
  void begin(ErasedValue problem) override {
    kernel_.begin(std::move(problem), segments_.of(0), totals_.front().total, incumbent_);
  }

  std::int64_t visit_some(int worker, std::int64_t maximum, const Transport& clock,
                          bool& is_stopped) override {
    constexpr int kTurnsBetweenLooks = 16;
    constexpr std::int64_t kTooLong_ns = 1'000'000;
    const std::int64_t begin_ns = clock.coarse_ns();
    auto& mine = segments_.of(worker);
    auto& [total, slot] = totals_[static_cast<std::size_t>(worker)];
    auto visitor = kernel_.visitor(mine, slot);
    std::int64_t visited = 0;
    for (int turn = 1; visited < maximum && mine.has_private() && !visitor.is_stopped(); ++turn) {
      visited += visitor.visit(maximum - visited, total, incumbent_);
      if (turn % kTurnsBetweenLooks == 0 && clock.coarse_ns() - begin_ns > kTooLong_ns) {
        break;
      }
    }
    is_stopped = visitor.is_stopped();
    return visited;
  }

  std::optional<std::int64_t> nodes(int worker) const override {
    return kernel_.nodes(totals_[static_cast<std::size_t>(worker)].total);
  }
  ErasedValue take_total() override {
    for (std::size_t i = 1; i < totals_.size(); ++i) {
      kernel_.add(totals_.front().total, std::move(totals_[i].total));
    }
    return kernel_.erased(std::move(totals_.front().total));
  }

  void pack_totals(Packer& packer) const override {
    for (const OfWorker& of : totals_) {
      kernel_.pack(packer, of.total);
    }
  }
  void add_totals(Unpacker& unpacker) override { kernel_.add(totals_.front().total, unpacker); }

  std::int64_t incumbent() const override { return incumbent_.key(); }
  void offer_incumbent(std::int64_t key) override { incumbent_.offer_key(key); }

  bool next_parcel(Parcel& parcel) override { return kernel_.next_parcel(parcel); }
  void deliver(std::span<const std::byte> parcel) override {
    kernel_.deliver(parcel, totals_.front().total);
  }

 private:
  static constexpr std::size_t kInitialCapacity = 1024;
  using Total = typename Kernel::Total;
  struct alignas(kCacheLineBytes) OfWorker {
    Total total{};
    WorkerSlot slot{};
  };

  Kernel kernel_;
  Segments<typename Kernel::Node, typename Kernel::Wire> segments_;
  std::vector<OfWorker> totals_;
  typename Kernel::Incumbent incumbent_{};
};

template <class Kernel, class App>
ErasedValue search_by(const AnyApp& any, const App& app, const std::function<ErasedValue()>& given,
                      const CallOptions& options, const SearchMessages& ranks) {
  return search(
      any, [&] { return std::make_unique<SearchedBy<Kernel>>(app, ranks.rank(), options); }, given,
      options, ranks);
}

/// A tree search as the workers run it.
template <TreeSearch App>
struct SearchKernel {
  using Node = OpenOf<App>;
  using Wire = NodeWire<Node>;
  using Total = typename App::Solution;
  using Incumbent = IncumbentOf<App>;

  SearchKernel(const App& of, int /*rank*/, const CallOptions& /*options*/) : app(of) {}

  static Wire wire() { return {}; }
  void begin(ErasedValue problem, SplitDeque<Node>& deque, Total& total,
             Incumbent& incumbent) const {
    using Problem = typename App::Problem;
    incumbent.offer(in_functor("first_incumbent", [&] {
      return first_incumbent(app, std::as_const(problem).template as<Problem>());
    }));
    open_first(app, problem.template take<Problem>(), deque, total);
  }
  Visitor<App> visitor(SplitDeque<Node>& deque, WorkerSlot& slot) const {
    return {app, deque, slot};
  }
  std::optional<std::int64_t> nodes(const Total& total) const { return nodes_of(app, total); }

  void add(Total& total, Total other) const {
    total = app.combine(std::move(total), std::move(other));
  }
  void add(Total& total, Unpacker& unpacker) const { add(total, unpack_element<Total>(unpacker)); }
  static void pack(Packer& packer, const Total& total) { pack_element<Total>(packer, total); }
  static ErasedValue erased(Total&& total) { return ErasedValue::of<Total>(std::move(total)); }

  // It has no messages of its own.
  static bool next_parcel(Parcel& /*parcel*/) { return false; }
  static void deliver(std::span<const std::byte> /*parcel*/, Total& /*total*/) {}

  const App& app;
};

}  // namespace cleave::detail
