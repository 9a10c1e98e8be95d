// SPDX-License-Identifier: Apache-2.0
// What a person names on the command line: an instance, an incumbent.
#pragma once

#include <cstdint>
#include <string>

#include "apps/flowshop/flowshop.hpp"
#include "apps/flowshop/instance.hpp"

namespace cleave::flowshop {

/// "ta014", or a file of instances (instance_file.hpp). Of several, "FILE:2" is the second.
/// \throws UsageError  if there is no such instance; FileError for a file that is none
Instance instance_named(const std::string& name);

/// Where a search begins: "optimal", the best makespan that is known of `instance`; a number; or a
/// file with a permutation, its jobs counted from 0 or from 1.
/// \throws UsageError  if no makespan is known, or `text` is no makespan; FileError for a file that
///                     is no permutation
Start parse_incumbent(const std::string& text, const Instance& instance);

/// Begins with what iterated greedy finds in a moment; the same for the same seed.
Start heuristic_start(const Instance& instance, std::uint64_t seed);

}  // namespace cleave::flowshop
