// SPDX-License-Identifier: Apache-2.0
// The contract of `cleave::run` (program.hpp) as concepts, and the compile errors that say in one
// sentence what breaks it. Only the first mistake is reported.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/comm.hpp>
#include <cleave/contract/require.hpp>
#include <cleave/contract/require_application.hpp>
#include <cleave/program/traits.hpp>
#include <cleave/run_options.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

using WrongOr = std::optional<std::string>;

template <class App>
concept HasSizeOptions = requires {
  { *std::ranges::begin(App::kSizes) } -> std::convertible_to<SizeOption>;
};

template <class App>
concept HasSizedMakeProblem =
    requires(const App& app, const NamedSizes& sizes, std::uint64_t seed) {
      { app.make_problem(sizes, seed) } -> std::same_as<typename App::Problem>;
    };
template <class App>
concept HasPlainMakeProblem = requires(const App& app, std::uint64_t seed) {
  { app.make_problem(seed) } -> std::same_as<typename App::Problem>;
};

template <class App>
concept HasMakePart =
    requires(const App& app, const Comm& comm, const NamedSizes& sizes, std::uint64_t seed) {
      { app.make_part(comm, sizes, seed) } -> std::same_as<typename App::Problem>;
    };

/// Whether a run can give each rank its part: the application makes parts, or the parts are
/// sections of a sequence.
template <class App>
concept MakesParts = Distributable<App> && (SplitsParts<App> || HasMakePart<App>);

template <class App>
concept HasWrongPart = requires(const App& app, const Comm& comm, const NamedSizes& sizes,
                                const typename App::Solution& solution) {
  { app.wrong_part(comm, sizes, std::uint64_t{}, solution) } -> std::same_as<WrongOr>;
};
template <class App>
concept HasWrong = requires(const App& app, const typename App::Problem& problem,
                            const typename App::Solution& solution) {
  { app.wrong(problem, solution) } -> std::same_as<WrongOr>;
};
template <class App>
concept HasPlainFigures = requires(const App& app, const typename App::Solution& solution) {
  { app.figures(solution) } -> std::same_as<Figures>;
};
template <class App>
concept HasCollectiveFigures =
    requires(const App& app, const Comm& comm, const typename App::Solution& solution) {
      { app.figures(comm, solution) } -> std::same_as<Figures>;
    };

CLEAVE_MENTIONS(add_options);
CLEAVE_MENTIONS(check_options);
CLEAVE_MENTIONS(costs);
CLEAVE_MENTIONS(figures);
CLEAVE_MENTIONS(instance);
CLEAVE_MENTIONS(is_generated);
CLEAVE_MENTIONS(keep);
CLEAVE_MENTIONS(kName);
CLEAVE_MENTIONS(kSizes);
CLEAVE_MENTIONS(kSummary);
CLEAVE_MENTIONS(kWork);
CLEAVE_MENTIONS(make_part);
CLEAVE_MENTIONS(make_problem);
CLEAVE_MENTIONS(study);
CLEAVE_MENTIONS(with_application);
CLEAVE_MENTIONS(wrong);
CLEAVE_MENTIONS(wrong_part);
// Names that are near a hook's, and that nothing would ever call.
CLEAVE_MENTIONS(add_option);
CLEAVE_MENTIONS(check);
CLEAVE_MENTIONS(check_option);
CLEAVE_MENTIONS(cost);
CLEAVE_MENTIONS(figure);
CLEAVE_MENTIONS(generate);
CLEAVE_MENTIONS(kSize);
CLEAVE_MENTIONS(make_input);
CLEAVE_MENTIONS(make_parts);
CLEAVE_MENTIONS(make_problems);
CLEAVE_MENTIONS(makeProblem);
CLEAVE_MENTIONS(name);
CLEAVE_MENTIONS(size);
CLEAVE_MENTIONS(solution_size);
CLEAVE_MENTIONS(solutions_sizes);
CLEAVE_MENTIONS(studies);
CLEAVE_MENTIONS(summary);
CLEAVE_MENTIONS(verify);
CLEAVE_MENTIONS(with_applications);
CLEAVE_MENTIONS(wrong_parts);

/// What a program's `with_application` is tried with.
struct RunAny {
  template <class App>
  void operator()(const App& app) const;  // never called
};
template <class Program>
concept HasWithApplication =
    requires(const Program& program, const RunOptions& options, const RunAny& run) {
      program.with_application(options, run);
    };

#define CLEAVE_REFUSE(wrong_name, hook)                                                  \
  CLEAVE_REQUIRE(!Mentions_##wrong_name<App>, "cleave: `" #wrong_name                    \
                                              "` is nothing that a program has: rename " \
                                              "it, or call it `" hook "` if that is meant")
