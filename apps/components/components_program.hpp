// SPDX-License-Identifier: Apache-2.0
// The program cleave-components: where graphs come from, where labels go, and what is told of them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <cleave/file.hpp>
#include <cleave/program.hpp>
#include <cleave/trace/machine_file.hpp>

#include "apps/components/check.hpp"
#include "apps/components/components.hpp"
#include "apps/components/generated_graphs.hpp"
#include "apps/components/graph_file.hpp"
#include "apps/components/random_graph.hpp"

namespace cleave::components {

inline constexpr std::array<std::string_view, 3> kGenerated = {"gnm", "rmat", "grid"};

/// The program cleave-components. How it combines and encodes is that of the options.
class ComponentsProgram : public Components {
 public:
  static constexpr std::string_view kName = "components";
  static constexpr std::string_view kSummary = "Finds the connected components of a graph.";
  static constexpr std::string_view kWork = "M";
  static constexpr SizeOption kSizes[] = {
      {"N", 1 << 20, kMaxVertices, false},
      {.name = "M", .default_count = 2 << 20, .is_required = false}};

  void add_options(CommandLine& command_line) {
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

  void check_options(RunOptions& options) {
    combine_form = combine_;
    encoding = {.prescribed = encoding_};
    if (!machine_file_.empty()) {
      encoding.gap_s_per_byte =
          exchange_gap_s_per_byte(detail::read_machine(machine_file_), options.ranks);
    }
    if (graph_ == "grid" && !options.sizes_given) {
      options.sizes.erase("M");
    }
    is_sized_ = options.sizes_given;
    sizes_ = options.sizes;
    check_graph_options();
  }

  void check_graph_options() const {
    if (!is_generated()) {
      if (is_sized_ && sizes_.contains("M")) {
        throw UsageError("--size: the edges are those of the file " + graph_ + ", leave out M");
      }
      return;
    }
    if (format_) {
      throw UsageError("--format: a graph that is generated is in no file, leave it out");
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

  /// N nodes in K and M = N to 8N edges, so that M is no multiple of N: the paper's M = 2N
  /// determines no coefficients. N has values between the powers of two, since somewhere the nodes
  /// overflow a cache. So has the density, since combining changes from so much an edge to so much
  /// a node. Inputs are new ones: of one small graph a processor learns every branch.
  Study study(const RunOptions& /*options*/, bool is_quick) const {
    Study study{
        .rounds = is_quick ? 2 : 6, .repetitions = 5, .warm_up = 3, .inputs = Inputs::each_new};
    for (const int halves_of_first : {2, 3, 4, 6, 8, 12, 16}) {
      const int n = (is_quick ? 16 : 128) / 2 * halves_of_first;
      for (const int halves : {2, 3, 4, 6, 8, 12, 16}) {
        study.sizes.push_back(fmt::format("N={}K,M={}K", n, n / 2 * halves));
      }
    }
    return study;
  }

  /// Of a random graph; of others nothing is known.
  Costs costs() const { return graph_ == "gnm" ? costs_on_random_graphs() : Costs{}; }

  Graph make_problem(std::uint64_t seed) const {
    if (is_generated()) {
      return generated(seed, {});
    }
    GraphSlice whole = read({});
    check_entries(graph_, whole.entries, whole.entries_told);
    check_labels_fit(whole.vertices);
    return {.vertices = whole.vertices, .edges = std::move(whole.edges)};
  }

  Graph make_part(const Comm& comm, const NamedSizes& /*sizes*/, std::uint64_t seed) const {
    const Slice slice{.index = comm.rank(), .count = comm.size()};
    if (is_generated()) {
      return agree(comm, [&] { return generated(seed, slice); });
    }
    GraphSlice mine = agree(comm, [&] { return read(slice); });
    const auto vertices = static_cast<Vertex>(comm.allreduce_max(mine.vertices));
    const std::int64_t entries = comm.allreduce_sum(mine.entries);
    agree(comm, [&] {
      check_entries(graph_, entries, mine.entries_told);
      check_labels_fit(vertices);
    });
    return {.vertices = vertices, .edges = std::move(mine.edges)};
  }

  Figures figures(const Labelling& labelling) const {
    return {{"components", count_components(labelling.labels())},
            {"combine", name_of(combine_form)},
            {"encoding", name_of(encoding_of(labelling, encoding))}};
  }

  std::optional<std::string> wrong(const Graph& graph, const Labelling& labelling) const {
    return wrong_labels(graph, labelling.labels());
  }

  /// Rank 0 searches the whole graph; the others compare with its labels.
  std::optional<std::string> wrong_part(const Comm& comm, const NamedSizes& /*sizes*/,
                                        std::uint64_t seed, const Labelling& labelling) const {
    std::optional<std::string> wrong = agree(comm, [&]() -> std::optional<std::string> {
      return comm.rank() == 0 ? wrong_labels(make_problem(seed), labelling.labels()) : std::nullopt;
    });
    Labels first = labels_of(labelling);
    comm.bcast(std::as_writable_bytes(std::span(first)), 0);
    if (!std::ranges::equal(first, labelling.labels())) {
      wrong = "its labels are not those of rank 0";
    }
    return wrong;
  }

  void keep(const Comm& comm, const Labelling& labelling) const {
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
      throw UsageError(
          fmt::format("'{}' is not one of auto, dense, changed, giant{}", text,
                      detail::did_you_mean(text, {"auto", "dense", "changed", "giant"})));
    }
    return std::nullopt;
  }

  Vertex vertices() const { return static_cast<Vertex>(sizes_.at("N")); }

  /// The edges' share of what memory this rank may take; as much is left for the edges that another
  /// rank sends, and for labels.
  std::int64_t max_edge_bytes() const {
    return available_memory() / Comm(MPI_COMM_WORLD).ranks_per_host() / 2;
  }

  /// Labels are held by this rank, its partner's message and the last repetition.
  void check_labels_fit(Vertex vertices) const {
    constexpr std::int64_t kCopies = 3;
    const std::int64_t needed = kCopies * static_cast<std::int64_t>(sizeof(Vertex)) * vertices;
    const std::int64_t maximum = available_memory() / Comm(MPI_COMM_WORLD).ranks_per_host();
    if (needed > maximum) {
      throw Error(
          fmt::format("{} vertices are too many for this machine: their labels take {} bytes "
                      "on a rank, {} are available",
                      vertices, needed, maximum));
    }
  }

  Graph generated(std::uint64_t seed, Slice slice) const {
    const bool is_drawn = sizes_.contains("M");
    const std::int64_t edges = is_drawn ? sizes_.at("M") : grid_edges(vertices());
    const std::int64_t share = slice.end(edges) - slice.begin(edges);
    if (share > max_edge_bytes() / static_cast<std::int64_t>(sizeof(Edge))) {
      throw Error(
          fmt::format("M={} edges are too many for this machine: a rank's share is {}, {} of "
                      "them fit into memory",
                      edges, share, max_edge_bytes() / static_cast<std::int64_t>(sizeof(Edge))));
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
    const ReadOptions options{
        .vertices = is_sized_ && sizes_.contains("N") ? std::optional(vertices()) : std::nullopt,
        .max_bytes = max_edge_bytes()};
    return read_graph(graph_, format_ ? *format_ : graph_format_of(graph_), options, slice);
  }

  NamedSizes sizes_;
  bool is_sized_ = false;  ///< by the command line
  std::string graph_ = std::string(kGenerated.front());
  std::optional<GraphFormat> format_;
  CombineForm combine_ = CombineForm::flat;
  std::optional<Encoding> encoding_;
  std::string machine_file_;
  std::string output_;
};

}  // namespace cleave::components
