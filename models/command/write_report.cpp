// SPDX-License-Identifier: Apache-2.0
#include "models/command/write_report.hpp"

#include "models/report/page/page.hpp"
#include "models/report/text.hpp"
#include "models/traces/files.hpp"

namespace cleave::models {

void write_report(const std::filesystem::path& folder, const Report& report) {
  for (const Table& table : report.tables) {
    write_file(folder / (table.id + ".csv"), to_csv(table));
  }
  write_file(folder / "report.md", to_markdown(report));
  write_file(folder / "report.html", to_html(report));
}

}  // namespace cleave::models
