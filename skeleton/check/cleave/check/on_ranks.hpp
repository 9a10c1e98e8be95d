// SPDX-License-Identifier: Apache-2.0
// An application's calls on virtual ranks, and the promises that they show broken.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/check/equal.hpp>
#include <cleave/comm/virtual_ranks.hpp>
#include <cleave/dc_call.hpp>
#include <cleave/tree_search.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

/// The promises that an application broke, one sentence each.
class Promises {
 public:
  /// The promises that follow are about the problem of this index.
  void begin_problem(std::size_t index) { problem_ = "problem " + std::to_string(index) + ": "; }

  /// Notes a broken promise, once for each problem. \return  whether it holds
  bool require(bool holds, const std::string& broken) {
    if (!holds && std::ranges::find(broken_, problem_ + broken) == broken_.end()) {
      broken_.push_back(problem_ + broken);
    }
    return holds;
  }

  std::vector<std::string> take() { return std::move(broken_); }

 private:
  std::string problem_;
  std::vector<std::string> broken_;
};

/// The time of the ranks goes on by each block that the executors begin. So a rank asks for
/// messages after each, the others get work, and every run is the same.
inline thread_local std::int64_t block_clock_ns = 0;

/// The solution of each rank. \param make  the problem that a rank is given
template <class App, class Make>
std::vector<typename App::Solution> solutions_on(int ranks, DC_Type type, Placement placement,
                                                 const App& app, const Make& make) {
  constexpr std::int64_t kBlock_ns = 30'000;
  std::vector<typename App::Solution> solutions(static_cast<std::size_t>(ranks));
  const auto call_as = [&](const SearchMessages& rank) {
    CallOptions options{{.placement = placement}};
    options.before_block = [](Block, int) { block_clock_ns += kBlock_ns; };
    solutions[static_cast<std::size_t>(rank.rank())] =
        call_on(rank, app, make(static_cast<std::size_t>(rank.rank())), options, type);
  };
  run_virtual_ranks(ranks, call_as, {}, [] { return block_clock_ns; });
  return solutions;
}

/// Calls on 2, 3 and 5 ranks, until one breaks a promise.
/// \param make      the problem of a rank, by the number of ranks; there is none for these if empty
/// \param is_right  whether these are the solutions of the ranks
template <class App, class Make, class IsRight>
void check_calls(const std::string& way, DC_Type type, Placement placement, const App& app,
                 const Make& make, const IsRight& is_right, Promises& promises) {
  for (const int ranks : {2, 3, 5}) {
    std::vector<typename App::Problem> problems = make(static_cast<std::size_t>(ranks));
    if (problems.empty()) {
      continue;
    }
    const std::string where = "on " + std::to_string(ranks) + " ranks, " + way + ": ";
    try {
      const auto solutions = solutions_on(ranks, type, placement, app,
                                          [&](std::size_t i) { return std::move(problems[i]); });
      if (!promises.require(is_right(solutions), where + "the solution is not that of one rank")) {
        return;
      }
    } catch (const std::exception& failure) {
      promises.require(false, where + failure.what());
      return;
    }
  }
}

template <Repeatable T>
std::vector<T> copies_of(const T& value, std::size_t count) {
  std::vector<T> copies;
  for (std::size_t i = 0; i < count; ++i) {
    copies.push_back(copy_of(value));
  }
  return copies;
}

/// The problem in parts, made by `divide`; the last one is empty where the problem is a sequence.
/// \return  nothing, if there are not so many
template <MergesParts App>
std::vector<typename App::Problem> parts_of(const App& app, const typename App::Problem& problem,
                                            std::size_t count) {
  using Problem = typename App::Problem;
  constexpr bool kIsSequence =
      std::ranges::sized_range<Problem> && std::default_initializable<Problem>;
  std::vector<Problem> parts = copies_of(problem, 1);
  for (std::size_t i = 0; i < parts.size() && parts.size() + (kIsSequence ? 1 : 0) < count;) {
    if (app.trivial(std::as_const(parts[i]))) {
      ++i;
      continue;
    }
    auto halves = cleave::divide(app, std::move(parts[i]), Share{.left = 1, .total = 2});
    parts[i] = std::move(halves.left);
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(halves.right));
  }
  if constexpr (kIsSequence) {
    while (parts.size() < count) {
      parts.emplace_back();
    }
  }
  return parts.size() == count ? std::move(parts) : std::vector<Problem>();
}

