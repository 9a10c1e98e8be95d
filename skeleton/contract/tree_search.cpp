// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cleave/tree_search.hpp>

namespace cleave::detail {

std::string beyond(const SearchLimits& limits, std::int64_t nodes) {
  return nodes > limits.nodes ? fmt::format("the tree has more than {} nodes", limits.nodes) : "";
}

std::string told_to_end(const SearchLimits& limits, double seconds) {
  if (limits.stop != nullptr && limits.stop->load(std::memory_order_relaxed)) {
    return "stopped before the search was done";
  }
  return seconds > limits.seconds ? fmt::format("the search takes longer than {} s", limits.seconds)
                                  : "";
}

bool ends_search(const SearchLimits& limits, const std::string& reason) {
  if (reason.empty()) {
    return false;
  }
  if (limits.ended_early == nullptr) {
    throw Error(reason);
  }
  *limits.ended_early = EndedEarly{.reason = reason};
  return true;
}

}  // namespace cleave::detail
