// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/write_trace.hpp>

namespace cleave {

using namespace detail;

namespace {

constexpr std::int64_t kSpansAtOnce = 16384;

/// Each rank's mpi_time_ns minus that of rank 0, on rank 0. Collective. Cost: 20 round trips to
/// each rank; the fastest of them is used, so the error is at most half of its time.
std::vector<std::int64_t> clock_offsets_ns(const Comm& comm) {
  constexpr int kRoundTrips = 20;
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(comm.size()), 0);
  std::int64_t theirs = 0;
  const auto message = std::as_writable_bytes(std::span(&theirs, 1));
  for (int i = 0; comm.rank() != 0 && i < kRoundTrips; ++i) {
    comm.receive(0, message);
    theirs = mpi_time_ns();
    comm.send(0, message);
  }
  for (int other = 1; comm.rank() == 0 && other < comm.size(); ++other) {
    std::int64_t fastest = INT64_MAX;
    for (int i = 0; i < kRoundTrips; ++i) {
      const std::int64_t sent = mpi_time_ns();
      comm.send(other, message);
      comm.receive(other, message);
      const std::int64_t received = mpi_time_ns();
      if (received - sent < fastest) {
        fastest = received - sent;
        offsets[static_cast<std::size_t>(other)] = theirs - (sent + received) / 2;
      }
    }
  }
  return offsets;
}

/// The most memory that this process had resident, as getrusage counts it.
std::int64_t peak_memory_bytes() {
  constexpr std::int64_t kBytesPerKibibyte = 1024;
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss * kBytesPerKibibyte : 0;
}

}  // namespace

void write_trace(const Comm& comm, const std::filesystem::path& path, RunInformation run,
                 const Recorder& recorder) {
  run.ranks = comm.size();
  run.ranks_per_host = hosts_of(comm).ranks_per_host();
  run.oversubscribed = hosts_of(comm).oversubscribed(run.threads);
  run.clock_offset_ns = clock_offsets_ns(comm);
  const bool is_of_rank = !simulates_hosts(run.provenance.mpi_library);
  run.peak_memory_bytes = is_of_rank ? comm.allreduce_max(peak_memory_bytes()) : 0;

  std::optional<TraceWriter> writer;
  agree(comm, [&] {
    check_size_names(recorder);
    if (comm.rank() == 0) {
      writer.emplace(path, run);
      for (const Repetition& repetition : recorder.repetitions()) {
        writer->add(repetition);
      }
    }
  });

  // Sent whatever happens on rank 0, so that no rank is left waiting.
  std::exception_ptr failure;
  const std::int64_t most = comm.allreduce_max(std::ssize(recorder.spans()));
  for (std::int64_t at = 0; at == 0 || at < most; at += kSpansAtOnce) {
    std::string mine = span_lines(recorder, comm.rank(), static_cast<std::size_t>(at),
                                  static_cast<std::size_t>(kSpansAtOnce));
    if (at + kSpansAtOnce >= most) {
      mine += last_lines(recorder, comm.rank());
    }
    for_each_text(comm, mine, [&](const std::string& lines) {
      if (failure) {
        return;
      }
      try {
        writer->add_lines(lines);
      } catch (...) {
        failure = std::current_exception();
      }
    });
  }
  agree(comm, [&] {
    if (failure) {
      std::rethrow_exception(failure);
    }
    if (writer) {
      writer->commit();
    }
  });
}

}  // namespace cleave
