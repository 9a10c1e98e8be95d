// SPDX-License-Identifier: Apache-2.0
#include "models/study/side_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <cleave/error.hpp>

#include "models/report/report.hpp"
#include "models/study/study_folder.hpp"
#include "models/study/study_run.hpp"

namespace cleave::models {

namespace fs = std::filesystem;

namespace {

/// A folder that goes with this object.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_((fs::temp_directory_path() / "cleave-compare-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) {
      throw Error(fmt::format("cannot make a folder in {}", fs::temp_directory_path().string()));
    }
  }
  ~TemporaryFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  fs::path operator/(const std::string& name) const { return fs::path(path_) / name; }

 private:
  std::string path_;
};

StudyPlan plan_of(const std::string& program, const SideRunOptions& options,
                  const std::vector<std::string>& sizes, const fs::path& folder) {
  make_folder(folder);
  make_folder(folder / kTracesOfStudy);
  return plan_study({.program = program,
                     .ranks = {options.ranks},
                     .sizes = sizes,
                     .rounds = options.rounds,
                     .out = folder.string(),
                     .at = {},
                     .quick = true,
                     .options = {"--seed", "1"}});
}

}  // namespace

std::vector<ComparedSide> run_sides(const std::vector<std::string>& programs,
                                    const SideRunOptions& options) {
  const TemporaryFolder folder;
  std::vector<StudyPlan> plans;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const auto& sizes = plans.empty() ? options.sizes : plans.front().study.sizes;
    plans.push_back(plan_of(programs[i], options, sizes, folder / std::to_string(i + 1)));
    const std::string& first = plans.front().program.name;
    if (plans.back().program.name != first) {
      throw UsageError(fmt::format("{} is of {}, {} of {}", programs.front(), first, programs[i],
                                   plans.back().program.name));
    }
  }
  const Launcher launcher("");
  std::vector<std::vector<detail::Trace>> traces(programs.size());
  for (int round = 1; round <= options.rounds; ++round) {
    for (std::size_t c = 0; c < plans.front().cases.size(); ++c) {
      for (std::size_t i = 0; i < plans.size(); ++i) {
        const std::size_t side = round % 2 == 0 ? plans.size() - 1 - i : i;
        traces[side].push_back(run_case(plans[side], launcher, plans[side].cases[c], round).trace);
      }
    }
  }
  std::vector<ComparedSide> sides;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    sides.push_back(side_of(programs[i], std::move(traces[i])));
  }
  return sides;
}

}  // namespace cleave::models
