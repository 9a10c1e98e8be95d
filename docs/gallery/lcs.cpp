// SPDX-License-Identifier: Apache-2.0
// A longest common subsequence of two strings, in linear memory (D. S. Hirschberg, "A linear space
// algorithm for computing maximal common subsequences", CACM 18, 1975). The first string is halved.
// Rows of the table of lengths, from the front and from the back, tell where to cut the second one.
// Shown: the work lies in `divide`. Half of it is the first cut, which all ranks wait for.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cleave/program.hpp>
#include <cleave/random.hpp>

#include "independent.hpp"

namespace {

struct Strings {
  std::string a, b;
};

// Lengths of the longest subsequences that all of `a` has with the first 0, 1,
// ... letters of `b`.
template <class A, class B>
std::vector<std::int32_t> lengths(const A& a, const B& b) {
  std::vector<std::int32_t> row(b.size() + 1);
  for (const char letter : a) {
    std::int32_t diagonal = 0, left = 0;
    std::size_t i = 1;
    for (const char other : b) {
      left = letter == other ? diagonal + 1 : std::max(left, row[i]);
      diagonal = std::exchange(row[i++], left);
    }
  }
  return row;
}

struct CommonSubsequence {
  using Problem = Strings;
  using Solution = std::string;

  bool trivial(const Strings& s) const { return s.a.size() <= 1 || s.b.empty(); }
  std::string conquer(const Strings& s) const {
    return s.b.find(s.a) != std::string::npos ? s.a : "";
  }
  cleave::Halves<Strings> divide(const Strings& s, cleave::Share share) const {
    const std::string_view a = s.a, b = s.b;
    const auto half = std::clamp<std::size_t>(a.size() * share.left / share.total, 1, a.size() - 1);
    const std::string back_a(a.rbegin(), a.rend() - half), back_b(b.rbegin(), b.rend());
    const auto front = lengths(a.substr(0, half), b), back = lengths(back_a, back_b);
    std::size_t cut = 0;
    for (std::size_t i = 0; i <= b.size(); ++i) {
      if (front[i] + back[b.size() - i] > front[cut] + back[b.size() - cut]) {
        cut = i;
      }
    }
    return {{s.a.substr(0, half), s.b.substr(0, cut)}, {s.a.substr(half), s.b.substr(cut)}};
  }
  std::string combine(const std::string& left, const std::string& right) const {
    return left + right;
  }
  cleave::Sizes sizes(const Strings& s) const {
    return {{"N", s.a.size()}, {"cells", s.a.size() * s.b.size()}};
  }
};

Strings random_strings(const cleave::NamedSizes& sizes, std::uint64_t seed) {
  const cleave::CounterRandom random(seed);
  Strings strings;
  for (std::int64_t i = 0; i < sizes.at("N"); ++i) {
    strings.a += "ACGT"[random(2 * i) % 4];
    strings.b += "ACGT"[random(2 * i + 1) % 4];
  }
  return strings;
}

// Whether all of `letters` come in `text`, in their order.
bool is_subsequence(std::string_view letters, std::string_view text) {
  std::size_t found = 0;
  for (const char letter : text) {
    found += found < letters.size() && letters[found] == letter ? 1 : 0;
  }
  return found == letters.size();
}

std::optional<std::string> wrong(const Strings& strings, const std::string& common) {
  if (!is_subsequence(common, strings.a) || !is_subsequence(common, strings.b)) {
    return "it is no subsequence of both strings";
  }
  const std::size_t right = gallery::longest_common(strings.a, strings.b);
  return common.size() == right
             ? std::nullopt
             : std::optional("the longest has " + std::to_string(right) + " letters");
}

}  // namespace

int main(int argc, char** argv) {
  return cleave::run(
      argc, argv,
      cleave::Program<CommonSubsequence>{
          .summary = "Finds a longest common subsequence of two strings of N letters.",
          .sizes = {{"N", 8 << 10}},
          .make_problem = random_strings,
          .wrong = wrong,
          .figures = [](const std::string& common) -> cleave::Figures {
            return {{"length", common.size()}};
          },
      });
}
