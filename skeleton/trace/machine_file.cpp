// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include <cleave/file.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/machine_file.hpp>

namespace cleave::detail {

static void fields(JsonFields& object, MessageSamples& s) {
  object("message_bytes", s.message_bytes, 0)("stable", s.stable)("seconds", s.seconds);
}

static void fields(JsonFields& object, MessageSegment& s) {
  object("from_bytes", s.from_bytes, 0)("latency_s", s.latency_s);
  object.optional("latency_error_s", s.latency_error_s, 0);
  object("gap_s_per_byte", s.gap_s_per_byte, 0);
  object.optional("gap_error_s_per_byte", s.gap_error_s_per_byte, 0);
}

void fields(JsonFields& object, Communication& c) {
  constexpr int kMaxLevels = 64;
  object("ranks", c.ranks, 2, kMaxRanks)("latency_s", c.latency_s, 0);
  object("gap_s_per_byte", c.gap_s_per_byte, 0);
  object.optional("level", c.level, 0, kMaxLevels).optional("oversubscribed", c.oversubscribed);
  object.optional("between_hosts", c.between_hosts).optional("r_squared", c.r_squared);
  object.optional("latency_error_s", c.latency_error_s, 0);
  object.optional("gap_error_s_per_byte", c.gap_error_s_per_byte, 0);
  object.optional("segments", c.segments).optional("samples", c.samples);
  object.require(
      std::ranges::is_sorted(c.segments, std::less_equal(), &MessageSegment::from_bytes) &&
          (c.segments.empty() || c.segments.front().from_bytes == 0),
      "segments", "must ascend in from_bytes, from 0 on");
}

void fields(JsonFields& object, Machine& machine) {
  constexpr int kVersion = 2;
  object.format("cleave-machine", kVersion);
  object("name", machine.name).optional("exchange", machine.exchange);
  object.optional("provenance", machine.provenance);
}

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

MessageSegment Communication::segment_of(double message_bytes) const {
  const auto next =
      std::ranges::upper_bound(segments, message_bytes, {}, &MessageSegment::from_bytes);
  return next != segments.begin()
             ? next[-1]
             : MessageSegment{0, latency_s, latency_error_s, gap_s_per_byte, gap_error_s_per_byte};
}

double Communication::unit_seconds(double message_bytes) const {
  const MessageSegment segment = segment_of(message_bytes);
  return std::max(0.0, segment.latency_s + message_bytes * segment.gap_s_per_byte);
}

void write_machine(const std::filesystem::path& path, const Machine& machine) {
  write_file(path, json_text(machine, 1) + '\n');
}

Machine read_machine(const std::filesystem::path& path) {
  JsonFields object = JsonFields::parse(path, "", read_file(path));
  Machine machine{.provenance = {.mpi_library = "none"}};
  fields(object, machine);
  object.require(!machine.exchange.empty(), "exchange", "has no entry: a machine needs l and g");
  return machine;
}

}  // namespace cleave::detail
