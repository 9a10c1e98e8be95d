// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include <cleave/error.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

using nlohmann::json;

namespace {

constexpr const char* kTraceFormat = "cleave-trace";
/// 36 years: of times that are at most so far from a clock's zero, any difference is defined.
constexpr std::int64_t kFarthest_ns = std::int64_t{1} << 60;

/// The counts of a worker by the names of their fields.
constexpr std::array<std::pair<const char*, std::int64_t WorkerStatistics::*>, 14> kWorkerCounts = {
    {{"visits", &WorkerStatistics::visits},
     {"nodes", &WorkerStatistics::nodes},
     {"searches", &WorkerStatistics::searches},
     {"local_tried", &WorkerStatistics::local_tried},
     {"local_made", &WorkerStatistics::local_made},
     {"remote_tried", &WorkerStatistics::remote_tried},
     {"remote_made", &WorkerStatistics::remote_made},
     {"nodes_stolen", &WorkerStatistics::nodes_stolen},
     {"bytes_received", &WorkerStatistics::bytes_received},
     {"searching_ns", &WorkerStatistics::searching_ns},
     {"stealing_ns", &WorkerStatistics::stealing_ns},
     {"starting_ns", &WorkerStatistics::starting_ns},
     {"idle_ns", &WorkerStatistics::idle_ns},
     {"ending_ns", &WorkerStatistics::ending_ns}}};

json to_json(const Sizes& sizes) {
  json object = json::object();
  for (const Size& size : sizes) {
    object[std::string(size.name)] = size.value;
  }
  return object;
}

json to_json(const Costs& costs) {
  json terms = json::object();
  for (const auto& [block, of_block] : costs.terms) {
    terms[block] = of_block;
  }
  return {{"curves", detail::to_json(costs.curves)}, {"terms", std::move(terms)}};
}

json header_of(const RunInformation& run) {
  json header = {{"format", kTraceFormat},
                 {"version", run.rehearsed.empty() ? kTraceVersion : kRehearsalVersion},
                 {"app", run.app},
                 {"type", run.type},
                 {"placement", run.placement},
                 {"ranks", run.ranks},
                 {"threads", run.threads},
                 {"ranks_per_host", run.ranks_per_host},
                 {"oversubscribed", run.oversubscribed},
                 {"seed", run.seed},
                 {"repetitions", run.repetitions},
                 {"warm_up", run.warm_up},
                 {"inputs", run.inputs},
                 {"options", run.options},
                 {"costs", to_json(run.costs)},
                 {"clock_offset_ns", run.clock_offset_ns},
                 {"peak_memory_bytes", run.peak_memory_bytes},
                 {"provenance", to_json(run.provenance)}};
  if (!run.rehearsed.empty()) {
    header["rehearsed"] = run.rehearsed;
  }
  add_steps(header, run.steps);
  return header;
}

Costs costs_from(const JsonFields& fields) {
  Costs costs{.curves = curves_from(fields)};
  const JsonFields terms = fields.object("terms");
  for (const auto& [block, of_block] : terms.raw().items()) {
    costs.terms.push_back({block, terms.texts(block.c_str())});
  }
  return costs;
}

RunInformation run_from(const JsonFields& fields) {
  RunInformation run{.app = fields.text("app"),
                     .type = fields.text("type"),
                     .placement = fields.text("placement"),
                     .ranks = fields.integer<int>("ranks", 1, kMaxRanks),
                     .threads = fields.integer<int>("threads", 1, kMaxThreads),
                     .ranks_per_host = fields.integer<int>("ranks_per_host", 1, kMaxRanks),
                     .oversubscribed = fields.boolean("oversubscribed"),
                     .repetitions = fields.integer<int>("repetitions", 0),
                     .warm_up = fields.integer<int>("warm_up", 0),
                     .provenance = provenance_from(fields)};
  if (!fields.raw().contains("seed") || !fields.raw()["seed"].is_number_unsigned()) {
    fields.refuse("seed", "must be an unsigned integer");
  }
  run.seed = fields.raw()["seed"].get<std::uint64_t>();
  for (const auto& [name, value] : fields.object("options").raw().items()) {
    if (!value.is_string()) {
      fields.refuse("options", "must hold strings only");
    }
    run.options[name] = value.get<std::string>();
  }
  if (fields.has("costs")) {
    run.costs = costs_from(fields.object("costs"));
  }
  run.steps = steps_from(fields);
  run.clock_offset_ns = fields.integers("clock_offset_ns", -kFarthest_ns, kFarthest_ns);
  if (fields.has("inputs")) {
    run.inputs = fields.text("inputs");
  }
  if (fields.has("peak_memory_bytes")) {
    run.peak_memory_bytes = fields.integer<std::int64_t>("peak_memory_bytes", 0);
  }
  if (fields.integer<int>("version") == kRehearsalVersion) {
    for (const std::int64_t rank : fields.integers("rehearsed", 0, run.ranks - 1)) {
      run.rehearsed.push_back(static_cast<int>(rank));
    }
    if (run.rehearsed.empty()) {
      fields.refuse("rehearsed", "must name a rank at least");
    }
  }
  if (run.clock_offset_ns.size() != static_cast<std::size_t>(run.ranks)) {
    fields.refuse("clock_offset_ns",
                  fmt::format("must hold one number for each of {} ranks", run.ranks));
  }
  return run;
}

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
    const json object = parse_json_object(trace_.file, where, line);
    const JsonFields fields(trace_.file, where, object);
    if (line_number_ == 1) {
      check_format(fields, kTraceFormat, std::array{kTraceVersion, kRehearsalVersion});
      trace_.run = run_from(fields);
    } else if (fields.has("end")) {
      if (fields.integer<std::int64_t>("lines") != line_number_) {
        fields.refuse("lines", fmt::format("does not match the {} lines found", line_number_));
      }
      return true;
    } else if (fields.has("elapsed_ns")) {
      read_repetition(fields);
    } else if (fields.has("dropped")) {
      rank_from(fields);
      trace_.dropped += fields.integer<std::int64_t>("dropped", 1);
    } else if (fields.has("thread")) {
      read_worker(fields);
    } else {
      read_span(fields);
    }
    return false;
  }

  void read_repetition(const JsonFields& fields) {
    trace_.repetitions.push_back(
        Trace::Run{.index = fields.integer<int>("repetition", 0),
                   .warm_up = fields.boolean("warm_up"),
                   .elapsed_ns = fields.integer<std::int64_t>("elapsed_ns", 0),
                   .sizes = sizes_from(fields)});
  }

  void read_worker(const JsonFields& fields) {
    WorkerStatistics statistics{.rank = rank_from(fields),
                                .thread = fields.integer<int>("thread", 0, trace_.run.threads - 1)};
    for (const auto& [name, member] : kWorkerCounts) {
      statistics.*member = fields.integer<std::int64_t>(name, 0);
    }
    trace_.workers.push_back({fields.integer<std::int32_t>("repetition", 0), statistics});
  }

  void read_span(const JsonFields& fields) {
    Trace::RankSpan entry{.rank = rank_from(fields)};
    Span& span = entry.span;
    span.repetition = fields.integer<int>("repetition", 0);
    span.level = fields.integer<std::int16_t>("level", 0);
    span.group = fields.integer<int>("group", 1, trace_.run.ranks);
    span.block = block_from(fields);
    span.begin_ns = fields.integer<std::int64_t>("begin_ns", -kFarthest_ns, kFarthest_ns);
    span.end_ns = fields.integer<std::int64_t>("end_ns", span.begin_ns, kFarthest_ns);
    span.bytes = fields.integer<std::int64_t>("bytes", 0);
    const NamedSizes sizes = sizes_from(fields);
    if (sizes.size() > Sizes::kMaxSizes) {
      fields.refuse("sizes", fmt::format("holds {} sizes, at most {} are allowed", sizes.size(),
                                         Sizes::kMaxSizes));
    }
    std::vector<std::string> names;
    for (const auto& [name, value] : sizes) {
      span.size_values[names.size()] = value;
      names.push_back(name);
    }
    auto known = std::find(trace_.size_names.begin(), trace_.size_names.end(), names);
    if (known == trace_.size_names.end()) {
      if (trace_.size_names.size() == 256) {
        fields.refuse("sizes", "is the 257th different list of names, 256 are allowed");
      }
      trace_.size_names.push_back(names);
      known = std::prev(trace_.size_names.end());
    }
    span.size_names = static_cast<std::uint8_t>(known - trace_.size_names.begin());
    trace_.spans.push_back(entry);
  }

  int rank_from(const JsonFields& fields) const {
    return fields.integer<int>("rank", 0, trace_.run.ranks - 1);
  }

  Trace trace_;
  std::int64_t line_number_ = 0;
};

}  // namespace

