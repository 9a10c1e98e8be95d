#include "apps/uts/prins.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <string>

#include "skeleton/trace/error.hpp"

namespace cleave {

namespace {

constexpr std::string_view kPrefix = "prins:";
constexpr std::uint32_t kMostRootChildren = 1U << 24;  // the interior ones are held at once
constexpr std::uint32_t kMostChildren = 256;           // Prins 2003, section 1

struct NamedTree {
  std::string_view name;
  std::string_view parameters;
  TreeCounts counts;
};

// Nodes: Prins 2003, section 1. Leaves and depths follow; many programs agree on them.
constexpr std::array<NamedTree, 3> kNamedTrees = {{
    {"T1", "r=0,n=3200,q=0.234375,m=4", {50'045, 38'333, 56}},
    {"T2", "r=0x101,n=3200,q=0.234375,m=4", {53'521, 40'940, 78}},
    {"T3", "r=0,n=3200,q=0.124999,m=8", {5'529'089, 4'838'352, 1291}},
}};

template <class Number, class... Base>
std::optional<Number> whole_number(std::string_view text, Base... base) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number, base...);
  if (result.ec != std::errc{} || result.ptr != end) {
    return std::nullopt;
  }
  return number;
}

/// A number of up to 160 bits.
std::optional<NodeId> parse_id(std::string_view text) {
  NodeId id{};
  if (!text.starts_with("0x")) {
    const auto number = whole_number<std::uint64_t>(text);
    if (!number) {
      return std::nullopt;
    }
    id[3] = static_cast<std::uint32_t>(*number >> 32);
    id[4] = static_cast<std::uint32_t>(*number);
    return id;
  }
  constexpr std::size_t kDigitsEach = 8;
  std::string digits(text.substr(2));
  if (digits.empty() || digits.size() > kDigitsEach * id.size()) {
    return std::nullopt;
  }
  digits.insert(0, kDigitsEach * id.size() - digits.size(), '0');
  for (std::size_t i = 0; i < id.size(); ++i) {
    const auto number = whole_number<std::uint32_t>(
        std::string_view(digits).substr(kDigitsEach * i, kDigitsEach), 16);
    if (!number) {
      return std::nullopt;
    }
    id[i] = *number;
  }
  return id;
}

/// "a=1,b=2" by name.
std::map<std::string, std::string, std::less<>> parameters_of(std::string_view text) {
  std::map<std::string, std::string, std::less<>> values;
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) {
      throw UsageError(fmt::format("'{}' is not T1, T2, T3 or one of r=, n=, q=, m=", part));
    }
    const std::string name(part.substr(0, equals));
    if (name != "r" && name != "n" && name != "q" && name != "m") {
      throw UsageError(fmt::format("'{}' is not one of r=, n=, q=, m=", part));
    }
    if (!values.emplace(name, part.substr(equals + 1)).second) {
      throw UsageError(fmt::format("{} is given twice", name));
    }
  }
  for (const char* needed : {"n", "q", "m"}) {
    if (!values.contains(needed)) {
      throw UsageError(fmt::format("{} is missing in prins:r=,n=,q=,m=", needed));
    }
  }
  values.emplace("r", "0");
  return values;
}

std::uint32_t parse_children(const char* name, std::string_view text, std::uint32_t most) {
  const auto number = whole_number<std::uint32_t>(text);
  if (!number || *number < 1 || *number > most) {
    throw UsageError(
        fmt::format("{}={} is not a number of children from 1 to {}", name, text, most));
  }
  return *number;
}

double parse_probability(std::string_view text) {
  const auto number = whole_number<double>(text);
  if (!number || !(*number >= 0 && *number <= 1)) {
    throw UsageError(fmt::format("q={} is not a probability from 0 to 1", text));
  }
  return *number;
}

}  // namespace

PrinsTree parse_prins_tree(std::string_view text) {
  if (!text.starts_with(kPrefix) || text.size() == kPrefix.size()) {
    throw UsageError(
        fmt::format("'{}' is not a tree: prins:T1, prins:T2, prins:T3 or "
                    "prins:r=0x101,n=3200,q=0.234375,m=4",
                    text));
  }
  std::string_view parameters = text.substr(kPrefix.size());
  std::optional<TreeCounts> known_counts;
  for (const NamedTree& tree : kNamedTrees) {
    if (parameters == tree.name) {
      parameters = tree.parameters;
      known_counts = tree.counts;
      break;
    }
  }
  const auto values = parameters_of(parameters);
  const auto root_id = parse_id(values.at("r"));
  if (!root_id) {
    throw UsageError(fmt::format("r={} is not a number of at most 160 bits", values.at("r")));
  }
  const double q = parse_probability(values.at("q"));
  return {.root_id = *root_id,
          .root_children = parse_children("n", values.at("n"), kMostRootChildren),
          .interior_probability = q,
          .interior_children = parse_children("m", values.at("m"), kMostChildren),
          .interior_below = static_cast<std::uint64_t>(std::ceil(std::ldexp(q, 32))),
          .known_counts = known_counts};
}

}  // namespace cleave
