// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/search.hpp"

#include <vector>

namespace cleave::flowshop {

SearchResult search_depth_first(const Brancher& brancher, int incumbent) {
  SearchResult result{.makespan = incumbent};
  std::vector<Node> stack = {brancher.root()};
  while (!stack.empty()) {
    const Node node = stack.back();
    stack.pop_back();
    if (!node.is_leaf()) {
      result.explored +=
          static_cast<std::int64_t>(brancher.append_children(node, result.makespan, stack));
      continue;
    }
    ++result.leaves;
    const int makespan = brancher.leaf_makespan(node);
    if (makespan < result.makespan) {
      result.makespan = makespan;
      result.permutation = brancher.leaf_permutation(node);
    }
  }
  return result;
}

}  // namespace cleave::flowshop
