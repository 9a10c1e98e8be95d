// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "models/export/exports.hpp"
#include "models/report/table.hpp"

namespace cleave::models {

std::string to_span_csv(std::span<const detail::Trace> traces) {
  std::set<std::string> names;
  for (const detail::Trace& trace : traces) {
    for (const std::vector<std::string>& list : trace.size_names) {
      names.insert(list.begin(), list.end());
    }
  }
  Table table{.columns = {{"file"},
                          {"app"},
                          {"ranks", true},
                          {"repetition", true},
                          {"warm_up"},
                          {"rank", true},
                          {"level", true},
                          {"group", true},
                          {"block"},
                          {"begin_ns", true},
                          {"end_ns", true},
                          {"bytes", true}}};
  for (const std::string& name : names) {
    table.columns.push_back({name, true});
  }
  for (const detail::Trace& trace : traces) {
    std::set<int> warm_ups;
    for (const detail::Trace::Run& run : trace.repetitions) {
      if (run.warm_up) {
        warm_ups.insert(run.index);
      }
    }
    for (const auto& [rank, span] : trace.spans) {
      const NamedSizes sizes = trace.sizes_of(span);
      std::vector<Cell> row;
      const auto add = [&row](std::string exact) { row.push_back({"", std::move(exact)}); };
      add(trace.file.filename().string());
      add(trace.run.app);
      add(std::to_string(trace.run.ranks));
      add(std::to_string(span.repetition));
      add(warm_ups.contains(span.repetition) ? "true" : "false");
      add(std::to_string(rank));
      add(std::to_string(span.level));
      add(std::to_string(span.group));
      add(std::string(name_of(span.block)));
      add(std::to_string(span.begin_ns));
      add(std::to_string(span.end_ns));
      add(std::to_string(span.bytes));
      for (const std::string& name : names) {
        const auto found = sizes.find(name);
        add(found == sizes.end() ? "" : std::to_string(found->second));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return to_csv(table);
}

}  // namespace cleave::models
