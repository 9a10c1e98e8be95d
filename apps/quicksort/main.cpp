// cleave-quicksort: sorts 32-bit integers.
#include <fmt/format.h>

#include <map>

#include "apps/harness/program.hpp"
#include "apps/quicksort/check.hpp"
#include "apps/quicksort/input.hpp"
#include "apps/quicksort/quicksort.hpp"

namespace cleave {

namespace {

const std::map<std::string, KeyOrder> kOrders = {{"uniform", KeyOrder::uniform},
                                                 {"sorted", KeyOrder::sorted},
                                                 {"reverse", KeyOrder::reverse},
                                                 {"equal", KeyOrder::equal},
                                                 {"few", KeyOrder::few}};

class QuicksortProgram {
 public:
  static constexpr std::string_view kName = "quicksort";
  static constexpr std::string_view kSummary = "Sorts 32-bit integers by parallel quicksort.";
  static constexpr std::string_view kWork = "N";

  void add_options(CommandLine& command_line) {
    command_line.add("--size", "N=4M", "how many keys in all; K, M, G are 1024-based",
                     [this](const std::string& text) {
                       size_ = parse_sizes_named(text, {"N"}).at("N");
                       if (*size_ > kMostKeys) {
                         throw UsageError(fmt::format("'{}' is too large: at most N={}", text,
                                                      format_count(kMostKeys)));
                       }
                     });
    command_line.add("--input", input_,
                     "uniform, sorted, reverse, equal, few (16 different keys), or a file of "
                     "32-bit little-endian integers",
                     [this](const std::string& text) { input_ = text; });
  }

  void check_options() const {
    if (size_ && !kOrders.contains(input_)) {
      throw UsageError("--size: the keys are those of the file " + input_ + ", leave it out");
    }
  }

  Quicksort app() const { return {}; }

  Keys make_problem(std::uint64_t seed) const {
    const auto order = kOrders.find(input_);
    return order == kOrders.end() ? read_keys(input_)
                                  : make_keys(order->second, size_.value_or(4 << 20), seed);
  }

  Figures figures(const Keys& keys, const std::vector<double>& /*seconds*/) const {
    return {{"sorted", std::is_sorted(keys.begin(), keys.end())}};
  }

  std::optional<std::string> wrong(const Keys& input, const Keys& sorted) const {
    return wrong_order(input, sorted);
  }

 private:
  std::optional<std::int64_t> size_;
  std::string input_ = "uniform";
};

}  // namespace

}  // namespace cleave

int main(int argc, char** argv) {
  return cleave::run_program<cleave::QuicksortProgram>(argc, argv);
}