/// Reports the first name that is nearly a hook's.
template <class App>
consteval bool refuse_misspelt_hooks() {
  CLEAVE_REFUSE(add_option, "add_options")
  CLEAVE_REFUSE(check, "wrong")
  CLEAVE_REFUSE(check_option, "check_options")
  CLEAVE_REFUSE(cost, "costs")
  CLEAVE_REFUSE(figure, "figures")
  CLEAVE_REFUSE(generate, "make_problem")
  CLEAVE_REFUSE(kSize, "kSizes")
  CLEAVE_REFUSE(make_input, "make_problem")
  CLEAVE_REFUSE(make_parts, "make_part")
  CLEAVE_REFUSE(make_problems, "make_problem")
  CLEAVE_REFUSE(makeProblem, "make_problem")
  CLEAVE_REFUSE(name, "kName")
  CLEAVE_REFUSE(size, "sizes")
  CLEAVE_REFUSE(solution_size, "solution_sizes")
  CLEAVE_REFUSE(solutions_sizes, "solution_sizes")
  CLEAVE_REFUSE(studies, "study")
  CLEAVE_REFUSE(summary, "kSummary")
  CLEAVE_REFUSE(verify, "wrong")
  CLEAVE_REFUSE(with_applications, "with_application")
  CLEAVE_REFUSE(wrong_parts, "wrong_part")
  return true;
}
#undef CLEAVE_REFUSE

/// Reports the first hook of the command line that is of a wrong type.
template <class App>
consteval bool require_command_line_hooks() {
  CLEAVE_REQUIRE(
      !Mentions_kName<App> || requires { std::string_view(App::kName); },
      "cleave: the application's `kName` must be `static constexpr std::string_view`")
  CLEAVE_REQUIRE(
      !Mentions_kSummary<App> || requires { std::string_view(App::kSummary); },
      "cleave: the application's `kSummary` must be `static constexpr std::string_view`")
  CLEAVE_REQUIRE(
      !Mentions_kWork<App> || requires { std::string_view(App::kWork); },
      "cleave: the application's `kWork` must be `static constexpr std::string_view`")
  CLEAVE_REQUIRE(!Mentions_kSizes<App> || HasSizeOptions<App>,
                 "cleave: the application's `kSizes` must be `static constexpr cleave::SizeOption "
                 "kSizes[] = {{\"N\", 1 << 20}}`, each a name and a default")
  CLEAVE_REQUIRE(
      !Mentions_add_options<App> ||
          requires(App& app, CommandLine& line) { app.add_options(line); },
      "cleave: the application's `add_options` must be `void "
      "add_options(cleave::CommandLine&)`")
  CLEAVE_REQUIRE(
      !Mentions_check_options<App> ||
          requires(App& app, RunOptions& options) { app.check_options(options); },
      "cleave: the application's `check_options` must be `void "
      "check_options(cleave::RunOptions&)`")
  CLEAVE_REQUIRE(
      !Mentions_study<App> ||
          requires(const App& app, const RunOptions& options) {
            { app.study(options, true) } -> std::same_as<Study>;
          },
      "cleave: the application's `study` must be `cleave::Study study(const "
      "cleave::RunOptions&, bool is_quick) const`")
  return true;
}

/// Whether no hook is told what `--size` says.
template <class App>
concept IgnoresItsSizes = Mentions_kSizes<App> && !HasSizedMakeProblem<App> &&
                          !Mentions_make_part<App> && !Mentions_check_options<App>;

/// Reports the first hook about problems and solutions that is missing or of a wrong type.
template <class App>
consteval bool require_problem_hooks() {
  CLEAVE_REQUIRE(std::default_initializable<typename App::Problem>,
                 "cleave: Problem must be default-constructible, since ranks that hold no problem "
                 "have an empty one")
  CLEAVE_REQUIRE(!HasPlainMakeProblem<App> || !IgnoresItsSizes<App>,
                 "cleave: the application's `make_problem` must take `const cleave::NamedSizes&` "
                 "before the seed, since the application has `kSizes`")
  CLEAVE_REQUIRE(HasSizedMakeProblem<App> || HasPlainMakeProblem<App>,
                 "cleave: the application must have `Problem make_problem(const "
                 "cleave::NamedSizes& sizes, std::uint64_t seed) const`, which makes the problem "
                 "that a run solves")
  CLEAVE_REQUIRE(!Mentions_make_part<App> || HasMakePart<App>,
                 "cleave: the application's `make_part` must be `Problem make_part(const "
                 "cleave::Comm&, const cleave::NamedSizes& sizes, std::uint64_t seed) const`")
  CLEAVE_REQUIRE(!Mentions_make_part<App> || Distributable<App>,
                 "cleave: `make_part` is for a problem in parts: the application must have "
                 "`static constexpr bool kMergesParts = true`, or `sample`, `splitter` and "
                 "`partition`")
  CLEAVE_REQUIRE(!Mentions_wrong<App> || HasWrong<App>,
                 "cleave: the application's `wrong` must be `std::optional<std::string> "
                 "wrong(const Problem&, const Solution&) const`")
  CLEAVE_REQUIRE(!Mentions_wrong_part<App> || HasWrongPart<App>,
                 "cleave: the application's `wrong_part` must be `std::optional<std::string> "
                 "wrong_part(const cleave::Comm&, const cleave::NamedSizes& sizes, std::uint64_t "
                 "seed, const Solution&) const`")
  CLEAVE_REQUIRE(!Mentions_figures<App> || HasPlainFigures<App> || HasCollectiveFigures<App>,
                 "cleave: the application's `figures` must be `cleave::Figures figures(const "
                 "Solution&) const`")
  CLEAVE_REQUIRE(
      !Mentions_is_generated<App> || requires(const App& app) {
        { app.is_generated() } -> std::same_as<bool>;
      }, "cleave: the application's `is_generated` must be `bool is_generated() const`")
  CLEAVE_REQUIRE(
      !Mentions_costs<App> || requires(const App& app) {
        { app.costs() } -> std::same_as<Costs>;
      }, "cleave: the application's `costs` must be `cleave::Costs costs() const`")
  CLEAVE_REQUIRE(
      !Mentions_instance<App> || requires(const App& app) {
        { app.instance() } -> std::convertible_to<std::string>;
      }, "cleave: the application's `instance` must be `std::string instance() const`")
  CLEAVE_REQUIRE(
      !Mentions_keep<App> ||
          requires(const App& app, const Comm& comm, const typename App::Solution& solution) {
            app.keep(comm, solution);
          },
      "cleave: the application's `keep` must be `void keep(const cleave::Comm&, const "
      "Solution&) const`")
  return true;
}

