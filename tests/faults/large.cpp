// SPDX-License-Identifier: Apache-2.0
// Counts beyond 32 bits, for real. `large bytes N` sorts N elements of one byte a rank, all of
// which cross to the other rank in one exchange; `large nodes H` counts the nodes of a tree of
// height H in which every inner node has three children. Prints one line of JSON.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/dc_call.hpp>
#include <cleave/error.hpp>
#include <cleave/program/mpi_program.hpp>
#include <cleave/random.hpp>

namespace {

using Byte = std::uint8_t;
constexpr int kValues = 256;

struct ByteSort {
  using Element = Byte;
  using Splitter = Byte;
  using Problem = cleave::Part<Byte>;
  using Solution = cleave::Part<Byte>;

  bool trivial(const Problem& part) const { return part.size() < 2; }
  Solution conquer(Problem part) const { return part; }
  cleave::Halves<Problem> divide(Problem part) const {
    part = sequential(std::move(part));
    const std::span<const Byte> all(part);
    return {Problem(all.first(all.size() / 2)), Problem(all.subspan(all.size() / 2))};
  }
  Solution combine(Solution left, const Solution& right) const {
    std::ranges::copy(right, left.grow_behind(right.size()).begin());
    return left;
  }
  Solution sequential(Problem part) const {
    std::array<std::int64_t, kValues> counts{};
    for (const Byte byte : part) {
      ++counts[byte];
    }
    Byte* next = part.begin();
    for (int value = 0; value < kValues; ++value) {
      next = std::fill_n(next, counts[value], static_cast<Byte>(value));
    }
    return part;
  }
  std::vector<Byte> sample(std::span<const Byte> part, std::size_t count,
                           std::uint64_t seed) const {
    std::vector<Byte> samples(count);
    const cleave::CounterRandom random(seed);
    std::ranges::generate(samples,
                          [&, i = 0]() mutable { return part[random(i++) % part.size()]; });
    return samples;
  }
  cleave::Split<Byte> splitter(std::vector<Byte> samples, cleave::Share share) const {
    std::ranges::sort(samples);
    return {samples[samples.size() * share.left / share.total]};
  }
  cleave::Cut partition(std::span<Byte> part, const cleave::Split<Byte>& split,
                        cleave::ClassOrder order) const {
    const bool ascends = order == cleave::ClassOrder::ascending;
    const auto is_first = [&](Byte byte) { return (byte < split.splitter) == ascends; };
    const std::size_t first = std::partition(part.begin(), part.end(), is_first) - part.begin();
    return {.less = ascends ? first : part.size() - first};
  }
};

/// Every rank begins with the values that belong to the other end, each as often.
std::string sort_bytes(const cleave::Comm& world, std::int64_t elements) {
  const int values = kValues / world.size();
  const int mine = values * (world.size() - 1 - world.rank());
  const std::int64_t of_each = elements / values;
  cleave::Part<Byte> part(static_cast<std::size_t>(of_each * values));
  for (std::int64_t i = 0; i < std::ssize(part); ++i) {
    part[i] = static_cast<Byte>(mine + i % values);
  }
  part = cleave::DC_Call(cleave::DC_Type::hypercube, ByteSort{}, std::move(part),
                         {.comm = world.handle(), .placement = cleave::Placement::distributed});
  bool is_right = std::ssize(part) == of_each * values;
  for (std::int64_t i = 0; i < std::ssize(part); ++i) {
    is_right &= part[i] == values * world.rank() + i / of_each;
  }
  return fmt::format(R"({{"elements":{},"verified":{}}})", world.allreduce_sum(std::ssize(part)),
                     world.allreduce_min(is_right ? 1 : 0) == 1);
}

struct Nodes {
  std::int64_t nodes = 0;
};

struct Ternary {
  using Problem = std::int32_t;  // height
  using Solution = Nodes;

  void visit(std::int32_t height, cleave::Children<std::int32_t>& children, Nodes& total) const {
    ++total.nodes;
    for (std::int32_t& child : children.append(height == 0 ? 0 : 3)) {
      child = height - 1;
    }
  }
  Nodes combine(Nodes left, Nodes right) const { return {left.nodes + right.nodes}; }
};

std::string count_nodes(const cleave::Comm& world, int height) {
  std::int64_t expected = 1;
  for (int level = 0; level < height; ++level) {
    expected = 3 * expected + 1;
  }
  const auto [nodes] =
      cleave::DC_Call(cleave::DC_Type::work_stealing, Ternary{}, height, {.comm = world.handle()});
  return fmt::format(R"({{"nodes":{},"verified":{}}})", nodes, nodes == expected);
}

}  // namespace

int main(int argc, char** argv) {
  return cleave::detail::run_mpi_program(argc, argv, "large", [&](const cleave::Comm& world) {
    const std::string_view what = argc == 3 ? argv[1] : "";
    if (what != "bytes" && what != "nodes") {
      throw cleave::UsageError("usage: large bytes ELEMENTS_A_RANK | large nodes HEIGHT");
    }
    const std::int64_t size = std::stoll(argv[2]);
    const std::string line =
        what == "bytes" ? sort_bytes(world, size) : count_nodes(world, static_cast<int>(size));
    if (world.rank() == 0) {
      fmt::print("{}\n", line);
    }
  });
}
