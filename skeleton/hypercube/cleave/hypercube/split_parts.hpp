// SPDX-License-Identifier: Apache-2.0
// The sorting form of Placement::distributed: hypercube quicksort on parts that the skeleton owns.
//
// At each level the ranks of a group sample their parts, and the first rank chooses a splitter.
// Each rank partitions its part in place, and the group exchanges by a common plan
// (exchange_plan.hpp). What arrives is put where there is room beside what is kept. So an element
// is read once and written at most twice a level, and never copied on its own. A rank needs memory
// for about 1.6 times its part.
//
// Who sends a message to whom depends on what the whole group knows. A group in which a rank has
// failed learns of it in the next agreement and stops as one; so nothing hangs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/blocks/blocks.hpp>
#include <cleave/comm.hpp>
#include <cleave/hypercube/exchange_plan.hpp>
#include <cleave/schedule/group.hpp>
#include <cleave/schedule/messages.hpp>

namespace cleave::detail {

/// Collectives of the ranks of a group, in ceil(log2(size)) steps.
class GroupComm {
 public:
  GroupComm(const Comm& comm, Group group)
      : comm_(comm), group_(group), index_(comm.rank() - group.first) {}

  /// Collects the slots of all ranks in `all` of the first rank. Rank i's slot, which it has filled
  /// in, is all[offsets[i], offsets[i + 1]); every rank passes storage for all of them.
  void gather(std::span<std::byte> all, std::span<const std::size_t> offsets) const {
    for (const Round& round : rounds_of(group_.size)) {
      const int span = round.have;
      const auto slots = [&](int first) {
        const int last = std::min(first + span, group_.size);
        return all.subspan(offsets[first], offsets[last] - offsets[first]);
      };
      if (index_ % (2 * span) == span) {
        comm_.send(group_.first + index_ - span, slots(index_));
        return;
      }
      if (index_ + span < group_.size) {
        comm_.receive(group_.first + index_ + span, slots(index_ + span));
      }
    }
  }

  /// The first rank's `bytes` on every rank.
  void bcast(std::span<std::byte> bytes) const {
    int span = 1;
    while (span < group_.size) {
      span *= 2;
    }
    for (span /= 2; span > 0; span /= 2) {
      if (index_ % (2 * span) == span) {
        comm_.receive(group_.first + index_ - span, bytes);
      } else if (index_ % (2 * span) == 0 && index_ + span < group_.size) {
        comm_.send(group_.first + index_ + span, bytes);
      }
    }
  }

  /// Every rank's `value` on every rank, by index in the group. Each passes on what it has to the
  /// rank that is as many places before it, which so has twice as much (Bruck et al. 1997).
  template <class T>
  std::vector<T> allgather(const T& value) const {
    std::vector<T> values(group_.size);  // from this rank on
    values[0] = value;
    for (const auto [have, more] : rounds_of(group_.size)) {
      const int to = group_.first + (index_ + group_.size - have) % group_.size;
      const int from = group_.first + (index_ + have) % group_.size;
      const std::span<T> all(values);
      const Comm::Outbound out{to, std::as_bytes(all.first(more))};
      const Comm::Inbound in{from, std::as_writable_bytes(all.subspan(have, more))};
      comm_.exchange(std::span(&out, 1), std::span(&in, 1));
    }
    std::rotate(values.begin(), values.end() - index_, values.end());
    return values;
  }

 private:
  const Comm& comm_;
  Group group_;
  int index_;
};

/// How many samples each of parts of these `sizes` gives: in proportion, in all `sample_of` their
/// sum.
inline std::vector<std::size_t> sample_counts(const std::vector<std::int64_t>& sizes) {
  const auto total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  const std::int64_t wanted = sample_of(total);
  std::vector<std::size_t> counts(sizes.size(), 0);
  for (std::size_t i = 0; i < sizes.size() && total > 0; ++i) {
    // Rounded up, so that the sample of a sequence that is not empty is not empty.
    counts[i] = static_cast<std::size_t>((sizes[i] * wanted + total - 1) / total);
  }
  return counts;
}

/// One DC_Call of the sorting form on one rank.
template <DivideAndConquer App>
  requires SplitsParts<App>
class SplitParts {
 public:
  using Element = typename App::Element;
  using Splitter = typename App::Splitter;
  static_assert(Plain<Splitter>, "cleave: the application's Splitter must be a plain type");

