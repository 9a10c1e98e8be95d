// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/offline/search_space.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "apps/splitting/tree/growth.hpp"

namespace cleave::splitting::detail {

namespace {

Mask bits(Index begin, Index count) {
  const Mask low = count >= 64 ? ~Mask{0} : (Mask{1} << count) - 1;
  return low << begin;
}

Mask mask_of(const Tree& tree, int level, Index node) {
  return bits(tree.first_leaf(level, node), tree.leaves_below(level, node));
}

}  // namespace

SmallTree::SmallTree(const Tree& tree) {
  std::map<std::pair<int, Index>, int> number;
  for (int level = 0; level <= tree.l_max(); ++level) {
    for (Index node = 0; node < tree.nodes_of_level(level); ++node) {
      if (tree.refined(level, node)) {
        const int next = static_cast<int>(number.size());
        number[{level, node}] = next;
      }
    }
  }
  const auto number_of = [&](int level, Index node) {
    const auto found = number.find({level, node});
    return found == number.end() ? -1 : found->second;
  };
  const auto parent_of = [&](int level, Index node) {
    return level == 0 ? -1 : number_of(level - 1, tree.parent(level, node));
  };
  interior_.resize(number.size());
  for (const auto& [place, index] : number) {
    const auto [level, node] = place;
    Interior& interior = interior_[static_cast<std::size_t>(index)];
    interior.parent = parent_of(level, node);
    for (Index i = 0; i < tree.children(); ++i) {
      const Index child = tree.first_child(level, node) + i;
      interior.leaf_children.push_back(mask_of(tree, level + 1, child));
      interior.children.push_back(number_of(level + 1, child));
    }
  }
  std::vector<Mask> nodes;
  Growth growth(tree);
  for (int s = 0; s <= tree.l_max(); ++s) {
    for (Index node = 0; node < tree.nodes_of_level(s); ++node) {
      nodes.push_back(mask_of(tree, s, node));
    }
    nodes_.push_back(nodes);
    auto& leaves = stages_.emplace_back();
    for (Index leaf = 0; leaf < growth.leaves(); ++leaf) {
      const int level = growth.level(leaf);
      const Index node = growth.node(leaf);
      leaves.push_back(
          {mask_of(tree, level, node), parent_of(level, node), number_of(level, node)});
    }
    growth.advance();
  }
}

SetSpace::Part SetSpace::root() const { return {bits(0, problem_.tree.leaves()), 0}; }

SetSpace::Part SetSpace::grown(const Part& part, int stage) const {
  Part next = part;
  if (problem_.mode == Mode::parent_owned) {
    for (const StageLeaf& leaf : tree_.stage(stage)) {
      if (leaf.becomes >= 0 && (leaf.mask & part.leaves) != 0) {
        next.interior |= Mask{1} << leaf.becomes;
      }
    }
  }
  return next;
}

Index SetSpace::load(const Part& part) const {
  if (problem_.weights.empty()) {
    return std::popcount(part.leaves);
  }
  Index load = 0;
  for (Index c = 0; c < problem_.tree.leaves(); ++c) {
    load += (part.leaves >> c & 1) != 0 ? problem_.weights[static_cast<std::size_t>(c)] : 0;
  }
  return load;
}

Index SetSpace::leaves(const Part& part, int stage) const {
  return std::count_if(tree_.stage(stage).begin(), tree_.stage(stage).end(),
                       [&](const StageLeaf& leaf) { return (leaf.mask & part.leaves) != 0; });
}

std::string SetSpace::key(const Part& part) const {
  std::string key(sizeof(Mask) * 2, '\0');
  std::copy_n(reinterpret_cast<const char*>(&part.leaves), sizeof(Mask), key.begin());
  std::copy_n(reinterpret_cast<const char*>(&part.interior), sizeof(Mask),
              key.begin() + sizeof(Mask));
  return key;
}

void SetSpace::each_split(const Part& part, int stage, const Visit& visit) const {
  if (problem_.mode == Mode::parent_owned) {
    each_parent_owned(part, stage, visit);
    return;
  }
  if (problem_.mode == Mode::subtree) {
    std::set<Mask> seen;
    for (const Mask node : tree_.nodes(stage)) {
      const Mask moved = node & part.leaves;
      if (moved != 0 && moved != part.leaves && seen.insert(moved).second) {
        visit_mask(part, moved, stage, visit);
      }
    }
    return;
  }
  std::vector<Mask> mine;
  for (const StageLeaf& leaf : tree_.stage(stage)) {
    if ((leaf.mask & part.leaves) != 0) {
      mine.push_back(leaf.mask);
    }
  }
  for (std::size_t begin = 0; begin < mine.size(); ++begin) {
    Mask moved = 0;
    for (std::size_t end = begin; end < mine.size(); ++end) {
      moved |= mine[end];
      const bool at_an_end = begin == 0 || end + 1 == mine.size();
      if (moved != part.leaves && (problem_.mode == Mode::run || at_an_end)) {
        visit_mask(part, moved, stage, visit);
      }
    }
  }
}

void SetSpace::visit_mask(const Part& part, Mask moved, int stage, const Visit& visit) const {
  const Part gone{moved, 0};
  visit(gone, {part.leaves & ~moved, 0}, leaves(gone, stage));
}

void SetSpace::each_parent_owned(const Part& part, int stage, const Visit& visit) const {
  std::vector<Mask> movable;
  for (const StageLeaf& leaf : tree_.stage(stage)) {
    if ((leaf.mask & part.leaves) != 0 && leaf.parent >= 0 &&
        (part.interior >> leaf.parent & 1) != 0) {
      movable.push_back(leaf.mask);
    }
  }
  for (Mask chosen = 1; chosen < Mask{1} << movable.size(); ++chosen) {
    Part moved;
    for (std::size_t i = 0; i < movable.size(); ++i) {
      moved.leaves |= (chosen >> i & 1) != 0 ? movable[i] : 0;
    }
    if (moved.leaves == part.leaves) {
      continue;
    }
    // Interior nodes follow as in Ledger::take_over, deepest first.
    for (std::size_t i = tree_.interior().size(); i-- > 1;) {
      const SmallTree::Interior& node = tree_.interior()[i];
      bool follows = (part.interior >> i & 1) != 0 && (part.interior >> node.parent & 1) != 0;
      for (std::size_t c = 0; follows && c < node.children.size(); ++c) {
        const bool child_is_interior =
            node.children[c] >= 0 && (part.interior >> node.children[c] & 1) != 0;
        follows = child_is_interior ? (moved.interior >> node.children[c] & 1) != 0
                                    : (node.leaf_children[c] & ~moved.leaves) == 0;
      }
      if (follows) {
        moved.interior |= Mask{1} << i;
      }
    }
    visit(moved, {part.leaves & ~moved.leaves, part.interior & ~moved.interior},
          std::popcount(chosen));
  }
}

KindSpace::KindSpace(const Tree& tree, const SmallTree& small) : small_(small), kinds_(1) {
  std::map<std::vector<int>, int> known = {{{}, 0}};
  const auto& interior = small.interior();
  std::vector<int> kind_of_interior(interior.size());
  for (std::size_t i = interior.size(); i-- > 0;) {
    Kind kind{.children = {}, .leaves = 0};
    for (const int child : interior[i].children) {
      kind.children.push_back(child < 0 ? 0 : kind_of_interior[static_cast<std::size_t>(child)]);
      kind.leaves += kinds_[static_cast<std::size_t>(kind.children.back())].leaves;
    }
    std::sort(kind.children.begin(), kind.children.end());
    const auto [place, is_new] = known.try_emplace(kind.children, static_cast<int>(kinds_.size()));
    kind_of_interior[i] = place->second;
    if (is_new) {
      kinds_.push_back(std::move(kind));
    }
  }
  const auto kind_of = [&](const StageLeaf& leaf) {
    return leaf.becomes < 0 ? 0 : kind_of_interior[static_cast<std::size_t>(leaf.becomes)];
  };
  for (int s = 0; s <= tree.l_max(); ++s) {
    auto& kinds = kind_of_.emplace_back();
    std::transform(small.stage(s).begin(), small.stage(s).end(), std::back_inserter(kinds),
                   kind_of);
  }
  root_kind_ = kind_of_[0][0];
}

KindSpace::Part KindSpace::root() const {
  Part part(kinds_.size(), '\0');
  part[static_cast<std::size_t>(root_kind_)] = 1;
  return part;
}

KindSpace::Part KindSpace::grown(const Part& part, int) const {
  Part next(kinds_.size(), '\0');
  next[0] = part[0];
  for (std::size_t kind = 1; kind < kinds_.size(); ++kind) {
    for (const int child : kinds_[kind].children) {
      char& count = next[static_cast<std::size_t>(child)];
      count = static_cast<char>(count + part[kind]);
    }
  }
  return next;
}

Index KindSpace::load(const Part& part) const {
  Index load = 0;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    load += part[kind] * kinds_[kind].leaves;
  }
  return load;
}

