// cleave-components: finds the connected components of a graph.
#include <fmt/format.h>

#include <array>
#include <bit>

#include "apps/components/check.hpp"
#include "apps/components/components.hpp"
#include "apps/components/generated_graphs.hpp"
#include "apps/components/graph_file.hpp"
#include "apps/harness/memory.hpp"
#include "apps/harness/program.hpp"
#include "skeleton/trace/atomic_file.hpp"
#include "skeleton/trace/machine_file.hpp"

namespace cleave {

namespace {

constexpr std::array<std::string_view, 3> kGenerated = {"gnm", "rmat", "grid"};

class ComponentsProgram {
 public:
  static constexpr std::string_view kName = "components";
  static constexpr std::string_view kSummary = "Finds the connected components of a graph.";
  static constexpr std::string_view kWork = "M";
  static constexpr Placement kPlacement = Placement::distributed;

  void add_options(CommandLine& command_line) {
    command_line.add(
        "--size", "N=1M,M=2M",
        "how many vertices and edges; of a grid, N alone for all of its edges; of a file, N alone, "
        "or "
        "none: what it says, or its greatest vertex number and 1",
        [this](const std::string& text) {
          sizes_ = parse_sizes_named(text, {"N", "M"});
          if (sizes_.contains("N") && sizes_.at("N") > kMostVertices) {
            throw UsageError(fmt::format("'{}' is too large: at most N={}", text, kMostVertices));
          }
        });
    command_line.add("--graph", graph_, "gnm (random edges), rmat, grid, or a file",
                     [this](const std::string& text) { graph_ = text; });
    command_line.add("--format", "auto",
                     "of a file: text, binary, matrix-market, metis; auto: by name and header",
                     [this](const std::string& text) {
                       format_ =
                           text == "auto" ? std::nullopt : std::optional(graph_format_named(text));
                     });
    command_line.add("--combine", std::string(name_of(combine_)),
                     "naive (N unions, as in the paper) or flat (unions where both sides disagree)",
                     [this](const std::string& text) { combine_ = parse_combine(text); });
    command_line.add(
        "--encoding", "auto",
        "what labels are sent as: dense, changed, giant; auto: what takes least time by --machine, "
        "dense without it",
        [this](const std::string& text) { encoding_ = parse_encoding(text); });
    command_line.add("--machine", "", "a machine file (*.machine.json), for --encoding auto",
                     [this](const std::string& text) { machine_file_ = text; });
    command_line.add("--output", "", "write the labels to this file, one a line",
                     [this](const std::string& text) { output_ = text; });
  }

  void check_options(const CommonOptions& /*options*/) {
    if (!machine_file_.empty()) {
      machine_ = read_machine(machine_file_);
    }
    check_graph_options();
  }

  void check_graph_options() {
    if (!is_generated()) {
      if (sizes_.contains("M")) {
        throw UsageError("--size: the edges are those of the file " + graph_ + ", leave out M");
      }
      return;
    }
    if (format_) {
      throw UsageError("--format: a graph that is generated is in no file, leave it out");
    }
    if (sizes_.empty()) {
      sizes_ = {{"N", 1 << 20}};
      if (graph_ != "grid") {
        sizes_["M"] = 2 << 20;
      }
    }
    if (!sizes_.contains("N") || (graph_ != "grid" && !sizes_.contains("M"))) {
      throw UsageError("--size: a random graph needs both, for example N=1M,M=2M");
    }
    if (graph_ == "rmat" && !std::has_single_bit(static_cast<std::uint64_t>(sizes_.at("N")))) {
      throw UsageError(
          fmt::format("--size: N={} of an R-MAT graph must be a power of two", sizes_.at("N")));
    }
    if (graph_ == "grid" && sizes_.contains("M") && grid_edges(vertices()) == 0) {
      throw UsageError("--size: a grid of one vertex has no edges, leave out M");
    }
  }

  bool is_generated() const {
    return std::find(kGenerated.begin(), kGenerated.end(), graph_) != kGenerated.end();
  }

  Components app() const {
    return {.combine_form = combine_,
            .encoding = {.prescribed = encoding_, .gap_s_per_byte = gap_s_per_byte()}};
  }

  Graph make_problem(std::uint64_t seed) const {
    if (is_generated()) {
      return generated(seed, {});
    }
    GraphSlice whole = read({});
    check_entries(graph_, whole.entries, whole.entries_told);
    check_labels_fit(whole.vertices);
    return {.vertices = whole.vertices, .edges = std::move(whole.edges)};
  }

  Graph make_part(const Comm& comm, std::uint64_t seed) const {
    const Slice slice{.index = comm.rank(), .count = comm.size()};
    if (is_generated()) {
      return agree(comm, [&] { return generated(seed, slice); });
    }
    GraphSlice mine = agree(comm, [&] { return read(slice); });
    const auto vertices = static_cast<Vertex>(comm.greatest(mine.vertices));
    const std::int64_t entries = comm.sum(mine.entries);
    agree(comm, [&] {
      check_entries(graph_, entries, mine.entries_told);
      check_labels_fit(vertices);
    });
    return {.vertices = vertices, .edges = std::move(mine.edges)};
  }

