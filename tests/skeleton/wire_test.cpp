// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <span>
#include <string_view>

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

static_assert(Plain<Point>);
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

TEST(Wire, ADamagedMessageIsRefusedWithoutLargeAllocations) {
  const std::vector<Shape> shapes(3, Shape{"square", {{0, 0}, {1, 0}}, {{"a", "bc"}}, {1, 2, 3}});
  const Outgoing<std::vector<Shape>> outgoing(shapes);
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> bytes(outgoing.bytes().begin(), outgoing.bytes().end());
    bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    if (random() % 2 == 0) {
      bytes.resize(random() % bytes.size());
    }
    Incoming<std::vector<Shape>> incoming(bytes.size());
    std::copy(bytes.begin(), bytes.end(), incoming.bytes().begin());
    try {
      incoming.take();
    } catch (const Error&) {
      continue;
    }
  }
}

TEST(Wire, ALengthThatIsNoWholeNumberOfElementsIsRefused) {
  EXPECT_THROW(Incoming<std::vector<int>>(6), Error);
}

}  // namespace
}  // namespace cleave
