// SPDX-License-Identifier: Apache-2.0
#include "models/ask/study_folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <system_error>

#include <cleave/error.hpp>
#include <cleave/trace/trace_file.hpp>

#include "models/study/study_plan.hpp"
#include "models/theory/model_file.hpp"

namespace cleave::models {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kModel = ".model.json";
constexpr std::string_view kMachine = ".machine.json";

/// \throws FileError  if there are several
std::optional<fs::path> one_with(const fs::path& folder, std::string_view ending) {
  const std::vector<fs::path> files = files_with(folder, ending);
  if (files.size() > 1) {
    std::vector<std::string> names;
    for (const fs::path& file : files) {
      names.push_back(file.filename().string());
    }
    throw FileError(folder, fmt::format("holds {} files *{}, name the one that is meant: {}",
                                        files.size(), ending, fmt::join(names, ", ")));
  }
  return files.empty() ? std::nullopt : std::optional(files.front());
}

/// What else is in `folder`, for messages.
std::string contents_of(const fs::path& folder) {
  constexpr std::size_t kMaxNames = 8;
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    names.push_back(entry.path().filename().string());
  }
  if (names.empty()) {
    return "it is empty";
  }
  std::sort(names.begin(), names.end());
  const std::size_t more = names.size() - std::min(names.size(), kMaxNames);
  names.resize(names.size() - more);
  return fmt::format("it holds {}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

bool is_folder(const fs::path& path) {
  std::error_code none;
  return fs::is_directory(path, none);
}

fs::path model_of(const fs::path& path) {
  const std::string name = path.filename().string();
  std::error_code none;
  if (fs::exists(path, none) && (name.ends_with(kTraceEnding) || name.ends_with(".csv"))) {
    throw FileError(path, fmt::format("is no model: make one by cleave fit {} --out {}{}",
                                      path.string(), name.substr(0, name.find('.')), kModel));
  }
  if (!is_folder(path)) {
    return path;
  }
  if (const auto model = one_with(path, kModel)) {
    return *model;
  }
  throw FileError(path, fmt::format("has no *{} ({}): make one by cleave fit {}", kModel,
                                    contents_of(path), path.string()));
}

std::string host_told_in(const fs::path& folder) {
  try {
    return read_model(model_of(folder)).verdict.host;
  } catch (const FileError&) {  // there is none, or several, or one of another version
    return "";
  }
}

fs::path model_to_write(const fs::path& folder, const std::string& app) {
  return one_with(folder, kModel).value_or(folder / (app + std::string(kModel)));
}

fs::path machine_of(const fs::path& path) {
  if (!is_folder(path)) {
    return path;
  }
  if (const auto machine = one_with(path, kMachine)) {
    return *machine;
  }
  throw FileError(path, fmt::format("has no *{} ({})", kMachine, contents_of(path)));
}

std::optional<fs::path> machine_if_any(const fs::path& folder) {
  return one_with(folder, kMachine);
}

std::vector<std::string> traces_of(const std::vector<std::string>& paths) {
  std::vector<std::string> all;
  for (const std::string& path : paths) {
    if (!is_folder(path)) {
      all.push_back(path);
      continue;
    }
    std::vector<fs::path> files = files_with(fs::path(path) / kTracesOfStudy, kTraceEnding);
    if (files.empty()) {
      files = files_with(path, kTraceEnding);
    }
    if (files.empty()) {
      throw FileError(path, fmt::format("has no *{}, nor has its traces/ ({})", kTraceEnding,
                                        contents_of(path)));
    }
    all.insert(all.end(), files.begin(), files.end());
  }
  return all;
}

namespace {

std::vector<detail::Trace> traces_in(const fs::path& folder, const char* name) {
  std::vector<detail::Trace> traces;
  if (!folder.empty()) {
    for (const fs::path& file : files_with(folder / name, kTraceEnding)) {
      traces.push_back(detail::read_trace(file));
    }
  }
  return traces;
}

}  // namespace

std::vector<RehearsedRun> rehearsed_in(const fs::path& folder, Model model) {
  model.options.clear();  // sizes may be options
  return rehearsed_runs(model, traces_in(folder, kRehearsalsOfStudy));
}

std::vector<MeasuredMessages> messages_in(const fs::path& folder, const Model& model) {
  return measured_messages(model, traces_in(folder, kMessagesOfStudy));
}

std::optional<fs::path> only_folder(const std::vector<std::string>& paths) {
  return paths.size() == 1 && is_folder(paths.front()) ? std::optional<fs::path>(paths.front())
                                                       : std::nullopt;
}

}  // namespace cleave::models
