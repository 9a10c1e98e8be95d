// SPDX-License-Identifier: Apache-2.0
// cleave-quicksort: sorts keys that are generated or in a file, and writes them to another.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>

#include "apps/quicksort/hypercube_quicksort.hpp"
#include "apps/quicksort/programs.hpp"

namespace cleave::quicksort {

namespace {

const std::map<std::string, KeyFormat> kFormats = {
    {"auto", KeyFormat::automatic}, {"binary", KeyFormat::binary}, {"text", KeyFormat::text}};

constexpr std::int64_t kDefaultKeys = std::int64_t{4} << 20;

/// The typed options.
struct Given {
  Input input;
  std::string format = "auto";
  std::string key = "int32";
  std::string order = "ascending";

  void add_to(CLI::App& cli) {
    cli.add_option("--input", input.name,
                   "uniform, sorted, reverse, equal, few (16 different keys), zipf, staggered, or "
                   "a file of keys");
    cli.add_option("--format", format,
                   "of the input and output files: binary (little-endian), text (one decimal "
                   "number a line); auto: binary, unless the input is text")
        ->check(CLI::IsMember(kFormats));
    cli.add_option("--output", input.output, "write the sorted keys to this file, after one run")
        ->check(cleave::detail::FileName());
    cli.add_option("--key", key,
                   "int32, uint32, int64, uint64, float, double, or record (a uint64 key and 8 "
                   "bytes that go with it)")
        ->check(CLI::IsMember(kKeys));
    cli.add_option("--order", order, "ascending or descending; NaN is greater than any number")
        ->check(CLI::IsMember({"ascending", "descending"}));
  }

  void check(RunOptions& options);
};

/// Whether all kinds of keys are sorted, by the form whose problem is in parts.
bool sorts_parts(const RunOptions& options) {
  return options.placement == Placement::distributed || options.type == DC_Type::work_stealing;
}

void Given::check(RunOptions& options) {
  input.format = kFormats.at(format);
  if (!input.output.empty()) {
    options.run_once();
  }
  if (options.sizes_given && !input.is_generated()) {
    throw UsageError("--size: the keys are those of the file " + input.name + ", leave it out");
  }
  if (format == "text" && key == "record") {
    throw UsageError("--format: a record is two numbers, text has one: choose another --key");
  }
  const auto only_in_parts = [&](bool is_given, const char* option) {
    if (is_given && !sorts_parts(options)) {
      throw UsageError(
          fmt::format("{}: placement {} sorts int32 keys in ascending order and writes none; "
                      "take distributed",
                      option, name_of(options.placement)));
    }
  };
  only_in_parts(key != "int32", "--key");
  only_in_parts(order != "ascending", "--order");
  only_in_parts(!input.output.empty(), "--output");
}

/// Six sizes for each doubling: a partition's time breaks where keys overflow a cache, and each
/// side of a break needs sizes of its own.
Study study_of(const RunOptions& options, bool is_quick) {
  constexpr int kDoublings = 6;
  Study study;
  for (int i = 0; i < kDoublings; ++i) {
    if (!sorts_parts(options)) {
      study.sizes.push_back(fmt::format("N={}K", (is_quick ? 128 : 1024) << i));
      continue;
    }
    for (const int sixteenths : {16, 18, 20, 23, 25, 28}) {
      study.sizes.push_back(fmt::format("N={}K", ((is_quick ? 128 : 1024) << i) / 16 * sixteenths));
      if (i == kDoublings - 1) {
        break;
      }
    }
  }
  return study;
}

}  // namespace

}  // namespace cleave::quicksort

int main(int argc, char** argv) {
  using namespace cleave::quicksort;
  Given given;
  return cleave::run<HypercubeQuicksort<std::int32_t>>(
      argc, argv,
      {.name = "quicksort",
       .summary = "Sorts keys by parallel quicksort.",
       .sizes = {{"N", kDefaultKeys, kMaxKeys}},
       .add_options = [&](CLI::App& cli) { given.add_to(cli); },
       .check_options = [&](cleave::RunOptions& options) { given.check(options); },
       .study = study_of},
      [&](const cleave::RunOptions& options) {
        return sorts_parts(options)
                   ? kKeys.at(given.key)(given.input, {.descends = given.order == "descending"})
                   : whole_sort(given.input);
      });
}