  SplitParts(const Comm& comm, Blocks<App>& blocks) : comm_(comm), blocks_(blocks) {}

  /// Nothing if this rank or one of its group has failed.
  std::optional<Part<Element>> solve(Part<Element> part) {
    Group group{.first = 0, .size = comm_.size()};
    static_assert(sizeof(std::int64_t) == kPartBytes);
    std::vector<std::int64_t> sizes =
        allgather(static_cast<std::int64_t>(part.size()), group, Place{0, group.size});
    add_run_size(sizes);
    int level = 0;
    for (; group.size > 1; ++level) {
      const Place place{level, group.size};
      const auto split = choose_splitter(part, sizes, group, place);
      if (!split) {
        return std::nullopt;
      }
      const auto plan = partition_and_exchange(part, *split, group, place);
      if (!plan) {
        return std::nullopt;
      }
      const Group half = group.half_of(comm_.rank());
      const auto first = plan->sizes.begin() + (half.first - group.first);
      sizes.assign(first, first + half.size);
      group = half;
    }
    return blocks_.solve(std::move(part), Place{level, 1});
  }

 private:
  struct Verdict {
    std::int64_t is_chosen = 0;
    Split<Splitter> split;
  };
  static_assert(sizeof(Verdict) <= verdict_bytes(sizeof(Splitter)) || alignof(Splitter) > 8);

  /// What a rank tells its group of its partition.
  struct Report {
    std::int64_t is_well = 0;
    ClassCounts counts;
    std::int64_t room = 0;
  };
  static_assert(sizeof(Report) == kReportBytes);

  template <class T>
  std::vector<T> allgather(const T& value, Group group, Place place) {
    return blocks_.timed(
        Block::wait, place, [&] { return GroupComm(comm_, group).allgather(value); },
        [](const std::vector<T>&) { return Sizes{}; });
  }

  bool all_are_well(bool i_am, Group group, Place place) {
    static_assert(sizeof(char) == kStatusBytes);
    const std::vector<char> well = allgather<char>(i_am ? 1 : 0, group, place);
    return std::find(well.begin(), well.end(), 0) == well.end();
  }

  std::optional<Split<Splitter>> choose_splitter(const Part<Element>& part,
                                                 const std::vector<std::int64_t>& sizes,
                                                 Group group, Place place) {
    const std::size_t index = comm_.rank() - group.first;
    const std::vector<std::size_t> counts = sample_counts(sizes);
    std::vector<std::size_t> offsets(counts.size() + 1, 0);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      offsets[i + 1] = offsets[i] + counts[i];
    }
    const auto seed = static_cast<std::uint64_t>(place.level) << 32 | comm_.rank();
    const auto mine = blocks_.sample(part, counts[index], seed, place);
    auto samples = blocks_.attempt(name_of(Block::pivot), place,
                                   [&] { return std::vector<Splitter>(offsets.back()); });
    if (!all_are_well(mine.has_value() && samples.has_value(), group, place)) {
      return std::nullopt;
    }
    std::copy(mine->begin(), mine->end(), samples->begin() + offsets[index]);

