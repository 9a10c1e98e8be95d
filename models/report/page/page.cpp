// SPDX-License-Identifier: Apache-2.0
#include "models/report/page/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <set>
#include <utility>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/words.hpp>

#include "models/report/report.hpp"
#include "models/theory/model.hpp"
#include "models/theory/model_file.hpp"

namespace cleave::models {

using detail::JsonFields;

namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += c == '&'   ? "&amp;"
              : c == '<' ? "&lt;"
              : c == '>' ? "&gt;"
              : c == '"' ? "&quot;"
                         : std::string(1, c);
  }
  return result;
}

/// Something that a reader opens.
std::string folded(std::string_view id, std::string_view title, std::string_view html) {
  return fmt::format("<details id=\"{}\"><summary>{}</summary>\n{}</details>\n", id, title, html);
}

std::string html_of(const Table& table) {
  constexpr std::size_t kWide = 40;
  std::string html = fmt::format(
      "<p>{}</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\n"
      "<thead><tr>",
      escaped(table.note), escaped(table.title));
  for (const Column& column : table.columns) {
    html += fmt::format("<th scope=\"col\"{}>{}</th>", column.is_number ? " class=\"number\"" : "",
                        escaped(column.shown()));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<Cell>& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      html +=
          table.columns[i].is_number
              ? fmt::format("<td class=\"number\" data-exact=\"{0}\" title=\"{0}\">{1}</td>",
                            escaped(row[i].exact), escaped(row[i].shown))
              : fmt::format("<td{}>{}</td>", row[i].shown.size() > kWide ? " class=\"wide\"" : "",
                            escaped(row[i].shown));
    }
    html += "</tr>\n";
  }
  return folded(table.id, escaped(table.title), html + "</tbody></table></div>\n");
}

/// The verdict and the answers that were predicted here: what a study was asked, else the first.
std::string answers_of(const Report& report) {
  constexpr std::array kLooks = {"yes", "unjudged", "no"};  // of each State
  const auto [state, sentence] = verdict_of(report.model, first_answers(report), reach_of(report));
  std::string html = fmt::format("<p id=\"verdict\" class=\"{}\">{}</p>\n<ul>\n",
                                 kLooks[static_cast<std::size_t>(state)], escaped(sentence));
  for (const Answer& answer : report.asked.empty() ? first_answers(report) : report.asked) {
    html += fmt::format("<li>{}</li>\n", escaped(answer.line));
  }
  return html + "</ul>\n";
}

/// A form and an answer for scripts to fill, of which the time alone is spoken. Without a
/// predictor: what was predicted here.
std::string question_of(const Report& report) {
  const bool can_ask = !assets::predictor_wasm_gzip.empty();
  std::string html = fmt::format(
      "<section id=\"question\" aria-label=\"How long a run takes\">\n"
      "<form id=\"controls\" hidden></form>\n<div id=\"answer\" tabindex=\"-1\">\n{}</div>\n"
      "</section>\n",
      can_ask ? "<p id=\"time\" aria-live=\"polite\"></p>\n<div id=\"judged\"></div>\n" +
                    folded("more", "Speed-up, memory, what it rests on, the same from a shell",
                           "<div id=\"uses\"></div>\n<div id=\"commands\"></div>\n")
              : answers_of(report));
  if (!can_ask) {
    html += fmt::format(
        "<p class=\"missing\">This page cannot answer other questions. Install lld-16, wasi-libc "
        "and libc++-16-dev-wasm32 (./setup does) and build Cleave again, or ask <code>cleave "
        "predict {} --ranks 8</code> with a size.</p>\n",
        escaped(report.origin.model));
  }
  return html;
}

/// Folded; grave ones first.
std::string notes_of(const Report& report) {
  std::string items;
  std::size_t count = 0;
  for (const Note& note : report.notes) {
    items += fmt::format("<li class=\"{}\">{}</li>\n", note.is_grave ? "no" : "note",
                         escaped(note.text));
    count += note.is_grave ? 1 : 0;
  }
  return items.empty()
             ? ""
             : folded("notes", count == 0 ? "Notes" : fmt::format("Notes: {} to mend", count),
                      "<ul>\n" + items + "</ul>\n");
}

/// Four characters for three bytes.
std::string base64(std::string bytes) {
  namespace iterators = boost::archive::iterators;
  using Digits =
      iterators::base64_from_binary<iterators::transform_width<std::string::const_iterator, 6, 8>>;
  const std::size_t padding = (3 - bytes.size() % 3) % 3;
  bytes.append(padding, '\0');
  std::string text(Digits(bytes.cbegin()), Digits(bytes.cend()));
  return text.replace(text.size() - padding, padding, padding, '=');
}

std::string scripts_of(const Report& report) {
  std::string html;
  const auto add = [&](const char* id, const std::string& bytes) {
    html += fmt::format("<script type=\"text/plain\" id=\"{}\">{}</script>\n", id, bytes);
  };
  add("data", packed(page_data(report)));
  add("echarts", base64(std::string(assets::echarts_gzip)));
  if (!assets::predictor_wasm_gzip.empty()) {
    add("predictor-wasm", base64(std::string(assets::predictor_wasm_gzip)));
    add("model", packed(model_text(report.model)));
    html += fmt::format("<script id=\"predictor-js\">\n{}</script>\n", assets::predictor_js);
  }
  for (const std::string_view script :
       {assets::tables_js, assets::question_js, assets::figures_js, assets::start_js}) {
    html += fmt::format("<script>\n{}</script>\n", script);
  }
  return html;
}

