// SPDX-License-Identifier: Apache-2.0
// Traces of runs that never ran: their times come from coefficients that a fit has to find again.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <cleave/host/host.hpp>
#include <cleave/trace/trace_file.hpp>

namespace cleave::models {

using namespace cleave::detail;

/// The seconds of a block at its sizes, or of a message of some bytes.
using Cost = std::function<double(const NamedSizes&)>;

/// An application on replicated data whose blocks cost what it says.
struct SyntheticApp {
  std::string name = "sort";
  Cost divide = [](const NamedSizes& s) { return 1e-4 + 2e-9 * static_cast<double>(s.at("N")); };
  Cost combine = [](const NamedSizes& s) { return 5e-5 + 1e-9 * static_cast<double>(s.at("N")); };
  Cost sequential = [](const NamedSizes& s) {
    const auto n = static_cast<double>(s.at("N"));
    return 4e-9 * n * std::log2(std::max(n, 1.0));
  };
  double latency_s = 2e-6;
  double gap_s_per_byte = 5e-11;
  std::string size_halved = "N";  ///< the size that a division halves
  std::string size_moved = "N";   ///< 4 bytes of each are moved
  bool moves_all = false;         ///< whether each level moves the whole of it
  double noise = 0;               ///< relative standard deviation of each time
  unsigned seed = 1;
};

/// The spans of one rank in one repetition, at clocks that are slower by a factor that `slowness`
/// draws anew for each block. \return  when it ends
template <class Slowness>
std::int64_t add_rank(Trace& trace, const SyntheticApp& app, int rank, NamedSizes here,
                      int repetition, Slowness&& slowness) {
  const int ranks = trace.run.ranks;
  std::int64_t now = 0;
  const auto add = [&](Block block, int level, int group, double seconds, std::int64_t bytes) {
    Span span{.begin_ns = now,
              .end_ns = now + std::llround(seconds * slowness() * 1e9),
              .bytes = bytes,
              .repetition = repetition,
              .group = group,
              .level = static_cast<std::int16_t>(level),
              .block = block};
    std::size_t i = 0;
    for (const auto& [name, value] : here) {
      span.size_values[i++] = value;
    }
    now = span.end_ns;
    trace.spans.push_back({rank, span});
  };
  int level = 0;
  for (int group = ranks; group > 1; group /= 2, ++level) {
    add(Block::divide, level, group, app.divide(here), 0);
    here[app.size_halved] /= 2;
  }
  add(Block::sequential, level, 1, app.sequential(here), 0);
  for (int group = 2; group <= ranks; group *= 2) {
    --level;
    const std::int64_t moved = 4 * here[app.size_moved];
    add(Block::exchange, level, group,
        2 * (app.latency_s + static_cast<double>(moved) * app.gap_s_per_byte), moved);
    here[app.size_halved] *= 2;
    add(Block::combine, level, group, app.combine(here), 0);
  }
  return now;
}

/// A trace of `app` on `ranks` ranks, a power of two, with counted `repetitions` and a warm-up.
inline Trace synthetic_trace(const SyntheticApp& app, int ranks, const NamedSizes& sizes,
                             int repetitions = 3) {
  Trace trace;
  trace.file = app.name + "-" + std::to_string(ranks) + ".trace.jsonl";
  trace.run = {.app = app.name,
               .type = "hypercube",
               .placement = "replicated",
               .ranks = ranks,
               .ranks_per_host = ranks,
               .seed = app.seed,
               .repetitions = repetitions,
               .warm_up = 1,
               .clock_offset_ns = std::vector<std::int64_t>(static_cast<std::size_t>(ranks), 0)};
  for (const auto& [name, value] : sizes) {
    trace.size_names.resize(1);
    trace.size_names[0].push_back(name);
  }
  std::mt19937 random(app.seed + static_cast<unsigned>(ranks) * 7919U +
                      static_cast<unsigned>(sizes.begin()->second));
  std::normal_distribution<double> normal(0, app.noise);

  for (int repetition = 0; repetition <= repetitions; ++repetition) {
    std::int64_t longest = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      longest = std::max(longest, add_rank(trace, app, rank, sizes, repetition, [&] {
                           return repetition == 0 ? 5 : 1 + normal(random);
                         }));
    }
    trace.repetitions.push_back(
        {.index = repetition, .warm_up = repetition == 0, .elapsed_ns = longest, .sizes = sizes});
  }
  return trace;
}

