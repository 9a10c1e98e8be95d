// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <bitset>
#include <complex>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>

#include <cleave/part.hpp>
#include <cleave/row.hpp>
#include <cleave/wire.hpp>

namespace cleave {
namespace {

template <Transferable T>
T round_trip(const T& value) {
  const Outgoing<T> outgoing(value);
  Incoming<T> incoming(outgoing.bytes().size());
  std::copy(outgoing.bytes().begin(), outgoing.bytes().end(), incoming.bytes().begin());
  return incoming.take();
}

struct Point {
  int x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};
struct Shape {
  std::string name;
  std::vector<Point> corners;
  std::optional<std::vector<std::string>> tags;
  std::array<std::uint8_t, 3> colour{};
  bool operator==(const Shape&) const = default;
};
struct WithPointer {
  int n = 0;
  const int* data = nullptr;
};
struct DeepPointer {
  std::vector<WithPointer> parts;
};
struct WithView {
  std::string_view text;
};
class Opaque {
 public:
  int value() const { return value_; }

 private:
  int value_ = 3;
};

struct Matrix {
  std::array<std::array<double, 3>, 3> entries{};
  int rank = 0;
  bool operator==(const Matrix&) const = default;
};
struct Table {
  std::string title;
  std::array<std::array<std::string, 3>, 2> cells;
  std::array<Matrix, 2> matrices{};
  std::array<bool, 3> is_open{};
  int rows = 0;
  bool operator==(const Table&) const = default;
};
struct Names {
  std::array<char, 256> text;
  int length;
};
struct OneWord {
  char text[8] = {};
};
struct OneLetter {
  std::string name;
  char letter[1] = {};
};
struct OneTable {
  int rows = 0;
  std::string cells[2][3];
};
struct HoldsOneWord {
  std::vector<OneWord> words;
  int count = 0;
};
struct Point3 : Point {
  double z = 0;
};
struct HoldsPoint3 {
  std::vector<Point3> points;
};
struct WithConst {
  const int n = 0;
};
struct WithReference {
  int& n;
};
struct Neither {
  explicit Neither(int n) : n(n) {}
  int n;
};
union Number64 {
  std::int64_t whole;
  double real;
};
struct HoldsUnion {
  int kind = 0;
  Number64 number{};
};
union Colour {
  std::uint32_t word;
  std::uint8_t byte;
};
}  // namespace
template <>
inline constexpr bool kPlain<Colour> = true;
namespace {
struct HoldsPlainUnion {
  int kind = 0;
  Colour colour{};
};
struct BeginsWithUnion {
  union {
    std::int64_t whole = 0;
    int* pointer;
  };
  std::string name;
};
struct EndsWithUnion {
  int kind = 0;
  union {
    std::int64_t whole = 0;
    int* pointer;
  };
};
struct MoveOnly {
  Part<int> part;
  std::array<int, 2> counts{};
};
using Number = std::variant<int, double, std::string>;
struct Rich {
  std::complex<double> z;
  std::vector<std::complex<float>> spectrum;
  std::tuple<int, std::string, std::vector<int>> row;
  std::map<std::string, std::vector<Number>> named;
  std::unordered_map<int, std::string> numbered;
  std::set<std::pair<int, int>> edges;
  std::unordered_set<std::string> words;
  std::deque<std::optional<int>> queue;
  std::variant<std::monostate, std::map<int, int>> maybe;
  std::array<std::array<int, 2>, 2> board{};
  std::array<std::string, 2> names;
  bool operator==(const Rich&) const = default;
};
Rich rich() {
  return {.z = {1, -2},
          .spectrum = {{1, 2}, {3, 4}},
          .row = {7, "seven", {7, 77}},
          .named = {{"a", {1, 2.5, "three"}}, {"", {}}},
          .numbered = {{1, "one"}, {2, "two"}, {3, "three"}},
          .edges = {{1, 2}, {2, 3}},
          .words = {"x", "yy", ""},
          .queue = {1, std::nullopt, 3},
          .maybe = std::map<int, int>{{4, 5}},
          .board = {{{1, 2}, {3, 4}}},
          .names = {"left", "right"}};
}

static_assert(Plain<Point>);
static_assert(Plain<Matrix> && Plain<Names> && Plain<std::array<Matrix, 2>>);
static_assert(Plain<std::complex<double>> && Plain<std::monostate>);
static_assert(Plain<std::bitset<70>> && Plain<std::array<std::bitset<3>, 2>>);
static_assert(Transferable<Table> && !Plain<Table>);
static_assert(Transferable<Rich> && Transferable<std::vector<Rich>>);
static_assert(Transferable<MoveOnly>);
static_assert(Transferable<std::tuple<>> && Transferable<std::variant<int, int>>);
static_assert(!Transferable<Point3> && !Transferable<HoldsPoint3>);
static_assert(!Transferable<WithConst> && !Transferable<WithReference>);
static_assert(!Transferable<Neither>);
static_assert(!Transferable<Number64> && !Transferable<HoldsUnion>);
static_assert(!Transferable<BeginsWithUnion> && !Transferable<EndsWithUnion>);
static_assert(Plain<HoldsPlainUnion>);
static_assert(!Transferable<std::tuple<int, const int*>> && !Transferable<std::tuple<int&>>);
static_assert(!Transferable<std::variant<int, std::string_view>>);
static_assert(!Transferable<std::map<int, int*>> && !Transferable<std::set<const char*>>);
static_assert(!Transferable<std::deque<WithPointer>> && !Transferable<std::unique_ptr<int>>);
static_assert(Transferable<Shape> && !Plain<Shape>);
static_assert(Transferable<std::vector<std::vector<Shape>>>);
static_assert(Transferable<std::pair<int, std::string>>);
static_assert(!Transferable<int*>);
static_assert(!Transferable<WithPointer>);
static_assert(!Transferable<DeepPointer>);
static_assert(!Transferable<std::span<int>>);
static_assert(!Transferable<std::string_view>);
static_assert(!Transferable<WithView>);
static_assert(!Transferable<Opaque>);
static_assert(!Transferable<OneWord> && !Transferable<OneLetter> && !Transferable<OneTable>);
static_assert(!Transferable<HoldsOneWord> && !Transferable<std::array<int[2], 2>>);

TEST(Wire, ValuesSurviveTheRoundTrip) {
  EXPECT_EQ(round_trip(42), 42);
  EXPECT_EQ(round_trip(Point{1, 2.5}), (Point{1, 2.5}));
  EXPECT_EQ(round_trip(std::string("a\0b", 3)), std::string("a\0b", 3));
  EXPECT_EQ(round_trip(std::vector<int>{}), std::vector<int>{});
  EXPECT_EQ(round_trip(Row<int>{1, 2, 3}), (Row<int>{1, 2, 3}));
  EXPECT_EQ(round_trip(std::vector<bool>{true, false, true}),
            (std::vector<bool>{true, false, true}));
  const Shape shape{"square", {{0, 0}, {1, 0}, {1, 1}}, {{"a", "", "bc"}}, {1, 2, 3}};
  EXPECT_EQ(round_trip(shape), shape);
  EXPECT_EQ(round_trip(std::vector<Shape>{shape, {}}), (std::vector<Shape>{shape, {}}));
  EXPECT_EQ(round_trip(std::pair<int, std::string>{7, "x"}), (std::pair<int, std::string>{7, "x"}));
}

TEST(Wire, APlainVectorIsSentFromItsOwnStorage) {
  const std::vector<int> values{1, 2, 3};
  const Outgoing<std::vector<int>> outgoing(values);
  EXPECT_EQ(static_cast<const void*>(outgoing.bytes().data()),
            static_cast<const void*>(values.data()));
}

TEST(Wire, ArraysCrossAtAnyDepth) {
  const Matrix matrix{.entries = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}}, .rank = 2};
  EXPECT_EQ(round_trip(matrix), matrix);
  const Table table{.title = "table",
                    .cells = {{{"a", "b", "c"}, {"d", "e", "f"}}},
                    .matrices = {matrix, {}},
                    .is_open = {true, false, true},
                    .rows = 2};
  EXPECT_EQ(round_trip(table), table);
  const MoveOnly moved = round_trip(MoveOnly{.part = {1, 2, 3}, .counts = {4, 5}});
  EXPECT_EQ(moved.part, (Part<int>{1, 2, 3}));
  EXPECT_EQ(moved.counts[1], 5);
}