/// A field of a question: what it is called, begins with and allows.
struct QuestionField {
  std::string id;
  std::string label;
  std::string value;
  std::string hint;
  std::vector<std::pair<std::string, std::string>> options;  ///< value and label of each
};

void fields(JsonFields& object, QuestionField& f) {
  object("id", f.id)("label", f.label)("value", f.value)("hint", f.hint)("options", f.options);
}

std::vector<QuestionField> question_fields(const Model& model) {
  std::vector<QuestionField> all;
  const NamedSizes largest = largest_fitted(model);
  for (const std::string& name : model.size_names()) {
    const auto [least, most] = *model.fitted_range(name);
    all.push_back({"size-" + name, "Size " + name, format_count(largest.at(name)),
                   fmt::format("fitted: {} to {}", format_count(least), format_count(most))});
  }
  const bool is_search = model.search() != nullptr;
  all.push_back({"ranks", "Ranks", std::to_string(is_search ? model.max_ranks() : 8),
                 fmt::format("fitted: up to {}", model.max_ranks())});
  if (is_search) {
    std::set<int> threads;
    for (const RunPoint& run : model.fitted) {
      threads.insert(run.threads);
    }
    all.push_back({"threads", "Threads of a rank", std::to_string(model.threads),
                   fmt::format("fitted: {}", fmt::join(threads, ", "))});
  }
  if (model.table() == nullptr) {
    all.push_back({"ranks-per-host", "Ranks per host", "", "empty: as in the fitted runs"});
    if (model.hypercube() != nullptr) {
      const bool is_known = model.network.knows_between_hosts();
      all.push_back({"network", "Network", is_known ? "" : kAssumedNetwork, "between hosts"});
      if (is_known) {
        all.back().options.emplace_back("", "as measured");
      }
      for (const std::string& name : preset_names()) {
        all.back().options.emplace_back(name, name);
      }
    }
  }
  all.push_back({"deadline", "Deadline", "", "20ms, 60s, 15m, 1.5h"});
  if (model.memory) {
    all.push_back({"memory", "Memory of a node", "", "64G, 512G"});
  }
  return all;
}

}  // namespace

static void fields(JsonFields& object, const JudgedRun& c) {
  const Prediction& p = c.prediction;
  object("ranks", c.run.ranks)("threads", c.run.threads)("sizes", c.run.sizes);
  object("measured", c.measured_s)("predicted", p.seconds)("low", p.low)("high", p.high);
  object("held_out", c.held_out);
  object("text",
         fmt::format("{} on {}\nmeasured {}, predicted {}\nerror {:.3g} %, repetitions scatter by "
                     "{:.3g} %",
                     format_sizes(c.run.sizes), format_workers(c.run.ranks, c.run.threads),
                     detail::format_seconds(c.measured_s), detail::format_seconds(p.seconds),
                     100 * c.relative_error, 100 * c.spread));
}

std::string page_data(const Report& report) {
  return detail::json_text([&](JsonFields& object) {
    object("fields", question_fields(report.model))("file", report.origin.model);
    object("machine", report.origin.machine)("max_ranks", report.model.max_ranks());
    object("plan_heads", std::vector<std::string_view>(kPlanHeads.begin(), kPlanHeads.end()))(
        "runs", report.comparisons);
  });
}

std::string packed(std::string_view bytes) {
  constexpr int kGzip = 16 + MAX_WBITS;
  constexpr int kMemoryLevel = 8;  // zlib's default
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw Error("the page cannot be compressed: no memory");
  }
  std::string result(deflateBound(&stream, bytes.size()), '\0');
  // zlib does not write to what it reads.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int status = deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) {
    throw Error("the page cannot be compressed: too large");
  }
  return base64(result);
}

std::string to_html(const Report& report) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; style-src 'unsafe-inline'; "
      "worker-src blob:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>\n{}\n</style>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#answer\">Skip to the answer</a>\n<main>\n",
      escaped(report.title), assets::page_css);
  html += fmt::format("<h1>How long does <b>{}</b> take?</h1>\n", escaped(report.model.app));
  html += question_of(report) + notes_of(report);
  html += "<section class=\"figures\" id=\"figures\"></section>\n";
  if (!assets::predictor_wasm_gzip.empty()) {
    html += folded("plan", "Plan over ranks",
                   "<div class=\"figures\" id=\"shares\"></div>\n<div id=\"choices\"></div>\n") +
            folded("asked", "What was predicted when this page was made", answers_of(report));
  }
  std::string made = "<dl class=\"facts\">\n";
  for (const auto& [name, value] : report.facts) {
    made += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value));
  }
  made += "</dl>\n";
  for (const Table& table : report.tables) {
    (table.id == "coefficients" ? made : html) += html_of(table);
  }
  if (report.model.table() == nullptr) {
    made +=
        "<p>Which rank did what when: <code>cleave export TRACE --out "
        "timeline.json</code>, and open it in <a "
        "href=\"https://ui.perfetto.dev\">Perfetto</a>.</p>\n";
  }
  return html + folded("made", "How this was made", made) + "</main>\n" + scripts_of(report) +
         "</body>\n</html>\n";
}

}  // namespace cleave::models
