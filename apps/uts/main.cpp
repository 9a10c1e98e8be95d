// cleave-uts: counts the nodes of an unbalanced tree.
#include "apps/harness/program.hpp"
#include "apps/uts/check.hpp"
#include "apps/uts/uts.hpp"

namespace cleave {

namespace {

class UtsProgram {
 public:
  static constexpr std::string_view kName = "uts";
  static constexpr std::string_view kSummary = "Counts the nodes of an unbalanced tree.";
  static constexpr std::string_view kWork = "nodes";

  void add_options(CommandLine& command_line) {
    command_line.add("--tree", kDefaultTree,
                     "prins:T1, prins:T2, prins:T3 or prins:r=0x101,n=3200,q=0.234375,m=4",
                     [this](const std::string& text) { uts_.tree = parse_prins_tree(text); });
    command_line.add("--max-nodes", "", "fail once a rank has counted more than this",
                     [this](const std::string& text) { uts_.max_nodes = parse_count(text); });
  }

  void check_options(const CommonOptions& /*options*/) const {}

  std::optional<std::string> warning() const {
    return uts_.tree.surely_ends() ? std::nullopt
                                   : std::optional<std::string>(
                                         "q * m is 1 or more, so that the tree may never end; "
                                         "--max-nodes would stop it");
  }

  Uts app() const { return uts_; }

  Forest make_problem(std::uint64_t /*seed*/) const { return whole_tree(uts_.tree); }

  Figures figures(const TreeCounts& counts, const std::vector<double>& seconds) const {
    return {{"nodes", counts.nodes},
            {"leaves", counts.leaves},
            {"max_depth", counts.max_depth},
            {"nodes_per_second", static_cast<double>(counts.nodes) / median(seconds)}};
  }

  std::optional<std::string> wrong(const Forest& /*problem*/, const TreeCounts& counts) const {
    return wrong_counts(uts_.tree, counts);
  }

 private:
  static constexpr const char* kDefaultTree = "prins:T3";

  Uts uts_{.tree = parse_prins_tree(kDefaultTree)};
};

}  // namespace

}  // namespace cleave

int main(int argc, char** argv) { return cleave::run_program<cleave::UtsProgram>(argc, argv); }
