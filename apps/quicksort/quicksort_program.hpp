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

#include <cleave/program.hpp>

#include "apps/quicksort/check.hpp"
#include "apps/quicksort/hypercube_quicksort.hpp"
#include "apps/quicksort/input.hpp"
#include "apps/quicksort/key_file.hpp"
#include "apps/quicksort/quicksort.hpp"

namespace cleave::quicksort {

inline const std::map<std::string, KeyOrder> kInputs = {
    {"uniform", KeyOrder::uniform},    {"sorted", KeyOrder::sorted}, {"reverse", KeyOrder::reverse},
    {"equal", KeyOrder::equal},        {"few", KeyOrder::few},       {"zipf", KeyOrder::zipf},
    {"staggered", KeyOrder::staggered}};

inline constexpr std::int64_t kDefaultKeys = std::int64_t{4} << 20;

/// What the options say, the kind of key excepted.
struct Input {
  std::string name = "uniform";
  std::optional<std::filesystem::path> output;

  bool is_generated() const { return kInputs.contains(name); }
};

/// The paper's form: 32-bit keys, all of them on every rank, or on rank 0.
class WholeSort : public Quicksort {
 public:
  explicit WholeSort(const Input& input) : input_(input) {}

  bool is_generated() const { return input_.is_generated(); }

  Keys make_problem(const NamedSizes& sizes, std::uint64_t seed) const {
    return input_.is_generated() ? make_keys(kInputs.at(input_.name), sizes.at("N"), seed)
                                 : read_keys(input_.name);
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
    const Source source(input_, sizes, seed);
    require_memory(source.keys() * static_cast<std::int64_t>(sizeof(Key)), 1);
    return section(source, 0, source.keys());
  }

  Part<Key> make_part(const Comm& comm, const NamedSizes& sizes, std::uint64_t seed) const {
    const Source source(input_, sizes, seed);
    const auto [first, last] = section_of(comm, source.keys());
    const std::int64_t bytes = (last - first) * static_cast<std::int64_t>(sizeof(Key));
    require_memory(bytes / 2 * 3, comm.ranks_per_host());  // and what a level receives
    return section(source, first, last);
  }

  Figures figures(const Comm& comm, const Part<Key>& keys) const {
    return {
        {"sorted", are_in_order(comm, std::span<const Key>(keys.data(), keys.size()), Order())}};
  }

  /// Counts, order within and between the ranks, and a hash of the keys that went in.
  std::optional<std::string> wrong_part(const Comm& comm, const NamedSizes& sizes,
                                        std::uint64_t seed, const Part<Key>& keys) const {
    const Source source(input_, sizes, seed);
    KeySum in;
    const auto [first, last] = section_of(comm, source.keys());
    std::vector<Key> some(1 << 16);
    for (std::int64_t i = first; i < last; i += std::ssize(some)) {
      const auto count =
          static_cast<std::size_t>(std::min<std::int64_t>(std::ssize(some), last - i));
      source.fill(i, std::span(some).first(count));
      in.add(std::span<const Key>(some).first(count));
    }
    return wrong_parts(comm, in, std::span<const Key>(keys.data(), keys.size()), Order());
  }

  void keep(const Comm& comm, const Part<Key>& keys) const {
    if (input_.output) {
      write_keys<Key>(comm, *input_.output, std::span(keys.data(), keys.size()));
    }
  }

 private:
  /// The whole sequence of keys, any section of which can be had.
  class Source {
   public:
    Source(const Input& input, const NamedSizes& sizes, std::uint64_t seed) {
      if (input.is_generated()) {
        keys_ = sizes.at("N");
        generated_.emplace(kInputs.at(input.name), keys_, seed);
      } else {
        file_ = std::make_unique<KeyFile>(input.name, sizeof(Key));
        keys_ = file_->keys();
      }
    }
    std::int64_t keys() const { return keys_; }
    void fill(std::int64_t first, std::span<Key> keys) const {
      if (generated_) {
        generated_->fill(first, keys);
      } else {
        file_->read(first, keys);
      }
    }

   private:
    std::int64_t keys_ = 0;
    std::optional<GeneratedKeys<Key>> generated_;
    std::unique_ptr<KeyFile> file_;
  };

  static std::pair<std::int64_t, std::int64_t> section_of(const Comm& comm, std::int64_t keys) {
    const std::int64_t each = keys / comm.size();
    const std::int64_t more = keys % comm.size();  // ranks with one key more
    const auto first = [&](std::int64_t rank) { return rank * each + std::min(rank, more); };
    return {first(comm.rank()), first(comm.rank() + 1)};
  }

  static Part<Key> section(const Source& source, std::int64_t first, std::int64_t last) {
    Part<Key> keys(static_cast<std::size_t>(last - first));
    source.fill(first, std::span(keys.data(), keys.size()));
    return keys;
  }

  const Input& input_;
};

template <class Key>
struct KeyName {
  const char* name;
  using Type = Key;
};
inline constexpr std::tuple kKeys = {
    KeyName<std::int32_t>{"int32"},   KeyName<std::int64_t>{"int64"},
    KeyName<std::uint64_t>{"uint64"}, KeyName<float>{"float"},
    KeyName<double>{"double"},        KeyName<Record>{"record"}};

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
        "a file of little-endian keys",
        [this](const std::string& text) { input_.name = text; });
    command_line.add("--output", "", "write the sorted keys to this file, after one run",
                     [this](const std::string& text) { input_.output = text; });
    command_line.add(
        "--key", key_,
        "int32, int64, uint64, float, double, or record (a uint64 key and 8 bytes that "
        "go with it)",
        [this](const std::string& text) { key_ = one_of(text, key_names()); });
    command_line.add("--order", order_, "ascending or descending; NaN is greater than any number",
                     [this](const std::string& text) {
                       order_ = one_of(text, {"ascending", "descending"});
                     });
  }

  void check_options(RunOptions& options) const {
    if (input_.output) {
      options.run_once();
    }
    if (options.sizes_given && !input_.is_generated()) {
      throw UsageError("--size: the keys are those of the file " + input_.name + ", leave it out");
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
    only_distributed(order_ != "ascending", "--order");
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
    if (order_ == "ascending") {
      run(PartSort<Key, Ascending>(input_));
    } else {
      run(PartSort<Key, Descending>(input_));
    }
  }

  static std::vector<std::string> key_names() {
    return std::apply([](const auto&... named) { return std::vector<std::string>{named.name...}; },
                      kKeys);
  }

  static std::string one_of(const std::string& text, const std::vector<std::string>& names) {
    if (std::find(names.begin(), names.end(), text) == names.end()) {
      throw UsageError(fmt::format("'{}' is not one of {}{}", text, fmt::join(names, ", "),
                                   cleave::detail::did_you_mean(text, names)));
    }
    return text;
  }

  Input input_;
  std::string key_ = "int32";
  std::string order_ = "ascending";
};

}  // namespace cleave::quicksort

// A run of each kind of keys is compiled by a source of its own, sort_KEY.cpp.
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
