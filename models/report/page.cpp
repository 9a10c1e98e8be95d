// SPDX-License-Identifier: Apache-2.0
#include "models/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "models/report/assets.hpp"
#include "models/traces/statistics.hpp"

namespace cleave::models {

using nlohmann::json;

namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

const char* name_of(Series::Style style) {
  switch (style) {
    case Series::Style::line:
      return "line";
    case Series::Style::band:
      return "band";
    case Series::Style::filled_points:
      return "filled_points";
    case Series::Style::hollow_points:
      return "hollow_points";
  }
  return "";
}

/// The figures as JSON that may stand inside a script element.
std::string json_of(const std::vector<Figure>& figures) {
  json array = json::array();
  for (const Figure& figure : figures) {
    json series = json::array();
    for (const Series& s : figure.series) {
      series.push_back({{"name", s.name},
                        {"style", name_of(s.style)},
                        {"colour", s.colour},
                        {"x", s.x},
                        {"y", s.y},
                        {"low", s.low}});
    }
    array.push_back({{"id", figure.id},
                     {"x_axis", figure.x_axis},
                     {"y_axis", figure.y_axis},
                     {"log_x", figure.log_x},
                     {"log_y", figure.log_y},
                     {"counts_on_x", figure.counts_on_x},
                     {"guides", figure.guides},
                     {"series", std::move(series)}});
  }
  std::string text;
  for (const char c : array.dump()) {
    text += c == '<' ? std::string_view("\\u003c") : std::string_view(&c, 1);
  }
  return text;
}

std::string html_of(const Table& table) {
  std::string html = fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n<p>{}</p>\n", table.id,
                                 escaped(table.title), escaped(table.note));
  html += "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const Column& column : table.columns) {
    html += fmt::format("<th{}>{}</th>", column.is_number ? " class=\"number\"" : "",
                        escaped(column.name));
  }
  html += "</tr></thead>\n<tbody>\n";
  constexpr std::size_t kWide = 40;
  for (const std::vector<Cell>& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const char* look = table.columns[i].is_number    ? " class=\"number\""
                         : row[i].shown.size() > kWide ? " class=\"wide\""
                                                       : "";
      html += fmt::format("<td{}>{}</td>", look, escaped(row[i].shown));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n</section>\n";
}

std::string html_of(const Figure& figure) {
  return fmt::format(
      "<figure id=\"figure-{}\"><figcaption><h2>{}</h2><p>{}</p></figcaption>"
      "<div class=\"plot\"></div><div class=\"legend\"></div></figure>\n",
      figure.id, escaped(figure.title), escaped(figure.note));
}

/// The few numbers that a reader comes for.
std::string headline_of(const Report& report) {
  std::vector<double> errors;
  std::vector<double> spreads;
  for (const Comparison& c : report.comparisons) {
    spreads.push_back(c.spread);
    if (c.held_out) {
      errors.push_back(std::abs(c.relative_error));
    }
  }
  const auto card = [](const std::string& value, const std::string& meaning) {
    return fmt::format("<div><strong>{}</strong><span>{}</span></div>\n", value, meaning);
  };
  std::string html = "<div class=\"headline\">\n";
  if (!errors.empty()) {
    html += card(fmt::format("{:.1f} %", 100 * median(errors)), "median error on held-out runs");
    html += card(fmt::format("{:.1f} %", 100 * *std::max_element(errors.begin(), errors.end())),
                 "worst error; the paper's: 8.83 %");
  }
  if (!spreads.empty()) {
    html +=
        card(fmt::format("{:.1f} %", 100 * median(spreads)), "median spread between repetitions");
  }
  html += card(fmt::format("{}", report.comparisons.size()), "runs compared");
  return html + "</div>\n";
}

std::string answers_of(const Report& report) {
  std::string html = "<ul class=\"answers\">\n";
  for (const std::string& answer : report.answers) {
    html += fmt::format("<li>{}</li>\n", escaped(answer));
  }
  return html + "</ul>\n";
}

std::string list_of(const Report& report) {
  std::string html = "<ul class=\"verdicts\">\n";
  for (const Verdict& verdict : report.verdicts) {
    html += fmt::format("<li class=\"{}\">{}</li>\n", verdict.holds ? "yes" : "no",
                        escaped(verdict.text));
  }
  for (const std::string& note : report.notes) {
    html += fmt::format("<li class=\"note\">{}</li>\n", escaped(note));
  }
  return html + "</ul>\n";
}

}  // namespace

std::string to_html(const Report& report) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>\n{}\n{}\n</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n",
      escaped(report.title), assets::uplot_css, assets::page_css, escaped(report.title));
  html += answers_of(report);
  html += headline_of(report);
  html += list_of(report);
  html += "<section class=\"figures\">\n";
  for (const Figure& figure : report.figures) {
    html += html_of(figure);
  }
  html += "</section>\n";
  for (const Table& table : report.tables) {
    html += html_of(table);
  }
  html += "<section>\n<h2>How this was made</h2>\n<dl class=\"facts\">\n";
  for (const auto& [name, value] : report.facts) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value));
  }
  html += "</dl>\n</section>\n</main>\n";
  html += fmt::format("<script type=\"application/json\" id=\"figures\">{}</script>\n",
                      json_of(report.figures));
  html += fmt::format("<script>{}</script>\n<script>\n{}</script>\n</body>\n</html>\n",
                      assets::uplot_js, assets::page_js);
  return html;
}

}  // namespace cleave::models
