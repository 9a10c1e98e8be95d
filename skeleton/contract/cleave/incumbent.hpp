// SPDX-License-Identifier: Apache-2.0
// The best value that a branch-and-bound search has found so far. No MPI.
#pragma once

#include <atomic>
#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <cleave/contract/split_deque.hpp>

namespace cleave {

/// Says that the greatest value is the best: `using Bound = cleave::Maximise<double>;`. Else the
/// least is.
template <class Value>
struct Maximise {};

namespace detail {

/// A value that an incumbent can have: an integer of at most 64 bits, a float or a double.
template <class V>
concept BoundValue = (std::integral<V> && !std::same_as<V, bool> && sizeof(V) <= 8) ||
                     std::same_as<V, float> || std::same_as<V, double>;

/// A Bound that is refused counts as an integer, so that nothing else is reported.
template <class Bound>
struct BoundTraits {
  static constexpr bool kIsAllowed = BoundValue<Bound>;
  static constexpr bool kMaximises = false;
  using Value = std::conditional_t<kIsAllowed, Bound, std::int64_t>;
};
template <class Of>
struct BoundTraits<Maximise<Of>> : BoundTraits<Of> {
  static constexpr bool kMaximises = true;
};

/// Every value of `From` is one of `To`.
template <class From, class To>
concept ConvertsWithoutLoss =
    std::is_arithmetic_v<From> && BoundValue<To> &&
    (std::floating_point<To> || !std::floating_point<From>)&&(
        std::is_signed_v<To> || !std::is_signed_v<From>)&&std::numeric_limits<From>::digits <=
        std::numeric_limits<To>::digits;

/// The bits of a double as an integer in its order, and back.
constexpr std::int64_t in_order(std::int64_t bits) {
  return bits >= 0 ? bits : bits ^ std::numeric_limits<std::int64_t>::max();
}

/// An integer that is less, the better `value` is. It is what crosses to other ranks.
template <class Bound>
constexpr std::int64_t key_of(typename BoundTraits<Bound>::Value value) {
  using Value = decltype(value);
  std::int64_t key = 0;
  if constexpr (std::floating_point<Value>) {
    key = in_order(std::bit_cast<std::int64_t>(static_cast<double>(value) + 0.0));  // no -0.0
  } else if constexpr (std::unsigned_integral<Value>) {
    key = static_cast<std::int64_t>(std::uint64_t{value} ^ std::uint64_t{1} << 63);
  } else {
    key = value;
  }
  return BoundTraits<Bound>::kMaximises ? ~key : key;
}

/// The value of a key.
template <class Bound>
constexpr typename BoundTraits<Bound>::Value value_of(std::int64_t key) {
  using Value = typename BoundTraits<Bound>::Value;
  key = BoundTraits<Bound>::kMaximises ? ~key : key;
  if constexpr (std::floating_point<Value>) {
    return static_cast<Value>(std::bit_cast<double>(in_order(key)));
  } else if constexpr (std::unsigned_integral<Value>) {
    return static_cast<Value>(static_cast<std::uint64_t>(key) ^ std::uint64_t{1} << 63);
  } else {
    return static_cast<Value>(key);
  }
}

}  // namespace detail

/// The best value found so far, of all that any worker of any rank has found: a bound on what is
/// still worth a visit. It spreads without synchronising, so a rank may know an older, worse one.
/// Whoever finds a better solution offers its value here and keeps the solution in its `total`;
/// `combine` keeps the better one.
///
/// \tparam Bound  an integer of at most 64 bits, a float or a double, of which the least is the
///                best, or `Maximise` of one of these. A value is one atomic word of 64 bits, since
///                every visit reads it and it crosses as such. Pack a pair into an integer.
template <class Bound = std::int64_t>
class Incumbent {
 public:
  using Value = typename detail::BoundTraits<Bound>::Value;

  /// The value before anything is found: the worst value that there is, infinite where `Value`
  /// has infinities.
  static constexpr Value kNone = [] {
    using Limits = std::numeric_limits<Value>;
    constexpr Value kGreatest = Limits::has_infinity ? Limits::infinity() : Limits::max();
    constexpr Value kLeast = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    return detail::BoundTraits<Bound>::kMaximises ? kLeast : kGreatest;
  }();

  explicit Incumbent(Value value = kNone) : key_(detail::key_of<Bound>(value)) {}

  /// Cost: one plain load.
  Value value() const { return detail::value_of<Bound>(key()); }

  /// \return  whether `value` is better than any that this rank knew, and is now the incumbent;
  ///          a NaN never is
  template <class T>
  bool offer(T value) {
    static_assert(detail::ConvertsWithoutLoss<T, Value>,
                  "cleave: the value that is offered does not fit the incumbent's type without "
                  "loss: name the application's `Bound`, or convert the value");
    if constexpr (std::floating_point<T>) {
      if (value != value) {
        return false;
      }
    }
    return offer_key(detail::key_of<Bound>(static_cast<Value>(value)));
  }

  // The key, which crosses to other ranks and to snapshots.

  std::int64_t key() const { return key_.load(std::memory_order_relaxed); }
  bool offer_key(std::int64_t key) {
    std::int64_t known = this->key();
    while (key < known) {
      if (key_.compare_exchange_weak(known, key, std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

 private:
  alignas(detail::kCacheLineBytes) std::atomic<std::int64_t> key_;

  // Last, since clang leaves out the members behind one that fails.
  static_assert(detail::BoundTraits<Bound>::kIsAllowed,
                "cleave: the Bound of an incumbent must be an integer of at most 64 bits, float, "
                "double, or cleave::Maximise of one of these");
};

namespace detail {

template <class App>
struct BoundOfApp {
  using Type = std::int64_t;
};
template <class App>
  requires requires { typename App::Bound; }
struct BoundOfApp<App> {
  using Type = typename App::Bound;
};

}  // namespace detail

/// `App::Bound` where it has one, else std::int64_t.
template <class App>
using IncumbentOf = Incumbent<typename detail::BoundOfApp<App>::Type>;

}  // namespace cleave
