// The command line of an application: the options that all share, and its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/harness/inject.hpp"
#include "skeleton/options.hpp"
#include "skeleton/trace/count.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cleave {

/// What the repetitions of a run solve.
enum class Inputs {
  same,      ///< one input, as often as there are repetitions
  each_new,  ///< each another input of the same sizes, if it is generated
};

/// What every application lets a person choose.
struct CommonOptions {
  DC_Type type = DC_Type::hypercube;
  Placement placement = Placement::replicated;
  int threads = 1;
  int repetitions = 5;
  int warm_up = 1;
  std::uint64_t seed = 1;
  Inputs inputs = Inputs::same;
  std::optional<std::filesystem::path> trace;
  bool verify = false;
  bool json = false;
  std::vector<Injection> injections;
  std::optional<int> dilation;  ///< see dilate.hpp

  // Of applications that search.
  std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_memory_bytes = std::numeric_limits<std::int64_t>::max();  ///< of each rank
  std::optional<std::filesystem::path> checkpoint;
  double checkpoint_every_s = 60;
  bool resume = false;
};

/// Whether an application has the options of a search.
enum class Searches { no, yes };

std::string_view name_of(DC_Type type);
std::string_view name_of(Placement placement);
std::string_view name_of(Inputs inputs);

class CommandLine {
 public:
  using Parse = std::function<void(const std::string&)>;

  /// \param app  "quicksort" of the program cleave-quicksort
  CommandLine(std::string_view app, std::string_view summary, Searches searches = Searches::no,
              Placement placement = Placement::replicated);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Adds an option of the application's own. `parse` is called if it is given, and refuses a value
  /// by a UsageError; the option's name is put before its message.
  void add(const std::string& name, const std::string& default_value,
           const std::string& description, Parse parse);

  /// \param speaks  whether this process prints the help or version that was asked for
  /// \return  false if help or version was asked for and the program is to end with success
  /// \throws UsageError
  bool parse(int argc, char** argv, bool speaks);

  /// One run without a warm-up, unless another number was given. After `parse`.
  void default_to_one_run();

  const CommonOptions& common() const { return common_; }

  /// The application's own options, as given or by default, by name without dashes.
  std::map<std::string, std::string> own_options() const;

 private:
  void add_common(Searches searches);
  void add_of_search();
  CLI::Option* add_shared(const std::string& name, const std::string& default_value,
                          const std::string& description, Parse parse);
  void check_combinations();

  std::unique_ptr<CLI::App> cli_;
  CommonOptions common_;
};

/// A count of at least `least` and at most `most`. \throws UsageError
std::int64_t parse_count_between(std::string_view text, std::int64_t least, std::int64_t most);

/// Sizes of no other names than `allowed`. \throws UsageError
NamedSizes parse_sizes_named(std::string_view text, std::initializer_list<const char*> allowed);

}  // namespace cleave
