// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <cleave/clock.hpp>
#include <cleave/hosts.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/write_trace.hpp>

namespace cleave {

using namespace detail;

namespace {

constexpr std::size_t kSpansAtOnce = 16384;

/// The lines of rank `rank`, part after part, through `take` on rank 0. Sent whatever happens
/// there, so that no rank is left waiting. An empty part is the last.
template <class Take>
void for_each_part(const Comm& comm, int rank, const Recorder& recorder, Take&& take) {
  if (comm.rank() != rank && comm.rank() != 0) {
    return;
  }
  bool has_end = true;
  std::string lines;
  for (std::size_t at = 0; at == 0 || !lines.empty(); at += kSpansAtOnce) {
    if (comm.rank() == rank) {
      lines = at < recorder.spans().size() ? span_lines(recorder, rank, at, kSpansAtOnce)
              : std::exchange(has_end, false)
                  ? dropped_line(recorder, rank) + worker_lines(recorder, rank)
                  : "";
    }
    lines = text_of_rank(comm, rank, std::move(lines));
    if (comm.rank() == 0) {
      take(lines);
    }
  }
}

/// The most memory that this process had resident, as getrusage counts it.
std::int64_t peak_memory_bytes() {
  constexpr std::int64_t kBytesPerKibibyte = 1024;
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss * kBytesPerKibibyte : 0;
}

}  // namespace

std::string detail::text_of_rank(const Comm& comm, int rank, std::string text) {
  auto length = static_cast<std::int64_t>(text.size());
  if (rank != 0 && comm.rank() == rank) {
    comm.send(0, std::as_bytes(std::span(&length, 1)));
    comm.send(0, std::as_bytes(std::span(text)));
  } else if (rank != 0) {
    comm.receive(rank, std::as_writable_bytes(std::span(&length, 1)));
    text.resize(static_cast<std::size_t>(length));
    comm.receive(rank, std::as_writable_bytes(std::span(text)));
  }
  return text;
}

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

  std::exception_ptr failure;
  for (int rank = 0; rank < comm.size(); ++rank) {
    for_each_part(comm, rank, recorder, [&](const std::string& lines) {
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
