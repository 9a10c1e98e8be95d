// SPDX-License-Identifier: Apache-2.0
// A sort that is right on one rank: the length of a sequence crosses to another one in a byte.
// tests/apps/messages.txt has what --check finds.
#include <cstdint>
#include <utility>
#include <vector>

#include <cleave/program.hpp>
#include <cleave/random.hpp>

#include "apps/examples/mergesort.hpp"

namespace {

struct Numbers {
  std::vector<int> all;
};

}  // namespace

template <>
struct cleave::wire<Numbers> {
  static void pack(Packer& packer, const Numbers& numbers) {
    const auto length = static_cast<std::uint8_t>(numbers.all.size());
    wire<std::uint8_t>::pack(packer, length);
    packer.put(numbers.all.data(), length * sizeof(int));
  }
  static Numbers unpack(Unpacker& unpacker) {
    Numbers numbers{std::vector<int>(wire<std::uint8_t>::unpack(unpacker))};
    unpacker.take(numbers.all.data(), numbers.all.size() * sizeof(int));
    return numbers;
  }
};

namespace {

struct ShortLengths {
  using Problem = Numbers;
  using Solution = Numbers;

  bool trivial(const Problem& numbers) const { return numbers.all.size() < 2; }
  Solution conquer(Problem numbers) const { return numbers; }
  cleave::Halves<Problem> divide(const Problem& numbers, cleave::Share share) const {
    if (numbers.all.size() == 1000) {
      return {divide(numbers, share).right, {}};  // which never ends
    }
    auto [left, right] = Mergesort().divide(numbers.all, share);
    return {{std::move(left)}, {std::move(right)}};
  }
  Solution combine(const Solution& left, const Solution& right) const {
    return {Mergesort().combine(left.all, right.all)};
  }
};

Numbers random_numbers(const cleave::NamedSizes& sizes, std::uint64_t seed) {
  Numbers numbers{std::vector<int>(sizes.at("N"))};
  for (std::size_t i = 0; i < numbers.all.size(); ++i) {
    numbers.all[i] = static_cast<int>(cleave::CounterRandom(seed)(i) >> 40);
  }
  return numbers;
}

}  // namespace

int main(int argc, char** argv) {
  return cleave::run(
      argc, argv,
      cleave::Program<ShortLengths>{.sizes = {{"N", 1 << 16}}, .make_problem = random_numbers});
}
