// cleave-uts: counts the nodes of an unbalanced tree.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "apps/harness/program.hpp"
#include "apps/uts/check.hpp"
#include "apps/uts/tree_options.hpp"
#include "apps/uts/uts.hpp"

namespace cleave::uts {

namespace {

/// Options of UTS 1.1's programs that say how they run, and what there is here instead.
constexpr std::array<std::pair<const char*, const char*>, 4> kLettersOfOtherPrograms = {
    {{"-v", "all counts are always printed, --json prints them for programs"},
     {"-c", "a steal takes half of what its victim shares, whatever that is"},
     {"-i", "a worker looks for messages by the clock, less often while none come"},
     {"-x", "--trace FILE writes what every worker did"}}};

class UtsProgram {
 public:
  static constexpr std::string_view kName = "uts";
  static constexpr std::string_view kSummary = "Counts the nodes of an unbalanced tree.";
  static constexpr std::string_view kWork = "nodes";
  static constexpr Searches kSearches = Searches::yes;

  void add_options(CommandLine& command_line) {
    tree_.add_to([&](const auto&... option) { command_line.add(option...); });
    command_line.add("-g", "1", "granularity: how many times each node is hashed",
                     [this](const std::string& text) {
                       constexpr std::int64_t kMost = 1'000'000'000;
                       granularity_ = static_cast<int>(parse_count_between(text, 1, kMost));
                     });
    for (const auto& [letter, replacement] : kLettersOfOtherPrograms) {
      command_line.add(letter, "", fmt::format("UTS 1.1, refused: {}", replacement),
                       [replacement = replacement](const std::string& /*text*/) {
                         throw UsageError(fmt::format("not an option here: {}", replacement));
                       });
    }
    command_line.add("--kernel", "auto",
                     "SHA-1 by openssl, by sha (the processor's SHA extensions), or by auto, the "
                     "faster one that runs here",
                     [this](const std::string& text) { kernel_ = parse_kernel(text); });
  }

  void check_options(const CommonOptions& options) {
    constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
    is_limited_ = std::min(options.max_nodes, options.max_memory_bytes) < kUnlimited;
    uts_ = {.tree = Tree(tree_.parameters()),
            .child_ids = kernel_.child_ids,
            .granularity = granularity_,
            .max_nodes = options.max_nodes,
            .max_memory = static_cast<std::size_t>(options.max_memory_bytes)};
  }

  std::optional<std::string> warning() const {
    const Tree& tree = uts_->tree;
    if (tree.surely_ends() || is_limited_ || known_counts(tree.parameters())) {
      return std::nullopt;
    }
    return "q * m is 1 or more, so that the tree may never end; --max-nodes or --max-memory would "
           "stop it";
  }

  std::string instance() const { return text_of(uts_->tree.parameters()); }

  Uts app() const { return *uts_; }

  Forest make_problem(std::uint64_t /*seed*/) const { return whole_tree(uts_->tree); }

  Figures figures(const TreeCounts& counts, const std::vector<double>& seconds) const {
    return {{"tree", text_of(uts_->tree.parameters())},
            {"kernel", kernel_.name},
            {"nodes", counts.nodes},
            {"leaves", counts.leaves},
            {"max_depth", counts.max_depth},
            {"available_parallelism", available_parallelism(counts)},
            {"nodes_per_second", static_cast<double>(counts.nodes) / median(seconds)}};
  }

  std::optional<std::string> wrong(const Forest& /*problem*/, const TreeCounts& counts) const {
    return wrong_counts(uts_->tree.parameters(), counts);
  }

 private:
  TreeOptions tree_;
  int granularity_ = 1;
  Kernel kernel_ = fastest_kernel();
  bool is_limited_ = false;
  std::optional<Uts> uts_;
};

}  // namespace

}  // namespace cleave::uts

int main(int argc, char** argv) { return cleave::run_program<cleave::uts::UtsProgram>(argc, argv); }
