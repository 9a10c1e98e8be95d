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

#include <cleave/command_line/options.hpp>
#include <cleave/file.hpp>
#include <cleave/program.hpp>

#include "apps/components/check.hpp"
#include "apps/components/components.hpp"
#include "apps/components/graph_source.hpp"

namespace cleave::components {

namespace {

const std::map<std::string, CombineForm> kCombineForms = {{"naive", CombineForm::naive},
                                                          {"flat", CombineForm::flat}};

/// The typed options.
struct Given {
  GraphSource source;
  std::string combine = "flat";
  std::string output;

  void add_to(CLI::App& cli);
  void check(RunOptions& options);
  void keep(const Comm& comm, const Labelling& labelling) const;
};

void Given::add_to(CLI::App& cli) {
  cli.add_option("--graph", source.name, "gnm (random edges), rmat, grid, or a file");
  cli.add_option("--combine", combine,
                 "naive (N unions, as in the paper) or flat (unions where both sides disagree)")
      ->check(CLI::IsMember(kCombineForms));
  cli.add_option("--output", output, "write the labels to this file, one a line")
      ->check(cleave::detail::FileName());
}

void Given::check(RunOptions& options) {
  if (source.name == "grid" && !options.sizes_given) {
    options.sizes.erase("M");
  }
  source.sizes = options.sizes;
  source.is_sized = options.sizes_given;
  source.is_quiet = options.quiet;
  source.check();
  if (!source.is_generated()) {
    cleave::detail::check_is_not_read("--output", output, {source.name});
  }
}

void Given::keep(const Comm& comm, const Labelling& labelling) const {
  if (output.empty() || comm.rank() != 0) {
    return;
  }
  AtomicFile file(output);
  std::string text;
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  for (const Vertex label : labelling.labels()) {
    fmt::format_to(std::back_inserter(text), "{}\n", source.first_vertex + label);
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
  const Labels labels = labelling.labels();
  std::optional<std::string> wrong = agree(comm, [&]() -> std::optional<std::string> {
    return comm.rank() == 0 ? wrong_labels(source.whole(seed), labels) : std::nullopt;
  });
  Labels first = labels;
  comm.bcast(std::as_writable_bytes(std::span(first)), 0);
  if (first != labels) {
    wrong = "its labels are not those of rank 0";
  }
  return wrong;
}

/// N nodes in K and M = N to 8N edges, so that M is no multiple of N: the paper's M = 2N
/// determines no coefficients. N has values between the powers of two, since somewhere the nodes
/// overflow a cache. So has the density, since combining changes from so much an edge to so much
/// a node. Inputs are new ones: of one smaller graph a processor learns every branch.
Study study_of(const RunOptions& /*options*/, bool is_quick) {
  Study study{.inputs = Inputs::each_new};
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
  return cleave::run(
      argc, argv,
      cleave::Program<Components>{
          .name = "components",
          .summary = "Finds the connected components of a graph.",
          .sizes = {{"N", 1 << 20, kMaxVertices, false},
                    {.name = "M", .default_count = 2 << 20, .is_required = false}},
          .add_options = [&](CLI::App& cli) { given.add_to(cli); },
          .check_options = [&](cleave::RunOptions& options) { given.check(options); },
          .study = study_of,
          .application =
              [&](const cleave::RunOptions&) {
                return Components{.combine_form = kCombineForms.at(given.combine)};
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
            return {{"components", count_components(found.labels())}, {"combine", given.combine}};
          },
          .keep = [&](const Comm& comm, const Labelling& found) { given.keep(comm, found); },
      });
}
