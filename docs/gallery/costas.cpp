// SPDX-License-Identifier: Apache-2.0
// Costas arrays: permutations in which no two pairs of places at the same distance differ by the
// same number (J. P. Costas, "A study of a class of detection waveforms having nearly ideal
// range-Doppler ambiguity properties", Proceedings of the IEEE 72, 1984). How many are of order N?
// Each place in turn takes any number that repeats no difference. A worker keeps the differences of
// the prefix that it has visited last, and changes what the next prefix has not in common with it.
// Shown: state of a worker.
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include <cleave/program.hpp>

namespace {

// How many there are of order 1, 2, ... (OEIS A008404).
constexpr std::array<std::int64_t, 16> kKnown = {1,   2,    4,    12,   40,    116,   200,   444,
                                                 760, 2160, 4368, 7852, 12828, 17252, 19612, 21104};

struct Prefix {
  std::array<std::int8_t, kKnown.size()> numbers{};
  std::int8_t length = 0;
  std::int8_t order = 0;
};

struct Count {
  std::int64_t nodes = 0;
  std::int64_t arrays = 0;
};

struct Costas {
  using Problem = Prefix;
  using Solution = Count;

  struct Worker {
    Prefix at;
    std::uint64_t numbers = 0;                                      // those that are taken
    std::array<std::uint64_t, kKnown.size() + 1> differences = {};  // by distance

    static std::uint64_t bit(int difference) { return std::uint64_t{1} << (difference + 32); }

    bool may_follow(int number) const {
      bool may = (numbers >> number & 1) == 0;
      for (int d = 1; may && d <= at.length; ++d) {
        may = (differences[d] & bit(number - at.numbers[at.length - d])) == 0;
      }
      return may;
    }
    // Adds or removes `number` behind the first at.length ones.
    void flip(int number) {
      numbers ^= std::uint64_t{1} << number;
      for (int d = 1; d <= at.length; ++d) {
        differences[d] ^= bit(number - at.numbers[at.length - d]);
      }
    }
    void go_to(const Prefix& to) {
      int same = 0;
      while (same < at.length && same < to.length && at.numbers[same] == to.numbers[same]) ++same;
      while (at.length > same) flip(at.numbers[--at.length]);
      for (; at.length < to.length; ++at.length) {
        flip(to.numbers[at.length]);
        at.numbers[at.length] = to.numbers[at.length];
      }
    }
  };

  void visit(Prefix prefix, cleave::Children<Prefix>& children, Count& total,
             Worker& worker) const {
    ++total.nodes;
    total.arrays += prefix.length == prefix.order;
    worker.go_to(prefix);
    ++prefix.length;
    for (int number = 0; prefix.length <= prefix.order && number < prefix.order; ++number) {
      if (!worker.may_follow(number)) continue;
      prefix.numbers[prefix.length - 1] = static_cast<std::int8_t>(number);
      children.push(prefix);
    }
  }
  Count combine(Count left, Count right) const {
    return {left.nodes + right.nodes, left.arrays + right.arrays};
  }
  cleave::Sizes solution_sizes(Count total) const { return {{"nodes", total.nodes}}; }
};

Prefix empty_prefix(const cleave::NamedSizes& sizes, std::uint64_t) {
  return {.order = static_cast<std::int8_t>(sizes.at("N"))};
}

std::optional<std::string> wrong(const Prefix& empty, const Count& count) {
  const std::int64_t known = kKnown[empty.order - 1];
  if (count.arrays == known) return std::nullopt;
  return "it is known that there are " + std::to_string(known);
}

}  // namespace

int main(int argc, char** argv) {
  return cleave::run(argc, argv,
                     cleave::Program<Costas>{
                         .summary = "Counts the Costas arrays of order N.",
                         .sizes = {{"N", 11, kKnown.size()}},
                         .make_problem = empty_prefix,
                         .is_generated = [] { return false; },
                         .wrong = wrong,
                         .figures = [](const Count& count) -> cleave::Figures {
                           return {{"arrays", count.arrays}};
                         },
                     });
}
