// SPDX-License-Identifier: Apache-2.0
// Who sends how many elements to whom when a group of ranks has partitioned its parts around a
// splitter: the arithmetic of the sorting form of Placement::distributed. Needs no MPI.
//
// Every rank knows the counts of all, so all find the same plan. It brings each rank to the mean of
// its half whatever lies where, so no order of the input needs a shuffle first. What a rank may
// keep stays, and partners (schedule.hpp) take what they have room for. What is then left over goes
// to the ranks that are short. On input in random order nearly all goes to the partners.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <cleave/schedule/schedule.hpp>

namespace cleave::detail {

/// How many elements of a rank's part come before, equal and come after the splitter.
struct ClassCounts {
  std::int64_t less = 0;
  std::int64_t equal = 0;
  std::int64_t greater = 0;

  std::int64_t total() const { return less + equal + greater; }
};

/// Ranks are indices in the group.
struct Transfer {
  int from = 0;
  int to = 0;
  std::int64_t count = 0;
  bool crosses = true;      ///< to the other half; else it stays in the sender's half
  std::int64_t offset = 0;  ///< in what the sender sends across, or within its half
};

/// The way of the parts of a group.
struct ExchangePlan {
  std::vector<std::int64_t> crossing;  ///< by rank: elements of the other half, ties included
  std::vector<std::int64_t> shed;      ///< by rank: elements of its own half that are too many
  std::vector<std::int64_t> received;  ///< by rank
  std::vector<std::int64_t> sizes;     ///< by rank: of the part afterwards
  std::vector<Transfer> transfers;
};

/// How many elements of each rank go to the other half of `group`. Equal elements go left, as many
/// as make the left half's share whole; they stay where they are as far as possible: those of the
/// left ranks go left first.
inline std::vector<std::int64_t> crossing_of(const std::vector<ClassCounts>& counts, Group group) {
  ClassCounts all;
  for (const ClassCounts& of_rank : counts) {
    all.less += of_rank.less;
    all.equal += of_rank.equal;
    all.greater += of_rank.greater;
  }
  const auto wanted = static_cast<std::int64_t>(static_cast<long double>(all.total()) *
                                                group.share().left / group.share().total);
  std::int64_t left_ties = std::clamp<std::int64_t>(wanted - all.less, 0, all.equal);
  std::vector<std::int64_t> crossing;
  for (const ClassCounts& of_rank : counts) {
    const std::int64_t goes_left = std::min(of_rank.equal, left_ties);
    left_ties -= goes_left;
    crossing.push_back(group.left().contains(static_cast<int>(crossing.size()))
                           ? of_rank.total() - of_rank.less - goes_left
                           : of_rank.less + goes_left);
  }
  return crossing;
}

/// The plan for a group whose ranks have these `counts`, by index in the group. Afterwards no rank
/// has more than 1/128 above the mean of its half.
/// Cost: proportional to the ranks of the group. \pre two ranks or more
inline ExchangePlan plan_exchange(const std::vector<ClassCounts>& counts) {
  const Group group{.first = 0, .size = static_cast<int>(counts.size())};
  ExchangePlan plan{.crossing = crossing_of(counts, group),
                    .shed = std::vector<std::int64_t>(counts.size()),
                    .received = std::vector<std::int64_t>(counts.size()),
                    .sizes = {},
                    .transfers = {}};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    plan.sizes.push_back(counts[i].total() - plan.crossing[i]);
  }
  const auto add = [&](const Transfer& transfer) {
    if (transfer.count > 0) {
      plan.transfers.push_back(transfer);
      plan.received[transfer.to] += transfer.count;
      plan.sizes[transfer.to] += transfer.count;
    }
  };
  for (const Group half : {group.left(), group.right()}) {
    std::int64_t total = 0;
    for (int i = 0; i < group.size; ++i) {
      total += half.contains(i) ? plan.sizes[i] : plan.crossing[i];
    }
    const std::int64_t mean = (total + half.size - 1) / half.size;
    // A partner may go this far beyond the mean where that saves another message.
    const std::int64_t maximum = mean + mean / 128;
    std::vector<Transfer> left_over;
    for (int i = half.first; i < half.first + half.size; ++i) {
      plan.shed[i] = std::max<std::int64_t>(0, plan.sizes[i] - maximum);
      plan.sizes[i] -= plan.shed[i];
      left_over.push_back({.from = i, .count = plan.shed[i], .crosses = false});
    }
    const Group other = half.first == 0 ? group.right() : group.left();
    for (int from = other.first; from < other.first + other.size; ++from) {
      std::int64_t given = 0;
      if (const auto partner = partner_of(from, group)) {
        given = plan.crossing[from];
        if (given > maximum - plan.sizes[*partner]) {
          given = std::max<std::int64_t>(0, mean - plan.sizes[*partner]);
        }
        add({.from = from, .to = *partner, .count = given});
      }
      left_over.push_back({.from = from, .count = plan.crossing[from] - given, .offset = given});
    }
    int to = half.first;
    for (Transfer rest : left_over) {
      while (rest.count > 0) {
        Transfer piece = rest;
        piece.to = to;
        piece.count = std::min(rest.count, mean - plan.sizes[to]);
        if (piece.count <= 0) {
          ++to;
          continue;
        }
        add(piece);
        rest.count -= piece.count;
        rest.offset += piece.count;
      }
    }
  }
  return plan;
}

}  // namespace cleave::detail
