// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <exception>
#include <utility>

#include <cleave/comm.hpp>
#include <cleave/dc_call.hpp>
#include <cleave/error.hpp>

namespace cleave::detail {

namespace {

/// DC_Type::sequential: the whole problem on the calling rank. What a functor throws passes
/// unchanged. A search without the other functors is no block: its visits are too short.
ErasedValue solve_on_one_rank(const AnyApp& app, const Given& given, const CallOptions& options) {
  Blocks blocks(app, options);
  Values problem = list_of(given());
  std::optional<Values> solution;
  if (app.traits().divides) {
    blocks.add_run_sizes(blocks.problem_sizes(problem));
    solution = blocks.solve(std::move(problem), Level{});
  } else {
    WorkerSlot slot;
    solution =
        list_of(app.sequential(std::move(problem.front()), limits_of(options.stealing), slot));
  }
  if (solution) {
    blocks.add_run_sizes(blocks.solution_sizes(*solution));
  }
  if (blocks.failure()) {
    std::rethrow_exception(blocks.failure()->exception);
  }
  return std::move(solution.value().front());
}

/// Collective: all ranks make the same call, or all throw. Cost: one all-reduce.
/// \param application, problem  hashes; 0 of a problem that is not compared.
/// \throws Error  if type, placement, threads, application or problem differ. For work stealing
///                also if some ranks have snapshots, or are told of an early end, and some are not
void agree_on_call(const Comm& comm, DC_Type type, const CallOptions& options,
                   std::uint64_t application, std::uint64_t problem) {
  if (comm.size() == 1) {
    return;
  }
  const bool steals = type == DC_Type::work_stealing;
  const bool has_snapshots = steals && options.checkpoint;
  const bool tells_end = steals && options.stealing.ended_early != nullptr;
  const std::uint64_t how = static_cast<std::uint64_t>(type) << 16 |
                            static_cast<std::uint64_t>(options.placement) << 8 |
                            (has_snapshots ? 2 : 0) | (tells_end ? 1 : 0);
  const std::array mine{how, std::uint64_t(options.stealing.threads), application, problem};
  // Without its last bit, so that the negative exists.
  const auto hash = static_cast<std::int64_t>(hash_of(std::as_bytes(std::span(mine))) >> 1);
  std::array<std::int64_t, 2> minimum = {hash, -hash};
  BlockRunner(options).timed(Block::wait, {0, comm.size()}, [&] { comm.allreduce_min(minimum); });
  if (minimum[0] == -minimum[1]) {
    return;
  }
  auto first = mine;
  comm.bcast(std::as_writable_bytes(std::span(first)), 0);
  const auto other =
      static_cast<int>(comm.allreduce_min(first != mine ? comm.rank() : comm.size()));
  const std::string text = fmt::format("{}, {}, threads {}{}{}, application {:x}, problem {:x}",
                                       name_of(type), name_of(options.placement),
                                       options.stealing.threads, has_snapshots ? ", snapshots" : "",
                                       tells_end ? ", ended_early" : "", application, problem);
  const std::string of_first = comm.bcast(text, 0);
  throw Error(fmt::format(
      "rank 0 calls DC_Call with {}, rank {} with {}: all ranks must make the same call; placement "
      "replicated wants the same problem on every rank, rooted takes that of rank 0",
      of_first, other, comm.bcast(text, other)));
}

}  // namespace

Solver solver_of(const AnyApp& app, const CallOptions& options) {
  const int threads = options.stealing.threads;
  if (threads == 1) {
    return nullptr;
  }
  if (!app.traits().shares_own_part) {
    throw Error(
        "several threads of a rank are not for this application on the hypercube: its Problem "
        "cannot cross, or it has `sequential` and no `bool small(const Problem&) const`, which "
        "says what one thread solves by it");
  }
  CallOptions alone{{.comm = MPI_COMM_SELF, .stealing = options.stealing}};
  alone.stealing.statistics = nullptr;
  alone.bound_to = options.bound_to;
  alone.is_polite = hosts_of(Comm(options.comm)).oversubscribed(threads);
  return [&app, alone = std::move(alone)](ErasedValue problem) {
    try {
      return app.steal([&] { return std::move(problem); }, alone, Comm(MPI_COMM_SELF));
    } catch (const FunctorError& e) {
      throw BlockFailed(e.block(), e.message());
    }
  };
}

ErasedValue call(DC_Type type, const AnyApp& app, std::uint64_t problem_hash, const Given& given,
                 const CallOptions& options) {
  if (type != DC_Type::sequential) {
    agree_on_call(Comm(options.comm), type, options, app.traits().type_hash,
                  options.placement == Placement::replicated ? problem_hash : 0);
  }
  if (name_of(options.placement).empty()) {
    throw Error("not a Placement");
  }
  switch (type) {
    case DC_Type::sequential:
      return solve_on_one_rank(app, given, options);
    case DC_Type::hypercube:
      return solve_on_hypercube(app, options, Comm(options.comm), solver_of(app, options), given);
    case DC_Type::work_stealing:
      return app.steal(given, options, Comm(options.comm));
  }
  throw Error("not a DC_Type");
}

ErasedValue call_on(const SearchMessages& ranks, const AnyApp& app, const Given& given,
                    const CallOptions& options, DC_Type type) {
  std::array<std::int64_t, 2> agreed{};
  ranks.allreduce_min(agreed);  // takes the time of that agreement
  if (type == DC_Type::hypercube) {
    return solve_on_hypercube(app, options, ranks, nullptr, given);
  }
  return app.steal(given, options, ranks);
}

}  // namespace cleave::detail