  Figures figures(const Labelling& labelling, const std::vector<double>& /*seconds*/) const {
    const Components solved = app();
    Figures figures = {{"components", count_components(labelling.labels())},
                       {"combine", name_of(solved.combine_form)},
                       {"encoding", name_of(encoding_of(labelling, solved.encoding))}};
    return figures;
  }

  std::optional<std::string> wrong(const Graph& graph, const Labelling& labelling) const {
    return wrong_labels(graph, labelling.labels());
  }

  /// Rank 0 searches the whole graph; the others compare with its labels.
  std::optional<std::string> wrong_part(const Comm& comm, std::uint64_t seed,
                                        const Labelling& labelling) const {
    std::optional<std::string> wrong = agree(comm, [&]() -> std::optional<std::string> {
      return comm.rank() == 0 ? wrong_labels(make_problem(seed), labelling.labels()) : std::nullopt;
    });
    Labels first = labels_of(labelling);
    comm.broadcast(std::as_writable_bytes(std::span(first)), 0);
    if (!std::ranges::equal(first, labelling.labels())) {
      wrong = "its labels are not those of rank 0";
    }
    return wrong;
  }

  void keep(const Comm& comm, const Labelling& labelling) const {
    agree(comm, [&] {
      if (output_.empty() || comm.rank() != 0) {
        return;
      }
      AtomicFile file(output_);
      std::string text;
      constexpr std::size_t kAtOnce = std::size_t{1} << 20;
      for (const Vertex label : labelling.labels()) {
        fmt::format_to(std::back_inserter(text), "{}\n", label);
        if (text.size() >= kAtOnce) {
          file.write(text);
          text.clear();
        }
      }
      file.write(text);
      file.commit();
    });
  }

 private:
  static CombineForm parse_combine(const std::string& text) {
    for (const CombineForm form : {CombineForm::naive, CombineForm::flat}) {
      if (name_of(form) == text) {
        return form;
      }
    }
    throw UsageError(fmt::format("'{}' is neither naive nor flat", text));
  }

  static std::optional<Encoding> parse_encoding(const std::string& text) {
    for (const Encoding encoding : {Encoding::dense, Encoding::changed, Encoding::giant}) {
      if (name_of(encoding) == text) {
        return encoding;
      }
    }
    if (text != "auto") {
      throw UsageError(fmt::format("'{}' is not one of auto, dense, changed, giant", text));
    }
    return std::nullopt;
  }

  Vertex vertices() const { return static_cast<Vertex>(sizes_.at("N")); }

  double gap_s_per_byte() const {
    return machine_ ? exchange_gap_s_per_byte(*machine_, Comm(MPI_COMM_WORLD).size()) : 0;
  }

  /// The edges' share of what memory this rank may take; as much is left for the edges that another
  /// rank sends, and for labels.
  std::int64_t most_edge_bytes() const {
    return available_memory() / Comm(MPI_COMM_WORLD).ranks_per_host() / 2;
  }

  /// Labels are held by this rank, its partner's message and the last repetition.
  void check_labels_fit(Vertex vertices) const {
    constexpr std::int64_t kCopies = 3;
    const std::int64_t needed = kCopies * static_cast<std::int64_t>(sizeof(Vertex)) * vertices;
    const std::int64_t most = available_memory() / Comm(MPI_COMM_WORLD).ranks_per_host();
    if (needed > most) {
      throw Error(
          fmt::format("{} vertices are too many for this machine: their labels take {} bytes "
                      "on a rank, {} are available",
                      vertices, needed, most));
    }
  }

  Graph generated(std::uint64_t seed, Slice slice) const {
    const bool is_drawn = sizes_.contains("M");
    const std::int64_t edges = is_drawn ? sizes_.at("M") : grid_edges(vertices());
    const std::int64_t share = slice.end(edges) - slice.begin(edges);
    if (share > most_edge_bytes() / static_cast<std::int64_t>(sizeof(Edge))) {
      throw Error(
          fmt::format("M={} edges are too many for this machine: a rank's share is {}, {} of "
                      "them fit into memory",
                      edges, share, most_edge_bytes() / static_cast<std::int64_t>(sizeof(Edge))));
    }
    check_labels_fit(vertices());
    if (graph_ == "gnm") {
      return random_graph(vertices(), edges, seed, slice);
    }
    if (graph_ == "rmat") {
      return rmat_graph(vertices(), edges, seed, slice);
    }
    return is_drawn ? random_grid_graph(vertices(), edges, seed, slice)
                    : grid_graph(vertices(), slice);
  }

  GraphSlice read(Slice slice) const {
    const ReadOptions options{.vertices = sizes_.empty() ? std::nullopt : std::optional(vertices()),
                              .most_bytes = most_edge_bytes()};
    return read_graph(graph_, format_ ? *format_ : graph_format_of(graph_), options, slice);
  }

  NamedSizes sizes_;
  std::string graph_ = std::string(kGenerated.front());
  std::optional<GraphFormat> format_;
  CombineForm combine_ = CombineForm::flat;
  std::optional<Encoding> encoding_;
  std::string machine_file_;
  std::optional<Machine> machine_;
  std::string output_;
};

}  // namespace

}  // namespace cleave

int main(int argc, char** argv) {
  return cleave::run_program<cleave::ComponentsProgram>(argc, argv);
}
