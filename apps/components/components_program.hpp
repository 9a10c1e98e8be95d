// SPDX-License-Identifier: Apache-2.0
// The program cleave-components: where graphs come from, where labels go, and what is told of them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cleave/file.hpp>
#include <cleave/hosts.hpp>
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
                     "of a file: text (also CSV), binary, matrix-market, metis; auto: by name and "
                     "header",
                     [this](const std::string& text) {
                       format_ =
                           text == "auto" ? std::nullopt : std::optional(graph_format_named(text));
                     });
    command_line.add_flag("--renumber",
                          "of a text file: vertex numbers have up to 64 bits, and those that are "
                          "named are the vertices",
                          [this] { renumbers_ = true; });
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
    command_line.add("--output", "",
                     "write the labels to this file, one a line; with --renumber after the vertex",
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
    is_quiet_ = options.quiet;
    sizes_ = options.sizes;
    check_graph_options();
  }

  void check_graph_options() const {
    if (!is_generated()) {
      if (is_sized_ && sizes_.contains("M")) {
        throw UsageError("--size: the edges are those of the file " + graph_ + ", leave out M");
      }
      if (is_sized_ && renumbers_) {
        throw UsageError("--renumber: the vertices are those that are named, leave out --size");
      }
      return;
    }
    if (renumbers_) {
      throw UsageError("--renumber: a graph that is generated is in no file, leave it out");
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
    const GraphFacts all = whole.facts;
    std::vector<Id> ids = ids_of(whole.id_edges);
    return graph_of(std::move(whole), all, std::move(ids));
  }

  Graph make_part(const Comm& comm, const NamedSizes& /*sizes*/, std::uint64_t seed) const {
    const Slice slice{.index = comm.rank(), .count = comm.size()};
    if (is_generated()) {
      return agree(comm, [&] { return generated(seed, slice); });
    }
    GraphSlice mine = agree(comm, [&] { return read(slice); });
    const GraphFacts all = together(comm, mine.facts);
    std::vector<Id> ids = renumbers_ ? together(comm, ids_of(mine.id_edges)) : std::vector<Id>();
    return agree(comm, [&] { return graph_of(std::move(mine), all, std::move(ids)); });
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
    const Vertex first = is_generated() ? 0 : first_vertex_of(format());
    const std::span<const Vertex> labels = labelling.labels();
    for (std::size_t vertex = 0; vertex < labels.size(); ++vertex) {
      if (renumbers_) {
        fmt::format_to(std::back_inserter(text), "{} {}\n", ids_[vertex], ids_[labels[vertex]]);
      } else {
        fmt::format_to(std::back_inserter(text), "{}\n", first + labels[vertex]);
      }
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
    return available_memory() / hosts_of(Comm(MPI_COMM_WORLD)).ranks_per_host() / 2;
  }

  /// Labels are held by this rank, its partner's message and the last repetition.
  void check_labels_fit(Vertex vertices) const {
    constexpr std::int64_t kCopies = 3;
    const std::int64_t needed = kCopies * static_cast<std::int64_t>(sizeof(Vertex)) * vertices;
    const std::int64_t maximum =
        available_memory() / hosts_of(Comm(MPI_COMM_WORLD)).ranks_per_host();
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

  GraphFormat format() const { return format_ ? *format_ : graph_format_of(graph_); }

  ReadOptions read_options() const {
    return {
        .vertices = is_sized_ && sizes_.contains("N") ? std::optional(vertices()) : std::nullopt,
        .renumbers = renumbers_,
        .max_bytes = max_edge_bytes()};
  }

  GraphSlice read(Slice slice) const {
    const GraphFormat of_file = format();
    if (renumbers_ && of_file != GraphFormat::text) {
      throw UsageError("--renumber: is for text, and " + graph_ + " is read in another format");
    }
    return read_graph(graph_, of_file, read_options(), slice);
  }

  /// What the ranks have together, on every rank. Collective.
  static GraphFacts together(const Comm& comm, const GraphFacts& mine) {
    std::vector<GraphFacts> all(comm.rank() == 0 ? comm.size() : 0);
    comm.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    GraphFacts sum;
    std::ranges::for_each(all, [&sum](const GraphFacts& facts) { sum.add(facts); });
    comm.bcast(std::as_writable_bytes(std::span(&sum, 1)), 0);
    return sum;
  }

  /// All ids, each once, ascending. Collective. Cost: each rank's ids to every rank.
  static std::vector<Id> together(const Comm& comm, const std::vector<Id>& mine) {
    std::vector<Id> all;
    for (int rank = 0; rank < comm.size(); ++rank) {
      const bool is_mine = rank == comm.rank();
      std::vector<Id> ids = is_mine ? mine : std::vector<Id>();
      ids.resize(static_cast<std::size_t>(comm.allreduce_max(std::ssize(ids))));
      comm.bcast(std::as_writable_bytes(std::span(ids)), rank);
      std::vector<Id> both;
      both.reserve(all.size() + ids.size());
      std::ranges::set_union(all, ids, std::back_inserter(both));
      all = std::move(both);
    }
    return all;
  }

  /// The graph of a slice that is right, `all` slices together having these ids if they are
  /// renumbered.
  Graph graph_of(GraphSlice slice, const GraphFacts& all, std::vector<Id> ids) const {
    const std::vector<std::string> notes = check_graph(graph_, read_options(), all, slice.head);
    if (!std::exchange(has_noted_, true) && !is_quiet_ && Comm(MPI_COMM_WORLD).rank() == 0) {
      for (const std::string& note : notes) {
        fmt::print(stderr, "cleave-components: note: {}\n", note);
      }
    }
    if (!renumbers_) {
      check_labels_fit(all.vertices);
      return {.vertices = all.vertices, .edges = std::move(slice.edges)};
    }
    if (std::ssize(ids) > kMaxVertices) {
      throw FileError(graph_, fmt::format("names {} vertices, at most {} are labelled", ids.size(),
                                          kMaxVertices));
    }
    ids_ = std::move(ids);
    const auto vertices = static_cast<Vertex>(ids_.size());
    check_labels_fit(vertices);
    return {.vertices = vertices, .edges = renumber(slice.id_edges, ids_)};
  }

  NamedSizes sizes_;
  bool is_sized_ = false;  ///< by the command line
  std::string graph_ = std::string(kGenerated.front());
  std::optional<GraphFormat> format_;
  bool renumbers_ = false;
  bool is_quiet_ = false;
  mutable bool has_noted_ = false;
  mutable std::vector<Id> ids_;  ///< of the vertices, if they were renumbered
  CombineForm combine_ = CombineForm::flat;
  std::optional<Encoding> encoding_;
  std::string machine_file_;
  std::string output_;
};

}  // namespace cleave::components