TEST(Wire, StandardTypesCrossAloneAndNested) {
  EXPECT_EQ(round_trip(std::complex<double>(1, 2)), std::complex<double>(1, 2));
  EXPECT_EQ(round_trip(std::bitset<70>(5).set(69)), std::bitset<70>(5).set(69));
  EXPECT_EQ(round_trip(std::tuple<>()), std::tuple<>());
  EXPECT_EQ(round_trip(std::vector<std::tuple<>>(5)).size(), 5u);
  EXPECT_EQ(round_trip(std::deque<std::monostate>(5)).size(), 5u);
  EXPECT_EQ(round_trip(std::tuple<int, std::string>(1, "x")),
            (std::tuple<int, std::string>(1, "x")));
  EXPECT_EQ(round_trip(Number("text")), Number("text"));
  EXPECT_EQ(round_trip(Number(2.5)), Number(2.5));
  const std::variant<int, int> second(std::in_place_index<1>, 7);
  EXPECT_EQ(round_trip(second), second);
  EXPECT_EQ(round_trip(std::map<int, std::string>{}), (std::map<int, std::string>{}));
  EXPECT_EQ(round_trip(std::set<bool>{false, true}), (std::set<bool>{false, true}));
  EXPECT_EQ(round_trip(rich()), rich());
  EXPECT_EQ(round_trip(Rich{}), Rich{});
  EXPECT_EQ(round_trip(std::vector<Rich>{rich(), {}}), (std::vector<Rich>{rich(), {}}));
}

