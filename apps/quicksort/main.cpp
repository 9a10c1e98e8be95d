// cleave-quicksort: sorts keys that are generated or in a file, and writes them to another.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "apps/harness/memory.hpp"
#include "apps/harness/program.hpp"
#include "apps/quicksort/check.hpp"
#include "apps/quicksort/hypercube_quicksort.hpp"
#include "apps/quicksort/input.hpp"
#include "apps/quicksort/key_file.hpp"
#include "apps/quicksort/quicksort.hpp"

namespace cleave {

namespace {

const std::map<std::string, KeyOrder> kInputs = {
    {"uniform", KeyOrder::uniform},    {"sorted", KeyOrder::sorted}, {"reverse", KeyOrder::reverse},
    {"equal", KeyOrder::equal},        {"few", KeyOrder::few},       {"zipf", KeyOrder::zipf},
    {"staggered", KeyOrder::staggered}};

constexpr std::int64_t kDefaultKeys = std::int64_t{4} << 20;

/// What the options say, the kind of key excepted.
struct Input {
  std::optional<std::int64_t> size;
  std::string name = "uniform";
  std::optional<std::filesystem::path> output;

  bool is_generated() const { return kInputs.contains(name); }
};

/// The paper's form: 32-bit keys, all of them on every rank, or on rank 0.
class WholeSort {
 public:
  explicit WholeSort(const Input& input) : input_(input) {}

  Quicksort app() const { return {}; }
  bool is_generated() const { return input_.is_generated(); }

  Keys make_problem(std::uint64_t seed) const {
    return input_.is_generated()
               ? make_keys(kInputs.at(input_.name), input_.size.value_or(kDefaultKeys), seed)
               : read_keys(input_.name);
  }

  Figures figures(const Keys& keys, const std::vector<double>& /*seconds*/) const {
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
class PartSort {
 public:
  explicit PartSort(const Input& input) : input_(input) {}

  HypercubeQuicksort<Key, Order> app() const { return {}; }
  bool is_generated() const { return input_.is_generated(); }

  /// All keys, for one rank alone.
  Part<Key> make_problem(std::uint64_t seed) const {
    const Source source(input_, seed);
    require_memory(source.keys() * static_cast<std::int64_t>(sizeof(Key)), 1);
    return section(source, 0, source.keys());
  }

  Part<Key> make_part(const Comm& comm, std::uint64_t seed) const {
    const Source source(input_, seed);
    const auto [first, last] = section_of(comm, source.keys());
    const std::int64_t bytes = (last - first) * static_cast<std::int64_t>(sizeof(Key));
    require_memory(bytes / 2 * 3, comm.ranks_per_host());  // and what a level receives
    return section(source, first, last);
  }

  Figures figures(const Comm& comm, const Part<Key>& keys,
                  const std::vector<double>& /*seconds*/) const {
    return {
        {"sorted", are_in_order(comm, std::span<const Key>(keys.data(), keys.size()), Order())}};
  }

  /// Counts, order within and between the ranks, and a hash of the keys that went in.
  std::optional<std::string> wrong_part(const Comm& comm, std::uint64_t seed,
                                        const Part<Key>& keys) const {
    const Source source(input_, seed);
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
    Source(const Input& input, std::uint64_t seed) {
      if (input.is_generated()) {
        keys_ = input.size.value_or(kDefaultKeys);
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
constexpr std::tuple kKeys = {KeyName<std::int32_t>{"int32"},   KeyName<std::int64_t>{"int64"},
                              KeyName<std::uint64_t>{"uint64"}, KeyName<float>{"float"},
                              KeyName<double>{"double"},        KeyName<Record>{"record"}};

class QuicksortProgram {
 public:
  static constexpr std::string_view kName = "quicksort";
  static constexpr std::string_view kSummary = "Sorts keys by parallel quicksort.";
  static constexpr std::string_view kWork = "N";
  static constexpr Placement kPlacement = Placement::distributed;

  void add_options(CommandLine& command_line) {
    command_line.add("--size", "N=4M", "how many keys in all; K, M, G are 1024-based",
                     [this](const std::string& text) {
                       input_.size = parse_sizes_named(text, {"N"}).at("N");
                       if (*input_.size > kMostKeys) {
                         throw UsageError(fmt::format("'{}' is too large: at most N={}", text,
                                                      format_count(kMostKeys)));
                       }
                     });
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

  bool runs_once() const { return input_.output.has_value(); }

  void check_options(const CommonOptions& options) const {
    if (input_.size && !input_.is_generated()) {
      throw UsageError("--size: the keys are those of the file " + input_.name + ", leave it out");
    }
    if (options.placement == Placement::distributed) {
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

  template <class Run>
  void with_work(const CommonOptions& options, Run&& run) const {
    if (options.placement != Placement::distributed) {
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
      throw UsageError(fmt::format("'{}' is not one of {}", text, fmt::join(names, ", ")));
    }
    return text;
  }

  Input input_;
  std::string key_ = "int32";
  std::string order_ = "ascending";
};

}  // namespace

}  // namespace cleave

int main(int argc, char** argv) {
  return cleave::run_program<cleave::QuicksortProgram>(argc, argv);
}
