// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "models/report/cells.hpp"
#include "models/report/tables.hpp"

namespace cleave::models {

Table latency_gap_table(const Network& network) {
  Table table{.id = "latency_gap",
              .title = "Latency and gap",
              .note =
                  "A rank that sends and receives K bytes at once takes 2 (l + K g), by pieces "
                  "where the network changes how it sends. The worst case is a "
                  "straight line through the longest times. Source: " +
                  network.source + ".",
              .columns = {{"pattern"},
                          {"ranks", true},
                          {"level", true},
                          {"hosts"},
                          {"messages from"},
                          {"l (s)", true},
                          {"error of l (s)", true, true},
                          {"g of a byte (s)", true},
                          {"error of g (s)", true, true},
                          {"g of a 32-bit word (s)", true, true},
                          {"R²", true, true}}};
  const auto add = [&](const char* pattern, const detail::Communication& e, const std::string& from,
                       const detail::MessageSegment& s, const Cell& r_squared) {
    // A piece's line need not hold at 0 bytes.
    const auto time = [](double value) { return known(value >= 0, seconds(value)); };
    table.rows.push_back({text(pattern), whole(e.ranks), whole(e.level),
                          text(e.between_hosts ? "between" : "inside"), text(from),
                          time(s.latency_s), time(s.latency_error_s), time(s.gap_s_per_byte),
                          time(s.gap_error_s_per_byte),
                          time(detail::kBytesPerWord * s.gap_s_per_byte), r_squared});
  };
  const auto add_all = [&](const char* pattern, const std::vector<detail::Communication>& entries) {
    for (const detail::Communication& e : entries) {
      add(pattern, e, "all",
          {0, e.latency_s, e.latency_error_s, e.gap_s_per_byte, e.gap_error_s_per_byte},
          r_squared_of(e.r_squared));
      if (e.segments.size() > 1) {
        for (const detail::MessageSegment& s : e.segments) {
          add(pattern, e, fmt::format("{:.0f} B", s.from_bytes), s, text(""));
        }
      }
      add(pattern, e, "all, worst case", {0, e.worst_latency_s, 0, e.worst_gap_s_per_byte, 0},
          text(""));
    }
  };
  add_all("MPI_Alltoallv", network.alltoallv);
  add_all("exchange", network.exchange);
  return table;
}

nlohmann::json patterns_json(const Network& network) {
  nlohmann::json patterns = nlohmann::json::array();
  const auto add = [&](const char* pattern, const std::vector<detail::Communication>& entries) {
    for (const detail::Communication& entry : entries) {
      patterns.push_back(to_json(entry));
      patterns.back()["pattern"] = pattern;
    }
  };
  add("alltoallv", network.alltoallv);
  add("exchange", network.exchange);
  return patterns;
}

}  // namespace cleave::models
