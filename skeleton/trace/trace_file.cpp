// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include <cleave/error.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

static constexpr const char* kTraceFormat = "cleave-trace";
static constexpr int kTraceVersion = 3;
/// The version of a rehearsal, which a reader that knows of none must not take for a run.
static constexpr int kRehearsalVersion = 4;
/// 36 years: the difference of two times at most so far from a clock's zero is defined.
static constexpr std::int64_t kFarthest_ns = std::int64_t{1} << 60;

static void fields(JsonFields& object, RunInformation& run) {
  const int version = object.format(
      kTraceFormat, run.rehearsed.empty() ? kTraceVersion : kRehearsalVersion, kRehearsalVersion);
  object("app", run.app)("type", run.type)("placement", run.placement);
  object("ranks", run.ranks, 1, kMaxRanks)("threads", run.threads, 1, kMaxThreads);
  object("ranks_per_host", run.ranks_per_host, 1, kMaxRanks);
  object("oversubscribed", run.oversubscribed)("seed", run.seed);
  object("repetitions", run.repetitions, 0)("warm_up", run.warm_up, 0);
  object.optional("inputs", run.inputs).optional("files", run.files)("options", run.options);
  object("clock_offset_ns", run.clock_offset_ns, -kFarthest_ns, kFarthest_ns);
  object.optional("peak_memory_bytes", run.peak_memory_bytes, 0)("provenance", run.provenance);
  if (version == kRehearsalVersion) {
    object("rehearsed", run.rehearsed, 0, run.ranks - 1);
    object.require(!run.rehearsed.empty(), "rehearsed", "must name a rank at least");
  }
  object.require(run.clock_offset_ns.size() == static_cast<std::size_t>(run.ranks),
                 "clock_offset_ns",
                 fmt::format("must hold one number for each of {} ranks", run.ranks));
}

static void fields(JsonFields& object, Trace::Run& run) {
  object("repetition", run.index, 0)("warm_up", run.warm_up)("elapsed_ns", run.elapsed_ns, 0);
  sizes_field(object, run.sizes);
}

static void fields(JsonFields& object, WorkerOfRepetition& worker, int ranks = kMaxRanks,
                   int threads = kMaxThreads) {
  WorkerStatistics& s = worker.statistics;
  object("repetition", worker.repetition, 0)("rank", s.rank, 0, ranks - 1);
  object("thread", s.thread, 0, threads - 1)("visits", s.visits, 0)("nodes", s.nodes, 0);
  object("searches", s.searches, 0)("local_tried", s.local_tried, 0);
  object("local_made", s.local_made, 0)("remote_tried", s.remote_tried, 0);
  object("remote_made", s.remote_made, 0)("nodes_stolen", s.nodes_stolen, 0);
  object("bytes_received", s.bytes_received, 0)("searching_ns", s.searching_ns, 0);
  object("stealing_ns", s.stealing_ns, 0)("starting_ns", s.starting_ns, 0);
  object("idle_ns", s.idle_ns, 0)("ending_ns", s.ending_ns, 0);
  object.optional("searching_delay_ns", s.searching_delay_ns, 0);
  object.optional("waiting_delay_ns", s.waiting_delay_ns, 0);
}

namespace {

/// Reads a span into `trace`. `span_lines` writes it, without an object for each.
void read_span(JsonFields& object, Trace& trace) {
  auto& [rank, span] = trace.spans.emplace_back();
  object("rank", rank, 0, trace.run.ranks - 1)("repetition", span.repetition, 0);
  object("level", span.level, 0)("group", span.group, 1, trace.run.ranks)("bytes", span.bytes, 0);
  object.choice("block", span.block, kBlockNames);
  object("begin_ns", span.begin_ns, -kFarthest_ns, kFarthest_ns);
  object("end_ns", span.end_ns, span.begin_ns, kFarthest_ns);
  object.optional("run_delay_ns", span.run_delay_ns, 0);
  NamedSizes sizes;
  sizes_field(object, sizes);
  if (sizes.size() > Sizes::kMaxSizes) {
    object.refuse("sizes", fmt::format("holds {} sizes, at most {} are allowed", sizes.size(),
                                       Sizes::kMaxSizes));
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : sizes) {
    span.size_values[names.size()] = value;
    names.push_back(name);
  }
  const auto known = std::ranges::find(trace.size_names, names);
  span.size_names = static_cast<std::uint8_t>(known - trace.size_names.begin());
  if (known == trace.size_names.end()) {
    if (trace.size_names.size() == 256) {
      object.refuse("sizes", "is the 257th different list of names, 256 are allowed");
    }
    trace.size_names.push_back(std::move(names));
  }
}

/// Reads a line after the first into `trace`. \return  whether it is the last
bool read_line(JsonFields& object, std::int64_t line_number, Trace& trace) {
  if (object.has("end")) {
    std::int64_t lines = 0;
    object("lines", lines);
    object.require(lines == line_number, "lines",
                   fmt::format("does not match the {} lines found", line_number));
    return true;
  }
  if (object.has("elapsed_ns")) {
    fields(object, trace.repetitions.emplace_back());
  } else if (object.has("dropped")) {
    std::int64_t dropped = 0;
    object("dropped", dropped, 1);
    trace.dropped += dropped;
  } else if (object.has("thread")) {
    fields(object, trace.workers.emplace_back(), trace.run.ranks, trace.run.threads);
  } else {
    read_span(object, trace);
  }
  return false;
}

}  // namespace

