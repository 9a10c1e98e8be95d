// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cleave/tree_search.hpp>

namespace cleave::detail {

std::optional<std::string> beyond(const SearchLimits& limits, std::int64_t nodes) {
  if (nodes > limits.nodes) {
    return fmt::format("the tree has more than {} nodes", limits.nodes);
  }
  return std::nullopt;
}

std::optional<std::string> told_to_end(const SearchLimits& limits, double seconds) {
  if (limits.stop != nullptr && limits.stop->load(std::memory_order_relaxed)) {
    return "stopped before the search was done";
  }
  if (seconds > limits.seconds) {
    return fmt::format("the search takes longer than {} s", limits.seconds);
  }
  return std::nullopt;
}

bool ends_search(const SearchLimits& limits, const std::optional<std::string>& reason) {
  if (reason && limits.ended_early == nullptr) {
    throw Error(*reason);
  }
  if (reason) {
    *limits.ended_early = EndedEarly{.reason = *reason};
  }
  return reason.has_value();
}

}  // namespace cleave::detail