/// Rank 0 of such a run as it is rehearsed: without messages, for which its clock stands.
inline Trace synthetic_rehearsal(const SyntheticApp& app, int ranks, const NamedSizes& sizes,
                                 int repetitions = 3) {
  Trace trace = synthetic_trace(app, ranks, sizes, repetitions);
  std::erase_if(trace.spans, [](const Trace::RankSpan& of) {
    return of.rank != 0 || of.span.block == Block::exchange;
  });
  for (Trace::Run& run : trace.repetitions) {
    std::int64_t now = 0;
    for (auto& [rank, span] : trace.spans) {
      if (span.repetition == run.index) {
        const std::int64_t ns = span.end_ns - span.begin_ns;
        span.begin_ns = now;
        now = span.end_ns = now + ns;
      }
    }
    run.elapsed_ns = now;
  }
  trace.run.rehearsed = {0};
  return trace;
}

/// Makes all times of a run so many times as long, as on a host that does something else, too.
inline void make_slower(Trace& trace, double slower) {
  for (Trace::Run& run : trace.repetitions) {
    run.elapsed_ns = std::llround(slower * static_cast<double>(run.elapsed_ns));
  }
  for (auto& [rank, span] : trace.spans) {
    span.begin_ns = std::llround(slower * static_cast<double>(span.begin_ns));
    span.end_ns = std::llround(slower * static_cast<double>(span.end_ns));
  }
}

/// `synthetic_trace` of each number of ranks at each size.
inline std::vector<Trace> synthetic_traces(const SyntheticApp& app, const std::vector<int>& ranks,
                                           const std::vector<NamedSizes>& sizes) {
  std::vector<Trace> traces;
  for (const int p : ranks) {
    for (const NamedSizes& size : sizes) {
      traces.push_back(synthetic_trace(app, p, size));
    }
  }
  return traces;
}

/// Writes what `synthetic_trace` made.
inline void write_synthetic_trace(const std::filesystem::path& path, const Trace& trace) {
  RunInformation run = trace.run;
  if (run.provenance.program.empty()) {
    run.provenance = provenance_here("synthetic", "", "none");
  }
  TraceWriter writer(path, run);
  for (const Trace::Run& repetition : trace.repetitions) {
    Repetition written{.index = repetition.index,
                       .warm_up = repetition.warm_up,
                       .elapsed_ns = repetition.elapsed_ns};
    for (const auto& [name, value] : repetition.sizes) {
      written.sizes.add(Size{name, value});
    }
    writer.add(written);
  }
  for (int rank = 0; rank < run.ranks; ++rank) {
    Recorder recorder;
    for (const auto& [of_rank, span] : trace.spans) {
      if (of_rank != rank) {
        continue;
      }
      Sizes sizes;
      for (std::size_t i = 0; i < trace.size_names[0].size(); ++i) {
        sizes.add(Size{trace.size_names[0][i], span.size_values[i]});
      }
      recorder.begin_repetition(span.repetition, false);
      recorder.record(span.block, span.level, span.group, span.begin_ns, span.end_ns, span.bytes,
                      sizes);
    }
    writer.add_lines(span_lines(recorder, rank, 0, recorder.spans().size()));
  }
  writer.commit();
}

/// N = 1M, 2M, 4M, 8M, 16M, 32M, as in the paper.
inline std::vector<NamedSizes> sort_sizes() {
  std::vector<NamedSizes> sizes;
  for (std::int64_t n = 1 << 20; n <= 32 << 20; n *= 2) {
    sizes.push_back({{"N", n}});
  }
  return sizes;
}

/// N in {128K, 256K, 512K, 1024K}, M in {N, 2N, 4N, 8N}.
inline std::vector<NamedSizes> graph_sizes() {
  std::vector<NamedSizes> sizes;
  for (std::int64_t n = 128 << 10; n <= 1024 << 10; n *= 2) {
    for (std::int64_t m = n; m <= 8 * n; m *= 2) {
      sizes.push_back({{"N", n}, {"M", m}});
    }
  }
  return sizes;
}

/// Connected components with coefficients of the paper's size: divide {1, M}, combine {1, N},
/// sequential {1, N, M}; every level moves the whole root vector.
inline SyntheticApp synthetic_components() {
  const auto of = [](const NamedSizes& s, const char* name) {
    return static_cast<double>(s.at(name));
  };
  SyntheticApp app;
  app.name = "components";
  app.divide = [of](const NamedSizes& s) { return 1e-5 + 2.25e-9 * of(s, "M"); };
  app.combine = [of](const NamedSizes& s) { return 2e-5 + 2.3e-8 * of(s, "N"); };
  app.sequential = [of](const NamedSizes& s) {
    return 1e-5 + 1.35e-8 * of(s, "N") + 4.6e-8 * of(s, "M");
  };
  app.size_halved = "M";
  app.size_moved = "N";
  return app;
}

}  // namespace cleave::models
