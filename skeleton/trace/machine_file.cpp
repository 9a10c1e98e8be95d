#include "skeleton/trace/machine_file.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "skeleton/trace/atomic_file.hpp"
#include "skeleton/trace/json_fields.hpp"

namespace cleave {

using nlohmann::json;

namespace {

constexpr const char* kFormat = "cleave-machine";

json to_json(const std::vector<Communication>& patterns) {
  json array = json::array();
  for (const Communication& c : patterns) {
    json samples = json::array();
    for (const MessageSamples& s : c.samples) {
      samples.push_back(
          {{"message_bytes", s.message_bytes}, {"stable", s.stable}, {"seconds", s.seconds}});
    }
    array.push_back({{"ranks", c.ranks},
                     {"level", c.level},
                     {"oversubscribed", c.oversubscribed},
                     {"latency_s", c.latency_s},
                     {"latency_error_s", c.latency_error_s},
                     {"gap_s_per_byte", c.gap_s_per_byte},
                     {"gap_error_s_per_byte", c.gap_error_s_per_byte},
                     {"r_squared", c.r_squared},
                     {"samples", std::move(samples)}});
  }
  return array;
}

std::vector<Communication> communications_from(const JsonFields& fields, const char* name) {
  std::vector<Communication> patterns;
  for (const JsonFields& c : fields.objects(name)) {
    Communication pattern{.ranks = c.integer<int>("ranks", 2),
                          .level = c.integer<int>("level", 0),
                          .oversubscribed = c.boolean("oversubscribed"),
                          .latency_s = c.non_negative("latency_s"),
                          .latency_error_s = c.non_negative("latency_error_s"),
                          .gap_s_per_byte = c.non_negative("gap_s_per_byte"),
                          .gap_error_s_per_byte = c.non_negative("gap_error_s_per_byte"),
                          .r_squared = c.number("r_squared")};
    for (const JsonFields& s : c.objects("samples")) {
      pattern.samples.push_back({.message_bytes = s.integer<std::int64_t>("message_bytes", 0),
                                 .stable = s.boolean("stable"),
                                 .seconds = s.numbers("seconds")});
    }
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

}  // namespace

bool Communication::stable() const {
  return std::all_of(samples.begin(), samples.end(),
                     [](const MessageSamples& s) { return s.stable; });
}

std::string to_text(const Machine& machine) {
  return json{{"format", kFormat},
              {"version", kMachineVersion},
              {"name", machine.name},
              {"alltoallv", to_json(machine.alltoallv)},
              {"exchange", to_json(machine.exchange)},
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
  check_format(fields, kFormat, kMachineVersion);
  return {.name = fields.text("name"),
          .alltoallv = communications_from(fields, "alltoallv"),
          .exchange = communications_from(fields, "exchange"),
          .provenance = provenance_from(fields)};
}

}  // namespace cleave
