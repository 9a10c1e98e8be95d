// SPDX-License-Identifier: Apache-2.0
// The JSON of Google Benchmark (--benchmark_out_format=json): the real time of one iteration.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include <cleave/error.hpp>
#include <cleave/trace/json_fields.hpp>

#include "models/tables/rows.hpp"

namespace cleave::models {

namespace {

/// What "BM_Sort/N:1024/8/threads:2/real_time" says: the benchmark BM_Sort and its arguments.
struct RunName {
  std::string benchmark;
  NamedSizes sizes;
};

/// How the run was made rather than what it was given.
bool is_setting(std::string_view name) {
  constexpr std::array<std::string_view, 4> kSettings = {"repeats", "iterations", "min_time",
                                                         "min_warmup_time"};
  return std::ranges::find(kSettings, name) != kSettings.end();
}

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = !text.empty() && error == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional(value) : std::nullopt;
}

/// An argument without a name is called N, several N1, N2 ... by their place.
RunName run_name_of(const TablePlace& place, std::string_view text) {
  RunName run;
  std::vector<std::int64_t> unnamed;
  const auto add = [&](const std::string& name, double value) {
    if (!run.sizes.emplace(name, place.size(name, value)).second) {
      place.refuse(fmt::format("{} is there twice", name));
    }
  };
  for (bool is_first = true; is_first || !text.empty(); is_first = false) {
    const auto slash = text.find('/');
    const std::string_view part = text.substr(0, slash);
    text.remove_prefix(slash == text.npos ? text.size() : slash + 1);
    const auto colon = part.rfind(':');
    const std::string_view name = colon == part.npos ? "" : part.substr(0, colon);
    const auto value = number_in(part.substr(colon == part.npos ? 0 : colon + 1));
    if (!is_first && value && name.empty()) {
      unnamed.push_back(place.size("an argument", *value));
    } else if (!is_first && value && !is_setting(name)) {
      add(place.size_name(name), *value);
    } else if (is_first || (!is_setting(name) && part != "real_time" && part != "process_time" &&
                            part != "manual_time")) {
      run.benchmark += fmt::format("{}{}", is_first ? "" : "/", part);
    }
  }
  for (std::size_t i = 0; i < unnamed.size(); ++i) {
    add(unnamed.size() == 1 && !run.sizes.contains("N") ? "N" : fmt::format("N{}", i + 1),
        static_cast<double>(unnamed[i]));
  }
  return run;
}

/// Means, medians and complexities of other entries, and runs that failed.
bool is_no_run(const detail::JsonFields& fields) {
  return (fields.has("run_type") && fields.text("run_type") != "iteration") ||
         fields.has("aggregate_name") || fields.has("cpu_coefficient") || fields.has("rms") ||
         (fields.has("error_occurred") && fields.boolean("error_occurred"));
}

double unit_s(const detail::JsonFields& fields) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
  const std::string unit = fields.has("time_unit") ? fields.text("time_unit") : "ns";
  const auto found = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  if (found == kUnits.end()) {
    fields.refuse("time_unit", fmt::format("is '{}': ns, us, ms and s are known", unit));
  }
  return found->second;
}

}  // namespace

std::vector<TableRow> rows_of_google_benchmark(const std::filesystem::path& file,
                                               std::string_view text) {
  const nlohmann::json object = detail::parse_json_object(file, "", text);
  const detail::JsonFields all(file, "", object);
  std::vector<TableRow> rows;
  int number = 0;
  for (const detail::JsonFields& fields : all.objects("benchmarks")) {
    const TablePlace place{file, fmt::format("benchmarks[{}]", number++)};
    if (is_no_run(fields)) {
      continue;
    }
    RunName run = run_name_of(place, fields.text(fields.has("run_name") ? "run_name" : "name"));
    rows.push_back(
        {.series = std::move(run.benchmark),
         .sizes = std::move(run.sizes),
         .seconds = place.seconds("real_time", unit_s(fields) * fields.number("real_time"))});
  }
  return rows;
}

}  // namespace cleave::models
