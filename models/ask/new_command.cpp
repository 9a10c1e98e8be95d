// SPDX-License-Identifier: Apache-2.0
// cleave new: a folder with a small program around an application, its test and how it is built.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <memory>
#include <regex>

#include <cleave/command_line/output.hpp>
#include <cleave/file.hpp>

#include "models/ask/arguments.hpp"
#include "models/ask/project.hpp"

namespace cleave::models {

namespace fs = std::filesystem;

namespace {

/// A form of application (application.hpp, tree_search.hpp), with an example of it.
struct ProjectForm {
  std::string_view name;
  std::string_view example;  ///< its file, without .hpp
  std::string_view application;
  std::string_view main;
  std::string_view test;
  std::string_view question;  ///< of `cleave predict`, that its model can answer
};

constexpr std::string_view kOfCount = "--ranks 2,4,8 --size N=1G --machine ethernet-10g";
constexpr std::string_view kOfNodes = "--ranks 1,2 --size nodes=1G";

const std::array<ProjectForm, 2>& forms() {
  using namespace project;
  static const std::array<ProjectForm, 2> all = {{
      {"halves", "mergesort", halves, halves_main, halves_test, kOfCount},
      {"search", "queens", search, search_main, search_test, kOfNodes},
  }};
  return all;
}

void check_name(const std::string& name) {
  require_option(name, "a name", "cleave new mysort");
  if (!std::regex_match(name, std::regex("[A-Za-z][A-Za-z0-9_-]{0,63}"))) {
    throw UsageError(
        fmt::format("'{}' cannot be a project's name: a letter, then at most 63 letters, digits, _ "
                    "and -, for example mysort",
                    name));
  }
}

void write_project(const fs::path& folder, const std::string& name, const ProjectForm& form) {
  const std::pair<std::string, std::string_view> files[] = {
      {"CMakeLists.txt", project::cmake_lists},
      {name + ".hpp", form.application.substr(form.application.find('\n') + 1)},  // no licence
      {name + ".cpp", form.main.substr(form.main.find('\n') + 1)},
      {"test_" + name + ".cpp", form.test},
      {"README.md", project::readme}};
  for (const auto& [file, source] : files) {
    std::string text(source);
    boost::replace_all(text, "@name@", name);
    boost::replace_all(text, fmt::format("apps/examples/{}", form.example), name);
    boost::replace_all(text, "@question@", form.question);
    write_file(folder / file, text);
  }
}

/// Writes the project under another name and renames it, so that it appears whole or not at all.
void make_project(const std::string& name, const ProjectForm& form) {
  if (fs::exists(fs::symlink_status(name))) {
    throw FileError(name, "is there already: take another name, or remove it");
  }
  const fs::path unfinished = make_folder_beside(name);
  std::error_code error;
  try {
    write_project(unfinished, name, form);
    fs::rename(unfinished, name, error);
    if (error) {
      throw FileError(name, "cannot make this folder: " + error.message());
    }
  } catch (...) {
    fs::remove_all(unfinished, error);
    throw;
  }
}

void run(const std::string& name, const std::string& form_name) {
  check_name(name);
  const ProjectForm& form = *std::ranges::find(forms(), form_name, &ProjectForm::name);
  make_project(name, form);
  detail::write_out(fmt::format(
      "written: {0}/{0}.hpp (the application), {0}.cpp, test_{0}.cpp, CMakeLists.txt, README.md\n"
      "\n"
      "next:\n"
      "  cd {0}\n"
      "  cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build\n"
      "  ctest --test-dir build\n"
      "  mpiexec -n 2 build/{0} --verify\n"
      "  cleave study build/{0} --quick\n"
      "  cleave predict {0}-study {1}\n",
      name, form.question));
}

}  // namespace

void add_new_command(CLI::App& program) {
  auto name = std::make_shared<std::string>();
  auto form = std::make_shared<std::string>("halves");
  CLI::App* command =
      program.add_subcommand("new", "Write a small project with an application, to begin with");
  std::vector<std::string> names;
  std::ranges::transform(forms(), std::back_inserter(names),
                         [](const ProjectForm& of) { return std::string(of.name); });
  command->add_option("name", *name, "Of the project and its folder, e.g. mysort");
  command
      ->add_option("--form", *form,
                   "Of the application: halves (divide in two and combine), search (a tree)")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command->footer("Examples:\n  cleave new mysearch --form search");
  command->callback([name, form] { run(*name, *form); });
}

}  // namespace cleave::models
