// SPDX-License-Identifier: Apache-2.0
// The program cleave-quicksort: where keys come from and go, and what is told of them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <cleave/hosts.hpp>
#include <cleave/program.hpp>

#include "apps/quicksort/check.hpp"
#include "apps/quicksort/hypercube_quicksort.hpp"
#include "apps/quicksort/input.hpp"
#include "apps/quicksort/key_file.hpp"
#include "apps/quicksort/key_text.hpp"
#include "apps/quicksort/quicksort.hpp"
#include "apps/reading/contents.hpp"

namespace cleave::quicksort {

inline const std::map<std::string, KeyOrder> kInputs = {
    {"uniform", KeyOrder::uniform},    {"sorted", KeyOrder::sorted}, {"reverse", KeyOrder::reverse},
    {"equal", KeyOrder::equal},        {"few", KeyOrder::few},       {"zipf", KeyOrder::zipf},
    {"staggered", KeyOrder::staggered}};

inline constexpr Names<KeyFormat, 3> kFormats = {
    {{"auto", KeyFormat::automatic}, {"binary", KeyFormat::binary}, {"text", KeyFormat::text}}};
enum class KeyDirection { ascending, descending };
inline constexpr Names<KeyDirection, 2> kOrders = {
    {{"ascending", KeyDirection::ascending}, {"descending", KeyDirection::descending}}};

inline constexpr std::int64_t kMaxSkipped = std::int64_t{1} << 40;
inline constexpr std::int64_t kDefaultKeys = std::int64_t{4} << 20;

/// What the options say, the kind of key excepted.
struct Input {
  std::string name = "uniform";
  KeyLayout layout;  ///< of a file; its format is that of the output, too
  std::optional<std::filesystem::path> output;

  bool is_generated() const { return kInputs.contains(name); }
};

/// The paper's form: 32-bit keys, all of them on every rank, or on rank 0.
class WholeSort : public Quicksort {
 public:
  explicit WholeSort(const Input& input) : input_(input) {}

  bool is_generated() const { return input_.is_generated(); }

  Keys make_problem(const NamedSizes& sizes, std::uint64_t seed) const {
    if (input_.is_generated()) {
      return make_keys(kInputs.at(input_.name), sizes.at("N"), seed);
    }
    if (input_.layout.format == KeyFormat::text) {
      return parse_keys<std::int32_t>(reading::Contents(input_.name).text(), input_.name);
    }
    const KeyFile file(input_.name, sizeof(std::int32_t), input_.layout);
    Keys keys(static_cast<std::size_t>(file.keys()));
    file.read<std::int32_t>(0, keys);
    return keys;
  }

  Figures figures(const Keys& keys) const {
    return {{"sorted", std::is_sorted(keys.begin(), keys.end())}};
  }

  std::optional<std::string> wrong(const Keys& input, const Keys& sorted) const {
    return wrong_order(input, sorted);
  }

 private:
  const Input& input_;
};

/// Keys of any kind, spread over the ranks.
template <class Key, class Order>
class PartSort : public HypercubeQuicksort<Key, Order> {
 public:
  explicit PartSort(const Input& input) : input_(input) {}

  bool is_generated() const { return input_.is_generated(); }

  /// All keys, for one rank alone.
  Part<Key> make_problem(const NamedSizes& sizes, std::uint64_t seed) const {
    const Source source(input_, sizes, seed, {});
    require_memory(source.bytes(), 1);
    return source.all();
  }

  Part<Key> make_part(const Comm& comm, const NamedSizes& sizes, std::uint64_t seed) const {
    const Source source(input_, sizes, seed, slice_of(comm));
    require_memory(source.bytes() / 2 * 3,
                   hosts_of(comm).ranks_per_host());  // and what a level receives
    return source.all();
  }

  Figures figures(const Comm& comm, const Part<Key>& keys) const {
    return {
        {"sorted", are_in_order(comm, std::span<const Key>(keys.data(), keys.size()), Order())}};
  }

  /// Counts, order within and between the ranks, and a hash of the keys that went in.
  std::optional<std::string> wrong_part(const Comm& comm, const NamedSizes& sizes,
                                        std::uint64_t seed, const Part<Key>& keys) const {
    const Source source(input_, sizes, seed, slice_of(comm));
    KeySum in;
    std::vector<Key> some(1 << 16);
    for (std::int64_t i = 0; i < source.keys(); i += std::ssize(some)) {
      const auto count =
          static_cast<std::size_t>(std::min<std::int64_t>(std::ssize(some), source.keys() - i));
      source.fill(i, std::span(some).first(count));
      in.add(std::span<const Key>(some).first(count));
    }
    return wrong_parts(comm, in, std::span<const Key>(keys.data(), keys.size()), Order());
  }

