// SPDX-License-Identifier: Apache-2.0
// What waits in a deque where children are made when they are visited (tree_search.hpp). No MPI.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

namespace cleave::detail {

/// A node that waits for its visit, or has had it and waits until its children are made.
template <std::movable Node>
struct OpenNode {
  Node node;
  std::int64_t next = 0;  ///< the first child that is not made yet
  std::int64_t end = 0;   ///< how many children it has; 0: it waits for its visit

  bool is_divisible() const { return end - next > 1; }

  /// Parts with the half of the children that are visited first. \pre  is_divisible()
  OpenNode take_first_half() {
    const std::int64_t middle = next + (end - next) / 2;
    return {node, std::exchange(next, middle), middle};
  }
};

template <class T>
inline constexpr bool kIsOpenNode = false;
template <class Node>
inline constexpr bool kIsOpenNode<OpenNode<Node>> = true;

}  // namespace cleave::detail