TEST(Wire, ElementsOfNoBytesAreCounted) {
  EXPECT_EQ(round_trip(std::vector<std::array<std::string, 0>>(5)).size(), 5u);
  EXPECT_EQ(round_trip(std::set<std::monostate>{{}}).size(), 1u);
  EXPECT_EQ(round_trip(std::map<std::tuple<>, int>{{{}, 7}}),
            (std::map<std::tuple<>, int>{{{}, 7}}));
}

TEST(Wire, ATupleCrossesFromLeftToRight) {
  const std::tuple<std::uint8_t, std::pair<std::uint8_t, std::uint8_t>, std::uint8_t> value(
      1, {2, 3}, 4);
  const Outgoing<std::remove_const_t<decltype(value)>> outgoing(value);
  EXPECT_TRUE(std::ranges::equal(
      outgoing.bytes(), std::array{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}}));
  EXPECT_EQ(round_trip(value), value);
}

/// The value that `bytes` hold.
template <Transferable T>
T read(const std::vector<std::byte>& bytes) {
  Incoming<T> incoming(bytes.size());
  std::ranges::copy(bytes, incoming.bytes().begin());
  return incoming.take();
}

template <class... Parts>
std::vector<std::byte> bytes_of(const Parts&... parts) {
  Packer packer;
  (packer.put(&parts, sizeof(parts)), ...);
  return {packer.bytes().begin(), packer.bytes().end()};
}

