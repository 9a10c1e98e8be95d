// SPDX-License-Identifier: Apache-2.0
// Writes the traces that pages are tested with: a sort, a study with a rehearsal, a search, names
// that no page may obey, 98 runs. usage: page_traces FOLDER
#include <fmt/format.h>

#include <filesystem>

#include <cleave/host/host.hpp>
#include <cleave/trace/machine_file.hpp>

#include "tests/models/synthetic_runs.hpp"
#include "tests/models/theory/synthetic_searches.hpp"

namespace cleave::models {
namespace {

namespace fs = std::filesystem;

void write_all(const fs::path& folder, const std::vector<Trace>& traces) {
  fs::create_directories(folder);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    write_synthetic_trace(folder / fmt::format("{}.trace.jsonl", i), traces[i]);
  }
}

SyntheticApp noisy_sort(const std::string& name) {
  SyntheticApp app;
  app.name = name;
  app.noise = 0.01;
  return app;
}

/// Also what its workers did.
void write_search(const fs::path& path, const Trace& trace) {
  RunInformation run = trace.run;
  run.provenance = provenance_here("synthetic", "", "none");
  TraceWriter writer(path, run);
  for (const Trace::Run& repetition : trace.repetitions) {
    Repetition written{.index = repetition.index, .elapsed_ns = repetition.elapsed_ns};
    written.sizes.add(Size{"nodes", repetition.sizes.at("nodes")});
    writer.add(written);
  }
  for (int rank = 0; rank < run.ranks; ++rank) {
    Recorder recorder;
    std::int64_t index = 0;
    for (const WorkerOfRepetition& worker : trace.workers) {
      if (worker.statistics.rank != rank) {
        continue;
      }
      recorder.begin_repetition(worker.repetition, false);
      const auto level = static_cast<int>(worker.statistics.thread);
      const std::int64_t begin = 1000 * index++;
      recorder.record(Block::sequential, level, 1, begin, begin + worker.statistics.searching_ns, 0,
                      {});
      recorder.add_worker(worker.statistics);
    }
    writer.add_lines(span_lines(recorder, rank, 0, recorder.spans().size()));
    writer.add_lines(last_lines(recorder, rank));
  }
  writer.commit();
}

void write(const fs::path& folder) {
  write_all(folder / "sort", synthetic_traces(noisy_sort("sort"), {1, 2, 4}, sort_sizes()));
  write_all(folder / "study" / "traces",
            synthetic_traces(noisy_sort("sort"), {1, 2}, sort_sizes()));
  SyntheticApp slower = noisy_sort("sort");  // than the law says
  slower.divide = [](const NamedSizes& s) { return 4e-9 * static_cast<double>(s.at("N")); };
  write_all(folder / "study" / "rehearsals",
            {synthetic_rehearsal(slower, 8, {{"N", 32 << 20}}, 3)});
  const std::string hostile = "</script><img src=x onerror=alert(1)>'\"&";
  write_all(folder / "hostile", synthetic_traces(noisy_sort(hostile), {1, 2}, sort_sizes()));
  std::vector<NamedSizes> many;
  for (std::int64_t i = 1; i <= 49; ++i) {
    many.push_back({{"N", i << 19}});
  }
  write_all(folder / "many", synthetic_traces(noisy_sort("sort"), {1, 2}, many));
  fs::create_directories(folder / "search");
  int index = 0;
  Truth truth;
  truth.noise = 0.01;
  for (const Trace& trace : search_traces(truth, {{1, 1}, {1, 2}, {2, 1}, {2, 2}},
                                          {1 << 20, 1 << 21, 1 << 22, 1 << 23})) {
    write_search(folder / "search" / fmt::format("{}.trace.jsonl", index++), trace);
  }
  const Communication entry{.ranks = 2, .latency_s = 2e-6, .gap_s_per_byte = 5e-11, .r_squared = 1};
  write_machine(
      folder / "here.machine.json",
      {.name = "test", .exchange = {entry}, .provenance = provenance_here("test", "", "none")});
}

}  // namespace
}  // namespace cleave::models

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: page_traces FOLDER\n");
    return 2;
  }
  cleave::models::write(argv[1]);
}