/// The problem in parts of equal lengths, and an empty last one.
template <SplitsParts App>
std::vector<typename App::Problem> parts_of(const App& /*app*/,
                                            const typename App::Problem& problem,
                                            std::size_t count) {
  std::vector<typename App::Problem> parts;
  const std::span all(problem.data(), problem.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto bound = [&](std::size_t rank) {
      return all.size() * std::min(rank, count - 1) / (count - 1);
    };
    parts.emplace_back(all.subspan(bound(i), bound(i + 1) - bound(i)));
  }
  return parts;
}

/// Whether two sequences hold the same elements, byte by byte, in any order.
template <class Element>
bool same_elements(std::span<const Element> a, std::span<const Element> b) {
  using Bytes = std::array<std::byte, sizeof(Element)>;
  const auto sorted = [](std::span<const Element> elements) {
    std::vector<Bytes> bytes(elements.size());
    if (!elements.empty()) {
      std::memcpy(bytes.data(), elements.data(), elements.size_bytes());
    }
    std::ranges::sort(bytes);
    return bytes;
  };
  return sorted(a) == sorted(b);
}

/// Whether the ranks' parts, one after the other, are the sorted sequence, but for the order of
/// elements with the same splitter.
template <SplitsParts App>
bool are_parts_of(const App& app, const typename App::Solution& sorted,
                  const std::vector<typename App::Solution>& parts) {
  using Element = typename App::Element;
  std::vector<Element> joined;
  for (const auto& part : parts) {
    joined.insert(joined.end(), part.begin(), part.end());
  }
  const std::span<const Element> expected(sorted.data(), sorted.size());
  return same_elements<Element>(joined, expected) &&
         std::ranges::equal(joined, expected, [&](Element& element, const Element& in_its_place) {
           const auto splitter = app.sample(std::span(&in_its_place, 1), 1, 1).front();
           return app.partition(std::span(&element, 1), {.splitter = splitter, .has_ties = true},
                                ClassOrder::ascending)
                      .equal == 1;
         });
}

template <DivideAndConquer App, class Same>
void check_hypercube(const App& app, const typename App::Problem& problem,
                     const typename App::Solution& solution, const Same& same, Promises& promises) {
  using Solutions = std::vector<typename App::Solution>;
  const auto is_right = [&](const Solutions& solutions) {
    return std::ranges::all_of(solutions, [&](const auto& each) { return same(solution, each); });
  };
  const auto check_placement = [&](const std::string& name, Placement placement, const auto& make,
                                   const auto& is_right_there) {
    check_calls("hypercube, " + name, DC_Type::hypercube, placement, app, make, is_right_there,
                promises);
  };
  const auto parts = [&](auto ranks) { return parts_of(app, problem, ranks); };
  if constexpr (SplitsParts<App>) {
    check_placement("distributed", Placement::distributed, parts, [&](const Solutions& solutions) {
      return are_parts_of(app, solution, solutions);
    });
  } else if constexpr (RunsOnHypercube<App>) {
    const auto all = [&](std::size_t ranks) { return copies_of(problem, ranks); };
    check_placement("replicated", Placement::replicated, all, is_right);
    if constexpr (Transferable<typename App::Problem>) {
      check_placement("rooted", Placement::rooted, all, [&](const Solutions& solutions) {
        return same(solution, solutions.front());
      });
    }
    if constexpr (MergesParts<App>) {
      check_placement("distributed", Placement::distributed, parts, is_right);
    }
  }
}

template <class App, class Same>
void check_work_stealing(const App& app, const typename App::Problem& problem,
                         const typename App::Solution& solution, const Same& same,
                         Promises& promises) {
  if constexpr (TreeSearch<App> || (Transferable<typename App::Problem> && !SplitsParts<App>)) {
    check_calls(
        "work stealing", DC_Type::work_stealing, Placement::rooted, app,
        [&](std::size_t ranks) { return copies_of(problem, ranks); },
        [&](const auto& solutions) { return same(solution, solutions.front()); }, promises);
  }
}

}  // namespace cleave::detail
