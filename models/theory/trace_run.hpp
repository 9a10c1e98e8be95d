// SPDX-License-Identifier: Apache-2.0
// What all readers of traces take from them alike.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <cleave/dc_type.hpp>
#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::models {

inline double seconds_of(std::int64_t ns) {
  constexpr double kSecondsPerNanosecond = 1e-9;
  return static_cast<double>(ns) * kSecondsPerNanosecond;
}

struct RanksAndThreads {
  int ranks = 1;
  int threads = 1;  ///< of each

  friend auto operator<=>(const RanksAndThreads&, const RanksAndThreads&) = default;
};

/// What makes two repetitions measure the same thing, of one trace or of two. It is ranks, threads,
/// sizes, ranks per host, whether they share cores, and whether they were rehearsed. The options of
/// the application belong to it, and of a search the seed.
using RunIdentity = std::tuple<int, int, NamedSizes, int, bool, bool,
                               std::map<std::string, std::string>, std::uint64_t>;

/// The options that say what is solved: all but the network of a rehearsal.
inline std::map<std::string, std::string> problem_options(
    std::map<std::string, std::string> options) {
  options.erase("network");
  return options;
}

/// Whether all repetitions search one problem, of which a search that prunes visits more or fewer
/// nodes each time.
inline bool searches_one_problem(const RunInformation& run) {
  return run.type == name_of(DC_Type::work_stealing) && run.inputs == name_of(Inputs::same) &&
         !problem_options(run.options).empty();
}

/// Those of `sizes` that are the same in all repetitions of `run`.
inline NamedSizes lasting_sizes(const RunInformation& run, NamedSizes sizes) {
  if (searches_one_problem(run)) {
    sizes.erase("nodes");
  }
  return sizes;
}

inline RunIdentity identity_of(const RunInformation& run, const detail::Trace::Run& repetition) {
  return {run.ranks,
          run.threads,
          lasting_sizes(run, repetition.sizes),
          run.ranks_per_host,
          run.oversubscribed,
          !run.rehearsed.empty(),
          run.options,
          searches_one_problem(run) ? run.seed : 0};
}

/// What the command line says in counts, as --size N=31 or --genus 31 does.
inline NamedSizes given_by(const std::map<std::string, std::string>& options) {
  NamedSizes given;
  for (const auto& [name, value] : options) {
    try {
      if (name == "size") {
        given.merge(parse_sizes(value));
      } else if (detail::is_size_name(name)) {
        given.emplace(name, parse_count(value));
      }
    } catch (const UsageError&) {
      continue;  // it says something else
    }
  }
  return given;
}

}  // namespace cleave::models
