// SPDX-License-Identifier: Apache-2.0
#include "models/tables/table_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/median.hpp>
#include <cleave/trace/words.hpp>

#include "models/tables/rows.hpp"

namespace cleave::models {

namespace {

struct FileRow {
  std::size_t file = 0;
  TableRow row;
};

/// The times of one run size by round.
using Rounds = std::map<std::pair<std::size_t, int>, std::vector<double>>;

/// A series without a name is called as the first file.
std::vector<FileRow> all_rows(const std::vector<std::string>& files) {
  const std::string stem = detail::visible(std::filesystem::path(files.front()).stem().string());
  std::vector<FileRow> all;
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (TableRow& row : rows_of(files[i], read_file(files[i]))) {
      row.series = row.series.empty() ? stem : row.series;
      all.push_back({i, std::move(row)});
    }
  }
  return all;
}

/// The series that `only` names, or the one there is.
std::string chosen_series(const std::vector<FileRow>& all, const std::string& only,
                          const std::string& file) {
  std::set<std::string> names;
  for (const FileRow& row : all) {
    names.insert(row.row.series);
  }
  const std::vector<std::string> known(names.begin(), names.end());
  if (only.empty() && known.size() == 1) {
    return known.front();
  }
  if (only.empty()) {
    throw UsageError(fmt::format("{} holds {} series of times, choose one by --only: {}", file,
                                 known.size(), fmt::join(known, "; ")));
  }
  if (!names.contains(only)) {
    throw UsageError(fmt::format("--only {}: {} holds {}", only, file, fmt::join(known, "; ")));
  }
  return only;
}

std::string ranks_size_of(const NamedSizes& sizes, const std::string& asked) {
  if (!asked.empty() && !sizes.contains(asked)) {
    throw UsageError(fmt::format("--ranks-size {}: the table has no such size", asked));
  }
  return !asked.empty() || sizes.contains(kRanksSize) ? (asked.empty() ? kRanksSize : asked)
         : sizes.contains("p")                        ? "p"
                                                      : "";
}

RunPoint point_of(NamedSizes sizes, const std::string& ranks_size, const Rounds& rounds,
                  const std::vector<std::string>& files) {
  RunPoint point;
  if (!ranks_size.empty()) {
    const std::int64_t ranks = sizes.at(ranks_size);
    if (ranks > detail::kMaxRanks) {
      throw UsageError(fmt::format("{} is {}: at most {} ranks are allowed", ranks_size, ranks,
                                   detail::kMaxRanks));
    }
    point.ranks = static_cast<int>(ranks);
    sizes.erase(ranks_size);
  }
  point.ranks_per_host = point.ranks;
  point.sizes = std::move(sizes);
  std::vector<double> medians;
  std::set<std::size_t> of;
  for (const auto& [round, seconds] : rounds) {
    point.seconds.insert(point.seconds.end(), seconds.begin(), seconds.end());
    medians.push_back(detail::median(seconds));
    of.insert(round.first);
  }
  point.disturbed = chance_disturbed(medians);
  for (const std::size_t file : of) {
    point.files.push_back(files[file]);
  }
  return point;
}

}  // namespace

Measurements measurements_of_tables(const std::vector<std::string>& files,
                                    const TableChoice& choice) {
  std::vector<FileRow> all = all_rows(files);
  const std::string series = chosen_series(all, choice.only, files.front());
  std::erase_if(all, [&](const FileRow& row) { return row.row.series != series; });
  const NamedSizes& first = all.front().row.sizes;
  const std::string ranks_size = ranks_size_of(first, choice.ranks_size);
  std::map<NamedSizes, Rounds> runs;
  for (const auto& [file, row] : all) {
    const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
    if (!std::ranges::equal(row.sizes, first, same_name)) {
      throw UsageError(fmt::format("{}: rows differ in their sizes: {} and {}", files[file],
                                   format_sizes(first), format_sizes(row.sizes)));
    }
    std::vector<double>& seconds = runs[row.sizes][{file, row.round}];
    seconds.insert(seconds.end(), static_cast<std::size_t>(row.repetitions), row.seconds);
  }
  Measurements result{.app = series, .type = kTableType};
  for (const auto& [sizes, rounds] : runs) {
    result.points.push_back(point_of(sizes, ranks_size, rounds, files));
  }
  std::ranges::stable_sort(result.points, {}, &RunPoint::ranks);
  return result;
}

}  // namespace cleave::models
