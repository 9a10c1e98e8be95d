// cleave-uts: counts the nodes of an unbalanced tree.
#include <fmt/format.h>

#include <array>
#include <map>

#include "apps/harness/program.hpp"
#include "apps/uts/check.hpp"
#include "apps/uts/uts.hpp"

namespace cleave::uts {

namespace {

class UtsProgram {
 public:
  static constexpr std::string_view kName = "uts";
  static constexpr std::string_view kSummary = "Counts the nodes of an unbalanced tree.";
  static constexpr std::string_view kWork = "nodes";
  static constexpr DC_Type kDefaultType = DC_Type::work_stealing;

  void add_options(CommandLine& command_line) {
    command_line.add("--tree", "prins:T3",
                     "T1, T3L ... of UTS 1.1; prins:T1, prins:T2, prins:T3 or "
                     "prins:r=0x101,n=3200,q=0.234375,m=4",
                     [this](const std::string& text) { tree_ = parse_tree(text); });
    for (const auto& [letter, description] : kLetters) {
      command_line.add(fmt::format("-{}", letter), "", description,
                       [this, letter = letter](const std::string& text) {
                         TreeParameters checked;
                         set_by_letter(checked, letter, text);
                         letters_[letter] = text;
                       });
    }
    command_line.add("-g", "1", "granularity: how many times each node is hashed",
                     [this](const std::string& text) {
                       constexpr std::int64_t kMost = 1'000'000'000;
                       granularity_ = static_cast<int>(parse_count_between(text, 1, kMost));
                     });
    command_line.add("--kernel", "auto",
                     "SHA-1 by openssl, by sha (the processor's SHA extensions), or by auto, the "
                     "faster one that runs here",
                     [this](const std::string& text) { kernel_ = parse_kernel(text); });
    command_line.add("--max-nodes", "", "fail once a rank has counted more than this",
                     [this](const std::string& text) { max_nodes_ = parse_count(text); });
    command_line.add("--max-memory", "", "fail once the nodes of a rank that wait take more bytes",
                     [this](const std::string& text) {
                       max_memory_ = static_cast<std::size_t>(parse_count(text));
                     });
  }

  void check_options() {
    if (!letters_.empty()) {
      TreeParameters parameters = tree_.value_or(TreeParameters{});
      if (parameters.is_prins) {
        throw UsageError(fmt::format(
            "-{} describes a tree of UTS 1.1 and cannot be combined with --tree prins:...",
            letters_.begin()->first));
      }
      for (const auto& [letter, text] : letters_) {
        set_by_letter(parameters, letter, text);
      }
      tree_ = parameters;
    }
    uts_ = {.tree = Tree(tree_.value_or(parse_tree("prins:T3"))),
            .child_ids = kernel_.child_ids,
            .granularity = granularity_,
            .max_nodes = max_nodes_,
            .max_memory = max_memory_};
  }

  std::optional<std::string> warning() const {
    const Tree& tree = uts_->tree;
    if (tree.surely_ends() || known_counts(tree.parameters())) {
      return std::nullopt;
    }
    return "q * m is 1 or more, so that the tree may never end; --max-nodes would stop it";
  }

  Uts app() const { return *uts_; }

  Forest make_problem(std::uint64_t /*seed*/) const { return whole_tree(uts_->tree); }

  Figures figures(const TreeCounts& counts, const std::vector<double>& seconds) const {
    return {{"tree", text_of(uts_->tree.parameters())},
            {"kernel", kernel_.name},
            {"nodes", counts.nodes},
            {"leaves", counts.leaves},
            {"max_depth", counts.max_depth},
            {"nodes_per_second", static_cast<double>(counts.nodes) / median(seconds)}};
  }

  std::optional<std::string> wrong(const Forest& /*problem*/, const TreeCounts& counts) const {
    return wrong_counts(uts_->tree.parameters(), counts);
  }

 private:
  struct Letter {
    char letter;
    const char* description;
  };
  static constexpr std::array<Letter, kTreeLetters.size()> kLetters = {{
      {'t', "UTS 1.1: type of tree: 0 BIN, 1 GEO, 2 HYBRID, 3 BALANCED (1)"},
      {'b', "branching factor of the root (4)"},
      {'r', "seed of the root (0)"},
      {'q', "BIN: probability of an interior node (0.234375)"},
      {'m', "BIN: children of an interior node (4)"},
      {'a', "GEO: shape: 0 LINEAR, 1 EXPDEC, 2 CYCLIC, 3 FIXED (0)"},
      {'d', "GEO: depth parameter (6)"},
      {'f', "HYBRID: from which fraction of the depth parameter on nodes are BIN (0.5)"},
  }};

  std::optional<TreeParameters> tree_;
  std::map<char, std::string> letters_;
  int granularity_ = 1;
  Kernel kernel_ = fastest_kernel();
  std::int64_t max_nodes_ = std::numeric_limits<std::int64_t>::max();
  std::size_t max_memory_ = std::numeric_limits<std::size_t>::max();
  std::optional<Uts> uts_;
};

}  // namespace

}  // namespace cleave::uts

int main(int argc, char** argv) { return cleave::run_program<cleave::uts::UtsProgram>(argc, argv); }