TraceWriter::TraceWriter(const std::filesystem::path& path, const RunInformation& run)
    : file_(path) {
  add_line(header_of(run).dump());
}

void TraceWriter::add(const Repetition& repetition) {
  const json line = {{"repetition", repetition.index},
                     {"warm_up", repetition.warm_up},
                     {"elapsed_ns", repetition.elapsed_ns},
                     {"sizes", to_json(repetition.sizes)}};
  add_line(line.dump());
}

void TraceWriter::add_lines(std::string_view lines) {
  file_.write(lines);
  lines_ += std::count(lines.begin(), lines.end(), '\n');
}

void TraceWriter::add_line(const std::string& line) { add_lines(line + '\n'); }

void TraceWriter::commit() {
  add_line(json{{"end", kTraceFormat}, {"lines", lines_ + 1}}.dump());
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
                   R"("begin_ns":{},"end_ns":{},"bytes":{},"sizes":{}}})"
                   "\n",
                   span.repetition, rank, span.level, span.group, name_of(span.block),
                   span.begin_ns, span.end_ns, span.bytes, to_json(recorder.sizes_of(span)).dump());
  }
  return fmt::to_string(lines);
}

std::string dropped_line(const Recorder& recorder, int rank) {
  return recorder.dropped() == 0
             ? ""
             : json{{"rank", rank}, {"dropped", recorder.dropped()}}.dump() + '\n';
}

std::string worker_lines(const Recorder& recorder, int rank) {
  std::string lines;
  for (const auto& [repetition, statistics] : recorder.workers()) {
    json line = {{"repetition", repetition}, {"rank", rank}, {"thread", statistics.thread}};
    for (const auto& [name, member] : kWorkerCounts) {
      line[name] = statistics.*member;
    }
    lines += line.dump() + '\n';
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
