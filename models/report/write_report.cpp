// SPDX-License-Identifier: Apache-2.0
#include "models/report/write_report.hpp"

#include <system_error>

#include <cleave/file.hpp>

#include "models/report/page/page.hpp"
#include "models/report/text.hpp"

namespace cleave::models {

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error || !std::filesystem::is_directory(folder)) {
    throw FileError(
        folder, "cannot make this folder: " + (error ? error.message() : "a file has its name"));
  }
}

void write_report(const std::filesystem::path& folder, const Report& report) {
  for (const Table& table : report.tables) {
    write_file(folder / (table.id + ".csv"), to_csv(table));
  }
  write_file(folder / "report.md", to_markdown(report));
  write_file(folder / "report.html", to_html(report));
}

}  // namespace cleave::models
