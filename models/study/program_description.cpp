// SPDX-License-Identifier: Apache-2.0
#include "models/study/program_description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <system_error>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/json_fields.hpp>

#include "models/study/launcher.hpp"

namespace cleave::models {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "cleave-";

bool is_executable(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
}

/// \throws UsageError  if `file` cannot be run
fs::path require_executable(const fs::path& file) {
  if (is_executable(file)) {
    return fs::absolute(file).lexically_normal();
  }
  const std::string name = file.string();
  std::error_code error;
  throw UsageError(!fs::exists(file, error)
                       ? fmt::format("there is no program {}: build it, or give another path", name)
                   : fs::is_directory(file, error)
                       ? fmt::format("{} is a folder: give the program in it", name)
                       : fmt::format("{0} is not executable: build it, or chmod +x {0}", name));
}

/// The line of a description in what a program wrote; null if there is none.
nlohmann::json find_description(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
    if (object.is_object() && object.value("format", nlohmann::json()) == "cleave-program") {
      return object;
    }
  }
  return {};
}

/// The description that the program prints with `options`.
/// \param refusal  what a program is that prints none: "is no Cleave program"
nlohmann::json description_of(const fs::path& file, std::vector<std::string> options,
                              const std::string& refusal, const std::string& advice = "") {
  constexpr std::chrono::seconds kPatience{10};
  options.insert(options.begin(), file.string());
  options.emplace_back("--describe");
  const Ended ended = run_program(options, kPatience);
  nlohmann::json object = ended.status == 0 ? find_description(ended.output) : nlohmann::json();
  if (object.is_null() || ended.timed_out) {
    const std::string how =
        ended.timed_out     ? fmt::format("it does not end within {} s", kPatience.count())
        : ended.status == 0 ? "it prints no description: " + last_line(ended.output)
        : advice.empty()    ? last_line(ended.output)
                         : fmt::format("it {}: {}", how_it_ended(ended), last_line(ended.output));
    throw UsageError(fmt::format("{} {}{}{}", file.string(), refusal, how, advice));
  }
  return object;
}

/// "N=1M,M=2M"
std::string default_size_from(const detail::JsonFields& fields) {
  std::vector<std::string> sizes;
  for (const detail::JsonFields& size :
       fields.has("sizes") ? fields.objects("sizes") : std::vector<detail::JsonFields>{}) {
    sizes.push_back(size.text("name") + "=" +
                    format_count(size.integer("default", std::int64_t{0})));
  }
  return fmt::format("{}", fmt::join(sizes, ","));
}

}  // namespace

fs::path program_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return require_executable(name);
  }
  const fs::path beside = program_folder() / (std::string(kPrefix) + name);
  const fs::path here = fs::path(".") / name;
  for (const fs::path& file : {beside, find_in_path(name), here}) {
    if (is_executable(file)) {
      return require_executable(file);
    }
  }
  std::error_code none;
  if (fs::is_regular_file(here, none)) {
    return require_executable(here);
  }
  throw UsageError(fmt::format(
      "there is no program {}: looked for {}, for {} in the PATH and for {}; give its path", name,
      beside.string(), name, here.string()));
}

ProgramDescription describe_program(const fs::path& file, const std::vector<std::string>& options) {
  nlohmann::json object = description_of(file, {}, "is no Cleave program: with --describe ",
                                         "; a study needs a program whose main calls cleave::run");
  if (!options.empty()) {
    object = check_options_of_run(file, options);
  }
  try {
    const detail::JsonFields fields(file, "--describe", object);
    detail::check_format(fields, "cleave-program", detail::kDescriptionVersion);
    return {.file = file,
            .name = fields.text("name"),
            .types = fields.texts("types"),
            .type = fields.text("type"),
            .placement = fields.text("placement"),
            .default_size = default_size_from(fields),
            .study = detail::study_from(fields.object("study")),
            .quick_study = detail::study_from(fields.object("quick_study"))};
  } catch (const FileError& e) {
    throw UsageError(fmt::format("{}; build the program with this version of Cleave", e.what()));
  }
}

nlohmann::json check_options_of_run(const fs::path& file, const std::vector<std::string>& options) {
  return description_of(file, options, fmt::format("refuses {}: ", fmt::join(options, " ")));
}

}  // namespace cleave::models
