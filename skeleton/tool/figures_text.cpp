// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include <cleave/tool/figures_text.hpp>
#include <cleave/trace/count_text.hpp>
#include <cleave/trace/duration.hpp>
#include <cleave/trace/lines.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

namespace {

constexpr std::size_t kLabel = 22;

/// One line, or more where a list is longer than a terminal is wide.
std::string labelled(std::string_view label, const std::vector<std::string>& words) {
  std::string text;
  std::string line = fmt::format("{:<{}}", label, kLabel);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i] + (i + 1 < words.size() ? "," : "");
    if (line.size() > kLabel && line.size() + word.size() >= kTerminalColumns) {
      text += line + '\n';
      line = std::string(kLabel, ' ');
    }
    line += (line.size() > kLabel ? " " : "") + word;
  }
  return text + line + '\n';
}

/// A number whose name tells its unit.
std::string number_text(std::string_view name, double value) {
  return name.ends_with("seconds") ? format_seconds(value)
         : std::abs(value) >= 1e4  ? rounded_count(value)
                                   : fmt::format("{:.4g}", value);
}

/// A figure without the marks of JSON: that of a list, or the list.
std::vector<std::string> words_of(std::string_view name, const nlohmann::ordered_json& value) {
  if (!value.is_structured()) {
    return {value.is_string()         ? visible(value.get<std::string>())
            : value.is_number_float() ? number_text(name, value.get<double>())
            : value.is_null()         ? "none"
            : value.is_boolean()      ? (value.get<bool>() ? "yes" : "no")
                                      : value.dump()};
  }
  std::vector<std::string> words;
  for (const auto& [key, item] : value.items()) {
    const std::vector<std::string> of_item = words_of(name, item);
    words.push_back(
        fmt::format("{}{}", value.is_object() ? key + ' ' : "", fmt::join(of_item, " ")));
  }
  return words;
}

/// "nodes_per_second" is a rate: "4.8 M nodes/s".
std::string figure_text(std::string_view name, const nlohmann::ordered_json& value) {
  constexpr std::string_view kRate = "_per_second";
  if (name.ends_with(kRate) && value.is_number()) {
    const std::string_view what = name.substr(0, name.size() - kRate.size());
    return labelled("rate", {fmt::format("{} {}/s", rounded_count(value.get<double>()), what)});
  }
  return labelled(name, words_of(name, value));
}

}  // namespace

std::string figures_text(const nlohmann::ordered_json& figures) {
  std::string text;
  for (const auto& [name, value] : figures.items()) {
    text += figure_text(name, value);
  }
  return text;
}

}  // namespace cleave::detail