Trace read_trace(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream || std::filesystem::is_directory(path)) {
    throw FileError(path, "cannot read");
  }
  Trace trace;
  trace.file = path;
  std::int64_t line_number = 0;
  bool ended = false;
  for (std::string line; std::getline(stream, line);) {
    const std::string where = fmt::format("line {}", ++line_number);
    if (ended) {
      throw FileError(path, where + ": text after the end");
    }
    JsonFields object = JsonFields::parse(path, where, line);
    if (line_number == 1) {
      fields(object, trace.run);
    } else {
      ended = read_line(object, line_number, trace);
    }
  }
  if (!ended) {
    throw FileError(
        path, line_number == 0
                  ? "empty, expected a trace"
                  : fmt::format("cut short after line {}: its last line is missing", line_number));
  }
  return trace;
}

TraceWriter::TraceWriter(const std::filesystem::path& path, const RunInformation& run)
    : file_(path) {
  add_lines(json_text(run) + '\n');
}

void TraceWriter::add(const Repetition& r) {
  Trace::Run run{r.index, r.warm_up, r.elapsed_ns, {}};
  for (const Size& size : r.sizes) {
    run.sizes.emplace(size.name, size.value);
  }
  add_lines(json_text(run) + '\n');
}

void TraceWriter::add_lines(std::string_view lines) {
  file_.write(lines);
  lines_ += std::count(lines.begin(), lines.end(), '\n');
}

void TraceWriter::commit() {
  add_lines(fmt::format("{{\"end\":\"{}\",\"lines\":{}}}\n", kTraceFormat, lines_ + 1));
  file_.commit();
}

void check_size_names(const Recorder& recorder) {
  const auto check = [](const Sizes& sizes) {
    for (const Size& size : sizes) {
      if (!is_size_name(size.name)) {
        throw Error(wrong_size_name(size.name));
      }
    }
  };
  std::ranges::for_each(recorder.repetitions(), check, &Repetition::sizes);
  std::ranges::for_each(recorder.names(), check);
}

std::string span_lines(const Recorder& recorder, int rank, std::size_t first, std::size_t count) {
  const auto all = recorder.spans();
  first = std::min(first, all.size());
  fmt::memory_buffer lines;
  for (const Span& span : all.subspan(first, std::min(count, all.size() - first))) {
    fmt::format_to(std::back_inserter(lines),
                   R"({{"repetition":{},"rank":{},"level":{},"group":{},"block":"{}",)"
                   R"("begin_ns":{},"end_ns":{},"bytes":{},)",
                   span.repetition, rank, span.level, span.group, name_of(span.block),
                   span.begin_ns, span.end_ns, span.bytes);
    if (span.run_delay_ns > 0) {
      fmt::format_to(std::back_inserter(lines), R"("run_delay_ns":{:.0f},)", span.run_delay_ns);
    }
    lines.append(std::string_view(R"("sizes":{)"));
    for (const char* comma = ""; const Size& size : recorder.sizes_of(span)) {
      fmt::format_to(std::back_inserter(lines), R"({}"{}":{})", std::exchange(comma, ","),
                     size.name, size.value);
    }
    lines.append(std::string_view("}}\n"));
  }
  return fmt::to_string(lines);
}

std::string last_lines(const Recorder& recorder, int rank) {
  std::string lines;
  if (recorder.dropped() > 0) {
    lines = fmt::format("{{\"rank\":{},\"dropped\":{}}}\n", rank, recorder.dropped());
  }
  for (WorkerOfRepetition worker : recorder.workers()) {
    worker.statistics.rank = rank;
    lines += json_text(worker) + '\n';
  }
  return lines;
}

NamedSizes Trace::sizes_of(const Span& span) const {
  const std::vector<std::string>& names = size_names.at(span.size_names);
  NamedSizes sizes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    sizes[names[i]] = span.size_values[i];
  }
  return sizes;
}

}  // namespace cleave::detail
