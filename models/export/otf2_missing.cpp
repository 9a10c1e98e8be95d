// SPDX-License-Identifier: Apache-2.0
// In the place of otf2.cpp where the library was not there when Cleave was configured.
#include <cleave/error.hpp>
#include <cleave/trace/trace_file.hpp>

#include "models/export/exports.hpp"

namespace cleave::models {

void write_otf2(const detail::Trace& /*trace*/, const std::filesystem::path& /*folder*/) {
  throw UsageError(
      "--format: otf2 is not in this build: install libopen-trace-format2-dev and configure Cleave "
      "again");
}

}  // namespace cleave::models
