// SPDX-License-Identifier: Apache-2.0
#include "models/tables/machine_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/trace/machine_file.hpp>

namespace cleave::models {

namespace {

constexpr double kMicrosecond = 1e-6;
constexpr double kMegabyte = 1e6;

const char* program_of(OsuTable::Kind kind) {
  switch (kind) {
    case OsuTable::Kind::latency:
      return "osu_latency";
    case OsuTable::Kind::bandwidth:
      return "osu_bw";
    case OsuTable::Kind::alltoallv:
      return "osu_alltoallv";
  }
  return "";
}

/// The test that a line of comment names. "All-to-Allv Personalized Exchange Latency Test" also has
/// the word latency, so it is looked for first.
std::optional<OsuTable::Kind> kind_named_in(std::string_view comment) {
  const auto has = [&](std::string_view part) {
    return comment.find(part) != std::string_view::npos;
  };
  if (has("All-to-Allv") || has("Alltoallv")) {
    return OsuTable::Kind::alltoallv;
  }
  if (!has("OSU MPI") || has("Bi-Directional") || has("Multi") || has("All-to-All")) {
    return std::nullopt;
  }
  if (has("Bandwidth Test")) {
    return OsuTable::Kind::bandwidth;
  }
  return has("Latency Test") ? std::optional(OsuTable::Kind::latency) : std::nullopt;
}

double number_in(const std::string& word, const std::filesystem::path& file, int line,
                 const char* what, double maximum) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !(value >= 0) ||
      value > maximum) {
    throw FileError(file, fmt::format("line {}: '{}' is not a {}", line, word.substr(0, 40), what));
  }
  return value;
}

OsuTable table_of(const std::filesystem::path& file, OsuTable::Kind wanted) {
  OsuTable table = read_osu_table(file);
  if (table.kind != wanted) {
    throw FileError(file, fmt::format("holds the output of {}, expected that of {}",
                                      program_of(table.kind), program_of(wanted)));
  }
  return table;
}

detail::Communication fitted(detail::Communication entry, const std::filesystem::path& file) {
  try {
    fit_communication(entry);
  } catch (const Error& e) {
    throw FileError(file, e.what());
  }
  return entry;
}

void add_sample(detail::Communication& entry, double message_bytes, double seconds) {
  entry.samples.push_back({.message_bytes = static_cast<std::int64_t>(message_bytes),
                           .stable = true,  // it is a mean already
                           .seconds = {seconds}});
}

}  // namespace

OsuTable read_osu_table(const std::filesystem::path& file) {
  constexpr double kMaxBytes = 1e15;
  constexpr double kMaxValue = 1e15;
  std::istringstream text(read_file(file));
  std::optional<OsuTable::Kind> kind;
  OsuTable table;
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    std::istringstream words(line);
    std::string first;
    std::string second;
    words >> first >> second;
    if (first.empty()) {
      continue;
    }
    if (first.front() == '#') {
      if (const auto named = kind_named_in(line)) {
        kind = named;
      }
      continue;
    }
    if (!kind) {
      throw FileError(file, fmt::format("line {}: no line before it names osu_latency, osu_bw or "
                                        "osu_alltoallv, as in '# OSU MPI Latency Test'",
                                        number));
    }
    const double bytes = number_in(first, file, number, "number of bytes", kMaxBytes);
    const double value = number_in(second, file, number, "time or bandwidth", kMaxValue);
    if (bytes == 0) {
      continue;
    }
    if (value == 0) {
      throw FileError(file, fmt::format("line {}: the value of {} bytes is 0", number, bytes));
    }
    if (!table.rows.empty() && bytes <= table.rows.back().message_bytes) {
      throw FileError(file, fmt::format("line {}: {} bytes do not follow {} bytes; give the output "
                                        "of one run",
                                        number, bytes, table.rows.back().message_bytes));
    }
    table.rows.push_back({bytes, value});
  }
  if (table.rows.empty()) {
    throw FileError(file,
                    "holds no sizes; expected the output of osu_latency, osu_bw or "
                    "osu_alltoallv");
  }
  table.kind = *kind;
  return table;
}

detail::Machine import_machine(const OsuFiles& files) {
  if (files.latency.empty() && files.alltoallv.empty()) {
    throw UsageError("nothing to import: give --latency, --alltoallv or both");
  }
  detail::Machine machine{.name = files.name};
  if (!files.latency.empty()) {
    detail::Communication entry{.ranks = 2, .between_hosts = files.between_hosts};
    const double crossing = files.full_duplex ? 1 : 2;
    const OsuTable latency = table_of(files.latency, OsuTable::Kind::latency);
    for (const OsuTable::Row& row : latency.rows) {
      add_sample(entry, row.message_bytes, crossing * row.value * kMicrosecond);
    }
    if (!files.bandwidth.empty()) {
      const double start = latency.rows.front().value * kMicrosecond;
      for (const OsuTable::Row& row : table_of(files.bandwidth, OsuTable::Kind::bandwidth).rows) {
        if (row.message_bytes > latency.rows.back().message_bytes) {
          add_sample(entry, row.message_bytes,
                     crossing * (start + row.message_bytes / (row.value * kMegabyte)));
        }
      }
    }
    machine.exchange.push_back(fitted(std::move(entry), files.latency));
  }
  if (!files.alltoallv.empty()) {
    detail::Communication entry{.ranks = files.ranks, .between_hosts = files.between_hosts};
    for (const OsuTable::Row& row : table_of(files.alltoallv, OsuTable::Kind::alltoallv).rows) {
      add_sample(entry, row.message_bytes * (files.ranks - 1), row.value * kMicrosecond);
    }
    machine.alltoallv.push_back(fitted(std::move(entry), files.alltoallv));
  }
  return machine;
}

}  // namespace cleave::models
