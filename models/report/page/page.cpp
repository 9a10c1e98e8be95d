// SPDX-License-Identifier: Apache-2.0
#include "models/report/page/page.hpp"

#include <fmt/format.h>

#include <ranges>
#include <string_view>

#include <cleave/trace/words.hpp>

#include "models/report/page/assets.hpp"
#include "models/theory/model_file.hpp"

namespace cleave::models {

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

std::string html_of(const Cell& cell, bool is_number) {
  constexpr std::size_t kWide = 40;
  const std::string& shown = cell.shown;
  if (is_number) {
    return fmt::format("<td class=\"number\" data-exact=\"{0}\" title=\"{0}\">{1}</td>",
                       escaped(cell.exact), escaped(shown));
  }
  return fmt::format("<td{}>{}</td>", shown.size() > kWide ? " class=\"wide\"" : "",
                     escaped(shown));
}

std::string html_of(const Table& table) {
  std::string html = fmt::format("<section class=\"table\" id=\"{}\">\n<h2>{}</h2>\n<p>{}</p>\n",
                                 table.id, escaped(table.title), escaped(table.note));
  html += fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\n<thead><tr>",
      escaped(table.title));
  for (const Column& column : table.columns) {
    html += fmt::format("<th scope=\"col\"{}>{}</th>", column.is_number ? " class=\"number\"" : "",
                        escaped(column.shown()));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<Cell>& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      html += html_of(row[i], table.columns[i].is_number);
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n</section>\n";
}

/// The application and its machine in one line.
std::string header_of(const Report& report) {
  const Model& model = report.model;
  const detail::Provenance& p = model.provenance;
  const std::string where =
      model.table() != nullptr  // nobody knows where it was measured
          ? ""
          : fmt::format(", {}; measured on {}, {}, {} cores", escaped(model.placement),
                        escaped(p.host), escaped(p.processor), p.cores);
  return fmt::format("<header>\n<h1>{}</h1>\n<p>{}{}; {} runs on up to {}; {}</p>\n</header>\n",
                     escaped(model.app), escaped(model.type), where, report.comparisons.size(),
                     detail::format_ranks(model.max_ranks()),
                     escaped(p.created.substr(0, p.created.find('T'))));
}

/// What was rehearsed, which no script answers again. Then the controls, which scripts fill, and
/// the answer. Without scripts: what was predicted here.
std::string question_of(const Report& report) {
  std::string html;
  for (const Answer& answer : report.asked) {
    html += fmt::format("<p class=\"rehearsed\">{}</p>\n", escaped(answer.line));
  }
  html +=
      "<section id=\"question\" aria-label=\"How long a run takes\">\n"
      "<form id=\"controls\" hidden></form>\n<div>\n<div id=\"answer\" role=\"status\">\n<ul>\n";
  for (const Answer& answer : report.answers | std::views::filter(&Answer::comes_first)) {
    html += fmt::format("<li>{}</li>\n", escaped(answer.line));
  }
  html += "</ul>\n</div>\n<div id=\"commands\"></div>\n</div>\n</section>\n";
  if (assets::predictor_wasm_gzip.empty()) {
    html += fmt::format(
        "<p class=\"missing\">This page cannot answer other questions. Install lld-16, wasi-libc "
        "and "
        "libc++-16-dev-wasm32 (./setup does) and build Cleave again, or ask <code>cleave predict "
        "{} "
        "--ranks 8</code> with a size.</p>\n",
        escaped(report.origin.model));
  }
  return html;
}

std::string item(std::string_view look, std::string_view text) {
  return fmt::format("<li class=\"{}\">{}</li>\n", look, escaped(text));
}

/// Above every answer; those that scripts give are by the law.
std::string verdict_of(const Report& report) {
  const Verdict& verdict = report.verdict;
  const char* const look = !verdict.trusted ? "unjudged" : *verdict.trusted ? "yes" : "no";
  return fmt::format("<p id=\"verdict\" class=\"{}\">{}</p>\n", look,
                     escaped(verdict.sentence(true)));
}

/// Folded; grave ones first.
std::string notes_of(const Report& report) {
  std::string grave;
  std::string others;
  std::size_t count = 0;
  for (const Note& note : report.notes) {
    (note.is_grave ? grave : others) += item(note.is_grave ? "no" : "note", note.text);
    count += note.is_grave ? 1 : 0;
  }
  if (grave.empty() && others.empty()) {
    return "";
  }
  const std::string summary = count == 0   ? "Notes"
                              : count == 1 ? "Notes: one thing to mend"
                                           : fmt::format("Notes: {} things to mend", count);
  return fmt::format("<details id=\"notes\"><summary>{}</summary>\n<ul>\n{}{}</ul></details>\n",
                     summary, grave, others);
}

std::string facts_of(const Report& report) {
  std::string html = "<section>\n<h2>How this was made</h2>\n<dl class=\"facts\">\n";
  for (const auto& [name, value] : report.facts) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value));
  }
  return html + "</dl>\n</section>\n";
}

/// \param bytes  packed
std::string packed_script(const char* id, std::string_view bytes) {
  return fmt::format("<script type=\"text/plain\" id=\"{}\">{}</script>\n", id, bytes);
}

std::string scripts_of(const Report& report) {
  std::string html = packed_script("data", packed(data_json(report)));
  html += packed_script("echarts", base64(assets::echarts_gzip));
  if (!assets::predictor_wasm_gzip.empty()) {
    html += packed_script("predictor-wasm", base64(assets::predictor_wasm_gzip));
    html += packed_script("model", packed(model_text(report.model)));
    html += fmt::format("<script id=\"predictor-js\">\n{}</script>\n", assets::predictor_js);
  }
  for (const std::string_view script :
       {assets::format_js, assets::question_js, assets::answer_js, assets::controls_js,
        assets::curve_js, assets::tables_js, assets::charts_js, assets::over_ranks_js,
        assets::figures_js, assets::start_js}) {
    html += fmt::format("<script>\n{}</script>\n", script);
  }
  return html;
}

}  // namespace

std::string to_html(const Report& report) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>\n{}\n</style>\n</head>\n"
      "<body>\n<main>\n",
      escaped(report.title), assets::page_css);
  html += header_of(report);
  html += verdict_of(report);
  html += question_of(report);
  html += notes_of(report);
  html += "<section class=\"figures\" id=\"over-ranks\"></section>\n";
  html += "<section class=\"figures\" id=\"figures\"></section>\n";
  for (const Table& table : report.tables) {
    html += html_of(table);
  }
  html += facts_of(report);
  return html + "</main>\n" + scripts_of(report) + "</body>\n</html>\n";
}

}  // namespace cleave::models
