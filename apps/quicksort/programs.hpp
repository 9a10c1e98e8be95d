// SPDX-License-Identifier: Apache-2.0
// The sorting programs that cleave-quicksort chooses among.
#pragma once

#include <map>
#include <string>

#include <cleave/program.hpp>

#include "apps/quicksort/key_file.hpp"
#include "apps/quicksort/keys.hpp"

namespace cleave::quicksort {

inline const std::map<std::string, KeyOrder> kInputs = {
    {"uniform", KeyOrder::uniform},    {"sorted", KeyOrder::sorted}, {"reverse", KeyOrder::reverse},
    {"equal", KeyOrder::equal},        {"few", KeyOrder::few},       {"zipf", KeyOrder::zipf},
    {"staggered", KeyOrder::staggered}};

/// The options, the kind of key excepted.
struct Input {
  std::string name = "uniform";
  KeyFormat format = KeyFormat::automatic;  ///< of a file, and of the output
  std::string output;                       ///< a file; empty: none

  bool is_generated() const { return kInputs.contains(name); }
};

/// The paper's form: 32-bit keys, all of them on every rank, or on rank 0. `input` must outlive it.
AnyProgram whole_sort(const Input& input);

/// By kind of keys: the program that sorts them spread over the ranks. `input` must outlive it.
extern const std::map<std::string, AnyProgram (*)(const Input& input, ByKey order)> kKeys;

}  // namespace cleave::quicksort
