// SPDX-License-Identifier: Apache-2.0
// cleave new: a folder with a small program around an application, its test and how it is built.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>
#include <system_error>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/trace/suggestion.hpp>

#include "models/ask/answering.hpp"
#include "models/ask/arguments.hpp"
#include "models/ask/commands.hpp"
#include "models/ask/project.hpp"
#include "models/report/write_report.hpp"

namespace cleave::models {

namespace fs = std::filesystem;

namespace {

/// A form of application (application.hpp, tree_search.hpp), with an example of it.
struct ProjectForm {
  std::string_view name;
  std::string_view application;
  std::string_view test;
  std::string_view size;  ///< that a run time is predicted of
};

std::array<ProjectForm, 5> forms() {
  return {{{"halves", project::halves, project::halves_test, "N=1G"},
           {"merge", project::merge, project::merge_test, "N=1G"},
           {"sort", project::sort, project::sort_test, "N=1G"},
           {"search", project::search, project::search_test, "nodes=1G"},
           {"bound", project::bound, project::bound_test, "nodes=1G"}}};
}

ProjectForm form_named(const std::string& name) {
  std::vector<std::string> names;
  for (const ProjectForm& form : forms()) {
    if (form.name == name) {
      return form;
    }
    names.emplace_back(form.name);
  }
  throw UsageError(fmt::format("--form: '{}' is none of {}{}", name, fmt::join(names, ", "),
                               detail::did_you_mean(name, names)));
}

void check_name(const std::string& name) {
  constexpr std::size_t kMaxLetters = 64;
  if (name.empty()) {
    throw UsageError("a name is required, for example cleave new mysort --form sort");
  }
  const auto is_letter = [](unsigned char c) { return c < 128 && std::isalpha(c) != 0; };
  const auto is_allowed = [&](unsigned char c) {
    return is_letter(c) || (c < 128 && std::isdigit(c) != 0) || c == '_' || c == '-';
  };
  if (!is_letter(static_cast<unsigned char>(name.front())) || name.size() > kMaxLetters ||
      !std::all_of(name.begin(), name.end(), is_allowed)) {
    throw UsageError(
        fmt::format("'{}' cannot be a project's name: a letter, then at most {} letters, digits, _ "
                    "and -, for example mysort",
                    name, kMaxLetters - 1));
  }
  // Targets that CMake's generators make, and Cleave itself.
  constexpr std::array<std::string_view, 9> kTaken = {
      "all", "clean", "cleave", "depend", "help", "install", "package", "preinstall", "test"};
  if (std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end()) {
    throw UsageError(
        fmt::format("'{}' cannot be a project's name: CMake has a target of this name;"
                    " take another, for example my{}",
                    name, name));
  }
}

/// "my-sort_2" is "MySort2".
std::string camel_case(const std::string& name) {
  std::string result;
  bool begins_word = true;
  for (const char c : name) {
    if (c == '_' || c == '-') {
      begins_word = true;
      continue;
    }
    const auto letter = static_cast<unsigned char>(c);
    result += static_cast<char>(begins_word ? std::toupper(letter) : letter);
    begins_word = false;
  }
  return result;
}

std::string replaced(std::string_view text, std::string_view placeholder,
                     const std::string& value) {
  std::string result(text);
  for (auto at = result.find(placeholder); at != std::string::npos;
       at = result.find(placeholder, at + value.size())) {
    result.replace(at, placeholder.size(), value);
  }
  return result;
}

void write_project(const fs::path& folder, const std::string& name, const ProjectForm& form) {
  const auto write = [&](const std::string& file, std::string_view text) {
    write_file(folder / file,
               replaced(replaced(replaced(text, "@name@", name), "@Name@", camel_case(name)),
                        "@size@", std::string(form.size)));
  };
  write("CMakeLists.txt", project::cmake_lists);
  write(name + ".hpp", form.application);
  write(name + ".cpp", project::main_program);
  write("test_" + name + ".cpp", form.test);
  write("README.md", project::readme);
}

/// Writes the project under another name and renames it, so that it appears whole or not at all.
void make_project(const std::string& name, const ProjectForm& form) {
  if (fs::exists(fs::symlink_status(name))) {
    throw FileError(name, "is there already: take another name, or remove it");
  }
  const fs::path unfinished = make_folder_beside(name);
  try {
    write_project(unfinished, name, form);
    std::error_code error;
    fs::rename(unfinished, name, error);
    if (error) {
      throw FileError(name, "cannot make this folder: " + error.message());
    }
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(unfinished, ignored);
    throw;
  }
}

void run(const std::string& name, const std::string& form_name, const Answering& answering) {
  check_name(name);
  const ProjectForm form = form_named(form_name);
  make_project(name, form);
  answering.print(
      {{"name", name},
       {"form", form.name},
       {"folder", name},
       {"files",
        {name + ".hpp", name + ".cpp", "test_" + name + ".cpp", "CMakeLists.txt", "README.md"}}});
  answering.say(fmt::format(
      "written: {0}/{0}.hpp (the application), {0}.cpp, test_{0}.cpp, CMakeLists.txt, README.md\n"
      "\n"
      "next:\n"
      "  cd {0}\n"
      "  cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build\n"
      "  ctest --test-dir build\n"
      "  mpiexec -n 2 build/{0} --verify\n"
      "  cleave study build/{0}\n"
      "  cleave predict {0}-study --ranks 2,4,8 --size {1}\n",
      name, form.size));
}

}  // namespace

void add_new_command(CLI::App& program) {
  auto name = std::make_shared<std::string>();
  auto form = std::make_shared<std::string>("halves");
  CLI::App* command =
      program.add_subcommand("new", "Write a small project with an application, to begin with");
  command->add_option("name", *name, "Of the project and its folder, e.g. mysort");
  command
      ->add_option("--form", *form,
                   "Of the application: halves (divide in two and combine), merge (parts that "
                   "merge), sort (parts that are sorted), search (a tree), bound (a tree with a "
                   "bound)")
      ->capture_default_str();
  auto answering = std::make_shared<Answering>();
  answering->add_to(*command);
  command->footer(
      "Examples:\n"
      "  cleave new mysort\n"
      "  cleave new mysort --form sort\n"
      "  cleave new mysearch --form bound --json");
  command->callback([name, form, answering] { run(*name, *form, *answering); });
}

}  // namespace cleave::models
