// SPDX-License-Identifier: Apache-2.0
// cleave new: a folder with a small program around an application, its test and how it is built.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>
#include <system_error>

#include <cleave/error.hpp>
#include <cleave/file.hpp>

#include "models/ask/answering.hpp"
#include "models/ask/arguments.hpp"
#include "models/ask/commands.hpp"
#include "models/ask/project.hpp"

namespace cleave::models {

namespace fs = std::filesystem;

namespace {

/// A form of application (application.hpp, tree_search.hpp), with an example of it.
struct ProjectForm {
  std::string_view name;
  std::string_view example;  ///< its file, without .hpp
  std::string_view type;     ///< its struct
  std::string_view application;
  std::string_view main;
  std::string_view test;
  std::string_view question;  ///< of `cleave predict`, that its model can answer
};

const std::array<ProjectForm, 5>& forms() {
  static const std::array<ProjectForm, 5> all = {{
      {"halves", "mergesort", "Mergesort", project::halves, project::halves_main,
       project::halves_test, "--ranks 2,4,8 --size N=1G --machine ethernet-10g"},
      {"merge", "histogram", "Histogram", project::merge, project::merge_main, project::merge_test,
       "--ranks 2,4,8 --size N=1G --machine ethernet-10g"},
      {"sort", "record_sort", "RecordSort", project::sort, project::sort_main, project::sort_test,
       "--ranks 2,4,8 --size N=1G --machine ethernet-10g"},
      {"search", "queens", "Queens", project::search, project::search_main, project::search_test,
       "--ranks 1,2 --size nodes=1G"},
      {"bound", "knapsack", "Knapsack", project::bound, project::bound_main, project::bound_test,
       "--ranks 1,2 --size nodes=1G"},
  }};
  return all;
}

std::vector<std::string> form_names() {
  std::vector<std::string> names;
  for (const ProjectForm& form : forms()) {
    names.emplace_back(form.name);
  }
  return names;
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

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Where `word` is next in `text`, not as a part of another.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0) {
  const auto goes_on = [&](char inside, std::size_t outside) {
    return is_of_word(inside) && outside < text.size() && is_of_word(text[outside]);
  };
  auto at = text.find(word, from);
  while (at != std::string_view::npos &&
         (goes_on(word.front(), at - 1) || goes_on(word.back(), at + word.size()))) {
    at = text.find(word, at + 1);
  }
  return at;
}

std::string replaced(std::string text, std::string_view word, const std::string& value) {
  for (auto at = find_word(text, word); at != std::string::npos;
       at = find_word(text, word, at + value.size())) {
    text.replace(at, word.size(), value);
  }
  return text;
}

/// \throws UsageError  if the struct would have a name that the example uses
void check_type(const std::string& name, const ProjectForm& form) {
  const std::string type = camel_case(name);
  if (type != form.type && find_word(form.application, type) != std::string_view::npos) {
    throw UsageError(
        fmt::format("'{}' cannot be the name of this project: the example of the form {} has a "
                    "type {}; take another, for example my{}",
                    name, form.name, type, name));
  }
}

/// An example's source without its licence, as the project's own.
std::string renamed(std::string_view source, const std::string& name, const ProjectForm& form) {
  std::string text(source.substr(source.find('\n') + 1));
  text = replaced(std::move(text), fmt::format("apps/examples/{}", form.example), name);
  return replaced(std::move(text), form.type, camel_case(name));
}

void write_project(const fs::path& folder, const std::string& name, const ProjectForm& form) {
  const auto write = [&](const std::string& file, std::string text) {
    text = replaced(std::move(text), "@name@", name);
    text = replaced(std::move(text), "@Name@", camel_case(name));
    write_file(folder / file, replaced(std::move(text), "@question@", std::string(form.question)));
  };
  write("CMakeLists.txt", std::string(project::cmake_lists));
  write(name + ".hpp", renamed(form.application, name, form));
  write(name + ".cpp", renamed(form.main, name, form));
  write("test_" + name + ".cpp", std::string(form.test));
  write("README.md", std::string(project::readme));
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
  const ProjectForm& form = *std::ranges::find(forms(), form_name, &ProjectForm::name);
  check_type(name, form);
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
  command->add_option("name", *name, "Of the project and its folder, e.g. mysort");
  command
      ->add_option("--form", *form,
                   "Of the application: halves (divide in two and combine), merge (parts that "
                   "merge), sort (parts that are sorted), search (a tree), bound (a tree with a "
                   "bound)")
      ->check(CLI::IsMember(form_names()))
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
