// SPDX-License-Identifier: Apache-2.0
#include "models/study/program_description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <system_error>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/json_fields.hpp>

#include "models/study/subprocess.hpp"

namespace cleave::models {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr std::string_view kPrefix = "cleave-";

bool is_executable(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
}

std::optional<fs::path> find_in_path(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && is_executable(fs::path(folder) / name)) {
      return fs::path(folder) / name;
    }
  }
  return std::nullopt;
}

/// \throws UsageError  if `file` cannot be run
fs::path require_executable(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) {
    throw UsageError(
        fmt::format("there is no program {}: build it, or give another path", file.string()));
  }
  if (fs::is_directory(file, error)) {
    throw UsageError(fmt::format("{} is a folder: give the program in it", file.string()));
  }
  if (!is_executable(file)) {
    throw UsageError(fmt::format("{} is not executable: build it, or chmod +x {}", file.string(),
                                 file.string()));
  }
  return fs::absolute(file).lexically_normal();
}

/// The line of a description in what a program wrote.
std::optional<nlohmann::json> find_description(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
    if (object.is_object() && object.value("format", nlohmann::json()) == "cleave-program") {
      return object;
    }
  }
  return std::nullopt;
}

Ended run_described(const fs::path& file, std::vector<std::string> options) {
  options.insert(options.begin(), file.string());
  options.push_back("--describe");
  return run_program(options, kPatience);
}

/// "N=1M,M=2M"
std::string default_size_from(const detail::JsonFields& fields) {
  std::string text;
  for (const detail::JsonFields& size :
       fields.has("sizes") ? fields.objects("sizes") : std::vector<detail::JsonFields>{}) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", size.text("name"),
                        format_count(size.integer("default", std::int64_t{0})));
  }
  return text;
}

/// Why the program that ended so does not describe itself.
std::string reason_of(const Ended& ended) {
  if (ended.timed_out) {
    return fmt::format("does not end within {} s", kPatience.count());
  }
  if (ended.status != 0) {
    return fmt::format("{}: {}", how_it_ended(ended), last_line(ended.output));
  }
  return fmt::format("prints no description: {}", last_line(ended.output));
}

/// \throws UsageError always, saying what is wrong with the program, or with `options`
[[noreturn]] void refuse(const fs::path& file, const std::vector<std::string>& options,
                         const Ended& ended) {
  if (!options.empty() && !ended.timed_out) {
    const Ended without = run_described(file, {});
    if (!without.timed_out && without.status == 0 && find_description(without.output)) {
      throw UsageError(fmt::format("{} refuses {}: {}", file.string(), fmt::join(options, " "),
                                   last_line(ended.output)));
    }
  }
  throw UsageError(
      fmt::format("{} is no Cleave program: with --describe it {}; a study needs a program whose "
                  "main calls cleave::run",
                  file.string(), reason_of(ended)));
}

}  // namespace

fs::path program_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

std::vector<std::string> programs_beside() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(program_folder(), error)) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with(kPrefix) && file.find('.') == std::string::npos &&
        is_executable(entry.path())) {
      names.push_back(file.substr(kPrefix.size()));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return require_executable(name);
  }
  const fs::path beside = program_folder() / (std::string(kPrefix) + name);
  if (is_executable(beside)) {
    return beside;
  }
  if (const auto found = find_in_path(name)) {
    return require_executable(*found);
  }
  const fs::path here = fs::path(".") / name;
  std::error_code none;
  if (fs::exists(here, none) && !fs::is_directory(here, none)) {
    return require_executable(here);
  }
  throw UsageError(
      fmt::format("there is no program {}: looked for {}, for {} in the PATH and for {}; give its "
                  "path",
                  name, beside.string(), name, here.string()));
}

ProgramDescription describe_program(const fs::path& file, const std::vector<std::string>& options) {
  const Ended ended = run_described(file, options);
  const std::optional<nlohmann::json> object =
      ended.timed_out || ended.status != 0 ? std::nullopt : find_description(ended.output);
  if (!object) {
    refuse(file, options, ended);
  }
  try {
    const detail::JsonFields fields(file, "--describe", *object);
    detail::check_format(fields, "cleave-program", detail::kDescriptionVersion);
    return {.file = file,
            .name = fields.text("name"),
            .types = fields.texts("types"),
            .type = fields.text("type"),
            .placement = fields.text("placement"),
            .default_size = default_size_from(fields),
            .study = detail::study_from(fields.object("study")),
            .quick_study = detail::study_from(fields.object("quick_study"))};
  } catch (const nlohmann::json::exception& e) {
    throw UsageError(fmt::format("{}: --describe prints a description that cannot be read: {}",
                                 file.string(), e.what()));
  } catch (const FileError& e) {
    throw UsageError(fmt::format("{}; build the program with this version of Cleave", e.what()));
  }
}

void check_options_of_run(const fs::path& file, const std::vector<std::string>& options) {
  const Ended ended = run_described(file, options);
  if (ended.timed_out || ended.status != 0) {
    refuse(file, options, ended);
  }
}

}  // namespace cleave::models
