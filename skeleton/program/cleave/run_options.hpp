// SPDX-License-Identifier: Apache-2.0
// The command line of a program: the options that `cleave::run` gives every program, those that the
// application adds, and the study that `cleave study` makes of it.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/options.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/suggestion.hpp>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cleave {

namespace detail {
struct ProgramTraits;
struct TestOptions;
}  // namespace detail

/// A size of the problems that a program makes: its option `--size NAME=COUNT`.
struct SizeOption {
  std::string_view name;
  std::int64_t default_count = 1;
  std::int64_t max_count = std::numeric_limits<std::int64_t>::max();
  bool is_required = true;  ///< must be given where any other size is
};

/// Named results, in the order in which they are printed.
using Figures = nlohmann::ordered_json;

/// What the repetitions of a run solve.
enum class Inputs {
  same,      ///< one input, as often as there are repetitions
  each_new,  ///< each another input of the same sizes, if it is generated
};

/// Whether each worker (a thread of a rank) is kept on a core of its own.
enum class Bind {
  full,   ///< where the workers of a host are as many as the cores that they may use
  cores,  ///< where they are no more
  none,
};

/// The ranks of a run that --rehearse names.
struct RehearsedRanks {
  int of = 1;              ///< the run's
  std::vector<int> ranks;  ///< none: one for each process, evenly spaced
};

/// What the command line said.
struct RunOptions {
  int ranks = 1;  ///< of the run, which may be rehearsed
  DC_Type type = DC_Type::hypercube;
  Placement placement = Placement::replicated;
  int threads = 1;
  Bind bind = Bind::full;
  NamedSizes sizes;          ///< of --size, or the default ones
  bool sizes_given = false;  ///< whether --size was
  int repetitions = 5;
  int warm_up = 1;
  std::uint64_t seed = 1;
  Inputs inputs = Inputs::same;
  std::optional<std::filesystem::path> trace;
  std::optional<RehearsedRanks> rehearse;  ///< in place of a run
  bool verify = false;
  bool json = false;

  // What is told while it runs.
  bool quiet = false;                           ///< no progress, and no warnings
  std::optional<std::filesystem::path> status;  ///< the file of --status

  // Of applications that search.
  std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_memory_bytes = std::numeric_limits<std::int64_t>::max();  ///< of each rank
  double max_s = std::numeric_limits<double>::infinity();
  std::optional<std::filesystem::path> checkpoint;
  double checkpoint_every_s = 60;
  bool resume = false;

  std::vector<std::string> warnings;  ///< printed before the run; an application may add some
  bool repetitions_given = false;
  bool warm_up_given = false;

  /// One run without a warm-up, unless the command line asks for another number.
  void run_once();
};

/// What `cleave study` runs of an application: every size, several times, on several numbers of
/// ranks.
struct Study {
  /// Each is what `size_option` takes, or options themselves where it begins with '-'.
  std::vector<std::string> sizes;
  std::string size_option = "--size";
  int rounds = 3;       ///< how often every size is run
  int repetitions = 3;  ///< of each run; more where a run takes milliseconds
  int warm_up = 1;      ///< runs before them; more where fresh memory pages show
  Inputs inputs = Inputs::same;
};

std::string_view name_of(Inputs inputs);

/// Where an application adds its own options. Made by `cleave::run`.
class CommandLine {
 public:
  using Parse = std::function<void(const std::string&)>;

  explicit CommandLine(const detail::ProgramTraits& program);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Adds an option of the application's own. `parse` is called if it is given, and refuses a value
  /// by a UsageError; the option's name is put before its message.
  void add(const std::string& name, const std::string& default_value,
           const std::string& description, Parse parse);

  /// The same without a value: `set` is called if it is given.
  void add_flag(const std::string& name, const std::string& description, std::function<void()> set);

  /// \param speaks  whether this process prints the help or version that was asked for
  /// \return  false if help or version was asked for and the program is to end with success
  /// \throws UsageError
  bool parse(int argc, char** argv, bool speaks);

  RunOptions& options() { return options_; }
  const RunOptions& options() const { return options_; }
  const detail::TestOptions& test_options() const { return *test_options_; }
  const detail::ProgramTraits& program() const { return program_; }
  /// Whether --describe was given.
  bool describes() const { return describes_; }

  struct OwnOption {
    std::string name;  ///< with its dashes
    std::string value;
    std::string description;
  };
  /// The application's own options, in the order in which they were added, as given or by default.
  std::vector<OwnOption> own_options() const;

 private:
  CLI::Option* add_shared(const std::string& name, const std::string& default_value,
                          const std::string& description, Parse parse);
  void add_common();
  void add_size();
  void add_of_search();
  void parse_sizes_given(const std::string& text);
  void choose_placement();
  void check_combinations();

  const detail::ProgramTraits& program_;
  std::unique_ptr<CLI::App> cli_;
  RunOptions options_;
  std::unique_ptr<detail::TestOptions> test_options_;
  bool describes_ = false;
};

/// A count of at least `min` and at most `max`. \throws UsageError
std::int64_t parse_count_between(std::string_view text, std::int64_t min, std::int64_t max);

/// Values and the names that they are given by.
template <class Value, std::size_t n>
using Names = std::array<std::pair<std::string_view, Value>, n>;

/// The value of that name. \throws UsageError  naming all that are allowed
template <class Value, std::size_t n>
Value parse_name(const Names<Value, n>& names, std::string_view text) {
  std::vector<std::string> known;
  for (const auto& [name, value] : names) {
    if (name == text) {
      return value;
    }
    known.emplace_back(name);
  }
  throw UsageError(fmt::format("'{}' is not one of {}{}", text, fmt::join(known, ", "),
                               detail::did_you_mean(text, known)));
}

/// The first name of `value`. \pre  it has one
template <class Value, std::size_t n>
std::string_view name_among(const Names<Value, n>& names, Value value) {
  return std::find_if(names.begin(), names.end(),
                      [value](const auto& named) { return named.second == value; })
      ->first;
}

/// Runs `parse` and puts "name: " before the message of a UsageError.
template <class Parse>
void parse_option(const std::string& name, Parse&& parse) {
  try {
    parse();
  } catch (const UsageError& error) {
    throw UsageError(name + ": " + error.what());
  }
}

/// Bytes that this host can give without swapping, by /proc/meminfo and the control group's limit.
std::int64_t available_memory();

/// Refuses a problem that the host has no memory for, before the system ends the program for it.
/// \throws Error  if `ranks` ranks of this host cannot all have so many `bytes`
void require_memory(std::int64_t bytes, int ranks);

}  // namespace cleave