Index KindSpace::leaves(const Part& part, int) const {
  Index leaves = 0;
  for (const char count : part) {
    leaves += count;
  }
  return leaves;
}

void KindSpace::each_split(const Part& part, int stage, const Visit& visit) const {
  const Index all = leaves(part, stage);
  Part moved(kinds_.size(), '\0');
  Part rest = part;
  Index n = 0;
  while (true) {
    // Count up, kind by kind, like an odometer.
    std::size_t kind = 0;
    while (kind < kinds_.size() && rest[kind] == 0) {
      n -= moved[kind];
      std::swap(rest[kind], moved[kind]);
      ++kind;
    }
    if (kind == kinds_.size()) {
      return;
    }
    --rest[kind];
    ++moved[kind];
    ++n;
    if (2 * n <= all && n < all) {  // the other half are the same splits with the sides swapped
      visit(moved, rest, n);
    }
  }
}

Mask KindSpace::pick(Mask part, const Part& moved, int stage) const {
  Part left = moved;
  Mask picked = 0;
  const auto& leaves = small_.stage(stage);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    char& count = left[static_cast<std::size_t>(kind_of_[static_cast<std::size_t>(stage)][i])];
    if ((leaves[i].mask & part) != 0 && count > 0) {
      --count;
      picked |= leaves[i].mask;
    }
  }
  return picked;
}

}  // namespace cleave::splitting::detail
