// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <utility>

#include <cleave/error.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

namespace {

constexpr const char* kTraceFormat = "cleave-trace";
/// 36 years: of times that are at most so far from a clock's zero, any difference is defined.
constexpr std::int64_t kFarthest_ns = std::int64_t{1} << 60;

NamedSizes named(const Sizes& sizes) {
  NamedSizes named;
  for (const Size& size : sizes) {
    named.emplace(size.name, size.value);
  }
  return named;
}

}  // namespace

static void fields(JsonFields& object, RunInformation& run) {
  const int version =
      object.format(kTraceFormat, run.rehearsed.empty() ? kTraceVersion : kRehearsalVersion,
                    {kTraceVersion, kRehearsalVersion});
  object("app", run.app)("type", run.type)("placement", run.placement);
  object("ranks", run.ranks, 1, kMaxRanks)("threads", run.threads, 1, kMaxThreads);
  object("ranks_per_host", run.ranks_per_host, 1, kMaxRanks);
  object("oversubscribed", run.oversubscribed)("seed", run.seed);
  object("repetitions", run.repetitions, 0)("warm_up", run.warm_up, 0);
  object.optional("inputs", run.inputs)("options", run.options);
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
}

/// All of a span but its sizes. `span_lines` writes it, without an object for each.
static void read_fields(JsonFields& object, Trace::RankSpan& entry, int ranks) {
  Span& span = entry.span;
  object("rank", entry.rank, 0, ranks - 1)("repetition", span.repetition, 0);
  object("level", span.level, 0)("group", span.group, 1, ranks)("bytes", span.bytes, 0);
  object.choice("block", span.block, kBlockNames);
  object("begin_ns", span.begin_ns, -kFarthest_ns, kFarthest_ns);
  object("end_ns", span.end_ns, span.begin_ns, kFarthest_ns);
}

namespace {

/// Reads the lines of a trace one by one into a Trace.
class TraceReader {
 public:
  explicit TraceReader(const std::filesystem::path& path) { trace_.file = path; }

  Trace read() {
    std::ifstream stream(trace_.file, std::ios::binary);
    if (!stream || std::filesystem::is_directory(trace_.file)) {
      throw FileError(trace_.file, "cannot read");
    }
    bool ended = false;
    for (std::string line; std::getline(stream, line);) {
      ++line_number_;
      if (ended) {
        throw FileError(trace_.file, fmt::format("line {}: text after the end", line_number_));
      }
      ended = read_line(line);
    }
    if (line_number_ == 0) {
      throw FileError(trace_.file, "empty, expected a trace");
    }
    if (!ended) {
      throw FileError(trace_.file, fmt::format("cut short after line {}: its last line is missing",
                                               line_number_));
    }
    return std::move(trace_);
  }

 private:
  /// Returns whether this was the last line.
  bool read_line(const std::string& line) {
    const std::string where = fmt::format("line {}", line_number_);
    JsonFields object = JsonFields::parse(trace_.file, where, line);
    if (line_number_ == 1) {
      fields(object, trace_.run);
    } else if (object.has("end")) {
      if (object.get<std::int64_t>("lines") != line_number_) {
        object.refuse("lines", fmt::format("does not match the {} lines found", line_number_));
      }
      return true;
    } else if (object.has("elapsed_ns")) {
      fields(object, trace_.repetitions.emplace_back());
    } else if (object.has("dropped")) {
      trace_.dropped += object.get<std::int64_t>("dropped", 1);
    } else if (object.has("thread")) {
      fields(object, trace_.workers.emplace_back(), trace_.run.ranks, trace_.run.threads);
    } else {
      read_span(object);
    }
    return false;
  }

  void read_span(JsonFields& object) {
    Trace::RankSpan& entry = trace_.spans.emplace_back();
    read_fields(object, entry, trace_.run.ranks);
    NamedSizes sizes;
    sizes_field(object, sizes);
    if (sizes.size() > Sizes::kMaxSizes) {
      object.refuse("sizes", fmt::format("holds {} sizes, at most {} are allowed", sizes.size(),
                                         Sizes::kMaxSizes));
    }
    std::vector<std::string> names;
    for (const auto& [name, value] : sizes) {
      entry.span.size_values[names.size()] = value;
      names.push_back(name);
    }
    auto known = std::find(trace_.size_names.begin(), trace_.size_names.end(), names);
    if (known == trace_.size_names.end()) {
      if (trace_.size_names.size() == 256) {
        object.refuse("sizes", "is the 257th different list of names, 256 are allowed");
      }
      trace_.size_names.push_back(names);
      known = std::prev(trace_.size_names.end());
    }
    entry.span.size_names = static_cast<std::uint8_t>(known - trace_.size_names.begin());
  }

  Trace trace_;
  std::int64_t line_number_ = 0;
};

}  // namespace

TraceWriter::TraceWriter(const std::filesystem::path& path, const RunInformation& run)
    : file_(path) {
  add_line(json_text(run));
}

void TraceWriter::add(const Repetition& repetition) {
  add_line(json_text(Trace::Run{.index = repetition.index,
                                .warm_up = repetition.warm_up,
                                .elapsed_ns = repetition.elapsed_ns,
                                .sizes = named(repetition.sizes)}));
}

void TraceWriter::add_lines(std::string_view lines) {
  file_.write(lines);
  lines_ += std::count(lines.begin(), lines.end(), '\n');
}

void TraceWriter::add_line(const std::string& line) { add_lines(line + '\n'); }

void TraceWriter::commit() {
  add_line(fmt::format(R"({{"end":"{}","lines":{}}})", kTraceFormat, lines_ + 1));
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
  for (const Repetition& repetition : recorder.repetitions()) {
    check(repetition.sizes);
  }
  for (const Span& span : recorder.spans()) {
    check(recorder.sizes_of(span));
  }
}

std::string span_lines(const Recorder& recorder, int rank, std::size_t first, std::size_t count) {
  const auto all = recorder.spans();
  first = std::min(first, all.size());
  fmt::memory_buffer lines;
  for (const Span& span : all.subspan(first, std::min(count, all.size() - first))) {
    fmt::format_to(std::back_inserter(lines),
                   R"({{"repetition":{},"rank":{},"level":{},"group":{},"block":"{}",)"
                   R"("begin_ns":{},"end_ns":{},"bytes":{},"sizes":{{)",
                   span.repetition, rank, span.level, span.group, name_of(span.block),
                   span.begin_ns, span.end_ns, span.bytes);
    for (const char* comma = ""; const Size& size : recorder.sizes_of(span)) {
      fmt::format_to(std::back_inserter(lines), R"({}"{}":{})", std::exchange(comma, ","),
                     size.name, size.value);
    }
    lines.append(std::string_view("}}\n"));
  }
  return fmt::to_string(lines);
}

std::string dropped_line(const Recorder& recorder, int rank) {
  return recorder.dropped() == 0
             ? ""
             : fmt::format("{{\"rank\":{},\"dropped\":{}}}\n", rank, recorder.dropped());
}

std::string worker_lines(const Recorder& recorder, int rank) {
  std::string lines;
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

Trace read_trace(const std::filesystem::path& path) { return TraceReader(path).read(); }

}  // namespace cleave::detail