std::string refusal(const auto& read_it) {
  try {
    read_it();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Wire, AVariantOfNoAlternativeIsRefused) {
  EXPECT_EQ(read<Number>(bytes_of(std::uint32_t{0}, 42)), Number(42));
  for (const std::uint32_t index : {3u, 255u, 0xffffffffu}) {
    EXPECT_EQ(refusal([&] { read<Number>(bytes_of(index, 42)); }),
              "message damaged: a variant has fewer alternatives than it says");
  }
}

TEST(Wire, AVariantThatLostItsValueIsNotSent) {
  struct Throws {
    operator int() const { throw 1; }
  };
  std::variant<int, std::tuple<int, std::string>> lost(1);
  try {
    lost.emplace<1>(Throws{}, "text");
  } catch (int) {
    EXPECT_TRUE(lost.valueless_by_exception());
  }
  Packer packer;
  EXPECT_EQ(refusal([&] { wire<decltype(lost)>::pack(packer, lost); }),
            "a variant without a value cannot cross to another rank");
}

TEST(Wire, ACountThatTheMessageCannotHoldIsRefused) {
  const std::string expected = "message cut short: it holds fewer elements than it says";
  for (const std::uint64_t count : {std::uint64_t{9}, ~std::uint64_t{0}}) {
    const auto bytes = bytes_of(count, std::uint64_t{1});
    EXPECT_EQ(refusal([&] { read<std::deque<char>>(bytes); }), expected);
    EXPECT_EQ(refusal([&] { read<std::set<char>>(bytes); }), expected);
    EXPECT_EQ(refusal([&] { read<std::unordered_set<char>>(bytes); }), expected);
    EXPECT_EQ(refusal([&] { read<std::map<char, char>>(bytes); }), expected);
    EXPECT_EQ(refusal([&] { read<std::unordered_map<char, char>>(bytes); }), expected);
  }
}

TEST(Wire, AKeyThatComesTwiceIsRefused) {
  const auto two = std::uint64_t{2};
  EXPECT_EQ(read<std::set<int>>(bytes_of(two, 8, 7)), (std::set<int>{7, 8}));
  EXPECT_EQ(refusal([&] { read<std::set<int>>(bytes_of(two, 7, 7)); }),
            "message damaged: a set has a key twice");
  EXPECT_EQ(refusal([&] { read<std::unordered_set<int>>(bytes_of(two, 7, 7)); }),
            "message damaged: a set has a key twice");
  EXPECT_EQ(refusal([&] { read<std::map<int, int>>(bytes_of(two, 7, 1, 7, 2)); }),
            "message damaged: a map has a key twice");
  EXPECT_EQ(refusal([&] { read<std::unordered_map<int, int>>(bytes_of(two, 7, 1, 7, 2)); }),
            "message damaged: a map has a key twice");
}

TEST(Wire, AMessageCutShortIsRefused) {
  const auto cut_anywhere = [](const auto& value) {
    using T = std::remove_cvref_t<decltype(value)>;
    const Outgoing<T> outgoing(value);
    for (std::size_t bytes = 0; bytes < outgoing.bytes().size(); ++bytes) {
      const auto begin = outgoing.bytes().begin();
      EXPECT_THROW(read<T>({begin, begin + bytes}), Error) << bytes;
    }
  };
  cut_anywhere(rich());
  cut_anywhere(Table{});
  cut_anywhere(std::tuple<>());
}

template <Transferable T>
void damage(const T& value) {
  const Outgoing<T> outgoing(value);
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> bytes(outgoing.bytes().begin(), outgoing.bytes().end());
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

TEST(Wire, ADamagedMessageIsRefusedWithoutLargeAllocations) {
  damage(std::vector<Shape>(3, Shape{"square", {{0, 0}, {1, 0}}, {{"a", "bc"}}, {1, 2, 3}}));
  damage(std::vector<Rich>{rich(), {}, rich()});
}

TEST(Wire, ALengthThatIsNoWholeNumberOfElementsIsRefused) {
  EXPECT_THROW(Incoming<std::vector<int>>(6), Error);
}

}  // namespace
}  // namespace cleave
