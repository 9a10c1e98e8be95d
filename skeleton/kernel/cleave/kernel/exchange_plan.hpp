// SPDX-License-Identifier: Apache-2.0
// Who sends how many elements to whom when a group of ranks has partitioned its parts around a
// splitter: the arithmetic of the sorting form of Placement::distributed. Needs no MPI.
//
// Every rank knows the counts of all, so all find the same plan. It brings each rank to the mean of
// its half whatever lies where, so no order of the input needs a shuffle first. What a rank may
// keep stays, and partners (group.hpp) take what they have room for. What is then left over goes to
// the ranks that are short. On input in random order nearly all goes to the partners.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <cleave/schedule/group.hpp>

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

class ExchangePlanner {
 public:
  explicit ExchangePlanner(const std::vector<ClassCounts>& counts)
      : counts_(counts), group_{.first = 0, .size = static_cast<int>(counts.size())} {
    const std::size_t ranks = counts.size();
    plan_.crossing.resize(ranks);
    plan_.shed.resize(ranks);
    plan_.received.resize(ranks);
    plan_.sizes.resize(ranks);
  }

  ExchangePlan plan() && {
    share_ties();
    for (const Group half : {group_.left(), group_.right()}) {
      fill(half);
    }
    return std::move(plan_);
  }

 private:
  /// Equal elements go left, as many as make the left half's share whole. They stay where they are
  /// as far as possible: those of the left ranks go left first.
  void share_ties() {
    ClassCounts all;
    for (const ClassCounts& counts : counts_) {
      all.less += counts.less;
      all.equal += counts.equal;
      all.greater += counts.greater;
    }
    const auto wanted = static_cast<std::int64_t>(static_cast<long double>(all.total()) *
                                                  group_.share().left / group_.share().total);
    std::int64_t left_ties = std::clamp<std::int64_t>(wanted - all.less, 0, all.equal);
    for (int i = 0; i < group_.size; ++i) {
      const ClassCounts& counts = counts_[i];
      const std::int64_t goes_left = std::min(counts.equal, left_ties);
      left_ties -= goes_left;
      plan_.crossing[i] = group_.left().contains(i) ? counts.total() - counts.less - goes_left
                                                    : counts.less + goes_left;
    }
  }

  /// Where the elements of `half` go.
  void fill(Group half) {
    std::int64_t total = 0;
    for (int i = 0; i < group_.size; ++i) {
      total += half.contains(i) ? counts_[i].total() - plan_.crossing[i] : plan_.crossing[i];
    }
    const std::int64_t mean = (total + half.size - 1) / half.size;
    // A partner may go this far beyond the mean where that saves another message.
    const std::int64_t maximum = mean + mean / 128;

    std::vector<Transfer> left_over;
    for (int i = half.first; i < half.first + half.size; ++i) {
      const std::int64_t kept = counts_[i].total() - plan_.crossing[i];
      plan_.shed[i] = std::max<std::int64_t>(0, kept - maximum);
      plan_.sizes[i] = kept - plan_.shed[i];
    }
    for (int from = 0; from < group_.size; ++from) {
      if (half.contains(from)) {
        left_over.push_back({.from = from, .count = plan_.shed[from], .crosses = false});
        continue;
      }
      std::int64_t given = 0;
      if (const auto partner = partner_of(from, group_)) {
        given = plan_.crossing[from];
        if (given > maximum - plan_.sizes[*partner]) {
          given = std::max<std::int64_t>(0, mean - plan_.sizes[*partner]);
        }
        add({.from = from, .to = *partner, .count = given});
      }
      left_over.push_back({.from = from, .count = plan_.crossing[from] - given, .offset = given});
    }
    int to = half.first;
    for (Transfer rest : left_over) {
      while (rest.count > 0) {
        const std::int64_t short_of = mean - plan_.sizes[to];
        if (short_of <= 0) {
          ++to;
          continue;
        }
        Transfer piece = rest;
        piece.to = to;
        piece.count = std::min(rest.count, short_of);
        add(piece);
        rest.count -= piece.count;
        rest.offset += piece.count;
      }
    }
  }

  void add(const Transfer& transfer) {
    if (transfer.count > 0) {
      plan_.transfers.push_back(transfer);
      plan_.received[transfer.to] += transfer.count;
      plan_.sizes[transfer.to] += transfer.count;
    }
  }

  const std::vector<ClassCounts>& counts_;
  Group group_;
  ExchangePlan plan_;
};

/// The plan for a group whose ranks have these `counts`, by index in the group. Afterwards no rank
/// has more than 1/128 above the mean of its half.
/// Cost: proportional to the ranks of the group. \pre two ranks or more
inline ExchangePlan plan_exchange(const std::vector<ClassCounts>& counts) {
  return detail::ExchangePlanner(counts).plan();
}

}  // namespace cleave::detail
