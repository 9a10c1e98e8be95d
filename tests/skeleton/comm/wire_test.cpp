// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <bitset>
#include <complex>
#include <deque>
#include <list>
#include <map>
#include <memory_resource>
#include <random>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>

#include <cleave/part.hpp>
#include <cleave/wire.hpp>

#include "tests/support/message_of.hpp"

namespace cleave {
namespace {

/// The value that `bytes` hold.
template <Transferable T>
T read(std::span<const std::byte> bytes) {
  Incoming<T> incoming(bytes.size());
  std::ranges::copy(bytes, incoming.bytes().begin());
  return incoming.take();
}

template <Transferable T>
T round_trip(const T& value) {
  return read<T>(Outgoing<T>(value).bytes());
}

struct Point {
  int x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};
struct Matrix {
  std::array<std::array<double, 3>, 3> entries{};
  int rank = 0;
  bool operator==(const Matrix&) const = default;
};
union Colour {
  std::uint32_t word;
  std::uint8_t byte;
};
using Number = std::variant<int, double, std::string>;
/// Types that cross by themselves, nested.
struct Rich {
  std::tuple<int, std::string, std::vector<std::complex<float>>> row;
  std::map<std::string, std::vector<Number>> named;
  std::unordered_map<int, std::string> numbered;
  std::unordered_set<std::string> words;
  std::multimap<int, bool> counted;
  std::deque<std::optional<int>> queue;
  std::list<Matrix> matrices;
  std::variant<std::monostate, std::map<int, int>> maybe;
  std::array<bool, 3> is_open{};
  bool operator==(const Rich&) const = default;
};
Rich rich() {
  return {.row = {7, "seven", {{1, 2}, {3, 4}}},
          .named = {{"a", {1, 2.5, "three"}}, {"", {}}},
          .numbered = {{1, "one"}, {2, "two"}, {3, "three"}},
          .words = {"x", "yy", ""},
          .counted = {{1, true}, {1, false}},
          .queue = {1, std::nullopt, 3},
          .matrices = {{.entries = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}}, .rank = 2}},
          .maybe = std::map<int, int>{{4, 5}},
          .is_open = {true, false, true}};
}
struct Tree {
  int value = 0;
  std::vector<Tree> children;
  bool operator==(const Tree&) const = default;
};
struct MoveOnly {
  Part<int> part;
  std::array<int, 2> counts{};
};

}  // namespace
template <>
inline constexpr bool kPlain<Colour> = true;
namespace {

struct HoldsPlainUnion {
  int kind = 0;
  Colour colour{};
};
static_assert(Plain<Point> && Plain<Matrix> && Plain<std::array<Matrix, 2>>);
static_assert(Plain<std::complex<double>> && Plain<std::monostate> && Plain<HoldsPlainUnion>);
static_assert(Plain<std::bitset<70>> && Plain<std::array<std::bitset<3>, 2>>);
static_assert(Transferable<Rich> && !Plain<Rich> && Transferable<std::vector<std::vector<Rich>>>);
static_assert(Transferable<MoveOnly> && Transferable<std::variant<int, int>>);

// Random types, and more of those that stay, are in tests/faults/run.
static_assert(!Transferable<std::vector<std::string_view>> && !Transferable<std::pmr::string>);

template <class T>
void expect_same(const T& value) {
  EXPECT_EQ(round_trip(value), value);
}

TEST(Wire, ValuesSurviveTheRoundTrip) {
  expect_same(42);
  expect_same(std::string("a\0b", 3));
  expect_same(std::variant<int, int>(std::in_place_index<1>, 7));
  expect_same(std::set<bool>{false, true});
  expect_same(Rich{});
  expect_same(std::vector<Rich>{rich(), {}});
  expect_same(Tree{1, {{2, {}}, {3, {{4, {}}}}}});
  const MoveOnly moved = round_trip(MoveOnly{.part = {1, 2, 3}, .counts = {4, 5}});
  EXPECT_EQ(moved.part, (Part<int>{1, 2, 3}));
  EXPECT_EQ(moved.counts[1], 5);
}

TEST(Wire, StorageOfPlainElementsIsSentAsItIs) {
  const std::string text = "as it is";
  EXPECT_EQ(static_cast<const void*>(Outgoing<std::string>(text).bytes().data()), text.data());
}

TEST(Wire, ATupleCrossesFromLeftToRight) {
  const std::tuple<std::uint8_t, std::pair<std::uint8_t, std::uint8_t>, std::uint8_t> value(
      1, {2, 3}, 4);
  const Outgoing<std::remove_const_t<decltype(value)>> outgoing(value);
  EXPECT_TRUE(std::ranges::equal(
      outgoing.bytes(), std::array{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}}));
  expect_same(value);
}

/// The error of a message of these parts that is read as a T.
template <Transferable T, class... Parts>
std::string refusal(const Parts&... parts) {
  Packer packer;
  (packer.put(&parts, sizeof(parts)), ...);
  return testing::message_of([&] { read<T>(packer.bytes()); });
}

TEST(Wire, ADamagedMessageIsRefusedInOneSentence) {
  for (const std::uint32_t index : {3u, 255u, 0xffffffffu}) {
    EXPECT_EQ(refusal<Number>(index, 42),
              "message damaged: a variant has fewer alternatives than it says");
  }
  for (const std::uint64_t count : {std::uint64_t{9}, ~std::uint64_t{0}}) {
    EXPECT_EQ(refusal<std::deque<char>>(count, count),
              "message cut short: it holds fewer elements than it says");
  }
  const auto two = std::uint64_t{2};
  EXPECT_EQ(refusal<std::set<int>>(two, 8, 7), "nothing was thrown");
  EXPECT_EQ((refusal<std::unordered_map<int, int>>(two, 7, 1, 7, 2)),
            "message damaged: a container has a key twice");
  EXPECT_EQ(refusal<bool>('\2'), "message damaged: a truth value is neither 0 nor 1");
  EXPECT_EQ(refusal<std::vector<int>>(two, '\0', '\0'),
            "message cut short: its length is not a whole number of elements");
}

TEST(Wire, AVariantThatLostItsValueIsNotSent) {
  struct Throws {
    operator int() const { throw 1; }
  };
  std::variant<int, std::tuple<int, std::string>> lost(1);
  EXPECT_THROW((lost.emplace<1>(Throws{}, "text")), int);
  ASSERT_TRUE(lost.valueless_by_exception());
  EXPECT_THROW(Outgoing<decltype(lost)>{lost}, std::bad_variant_access);
}

/// Cuts the value's message anywhere, and changes bytes: it is read, or refused in little memory.
template <Transferable T>
void damage(const T& value) {
  const Outgoing<T> outgoing(value);
  const auto whole = outgoing.bytes();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_THROW(read<T>(whole.first(bytes)), Error) << bytes;
  }
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> bytes(whole.begin(), whole.end());
    bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    if (random() % 2 == 0) {
      bytes.resize(random() % bytes.size());
    }
    try {
      read<T>(bytes);
    } catch (const Error&) {
      continue;
    }
  }
}

TEST(Wire, AnyDamageIsReadOrRefused) {
  damage(std::vector<Rich>{rich(), {}, rich()});
  damage(std::tuple<std::string, Number>("text", 2.5));
}

}  // namespace
}  // namespace cleave
