// SPDX-License-Identifier: Apache-2.0
// The program cleave-flowshop: its options, and what it tells of a search.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/program.hpp>
#include <cleave/trace/checksum.hpp>

#include "apps/flowshop/flowshop.hpp"
#include "apps/flowshop/input.hpp"

namespace cleave::flowshop {

/// The program cleave-flowshop. Its instance, bound and branching rule are those of the options.
class FlowshopProgram : public Flowshop {
 public:
  FlowshopProgram()
      : Flowshop{Brancher(instance_named("ta014"), Bound::lb1, Branching::min_branch)} {}

  static constexpr std::string_view kName = "flowshop";
  static constexpr std::string_view kSummary =
      "Searches for the permutation of a flowshop with the least makespan.";
  static constexpr std::string_view kWork = "nodes";

  void add_options(CommandLine& command_line) {
    command_line.add(
        "--instance", "ta014",
        "ta001 to ta120, or a file in Taillard's format or the OR-library's (FILE:2 is its "
        "second)",
        [this](const std::string& text) { instance_ = instance_named(text); });
    command_line.add("--bound", "lb1", "lower bound of the makespan: lb1, lb2, mix",
                     [this](const std::string& text) {
                       bound_ = parse_bound(text);
                       bound_name_ = text;
                     });
    command_line.add("--branching", "minBranch",
                     "side that a job is fixed on: forward, backward, alternate, minBranch, "
                     "minMin, maxSum",
                     [this](const std::string& text) {
                       branching_ = parse_branching(text);
                       branching_name_ = text;
                     });
    command_line.add("--incumbent", "heuristic",
                     "what is to be improved: optimal (the best makespan known), heuristic, a "
                     "makespan, or a file with a permutation",
                     [this](const std::string& text) { incumbent_ = text; });
  }

  void check_options(RunOptions& /*options*/) {
    brancher = Brancher(instance_, bound_, branching_);
    if (incumbent_ != "heuristic") {
      parse_option("--incumbent", [this] { start_ = parse_incumbent(incumbent_, instance_); });
    }
  }

  std::string instance() const {
    const auto hash_of = [](const std::vector<int>& numbers) {
      return detail::hexadecimal(detail::crc_64(std::as_bytes(std::span(numbers))));
    };
    const std::string start =
        start_ ? fmt::format("{} {}", start_->incumbent,
                             hash_of(start_->permutation.value_or(Permutation{})))
               : "heuristic";
    return fmt::format("{} jobs,{} machines,times {},bound {},branching {},incumbent {}",
                       instance_.jobs, instance_.machines, hash_of(instance_.times), bound_name_,
                       branching_name_, start);
  }

  Start make_problem(std::uint64_t seed) const {
    return start_ ? *start_ : heuristic_start(instance_, seed);
  }

  Figures figures(const SearchResult& result) const {
    if (const auto wrong = wrong_permutation(result)) {
      throw Error("the result is wrong: " + *wrong);
    }
    return {{"instance", instance_.name},
            {"bound", bound_name_},
            {"branching", branching_name_},
            {"makespan", result.makespan},
            {"best_known", json_of(instance_.best_known)},
            {"explored", result.explored},
            {"leaves", result.leaves},
            {"permutation", json_of(result.permutation)}};
  }

  /// Compares with a search by one loop and a stack; the counts too, where no permutation was
  /// better than the incumbent and they are determined.
  std::optional<std::string> wrong(const Start& start, const SearchResult& result) const {
    const SearchResult again = search_depth_first(brancher, start.incumbent);
    if (result.makespan != again.makespan) {
      return fmt::format("makespan {}; a second search has {}", result.makespan, again.makespan);
    }
    if (!again.permutation &&
        (result.explored != again.explored || result.leaves != again.leaves)) {
      return fmt::format("{} nodes, {} leaves; a second search has {}, {}", result.explored,
                         result.leaves, again.explored, again.leaves);
    }
    return std::nullopt;
  }

 private:
  template <class Value>
  static Figures json_of(const std::optional<Value>& value) {
    return value ? Figures(*value) : Figures(nullptr);
  }

  std::optional<std::string> wrong_permutation(const SearchResult& result) const {
    if (!result.permutation) {
      return std::nullopt;
    }
    if (!is_complete(instance_, *result.permutation)) {
      return "the permutation does not name every job once";
    }
    const int length = makespan(instance_, *result.permutation);
    if (length != result.makespan) {
      return fmt::format("the permutation has makespan {}, not {}", length, result.makespan);
    }
    return std::nullopt;
  }

  Instance instance_ = instance_named("ta014");
  Bound bound_ = Bound::lb1;
  std::string bound_name_ = "lb1";
  Branching branching_ = Branching::min_branch;
  std::string branching_name_ = "minBranch";
  std::string incumbent_ = "heuristic";
  std::optional<Start> start_;  ///< unless it is the heuristic's
};

}  // namespace cleave::flowshop
