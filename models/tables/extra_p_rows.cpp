// SPDX-License-Identifier: Apache-2.0
// Extra-P's text format and its JSON Lines (github.com/extra-p/extrap, "File format
// documentation").
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include <cleave/error.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/words.hpp>

#include "models/tables/rows.hpp"

namespace cleave::models {

namespace {

/// "main->solve", or "main->solve, bytes" of a metric that is not the time.
std::string series_of(const std::string& callpath, const std::string& metric) {
  const bool is_time = metric.empty() || metric == "time" || metric == "runtime";
  return is_time ? callpath : fmt::format("{}{}{}", callpath, callpath.empty() ? "" : ", ", metric);
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(std::move(word));
  }
  return words;
}

/// Reads the sections from the first line to the last.
class ExtraPText {
 public:
  explicit ExtraPText(const std::filesystem::path& file) : file_(file) {}

  std::vector<TableRow> rows(std::string_view text) && {
    for (const auto& [number, line] : lines_of(text)) {
      const std::string_view content = trimmed(line);
      if (!content.empty() && content.front() != '#') {
        const auto end = content.find_first_of(" \t");
        read({file_, fmt::format("line {}", number)}, content.substr(0, end),
             end == content.npos ? "" : trimmed(content.substr(end)));
      }
    }
    if (data_ != 0 && data_ != points_.size()) {
      throw FileError(file_, short_region());
    }
    return std::move(rows_);
  }

 private:
  void read(const TablePlace& place, std::string_view section, std::string_view rest) {
    if (section == "PARAMETER") {
      for (const std::string& name : words_of(rest)) {
        parameters_.push_back(place.size_name(name));
      }
    } else if (section == "POINTS") {
      add_points(place, rest);
    } else if (section == "METRIC" || section == "REGION") {
      if (data_ != 0 && data_ != points_.size()) {
        place.refuse(short_region());
      }
      data_ = 0;
      (section == "METRIC" ? metric_ : region_) = detail::visible(std::string(rest));
    } else if (section == "DATA") {
      add_data(place, rest);
    } else {
      place.refuse(fmt::format("'{}' is none of PARAMETER, POINTS, METRIC, REGION and DATA",
                               section.substr(0, 40)));
    }
  }

  std::string short_region() const {
    return fmt::format("region '{}' has {} lines of DATA for {} points", region_, data_,
                       points_.size());
  }

  /// Numbers in order: parentheses only group them.
  void add_points(const TablePlace& place, std::string_view text) {
    std::string numbers(text);
    std::ranges::replace_if(
        numbers, [](char c) { return c == '(' || c == ')'; }, ' ');
    const std::vector<std::string> words = words_of(numbers);
    if (parameters_.empty() || words.empty() || words.size() % parameters_.size() != 0) {
      place.refuse(
          fmt::format("POINTS has {} numbers for {} parameters", words.size(), parameters_.size()));
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& name = parameters_[i % parameters_.size()];
      if (i % parameters_.size() == 0) {
        points_.emplace_back();
      }
      if (!points_.back().emplace(name, place.size(name, place.number(name, words[i]))).second) {
        place.refuse(fmt::format("parameter {} is there twice", name));
      }
    }
  }

  void add_data(const TablePlace& place, std::string_view text) {
    if (data_ == points_.size()) {
      place.refuse(fmt::format("region '{}' has more DATA than the {} points", region_, data_));
    }
    const std::vector<std::string> values = words_of(text);
    if (values.empty()) {
      place.refuse("DATA has no value");
    }
    for (const std::string& value : values) {
      rows_.push_back({.series = series_of(region_, metric_),
                       .sizes = points_[data_],
                       .seconds = place.seconds("DATA", place.number("DATA", value))});
    }
    ++data_;
  }

  const std::filesystem::path& file_;
  std::vector<std::string> parameters_;
  std::vector<NamedSizes> points_;
  std::string metric_;
  std::string region_;
  std::size_t data_ = 0;  ///< lines of DATA since the last REGION or METRIC
  std::vector<TableRow> rows_;
};

}  // namespace

std::vector<TableRow> rows_of_extra_p(const std::filesystem::path& file, std::string_view text) {
  return ExtraPText(file).rows(text);
}

std::vector<TableRow> rows_of_json_lines(const std::filesystem::path& file, std::string_view text) {
  std::vector<TableRow> rows;
  for (const auto& [number, line] : lines_of(text)) {
    if (trimmed(line).empty()) {
      continue;
    }
    const TablePlace place{file, fmt::format("line {}", number)};
    const nlohmann::json object = detail::parse_json_object(file, place.where, line);
    const detail::JsonFields fields(file, place.where, object);
    TableRow row;
    const detail::JsonFields params = fields.object("params");
    for (const auto& [name, value] : params.raw().items()) {
      row.sizes[place.size_name(name)] = place.size(name, params.number(name.c_str()));
    }
    row.series = series_of(fields.has("callpath") ? fields.text("callpath") : "",
                           fields.has("metric") ? fields.text("metric") : "");
    const bool is_list = fields.has("value") && object.at("value").is_array();
    const std::vector<double> values =
        is_list ? fields.numbers("value") : std::vector{fields.number("value")};
    for (const double value : values) {
      row.seconds = place.seconds("value", value);
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace cleave::models
