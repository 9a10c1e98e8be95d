// SPDX-License-Identifier: Apache-2.0
// What all readers of traces take from them alike.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

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

/// What makes two repetitions measure the same thing, of one trace or of two: ranks, threads,
/// sizes, ranks per host, whether they share cores, whether they were rehearsed, and the options of
/// the application.
using RunIdentity =
    std::tuple<int, int, NamedSizes, int, bool, bool, std::map<std::string, std::string>>;

inline RunIdentity identity_of(const RunInformation& run, const detail::Trace::Run& repetition) {
  return {run.ranks,          run.threads,        repetition.sizes,
          run.ranks_per_host, run.oversubscribed, !run.rehearsed.empty(),
          run.options};
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