  void keep(const Comm& comm, const Part<Key>& keys) const {
    if (!input_.output) {
      return;
    }
    const std::span<const Key> mine(keys.data(), keys.size());
    if constexpr (TextKey<Key>) {
      if (input_.layout.format == KeyFormat::text) {
        const std::string text = agree(comm, [&] { return text_of_keys(mine); });
        write_bytes(comm, *input_.output, std::as_bytes(std::span(text)), false);
        return;
      }
    }
    write_keys(comm, *input_.output, mine);
  }

 private:
  /// A slice of all keys, any section of which can be had.
  class Source {
   public:
    Source(const Input& input, const NamedSizes& sizes, std::uint64_t seed, reading::Slice slice) {
      if (input.is_generated()) {
        take_slice(sizes.at("N"), slice);
        generated_.emplace(kInputs.at(input.name), sizes.at("N"), seed);
        return;
      }
      if constexpr (TextKey<Key>) {
        if (input.layout.format == KeyFormat::text) {
          parsed_ = parse_keys<Key>(reading::Contents(input.name).text(), input.name, slice);
          keys_ = std::ssize(parsed_);
          return;
        }
      }
      file_ = std::make_unique<KeyFile>(input.name, sizeof(Key), input.layout);
      take_slice(file_->keys(), slice);
    }

    std::int64_t keys() const { return keys_; }
    std::int64_t bytes() const { return keys_ * static_cast<std::int64_t>(sizeof(Key)); }

    /// Keys number first, first + 1, ... of the slice.
    void fill(std::int64_t first, std::span<Key> keys) const {
      if (generated_) {
        generated_->fill(first_ + first, keys);
      } else if (file_) {
        file_->read(first_ + first, keys);
      } else {
        std::copy_n(parsed_.begin() + first, keys.size(), keys.begin());
      }
    }

    Part<Key> all() const {
      Part<Key> part(static_cast<std::size_t>(keys_));
      fill(0, std::span(part.data(), part.size()));
      return part;
    }

   private:
    void take_slice(std::int64_t total, reading::Slice slice) {
      first_ = slice.begin(total);
      keys_ = slice.end(total) - first_;
    }

    std::int64_t first_ = 0;
    std::int64_t keys_ = 0;
    std::optional<GeneratedKeys<Key>> generated_;
    std::unique_ptr<KeyFile> file_;
    std::vector<Key> parsed_;
  };

  static reading::Slice slice_of(const Comm& comm) {
    return {.index = comm.rank(), .count = comm.size()};
  }

  const Input& input_;
};

template <class Key>
struct KeyName {
  const char* name;
  using Type = Key;
};
inline constexpr std::tuple kKeys = {
    KeyName<std::int32_t>{"int32"}, KeyName<std::uint32_t>{"uint32"},
    KeyName<std::int64_t>{"int64"}, KeyName<std::uint64_t>{"uint64"},
    KeyName<float>{"float"},        KeyName<double>{"double"},
    KeyName<Record>{"record"}};

/// The program cleave-quicksort: which kind of keys, from where, in which order.
class QuicksortProgram {
 public:
  using Application = PartSort<std::int32_t, Ascending>;

  static constexpr std::string_view kName = "quicksort";
  static constexpr std::string_view kSummary = "Sorts keys by parallel quicksort.";
  static constexpr SizeOption kSizes[] = {{"N", kDefaultKeys, kMaxKeys}};

  void add_options(CommandLine& command_line) {
    command_line.add(
        "--input", input_.name,
        "uniform, sorted, reverse, equal, few (16 different keys), zipf, staggered, or "
        "a file of keys",
        [this](const std::string& text) { input_.name = text; });
    command_line.add(
        "--format", "auto",
        "of the input and output files: binary (little-endian), text (decimal "
        "numbers); auto: binary, unless the input is surely something else",
        [this](const std::string& text) { input_.layout.format = parse_name(kFormats, text); });
    command_line.add("--skip", "0", "bytes of a binary input file before its first key",
                     [this](const std::string& text) {
                       input_.layout.skipped_bytes = parse_count_between(text, 0, kMaxSkipped);
                     });
    command_line.add("--output", "", "write the sorted keys to this file, after one run",
                     [this](const std::string& text) { input_.output = text; });
    command_line.add(
        "--key", key_,
        "int32, uint32, int64, uint64, float, double, or record (a uint64 key and 8 bytes that "
        "go with it)",
        [this](const std::string& text) { key_ = key_named(text); });
    command_line.add("--order", "ascending",
                     "ascending or descending; NaN is greater than any number",
                     [this](const std::string& text) { order_ = parse_name(kOrders, text); });
  }

