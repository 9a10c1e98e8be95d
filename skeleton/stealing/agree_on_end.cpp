// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cleave/blocks/agree_on_failure.hpp>
#include <cleave/error.hpp>
#include <cleave/stealing/agree_on_end.hpp>

namespace cleave::detail {

namespace {

/// What all ranks do next where one of them asks for it: the greatest counts.
enum Agenda : std::int64_t { kNothingElse, kStatistics, kAnswered, kEndEarly };

std::int64_t least_of_all(const Messages& comm, std::int64_t mine) {
  comm.allreduce_min(std::span(&mine, 1));
  return mine;
}

/// Gathers what all workers did where rank 0's caller asks for it.
void tell(const SearchMessages& comm, const std::vector<WorkerStatistics>& mine,
          std::vector<WorkerStatistics>* told) {
  std::vector<WorkerStatistics> all(comm.rank() == 0 ? mine.size() * comm.size() : 0);
  comm.gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  if (told != nullptr) {
    *told = std::move(all);
  }
}

}  // namespace

void require_stealing(const CallOptions& options) {
  const int threads = options.stealing.threads;
  if (threads < 1 || threads > StealingOptions::kMaxThreads) {
    throw Error(fmt::format("work stealing has 1 to {} threads of a rank, not {}",
                            StealingOptions::kMaxThreads, threads));
  }
  if (traits_of(options.placement).problem == Holders::parts) {
    throw Error(
        "work stealing takes its problem from rank 0 (rooted) or from every rank (replicated), not "
        "in parts (distributed)");
  }
}

std::optional<EndedEarly> agree_on_end(const SearchMessages& comm, BlockRunner& blocks,
                                       const CallOptions& options, const SearchOfRank& workers,
                                       const SnapshotFolder* snapshots) {
  if (snapshots != nullptr && options.checkpoint->report != nullptr) {
    *options.checkpoint->report = {.resumed_from = snapshots->resumed_from(),
                                   .written = snapshots->written(),
                                   .resting_ns = workers.snapshots_ns()};
  }
  blocks.take_failure(workers.failure());
  const bool is_told = !workers.refusal().empty() || !workers.stopped().empty();
  const bool is_early = workers.outcome() != Balancer::Outcome::done;
  const bool tells = options.stealing.statistics != nullptr;
  const std::int64_t agenda = agree_on_failure(comm, blocks,
                                               is_told    ? kEndEarly
                                               : is_early ? kAnswered
                                               : tells    ? kStatistics
                                                          : kNothingElse);
  if (agenda == kStatistics || (agenda > kStatistics && least_of_all(comm, tells ? 0 : 1) == 0)) {
    tell(comm, workers.statistics(), options.stealing.statistics);
  }
  if (agenda != kEndEarly) {
    return std::nullopt;
  }
  const std::string kept =
      comm.bcast(snapshots != nullptr && snapshots->written() > 0
                     ? "; " + options.checkpoint->folder.string() + " holds a snapshot"
                     : "",
                 0);
  const std::string refusal = text_of_any(comm, workers.refusal());
  return EndedEarly{
      .reason = (refusal.empty() ? text_of_any(comm, workers.stopped()) : refusal) + kept,
      .can_be_resumed = refusal.empty() && !kept.empty()};
}

}  // namespace cleave::detail
