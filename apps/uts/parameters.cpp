// SPDX-License-Identifier: Apache-2.0
#include "apps/uts/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <vector>

#include <cleave/error.hpp>

namespace cleave::uts {

namespace {

constexpr std::string_view kPrinsPrefix = "prins:";
constexpr std::uint32_t kMaxPrinsChildren = 256;      // Prins 2003, section 1
constexpr std::uint32_t kMaxRootChildren = 1U << 24;  // in memory at once, 256 an entry
constexpr std::uint32_t kMaxNumber = std::numeric_limits<std::int32_t>::max();
constexpr std::uint32_t kMaxDepthParameter = 1'000'000;

struct NamedTree {
  std::string_view name;
  std::string_view parameters;
  TreeCounts counts;
};

// Nodes: Prins 2003, section 1. Leaves and depths follow; many programs agree on them.
constexpr std::array<NamedTree, 3> kPrinsTrees = {{
    {"T1", "r=0,n=3200,q=0.234375,m=4", {50'045, 38'333, 56}},
    {"T2", "r=0x101,n=3200,q=0.234375,m=4", {53'521, 40'940, 78}},
    {"T3", "r=0,n=3200,q=0.124999,m=8", {5'529'089, 4'838'352, 1291}},
}};

// Counts: the benchmark's list of sample trees. The larger ones are not all in it; where leaves and
// depth are 0, only the nodes are known.
constexpr std::array<NamedTree, 14> kUtsTrees = {{
    {"T1", "-t 1 -a 3 -d 10 -b 4 -r 19", {4'130'071, 3'305'118, 10}},
    {"T2", "-t 1 -a 2 -d 16 -b 6 -r 502", {4'117'769, 2'342'762, 81}},
    {"T3", "-t 0 -b 2000 -q 0.124875 -m 8 -r 42", {4'112'897, 3'599'034, 1572}},
    {"T4", "-t 2 -a 0 -d 16 -b 6 -r 1 -q 0.234375 -m 4", {4'132'453, 3'108'986, 134}},
    {"T5", "-t 1 -a 0 -d 20 -b 4 -r 34", {4'147'582, 2'181'318, 20}},
    {"T1L", "-t 1 -a 3 -d 13 -b 4 -r 29", {102'181'082, 81'746'377, 13}},
    {"T2L", "-t 1 -a 2 -d 23 -b 7 -r 220", {96'793'510, 53'791'152, 67}},
    {"T3L", "-t 0 -b 2000 -q 0.200014 -m 5 -r 7", {111'345'631, 89'076'904, 17844}},
    {"T1XL", "-t 1 -a 3 -d 15 -b 4 -r 29", {1'635'119'272, 1'308'100'063, 15}},
    {"T2XL", "-t 1 -a 2 -d 26 -b 7 -r 220", {1'495'081'468, 822'613'977, 104}},
    {"T1XXL", "-t 1 -a 3 -d 15 -b 4 -r 19", {4'230'646'601, 0, 15}},
    {"T3XXL", "-t 0 -b 2000 -q 0.499995 -m 2 -r 316", {2'793'220'501, 0, 0}},
    {"T2XXL", "-t 0 -b 2000 -q 0.499999995 -m 2 -r 0", {10'612'052'303, 5'306'027'151, 216370}},
    {"T1WL", "-t 1 -a 3 -d 18 -b 4 -r 19", {270'751'679'750, 216'601'257'283, 18}},
}};

constexpr std::array kTypeNames = {"0 (BIN)", "1 (GEO)", "2 (HYBRID)", "3 (BALANCED)"};
constexpr std::array kShapeNames = {"0 (LINEAR)", "1 (EXPDEC)", "2 (CYCLIC)", "3 (FIXED)"};

template <class Number, class... Base>
std::optional<Number> number_of(std::string_view text, Base... base) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number, base...);
  if (result.ec != std::errc{} || result.ptr != end) {
    return std::nullopt;
  }
  return number;
}

std::uint32_t parse_whole(std::string_view name, std::string_view text, std::uint32_t minimum,
                          std::uint32_t maximum) {
  const auto number = number_of<std::uint32_t>(text);
  if (!number || *number < minimum || *number > maximum) {
    throw UsageError(
        fmt::format("{}={} is not a whole number from {} to {}", name, text, minimum, maximum));
  }
  return *number;
}

double parse_fraction(std::string_view name, std::string_view text) {
  const auto number = number_of<double>(text);
  if (!number || !(*number >= 0 && *number <= 1)) {
    throw UsageError(fmt::format("{}={} is not a number from 0 to 1", name, text));
  }
  return *number;
}

/// An id whose last 64 bits are a decimal or hexadecimal number.
std::optional<NodeId> parse_id(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x");
  const auto number =
      number_of<std::uint64_t>(text.substr(is_hexadecimal ? 2 : 0), is_hexadecimal ? 16 : 10);
  if (!number) {
    return std::nullopt;
  }
  return NodeId{0, 0, 0, static_cast<std::uint32_t>(*number >> 32),
                static_cast<std::uint32_t>(*number)};
}

/// "r=0,n=2" by name, all of r, n, q and m.
std::map<std::string, std::string> fields_of(std::string_view text) {
  std::map<std::string, std::string> values;
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    if (part.size() < 2 || part[1] != '=' ||
        std::string_view("rnqm").find(part[0]) == std::string_view::npos) {
      throw UsageError(fmt::format("'{}' is not T1, T2, T3 or one of r=, n=, q=, m=", part));
    }
    if (!values.emplace(part.substr(0, 1), part.substr(2)).second) {
      throw UsageError(fmt::format("{} is given twice", part[0]));
    }
  }
  values.emplace("r", "0");
  for (const char* needed : {"n", "q", "m"}) {
    if (!values.contains(needed)) {
      throw UsageError(fmt::format("{} is missing in prins:r=,n=,q=,m=", needed));
    }
  }
  return values;
}

TreeParameters parse_prins(std::string_view text) {
  const auto values = fields_of(text);
  const auto root = parse_id(values.at("r"));
  if (!root) {
    throw UsageError(fmt::format("r={} is not a number of at most 64 bits", values.at("r")));
  }
  return {
      .is_prins = true,
      .type = TreeType::binomial,
      .root_branching = static_cast<double>(parse_whole("n", values.at("n"), 1, kMaxRootChildren)),
      .root = *root,
      .interior_probability = parse_fraction("q", values.at("q")),
      .interior_children = parse_whole("m", values.at("m"), 1, kMaxPrinsChildren)};
}

/// "-t 1 -a 3": letters and values of the table above.
TreeParameters parse_letters(std::string_view text) {
  TreeParameters parameters;
  while (!text.empty()) {
    const char letter = text[1];
    text.remove_prefix(3);
    const auto value = text.substr(0, text.find(' '));
    set_by_letter(parameters, letter, value);
    text.remove_prefix(std::min(text.size(), value.size() + 1));
  }
  return parameters;
}

}  // namespace

TreeParameters parse_tree(std::string_view text) {
  const auto named = [](const auto& trees, std::string_view name) {
    const auto* const found = std::ranges::find(trees, name, &NamedTree::name);
    return found == trees.end() ? std::string_view() : found->parameters;
  };
  if (text.starts_with(kPrinsPrefix)) {
    text.remove_prefix(kPrinsPrefix.size());
    const std::string_view known = named(kPrinsTrees, text);
    return parse_prins(known.empty() ? text : known);
  }
  if (const std::string_view known = named(kUtsTrees, text); !known.empty()) {
    return parse_letters(known);
  }
  std::vector<std::string_view> names(kUtsTrees.size());
  std::ranges::transform(kUtsTrees, names.begin(), &NamedTree::name);
  throw UsageError(
      fmt::format("'{}' is not a tree: {}, prins:T1, prins:T2, prins:T3 or "
                  "prins:r=0x101,n=3200,q=0.234375,m=4",
                  text, fmt::join(names, ", ")));
}

void set_by_letter(TreeParameters& parameters, char letter, std::string_view text) {
  const auto choice = [text](const auto& names) {
    const auto number = number_of<std::size_t>(text);
    if (!number || *number >= names.size()) {
      throw UsageError(fmt::format("'{}' is not one of {}", text, fmt::join(names, ", ")));
    }
    return *number;
  };
  const std::string name(1, letter);
  switch (letter) {
    case 't':
      parameters.type = static_cast<TreeType>(choice(kTypeNames));
      return;
    case 'a':
      parameters.shape = static_cast<Shape>(choice(kShapeNames));
      return;
    case 'b': {
      const auto b = number_of<double>(text);
      if (!b || !(*b > 0 && *b <= kMaxRootChildren)) {
        throw UsageError(
            fmt::format("b={} is not a number above 0 and up to {}", text, kMaxRootChildren));
      }
      parameters.root_branching = *b;
      return;
    }
    case 'r':
      parameters.root = {0, 0, 0, 0, parse_whole(name, text, 0, kMaxNumber)};
      return;
    case 'q':
      parameters.interior_probability = parse_fraction(name, text);
      return;
    case 'm':
      parameters.interior_children = parse_whole(name, text, 0, kMaxNumber);
      return;
    case 'd':
      parameters.depth_parameter = parse_whole(name, text, 1, kMaxDepthParameter);
      return;
    case 'f':
      parameters.binomial_from = parse_fraction(name, text);
      return;
    default:
      throw UsageError(fmt::format("-{} describes no tree", letter));
  }
}

std::string text_of(const TreeParameters& parameters) {
  const TreeParameters& p = parameters;
  if (p.is_prins) {
    return fmt::format("{}r={:#x},n={},q={},m={}", kPrinsPrefix,
                       std::uint64_t{p.root[3]} << 32 | p.root[4], p.root_branching,
                       p.interior_probability, p.interior_children);
  }
  std::string text = fmt::format("-t {}", static_cast<int>(p.type));
  const bool is_geometric = p.type == TreeType::geometric || p.type == TreeType::hybrid;
  if (is_geometric) {
    text += fmt::format(" -a {}", static_cast<int>(p.shape));
  }
  if (p.type != TreeType::binomial) {
    text += fmt::format(" -d {}", p.depth_parameter);
  }
  text += fmt::format(" -b {} -r {}", p.root_branching, p.root.back());
  if (p.type == TreeType::hybrid) {
    text += fmt::format(" -f {}", p.binomial_from);
  }
  if (p.type == TreeType::binomial || p.type == TreeType::hybrid) {
    text += fmt::format(" -q {} -m {}", p.interior_probability, p.interior_children);
  }
  return text;
}

std::optional<TreeCounts> known_counts(const TreeParameters& parameters) {
  const auto find = [&](const auto& trees, auto parse) -> std::optional<TreeCounts> {
    for (const NamedTree& tree : trees) {
      // By their texts, since these leave out what the type of tree does not use.
      if (text_of(parse(tree.parameters)) == text_of(parameters)) {
        return tree.counts;
      }
    }
    return std::nullopt;
  };
  return parameters.is_prins ? find(kPrinsTrees, parse_prins) : find(kUtsTrees, parse_letters);
}

}  // namespace cleave::uts
