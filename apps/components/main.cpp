// cleave-components: finds the connected components of a graph.
#include <fmt/format.h>

#include "apps/components/check.hpp"
#include "apps/components/components.hpp"
#include "apps/components/input.hpp"
#include "apps/harness/program.hpp"
#include "skeleton/trace/atomic_file.hpp"

namespace cleave {

namespace {

constexpr const char* kRandomGraph = "gnm";

class ComponentsProgram {
 public:
  static constexpr std::string_view kName = "components";
  static constexpr std::string_view kSummary = "Finds the connected components of a graph.";
  static constexpr std::string_view kWork = "M";

  void add_options(CommandLine& command_line) {
    command_line.add(
        "--size", "N=1M,M=2M",
        "how many vertices and edges; of a file, N alone, or none: its greatest "
        "vertex number and 1",
        [this](const std::string& text) {
          sizes_ = parse_sizes_named(text, {"N", "M"});
          if (sizes_.contains("N") && sizes_.at("N") > kMostVertices) {
            throw UsageError(fmt::format("'{}' is too large: at most N={}", text, kMostVertices));
          }
        });
    command_line.add("--graph", graph_,
                     "gnm (random edges) or a file of edges, two vertex numbers a line",
                     [this](const std::string& text) { graph_ = text; });
  }

  void check_options(const CommonOptions& /*options*/) {
    if (graph_ != kRandomGraph && sizes_.contains("M")) {
      throw UsageError("--size: the edges are those of the file " + graph_ + ", leave out M");
    }
    if (graph_ == kRandomGraph && sizes_.empty()) {
      sizes_ = {{"N", 1 << 20}, {"M", 2 << 20}};
    }
    if (graph_ == kRandomGraph && sizes_.size() != 2) {
      throw UsageError("--size: a random graph needs both, for example N=1M,M=2M");
    }
  }

  Components app() const { return {}; }

  Graph make_problem(std::uint64_t seed) const {
    if (graph_ == kRandomGraph) {
      return random_graph(static_cast<Vertex>(sizes_.at("N")), sizes_.at("M"), seed);
    }
    const std::optional<Vertex> vertices =
        sizes_.empty() ? std::nullopt : std::optional(static_cast<Vertex>(sizes_.at("N")));
    return parse_edge_list(read_file(graph_), graph_, vertices);
  }

  Figures figures(const Labels& labels, const std::vector<double>& /*seconds*/) const {
    return {{"components", count_components(labels)}};
  }

  std::optional<std::string> wrong(const Graph& graph, const Labels& labels) const {
    return wrong_labels(graph, labels);
  }

 private:
  NamedSizes sizes_;
  std::string graph_ = kRandomGraph;
};

}  // namespace

}  // namespace cleave

int main(int argc, char** argv) {
  return cleave::run_program<cleave::ComponentsProgram>(argc, argv);
}