    const Verdict verdict = blocks_.timed(
        Block::pivot, place, [&] { return agree_on_splitter(*samples, offsets, group, place); },
        [&](const Verdict&) {
          return Sizes{{"N", std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0})},
                       {"samples", offsets.back()}};
        },
        static_cast<std::int64_t>(offsets.back() * sizeof(Splitter)));
    return verdict.is_chosen != 0 ? std::optional(verdict.split) : std::nullopt;
  }

  Verdict agree_on_splitter(std::vector<Splitter>& samples, std::vector<std::size_t> offsets,
                            Group group, Place place) {
    for (std::size_t& offset : offsets) {
      offset *= sizeof(Splitter);
    }
    const GroupComm group_comm(comm_, group);
    group_comm.gather(std::as_writable_bytes(std::span(samples)), offsets);
    Verdict verdict;
    if (comm_.rank() == group.first && !samples.empty()) {
      if (const auto split = blocks_.splitter(std::move(samples), group.share(), place)) {
        verdict = {.is_chosen = 1, .split = *split};
      }
    } else if (samples.empty()) {
      verdict.is_chosen = 1;  // any splitter divides nothing
    }
    group_comm.bcast(std::as_writable_bytes(std::span(&verdict, 1)));
    return verdict;
  }

  std::optional<ExchangePlan> partition_and_exchange(Part<Element>& part,
                                                     const Split<Splitter>& split, Group group,
                                                     Place place) {
    // Received elements are put on at the end that has more room, so what is given must lie at the
    // other one.
    const bool at_front = part.room_before() > part.room_behind();
    const bool is_left = group.left().contains(comm_.rank());
    const ClassOrder order = is_left == at_front ? ClassOrder::ascending : ClassOrder::descending;
    const std::optional<Cut> cut = blocks_.partition(part, split, order, place);
    Report mine;
    if (cut) {
      mine = {
          .is_well = 1,
          .counts = {.less = static_cast<std::int64_t>(cut->less),
                     .equal = static_cast<std::int64_t>(cut->equal),
                     .greater = static_cast<std::int64_t>(part.size() - cut->less - cut->equal)},
          .room = static_cast<std::int64_t>(at_front ? part.room_before() : part.room_behind())};
    }
    const std::vector<Report> reports = allgather(mine, group, place);
    std::vector<ClassCounts> counts;
    for (const Report& report : reports) {
      if (report.is_well == 0) {
        return std::nullopt;
      }
      counts.push_back(report.counts);
    }
    ExchangePlan plan = plan_exchange(counts);
    if (!make_room(part, at_front, plan, reports, group, place)) {
      return std::nullopt;
    }
    exchange(part, at_front, plan, group, place);
    return plan;
  }

  /// Whether every rank of the group has room for what it will receive.
  bool make_room(Part<Element>& part, bool at_front, const ExchangePlan& plan,
                 const std::vector<Report>& reports, Group group, Place place) {
    bool all_have_room = true;
    for (std::size_t i = 0; i < reports.size(); ++i) {
      all_have_room = all_have_room && plan.received[i] <= reports[i].room;
    }
    if (all_have_room) {
      return true;
    }
    const auto made = blocks_.attempt(name_of(Block::exchange), place, [&] {
      return blocks_.timed(
          Block::skeleton, place,
          [&] {
            const std::size_t count = plan.received[comm_.rank() - group.first];
            at_front ? part.make_room_before(count) : part.make_room_behind(count);
            return true;
          },
          [&](bool) {
            return Sizes{{"N", part.size()}};
          },
          static_cast<std::int64_t>(part.size() * sizeof(Element)));
    });
    return all_are_well(made.has_value(), group, place);
  }

  void exchange(Part<Element>& part, bool at_front, const ExchangePlan& plan, Group group,
                Place place) {
    const int index = comm_.rank() - group.first;
    const std::int64_t crossing = plan.crossing[index];
    const std::int64_t shed = plan.shed[index];
    const auto kept = static_cast<std::int64_t>(part.size()) - crossing - shed;
    const Element* const given = part.begin() + (at_front ? kept + shed : 0);
    const Element* const dropped = part.begin() + (at_front ? kept : crossing);
    std::span<Element> room =
        at_front ? part.grow_before(plan.received[index]) : part.grow_behind(plan.received[index]);
    const std::int64_t received = plan.received[index];

    std::vector<Comm::Outbound> out;
    std::vector<Comm::Inbound> in;
    for (const Transfer& transfer : plan.transfers) {
      const auto count = static_cast<std::size_t>(transfer.count);
      if (transfer.from == index) {
        const Element* const first = (transfer.crosses ? given : dropped) + transfer.offset;
        out.push_back({group.first + transfer.to, std::as_bytes(std::span(first, count))});
      } else if (transfer.to == index) {
        in.push_back({group.first + transfer.from, std::as_writable_bytes(room.first(count))});
        room = room.subspan(count);
      }
    }
    const std::int64_t moved = std::max(crossing + shed, received);
    blocks_.timed(
        Block::exchange, place,
        [&] {
          comm_.exchange(out, in);
          return true;
        },
        [&](bool) {
          return Sizes{{"N", moved}};
        },
        moved * static_cast<std::int64_t>(sizeof(Element)));
    at_front ? part.drop_last(crossing + shed) : part.drop_first(crossing + shed);
  }

  void add_run_size(const std::vector<std::int64_t>& sizes) {
    if (blocks_.recorder() == nullptr) {
      return;
    }
    const auto total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    blocks_.recorder()->add_run_sizes(Sizes{{"N", total}});
  }

  const Comm& comm_;
  Blocks<App>& blocks_;
};

}  // namespace cleave::detail
