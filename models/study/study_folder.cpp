// SPDX-License-Identifier: Apache-2.0
#include "models/study/study_folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/host/host.hpp>
#include <cleave/trace/trace_file.hpp>

#include "models/report/report.hpp"

namespace cleave::models {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kModel = ".model.json";
constexpr std::string_view kMachine = ".machine.json";

/// The one file with this ending in `folder`; empty if there is none.
/// \throws FileError  if there are several
fs::path one_with(const fs::path& folder, std::string_view ending) {
  const std::vector<fs::path> files = files_with(folder, ending);
  if (files.size() > 1) {
    std::vector<std::string> names;
    std::ranges::transform(files, std::back_inserter(names),
                           [](const fs::path& file) { return file.filename().string(); });
    throw FileError(folder, fmt::format("holds {} files *{}, name the one that is meant: {}",
                                        files.size(), ending, fmt::join(names, ", ")));
  }
  return files.empty() ? fs::path() : files.front();
}

}  // namespace

std::shared_ptr<void> own_folder(const fs::path& folder) {
  make_folder(folder);
  const fs::path name = folder / "study.lock";
  const int file = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);  // less the umask
  std::shared_ptr<void> owner(nullptr, [file](void*) { ::close(file); });
  if (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::usleep(200'000);  // an owner that begins says at once who it is
    throw FileError(folder, fmt::format("a study runs in it, {}", read_file(name)));
  }
  const std::string host = detail::provenance_here("", "", "").host;
  std::ofstream(name) << fmt::format("process {} on {}", ::getpid(), host);
  return owner;
}

bool is_folder(const fs::path& path) {
  std::error_code none;
  return fs::is_directory(path, none);
}

std::vector<fs::path> files_with(const fs::path& folder, std::string_view ending) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().ends_with(ending) && !entry.is_directory(error)) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

fs::path model_of(const fs::path& path) {
  const std::string name = path.filename().string();
  std::error_code none;
  if (fs::exists(path, none) && (name.ends_with(kTraceEnding) || name.ends_with(".csv"))) {
    throw FileError(path, fmt::format("is no model: make one by cleave fit {} --out {}{}",
                                      path.string(), name.substr(0, name.find('.')), kModel));
  }
  fs::path model = is_folder(path) ? one_with(path, kModel) : path;
  if (model.empty()) {
    throw FileError(path,
                    fmt::format("has no *{}: make one by cleave fit {}", kModel, path.string()));
  }
  return model;
}

fs::path model_to_write(const fs::path& folder, const std::string& app) {
  fs::path model = one_with(folder, kModel);
  return model.empty() ? folder / (app + std::string(kModel)) : model;
}

fs::path machine_of(const fs::path& path) {
  fs::path machine = is_folder(path) ? one_with(path, kMachine) : path;
  return machine.empty() ? path / kMachineOfStudy : machine;
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
      throw FileError(path, fmt::format("has no *{}, nor has its traces/", kTraceEnding));
    }
    all.insert(all.end(), files.begin(), files.end());
  }
  return all;
}

}  // namespace cleave::models
