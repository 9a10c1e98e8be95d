// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "models/export/exports.hpp"

namespace cleave::models {

static std::string field_of(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted;
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string_view(&c, 1);
  }
  return fmt::format("\"{}\"", quoted);
}

std::string to_span_csv(std::span<const detail::Trace> traces) {
  std::set<std::string> names;
  for (const detail::Trace& trace : traces) {
    for (const std::vector<std::string>& list : trace.size_names) {
      names.insert(list.begin(), list.end());
    }
  }
  std::string text =
      "file,app,ranks,repetition,warm_up,rank,level,group,block,begin_ns,end_ns,bytes";
  for (const std::string& name : names) {
    text += ',' + field_of(name);
  }
  text += "\r\n";
  for (const detail::Trace& trace : traces) {
    std::set<int> warm_ups;
    for (const detail::Trace::Run& run : trace.repetitions) {
      if (run.warm_up) {
        warm_ups.insert(run.index);
      }
    }
    const std::string start = fmt::format("{},{},{}", field_of(trace.file.filename().string()),
                                          field_of(trace.run.app), trace.run.ranks);
    for (const auto& [rank, span] : trace.spans) {
      const NamedSizes sizes = trace.sizes_of(span);
      text += fmt::format("{},{},{},{},{},{},{},{},{},{}", start, span.repetition,
                          warm_ups.contains(span.repetition), rank, span.level, span.group,
                          name_of(span.block), span.begin_ns, span.end_ns, span.bytes);
      for (const std::string& name : names) {
        const auto found = sizes.find(name);
        text += found == sizes.end() ? "," : fmt::format(",{}", found->second);
      }
      text += "\r\n";
    }
  }
  return text;
}

}  // namespace cleave::models