/// Reports the first hook of `App` that is missing where `kNeedsProblem`, or of a wrong type.
/// \return  whether there was none
template <class App, bool kNeedsProblem>
consteval bool require_hooks() {
  if constexpr (!refuse_misspelt_hooks<App>()) {
    return false;
  } else if constexpr (!require_command_line_hooks<App>()) {
    return false;
  } else if constexpr (kNeedsProblem) {
    return require_problem_hooks<App>();
  } else {
    return true;
  }
}

/// The application that a program runs by default: itself, or its `Application`.
template <class Program>
struct ApplicationOfProgram {
  using Type = Program;
};
template <class Program>
  requires Mentions_with_application<Program> && requires { typename Program::Application; }
struct ApplicationOfProgram<Program> {
  using Type = typename Program::Application;
};
template <class Program>
using ApplicationOf = typename ApplicationOfProgram<Program>::Type;

template <class Program, class App>
consteval bool require_members() {
  if constexpr (!require_application<App, ProblemOf<App>>()) {
    return false;
  } else if constexpr (!require_hooks<Program, std::same_as<App, Program>>()) {
    return false;
  } else if constexpr (!std::same_as<App, Program>) {
    return require_hooks<App, true>();
  } else {
    return true;
  }
}

/// Reports the first thing that keeps `cleave::run<Program>` from working.
/// \return  whether there was none
template <class Program>
consteval bool require_program() {
  CLEAVE_REQUIRE(std::is_class_v<Program> && !std::is_final_v<Program>,
                 "cleave: the application must be a class that is not final, since cleave::run "
                 "derives from it to find its members")
  CLEAVE_REQUIRE(!std::is_abstract_v<Program>,
                 "cleave: the application must not have pure virtual functions, since cleave::run "
                 "makes one")
  CLEAVE_REQUIRE(std::default_initializable<Program>,
                 "cleave: the application must be default-constructible, since cleave::run makes "
                 "it; what it is told on the command line comes by `add_options`")
  CLEAVE_REQUIRE(
      !Mentions_with_application<Program> || requires { typename Program::Application; },
      "cleave: a program with `with_application` must name its default `Application`")
  CLEAVE_REQUIRE(!Mentions_with_application<Program> || HasWithApplication<Program>,
                 "cleave: the program's `with_application` must be `template <class Run> void "
                 "with_application(const cleave::RunOptions&, Run&& run) const`")
  return require_members<Program, ApplicationOf<Program>>();
}

/// \param started_as  argv[0]
template <class Program>
ProgramTraits traits_of(const char* started_as) {
  using App = ApplicationOf<Program>;
  ProgramTraits traits;
  traits.program = std::filesystem::path(started_as).filename().string();
  if constexpr (Mentions_kName<Program>) {
    traits.name = Program::kName;
  } else {
    traits.name = traits.program;
  }
  if constexpr (Mentions_kSummary<Program>) {
    traits.summary = Program::kSummary;
  }
  if constexpr (HasSizeOptions<Program>) {
    traits.sizes.assign(std::ranges::begin(Program::kSizes), std::ranges::end(Program::kSizes));
  }
  traits.searches = TreeSearch<App>;
  traits.types = {DC_Type::sequential};
  if constexpr (DivideInHalvesAndConquer<App>) {
    traits.types.push_back(DC_Type::hypercube);
  }
  traits.types.push_back(DC_Type::work_stealing);
  for (const PlacementTraits& of : kPlacements) {
    if (of.problem == Holders::parts ? MakesParts<App> : DivideInHalvesAndConquer<App>) {
      traits.placements.push_back(of.placement);
    }
  }
  if constexpr (MakesParts<App>) {
    traits.placement = Placement::distributed;
  }
  traits.type = TreeSearch<App> || !DivideInHalvesAndConquer<App> ? DC_Type::work_stealing
                                                                  : DC_Type::hypercube;
  return traits;
}

}  // namespace cleave::detail
