// Checks a sorted sequence by means that have nothing in common with quicksort.
#pragma once

#include <optional>
#include <string>

#include "apps/quicksort/quicksort.hpp"

namespace cleave {

/// The keys in ascending order, by least-significant-digit radix sort.
Keys radix_sorted(const Keys& keys);

/// A sum that does not depend on the order of the keys, and differs for other keys but for a
/// chance of 2^-64.
std::uint64_t order_free_hash(const Keys& keys);

/// What is wrong with `sorted` as the sorted `input`; nothing if it is right.
std::optional<std::string> wrong_order(const Keys& input, const Keys& sorted);

}  // namespace cleave
