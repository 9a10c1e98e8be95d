// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include <cleave/file.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/machine_file.hpp>

namespace cleave::detail {

using nlohmann::json;

namespace {

constexpr const char* kMachineFormat = "cleave-machine";
constexpr int kMaxLevels = 64;

json array_of(const std::vector<Communication>& patterns) {
  json array = json::array();
  for (const Communication& c : patterns) {
    json samples = json::array();
    for (const MessageSamples& s : c.samples) {
      samples.push_back(
          {{"message_bytes", s.message_bytes}, {"stable", s.stable}, {"seconds", s.seconds}});
    }
    array.push_back(to_json(c));
    array.back()["samples"] = std::move(samples);
  }
  return array;
}

double non_negative_or(const JsonFields& fields, const char* name, double otherwise) {
  return fields.has(name) ? fields.non_negative(name) : otherwise;
}

std::vector<MessageSegment> segments_from(const JsonFields& fields) {
  std::vector<MessageSegment> segments;
  if (!fields.has("segments")) {
    return segments;
  }
  for (const JsonFields& s : fields.objects("segments")) {
    segments.push_back({.from_bytes = s.non_negative("from_bytes"),
                        .latency_s = s.number("latency_s"),
                        .latency_error_s = non_negative_or(s, "latency_error_s", 0),
                        .gap_s_per_byte = s.non_negative("gap_s_per_byte"),
                        .gap_error_s_per_byte = non_negative_or(s, "gap_error_s_per_byte", 0)});
    const bool ascends = segments.size() == 1 ? segments.front().from_bytes == 0
                                              : segments.back().from_bytes >
                                                    segments[segments.size() - 2].from_bytes;
    if (!ascends) {
      fields.refuse("segments", "must ascend in from_bytes, from 0 on");
    }
  }
  return segments;
}

std::vector<Communication> communications_from(const JsonFields& fields, const char* name) {
  std::vector<Communication> patterns;
  if (!fields.has(name)) {
    return patterns;
  }
  for (const JsonFields& c : fields.objects(name)) {
    Communication pattern = communication_from(c);
    if (c.has("samples")) {
      for (const JsonFields& s : c.objects("samples")) {
        pattern.samples.push_back({.message_bytes = s.integer<std::int64_t>("message_bytes", 0),
                                   .stable = s.boolean("stable"),
                                   .seconds = s.numbers("seconds")});
      }
    }
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

}  // namespace

const Communication* nearest(const std::vector<Communication>& patterns, int ranks, int level,
                             bool leaves_host, bool of_any_hosts) {
  const Communication* best = nullptr;
  std::tuple<bool, double, int> best_distance;
  for (const Communication& pattern : patterns) {
    const bool is_other_kind = !of_any_hosts && pattern.between_hosts != leaves_host;
    if (pattern.oversubscribed || (is_other_kind && leaves_host)) {
      continue;
    }
    const std::tuple distance(is_other_kind,
                              std::abs(std::log2(static_cast<double>(pattern.ranks) / ranks)),
                              std::abs(pattern.level - level));
    if (best == nullptr || distance < best_distance) {
      best = &pattern;
      best_distance = distance;
    }
  }
  return best;
}

json to_json(const Communication& c) {
  json segments = json::array();
  for (const MessageSegment& s : c.segments) {
    segments.push_back({{"from_bytes", s.from_bytes},
                        {"latency_s", s.latency_s},
                        {"latency_error_s", s.latency_error_s},
                        {"gap_s_per_byte", s.gap_s_per_byte},
                        {"gap_error_s_per_byte", s.gap_error_s_per_byte}});
  }
  return {{"ranks", c.ranks},
          {"level", c.level},
          {"oversubscribed", c.oversubscribed},
          {"between_hosts", c.between_hosts},
          {"latency_s", c.latency_s},
          {"latency_error_s", c.latency_error_s},
          {"gap_s_per_byte", c.gap_s_per_byte},
          {"gap_error_s_per_byte", c.gap_error_s_per_byte},
          {"r_squared", c.r_squared},
          {"worst_latency_s", c.worst_latency_s},
          {"worst_gap_s_per_byte", c.worst_gap_s_per_byte},
          {"segments", std::move(segments)}};
}

Communication communication_from(const JsonFields& fields) {
  const double latency = fields.non_negative("latency_s");
  const double gap = fields.non_negative("gap_s_per_byte");
  return {.ranks = fields.integer<int>("ranks", 2, kMaxRanks),
          .level = fields.has("level") ? fields.integer<int>("level", 0, kMaxLevels) : 0,
          .oversubscribed = fields.has("oversubscribed") && fields.boolean("oversubscribed"),
          .between_hosts = fields.has("between_hosts") && fields.boolean("between_hosts"),
          .latency_s = latency,
          .latency_error_s = non_negative_or(fields, "latency_error_s", 0),
          .gap_s_per_byte = gap,
          .gap_error_s_per_byte = non_negative_or(fields, "gap_error_s_per_byte", 0),
          .r_squared = fields.has("r_squared") ? fields.number("r_squared") : 1,
          .worst_latency_s = non_negative_or(fields, "worst_latency_s", latency),
          .worst_gap_s_per_byte = non_negative_or(fields, "worst_gap_s_per_byte", gap),
          .segments = segments_from(fields)};
}

MessageSegment Communication::segment_of(double message_bytes) const {
  MessageSegment found{0, latency_s, latency_error_s, gap_s_per_byte, gap_error_s_per_byte};
  for (const MessageSegment& segment : segments) {
    if (message_bytes >= segment.from_bytes) {
      found = segment;
    }
  }
  return found;
}

double Communication::unit_seconds(double message_bytes) const {
  const MessageSegment segment = segment_of(message_bytes);
  return std::max(0.0, segment.latency_s + message_bytes * segment.gap_s_per_byte);
}

void Communication::multiply_gap(double factor) {
  gap_s_per_byte *= factor;
  for (MessageSegment& segment : segments) {
    segment.gap_s_per_byte *= factor;
  }
}

bool Communication::stable() const {
  return std::all_of(samples.begin(), samples.end(),
                     [](const MessageSamples& s) { return s.stable; });
}

std::string to_text(const Machine& machine) {
  return json{{"format", kMachineFormat},
              {"version", kMachineVersion},
              {"name", machine.name},
              {"alltoallv", array_of(machine.alltoallv)},
              {"exchange", array_of(machine.exchange)},
              {"provenance", to_json(machine.provenance)}}
             .dump(1) +
         '\n';
}

void write_machine(const std::filesystem::path& path, const Machine& machine) {
  write_file(path, to_text(machine));
}

Machine read_machine(const std::filesystem::path& path) {
  const json object = parse_json_object(path, "", read_file(path));
  const JsonFields fields(path, "", object);
  check_format(fields, kMachineFormat, kMachineVersion);
  Machine machine{.name = fields.text("name"),
                  .alltoallv = communications_from(fields, "alltoallv"),
                  .exchange = communications_from(fields, "exchange"),
                  .provenance = {.mpi_library = "none"}};
  if (fields.has("provenance")) {
    machine.provenance = provenance_from(fields);
  }
  if (machine.alltoallv.empty() && machine.exchange.empty()) {
    fields.refuse("exchange", "has no entry, nor has 'alltoallv': a machine needs l and g");
  }
  return machine;
}

}  // namespace cleave::detail
