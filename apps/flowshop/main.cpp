// SPDX-License-Identifier: Apache-2.0
// cleave-flowshop: the permutation with the least makespan, by branch-and-bound.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/program.hpp>

#include "apps/flowshop/flowshop.hpp"
#include "apps/flowshop/heuristic.hpp"

namespace cleave::flowshop {

namespace {

const std::map<std::string, Bound> kBounds = {
    {"lb1", Bound::lb1}, {"lb2", Bound::lb2}, {"mix", Bound::mix}};
const std::map<std::string, Branching> kBranchings = {
    {"forward", Branching::forward},     {"backward", Branching::backward},
    {"alternate", Branching::alternate}, {"minBranch", Branching::min_branch},
    {"minMin", Branching::min_min},      {"maxSum", Branching::max_sum}};

/// The typed options.
struct Given {
  std::string instance_name = "ta014";
  Instance instance = instance_named(instance_name);
  std::string bound = "lb1";
  std::string branching = "minBranch";
  std::string incumbent = "heuristic";
  std::optional<Start> start;  ///< unless it is the heuristic's

  void add_to(CLI::App& cli);
  Brancher brancher() const { return {instance, kBounds.at(bound), kBranchings.at(branching)}; }
  Figures figures(const SearchResult& result) const;
};

void Given::add_to(CLI::App& cli) {
  cli.add_option("--instance", instance_name,
                 "ta001 to ta120, or a file of jobs, machines and times")
      ->check(
          detail::ParsedBy([this](const std::string& text) { instance = instance_named(text); }));
  cli.add_option("--bound", bound, "lower bound of the makespan: lb1, lb2, mix")
      ->check(CLI::IsMember(kBounds));
  cli.add_option("--branching", branching,
                 "side that a job is fixed on: forward, backward, alternate, minBranch, minMin, "
                 "maxSum")
      ->check(CLI::IsMember(kBranchings));
  cli.add_option("--incumbent", incumbent,
                 "what is to be improved: optimal (the best makespan known), heuristic, or a "
                 "makespan");
}

/// Where a search begins, unless the heuristic says: "optimal" or a makespan. \throws UsageError
Start start_at(const std::string& text, const Instance& instance) {
  if (text == "optimal") {
    if (!instance.best_known) {
      throw UsageError(fmt::format("--incumbent: no makespan of {} is known", instance.name));
    }
    return {.incumbent = *instance.best_known};
  }
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 1) {
    throw UsageError(
        fmt::format("--incumbent: '{}' is not optimal, heuristic or a makespan", text));
  }
  return {.incumbent = number};
}

/// Begins with what iterated greedy finds in a moment; the same for the same seed.
Start heuristic_start(const Instance& instance, std::uint64_t seed) {
  constexpr std::int64_t kIterations = 500;
  Schedule found = iterated_greedy(instance, seed, kIterations, instance.best_known.value_or(0));
  return {.incumbent = found.makespan, .permutation = std::move(found.permutation)};
}

std::optional<std::string> wrong_permutation(const Instance& instance, const SearchResult& result) {
  if (!result.permutation) {
    return std::nullopt;
  }
  if (!is_complete(instance, *result.permutation)) {
    return "the permutation does not name every job once";
  }
  const int length = makespan(instance, *result.permutation);
  if (length != result.makespan) {
    return fmt::format("the permutation has makespan {}, not {}", length, result.makespan);
  }
  return std::nullopt;
}

Figures Given::figures(const SearchResult& result) const {
  if (const auto wrong = wrong_permutation(instance, result)) {
    throw Error("the result is wrong: " + *wrong);
  }
  return {{"instance", instance.name},
          {"bound", bound},
          {"branching", branching},
          {"makespan", result.makespan},
          {"best_known", instance.best_known},
          {"explored", result.explored},
          {"leaves", result.leaves},
          {"permutation", result.permutation}};
}

/// Compares with a search by one loop and a stack; the counts too, where no permutation was
/// better than the incumbent and they are determined.
std::optional<std::string> wrong(const Brancher& brancher, const Start& start,
                                 const SearchResult& result) {
  const SearchResult again = search_depth_first(brancher, start.incumbent);
  if (result.makespan != again.makespan) {
    return fmt::format("makespan {}; a second search has {}", result.makespan, again.makespan);
  }
  if (!again.permutation && (result.explored != again.explored || result.leaves != again.leaves)) {
    return fmt::format("{} nodes, {} leaves; a second search has {}, {}", result.explored,
                       result.leaves, again.explored, again.leaves);
  }
  return std::nullopt;
}

}  // namespace

}  // namespace cleave::flowshop

int main(int argc, char** argv) {
  using namespace cleave::flowshop;
  Given given;
  return cleave::run(
      argc, argv,
      cleave::Program<Flowshop>{
          .name = "flowshop",
          .summary = "Searches for the permutation of a flowshop with the least makespan.",
          .add_options = [&](CLI::App& cli) { given.add_to(cli); },
          .check_options =
              [&](cleave::RunOptions&) {
                if (given.incumbent != "heuristic") {
                  given.start = start_at(given.incumbent, given.instance);
                }
              },
          .application = [&](const cleave::RunOptions&) { return Flowshop{given.brancher()}; },
          .make_problem =
              [&](const cleave::NamedSizes&, std::uint64_t seed) {
                return given.start ? *given.start : heuristic_start(given.instance, seed);
              },
          .wrong =
              [&](const Start& start, const SearchResult& result) {
                return wrong(given.brancher(), start, result);
              },
          .figures = [&](const SearchResult& result) { return given.figures(result); },
      });
}