  void check_options(RunOptions& options) const {
    if (input_.output) {
      options.run_once();
    }
    if (options.sizes_given && !input_.is_generated()) {
      throw UsageError("--size: the keys are those of the file " + input_.name + ", leave it out");
    }
    const KeyLayout& layout = input_.layout;
    if (layout.skipped_bytes > 0 && (input_.is_generated() || layout.format == KeyFormat::text)) {
      throw UsageError("--skip: is for a binary input file");
    }
    if (layout.format == KeyFormat::text && key_ == "record") {
      throw UsageError("--format: a record is two numbers, text has one: choose another --key");
    }
    if (sorts_parts(options)) {
      return;
    }
    const auto only_distributed = [&](bool is_given, const char* option) {
      if (is_given) {
        throw UsageError(
            fmt::format("{}: placement {} sorts int32 keys in ascending order and writes none; "
                        "take distributed",
                        option, name_of(options.placement)));
      }
    };
    only_distributed(key_ != "int32", "--key");
    only_distributed(order_ != KeyDirection::ascending, "--order");
    only_distributed(input_.output.has_value(), "--output");
  }

  /// Six sizes for each doubling: a partition's time breaks where keys overflow a cache, and each
  /// side of a break needs sizes of its own.
  Study study(const RunOptions& options, bool is_quick) const {
    constexpr int kDoublings = 6;
    Study study{.repetitions = 5, .warm_up = 4};
    for (int i = 0; i < kDoublings; ++i) {
      if (!sorts_parts(options)) {
        study.sizes.push_back(fmt::format("N={}K", (is_quick ? 128 : 1024) << i));
        continue;
      }
      for (const int sixteenths : {16, 18, 20, 23, 25, 28}) {
        study.sizes.push_back(
            fmt::format("N={}K", ((is_quick ? 128 : 1024) << i) / 16 * sixteenths));
        if (i == kDoublings - 1) {
          break;
        }
      }
    }
    return study;
  }

  template <class Run>
  void with_application(const RunOptions& options, Run&& run) const {
    if (!sorts_parts(options)) {
      run(WholeSort(input_));
      return;
    }
    std::apply(
        [&]<class... Named>(const Named&... named) {
          (with_key<typename Named::Type>(key_ == named.name, run), ...);
        },
        kKeys);
  }

 private:
  /// Whether all kinds of keys are sorted, by the form whose problem is in parts.
  static bool sorts_parts(const RunOptions& options) {
    return options.placement == Placement::distributed || options.type == DC_Type::work_stealing;
  }

  template <class Key, class Run>
  void with_key(bool is_chosen, Run&& run) const {
    if (!is_chosen) {
      return;
    }
    if (order_ == KeyDirection::ascending) {
      run(PartSort<Key, Ascending>(input_));
    } else {
      run(PartSort<Key, Descending>(input_));
    }
  }

  /// A name that is like another is not suggested: its keys have another order.
  static std::string key_named(const std::string& text) {
    const auto names = std::apply(
        [](const auto&... named) { return std::vector<std::string>{named.name...}; }, kKeys);
    if (std::find(names.begin(), names.end(), text) == names.end()) {
      throw UsageError(fmt::format("'{}' is not one of {}", text, fmt::join(names, ", ")));
    }
    return text;
  }

  Input input_;
  std::string key_ = "int32";
  KeyDirection order_ = KeyDirection::ascending;
};

}  // namespace cleave::quicksort

// A run of each kind of keys is compiled by a source of its own (sort_int32.cpp and others).
#define CLEAVE_RUN_OF_KEYS(Key, Order)                                                        \
  void cleave::detail::run_application(                                                       \
      const cleave::Comm&, const cleave::quicksort::PartSort<Key, cleave::quicksort::Order>&, \
      const cleave::CommandLine&, int, char**)
extern template CLEAVE_RUN_OF_KEYS(std::int32_t, Ascending);
extern template CLEAVE_RUN_OF_KEYS(std::int32_t, Descending);
extern template CLEAVE_RUN_OF_KEYS(std::int64_t, Ascending);
extern template CLEAVE_RUN_OF_KEYS(std::int64_t, Descending);
extern template CLEAVE_RUN_OF_KEYS(std::uint64_t, Ascending);
extern template CLEAVE_RUN_OF_KEYS(std::uint64_t, Descending);
extern template CLEAVE_RUN_OF_KEYS(float, Ascending);
extern template CLEAVE_RUN_OF_KEYS(float, Descending);
extern template CLEAVE_RUN_OF_KEYS(double, Ascending);
extern template CLEAVE_RUN_OF_KEYS(double, Descending);
extern template CLEAVE_RUN_OF_KEYS(cleave::quicksort::Record, Ascending);
extern template CLEAVE_RUN_OF_KEYS(cleave::quicksort::Record, Descending);
