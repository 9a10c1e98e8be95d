// SPDX-License-Identifier: Apache-2.0
#include "models/study/program_description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

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

/// The line of a description in what a program wrote; empty if there is none.
std::string find_description(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('{') && line.find("\"cleave-program\"") != std::string::npos) {
      return line;
    }
  }
  return {};
}

/// The description that the program prints with `options`.
/// \param refusal  what a program is that prints none: "is no Cleave program"
std::string description_of(const fs::path& file, std::vector<std::string> options,
                           const std::string& refusal, const std::string& advice = "") {
  constexpr double kPatience_s = 10;
  options.insert(options.begin(), file.string());
  options.emplace_back("--describe");
  const Ended ended = run_program(options, kPatience_s);
  std::string line = ended.status == 0 ? find_description(ended.output) : "";
  if (line.empty() || ended.timed_out) {
    const std::string how =
        ended.timed_out     ? fmt::format("it does not end within {} s", kPatience_s)
        : ended.status == 0 ? "it prints no description: " + last_line(ended.output)
        : advice.empty()    ? last_line(ended.output)
                         : fmt::format("it {}: {}", how_it_ended(ended), last_line(ended.output));
    throw UsageError(fmt::format("{} {}{}{}", file.string(), refusal, how, advice));
  }
  return line;
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
  throw UsageError(fmt::format(
      "there is no program {}: looked for {}, for {} in the PATH and for {}; give its path", name,
      beside.string(), name, here.string()));
}

ProgramDescription describe_program(const fs::path& file, const std::vector<std::string>& options) {
  const std::string line =
      !options.empty() ? check_options_of_run(file, options)
                       : description_of(file, {}, "is no Cleave program: with --describe ",
                                        "; a study needs a program whose main calls cleave::run");
  try {
    ProgramDescription program{{}, file};
    detail::JsonFields object = detail::JsonFields::parse(file, "--describe", line);
    fields(object, program);
    return program;
  } catch (const FileError& e) {
    throw UsageError(fmt::format("{}; build the program with this version of Cleave", e.what()));
  }
}

std::string check_options_of_run(const fs::path& file, const std::vector<std::string>& options) {
  return description_of(file, options, fmt::format("refuses {}: ", fmt::join(options, " ")));
}

}  // namespace cleave::models
