// SPDX-License-Identifier: Apache-2.0
// cleave-components: finds the connected components of a graph.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>

#include <cleave/file.hpp>
#include <cleave/program.hpp>
#include <cleave/tool/command_line.hpp>
#include <cleave/trace/machine_file.hpp>

#include "apps/components/check.hpp"
#include "apps/components/components.hpp"
#include "apps/components/graph_source.hpp"
#include "apps/components/random_graph.hpp"

namespace cleave::components {

namespace {

const std::map<std::string, std::optional<GraphFormat>> kFormats = {
    {"auto", std::nullopt},
    {"text", GraphFormat::text},
    {"binary", GraphFormat::binary},
    {"matrix-market", GraphFormat::matrix_market},
    {"metis", GraphFormat::metis}};

const std::map<std::string, CombineForm> kCombineForms = {{"naive", CombineForm::naive},
                                                          {"flat", CombineForm::flat}};

const std::map<std::string, std::optional<Encoding>> kEncodings = {{"auto", std::nullopt},
                                                                   {"dense", Encoding::dense},
                                                                   {"changed", Encoding::changed},
                                                                   {"giant", Encoding::giant}};

/// What was typed.
struct Given {
  GraphSource source;
  std::string format = "auto";
  std::string combine = "flat";
  std::string encoding = "auto";
  std::string machine;
  std::string output;

  void add_to(CLI::App& cli);
  void check(RunOptions& options);
  /// How labels are combined and encoded. \throws FileError
  Components components(const RunOptions& options) const;
  void keep(const Comm& comm, const Labelling& labelling) const;
};

void Given::add_to(CLI::App& cli) {
  cli.add_option("--graph", source.name, "gnm (random edges), rmat, grid, or a file");
  cli.add_option("--format", format,
                 "of a file: text (also CSV), binary, matrix-market, metis; auto: by name and "
                 "header")
      ->check(CLI::IsMember(kFormats));
  cli.add_flag("--renumber", source.renumbers,
               "of a text file: vertex numbers have up to 64 bits, and those that are named are "
               "the vertices");
  cli.add_option("--combine", combine,
                 "naive (N unions, as in the paper) or flat (unions where both sides disagree)")
      ->check(CLI::IsMember(kCombineForms));
  cli.add_option("--encoding", encoding,
                 "what labels are sent as: dense, changed, giant; auto: what takes least time by "
                 "--machine, dense without it")
      ->check(CLI::IsMember(kEncodings));
  cli.add_option("--machine", machine, "a machine file (*.machine.json), for --encoding auto");
  cli.add_option("--output", output,
                 "write the labels to this file, one a line; with --renumber after the vertex")
      ->check(cleave::detail::FileName());
}

void Given::check(RunOptions& options) {
  if (source.name == "grid" && !options.sizes_given) {
    options.sizes.erase("M");
  }
  source.given_format = kFormats.at(format);
  source.sizes = options.sizes;
  source.is_sized = options.sizes_given;
  source.is_quiet = options.quiet;
  source.check();
  if (!source.is_generated()) {
    cleave::detail::check_is_not_read("--output", output, {source.name});
  }
}

Components Given::components(const RunOptions& options) const {
  Components components{.combine_form = kCombineForms.at(combine),
                        .encoding = {.prescribed = kEncodings.at(encoding)}};
  if (!machine.empty()) {
    components.encoding.gap_s_per_byte =
        exchange_gap_s_per_byte(detail::read_machine(machine), options.ranks);
  }
  return components;
}

void Given::keep(const Comm& comm, const Labelling& labelling) const {
  if (output.empty() || comm.rank() != 0) {
    return;
  }
  AtomicFile file(output);
  std::string text;
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  const Vertex first = source.is_generated() ? 0 : first_vertex_of(source.format());
  const std::span<const Vertex> labels = labelling.labels();
  for (std::size_t vertex = 0; vertex < labels.size(); ++vertex) {
    if (source.renumbers) {
      fmt::format_to(std::back_inserter(text), "{} {}\n", source.ids()[vertex],
                     source.ids()[labels[vertex]]);
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

/// Rank 0 searches the whole graph; the others compare with its labels.
std::optional<std::string> wrong_part(const Comm& comm, std::uint64_t seed,
                                      const Labelling& labelling, GraphSource& source) {
  std::optional<std::string> wrong = agree(comm, [&]() -> std::optional<std::string> {
    return comm.rank() == 0 ? wrong_labels(source.whole(seed), labelling.labels()) : std::nullopt;
  });
  Labels first = labels_of(labelling);
  comm.bcast(std::as_writable_bytes(std::span(first)), 0);
  if (!std::ranges::equal(first, labelling.labels())) {
    wrong = "its labels are not those of rank 0";
  }
  return wrong;
}

/// N nodes in K and M = N to 8N edges, so that M is no multiple of N: the paper's M = 2N
/// determines no coefficients. N has values between the powers of two, since somewhere the nodes
/// overflow a cache. So has the density, since combining changes from so much an edge to so much
/// a node. Inputs are new ones: of one smaller graph a processor learns every branch.
Study study_of(const RunOptions& /*options*/, bool is_quick) {
  Study study{
      .rounds = is_quick ? 2 : 6, .repetitions = 5, .warm_up = 3, .inputs = Inputs::each_new};
  for (const int halves_of_first : {2, 3, 4, 6, 8, 12, 16}) {
    const int n = (is_quick ? 64 : 128) / 2 * halves_of_first;
    for (const int halves : {2, 3, 4, 6, 8, 12, 16}) {
      study.sizes.push_back(fmt::format("N={}K,M={}K", n, n / 2 * halves));
    }
  }
  return study;
}

}  // namespace

}  // namespace cleave::components

int main(int argc, char** argv) {
  using namespace cleave::components;
  using cleave::Comm;
  using cleave::NamedSizes;
  Given given;
  GraphSource& source = given.source;
  Components components;  // of the run
  return cleave::run(
      argc, argv,
      cleave::Program<Components>{
          .name = "components",
          .summary = "Finds the connected components of a graph.",
          .sizes = {{"N", 1 << 20, kMaxVertices, false},
                    {.name = "M", .default_count = 2 << 20, .is_required = false}},
          .work = "M",
          .add_options = [&](CLI::App& cli) { given.add_to(cli); },
          .check_options = [&](cleave::RunOptions& options) { given.check(options); },
          .study = study_of,
          .application =
              [&](const cleave::RunOptions& options) {
                return components = given.components(options);
              },
          .make_problem = [&](const NamedSizes&, std::uint64_t seed) { return source.whole(seed); },
          .make_part = [&](const Comm& comm, const NamedSizes&,
                           std::uint64_t seed) { return source.part(comm, seed); },
          .is_generated = [&] { return source.is_generated(); },
          .wrong = [](const Graph& graph,
                      const Labelling& found) { return wrong_labels(graph, found.labels()); },
          .wrong_part =
              [&](const Comm& comm, const NamedSizes&, std::uint64_t seed, const Labelling& found) {
                return wrong_part(comm, seed, found, source);
              },
          .figures = [&](const Labelling& found) -> cleave::Figures {
            return {{"components", count_components(found.labels())},
                    {"combine", given.combine},
                    {"encoding", name_of(encoding_of(found, components.encoding))}};
          },
          .keep = [&](const Comm& comm, const Labelling& found) { given.keep(comm, found); },
          // Known of random graphs alone.
          .costs =
              [&] { return source.name == "gnm" ? costs_on_random_graphs() : cleave::Costs{}; },
      });
}
