// SPDX-License-Identifier: Apache-2.0
// The sorting form of Placement::distributed: hypercube quicksort on parts that the skeleton owns.
//
// At each level the ranks of a group sample their parts, and the first rank chooses a splitter.
// Each rank partitions its part in place, and the group exchanges by a common plan. What arrives is
// put where there is room beside what is kept. So an element is read once and written at most twice
// a level, and never copied on its own. A rank needs memory for about 1.6 times its part.
//
// Its steps are those of the schedule. Who sends a message to whom within one depends on what the
// whole group knows. A group in which a rank has failed learns of it when its ranks next tell each
// other, and stops as one; so nothing hangs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/comm.hpp>
#include <cleave/kernel/blocks.hpp>
#include <cleave/kernel/erased_value.hpp>
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

/// The plan for a group whose ranks have these `counts`, by index in the group: all find the same.
/// It brings each rank to the mean of its half whatever lies where, so no order of the input needs
/// a shuffle first. What a rank may keep stays, and partners (schedule.hpp) take what they have
/// room for; what is then left over goes to the ranks that are short. Afterwards no rank has more
/// than 1/128 above the mean of its half. Cost: as the ranks of the group. \pre two ranks or more
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
      if (const auto partner = other_of(from, Step::Ranks::all, group)) {
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

/// Collectives of the ranks of a group, in ceil(log2(size)) steps.
class GroupComm {
 public:
  GroupComm(const Messages& comm, Group group) : comm_(comm), group_(group) {}

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
  const Messages& comm_;
  const Group group_;
  const int index_ = comm_.rank() - group_.first;
};

/// How many samples each of parts of these `sizes` gives: in proportion, in all `sample_of` all.
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

/// The length of a part.
struct PartLength {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};

/// The sorting form on one rank, whatever its elements are.
class PartSteps {
 public:
  virtual ~PartSteps() = default;
  /// With the first message of a group it makes all its steps. A group in which a rank has failed
  /// learns of it; all its ranks then drop their parts, and do nothing more.
  virtual void make(const Step& step, Group group, Level level, std::optional<Values>& part) = 0;
};

template <SplitsParts App>
class SplitParts final : public PartSteps {
 public:
  using Element = typename App::Element;
  using Splitter = typename App::Splitter;

  SplitParts(const App& app, const Messages& comm, BlockRunner& blocks)
      : app_(app), comm_(comm), blocks_(blocks) {}

  void make(const Step& step, Group group, Level level, std::optional<Values>& values) override {
    if (!values) {
      return;
    }
    group_ = group;
    level_ = level;
    Part<Element>& part = values->front().as<Part<Element>>();
    if (step.what == Step::What::length) {
      static_assert(sizeof(std::int64_t) == kPartBytes);
      sizes_ = allgather(static_cast<std::int64_t>(part.size()));
      if (blocks_.recorder() != nullptr) {
        blocks_.recorder()->add_run_sizes(sizes_of(elements()));
      }
    } else if (step.what == Step::What::status && !split(part)) {
      values.reset();
    }
  }

 private:
  struct Choice {
    std::int64_t is_chosen = 0;
    Split<Splitter> split;
  };
  static_assert(sizeof(Choice) <= choice_bytes(sizeof(Splitter)) || alignof(Splitter) > 8);

  /// A rank's report to its group on its partition.
  struct Report {
    std::int64_t is_well = 0;
    ClassCounts counts;
    std::int64_t room = 0;
  };
  static_assert(sizeof(Report) == kReportBytes);

  static Sizes sizes_of(std::int64_t count) { return {{"N", count}}; }
  static std::int64_t bytes_of(std::size_t count) {
    return static_cast<std::int64_t>(count * sizeof(Element));
  }

  /// Splits the elements of the group in halves, and moves this rank's half to its ranks.
  /// \return  whether the group goes on
  bool split(Part<Element>& part) {
    const std::vector<std::size_t> counts = sample_counts(sizes_);
    std::vector<std::size_t> offsets(counts.size() + 1, 0);
    std::partial_sum(counts.begin(), counts.end(), offsets.begin() + 1);
    auto samples = sample(part, offsets);
    if (!all_are_well(samples.has_value())) {
      return false;
    }
    const Choice choice = blocks_.timed(
        Block::pivot, level_, [&] { return choose(*std::move(samples), offsets); },
        [&](const Choice&) {
          return Sizes{{"N", elements()}, {"samples", offsets.back()}};
        },
        static_cast<std::int64_t>(offsets.back() * sizeof(Splitter)));
    if (choice.is_chosen == 0) {
      return false;
    }
    // Received elements go to the end that has more room, so what is given must lie at the other.
    const bool at_front = part.room_before() > part.room_behind();
    const std::vector<Report> reports = allgather(partition(part, choice.split, at_front));
    std::vector<ClassCounts> classes;
    for (const Report& report : reports) {
      if (report.is_well == 0) {
        return false;
      }
      classes.push_back(report.counts);
    }
    const ExchangePlan plan = plan_exchange(classes);
    const bool all_have_room =
        std::ranges::equal(plan.received, reports, std::ranges::less_equal(), {}, &Report::room);
    if (!all_have_room && !make_room(part, plan.received[index()], at_front)) {
      return false;
    }
    exchange(part, plan, at_front);
    const Group half = group_.half_of(comm_.rank());
    const auto first = plan.sizes.begin() + (half.first - group_.first);
    sizes_.assign(first, first + half.size);
    return true;
  }

  template <class T>
  std::vector<T> allgather(const T& value) {
    return blocks_.timed(Block::wait, level_,
                         [&] { return GroupComm(comm_, group_).allgather(value); });
  }

  bool all_are_well(bool i_am) {
    static_assert(sizeof(char) == kStatusBytes);
    return std::ranges::count(allgather<char>(i_am ? 1 : 0), 0) == 0;
  }

  std::int64_t elements() const {
    return std::accumulate(sizes_.begin(), sizes_.end(), std::int64_t{0});
  }

  /// The samples of all ranks, at these `offsets`, with this rank's filled in.
  std::optional<std::vector<Splitter>> sample(const Part<Element>& part,
                                              const std::vector<std::size_t>& offsets) {
    const auto seed = static_cast<std::uint64_t>(level_.index) << 32 | comm_.rank();
    const std::size_t count = offsets[index() + 1] - offsets[index()];
    const auto mine = blocks_.run(
        Block::sample, level_,
        [&] {
          auto samples = app_.sample(std::span(part.data(), part.size()), count, seed);
          if (samples.size() != count) {
            throw Error("sample returned " + std::to_string(samples.size()) + " samples, not " +
                        std::to_string(count));
          }
          return samples;
        },
        [&](const auto& samples) {
          return Sizes{{"N", part.size()}, {"samples", samples.size()}};
        });
    auto all = blocks_.attempt(name_of(Block::pivot), level_,
                               [&] { return std::vector<Splitter>(offsets.back()); });
    if (mine && all) {
      std::ranges::copy(*mine, all->begin() + offsets[index()]);
    } else {
      all.reset();
    }
    return all;
  }

  Choice choose(std::vector<Splitter> samples, std::vector<std::size_t> offsets) {
    for (std::size_t& offset : offsets) {
      offset *= sizeof(Splitter);
    }
    const GroupComm group_comm(comm_, group_);
    group_comm.gather(std::as_writable_bytes(std::span(samples)), offsets);
    Choice choice;
    if (samples.empty()) {
      choice.is_chosen = 1;  // any splitter divides nothing
    } else if (index() == 0) {
      // Its time is part of the block `pivot` of every rank of the group.
      const auto split = blocks_.attempt(name_of(Block::pivot), level_, [&] {
        blocks_.announce(Block::pivot, level_);
        return app_.splitter(std::move(samples), group_.share());
      });
      if (split) {
        choice = {.is_chosen = 1, .split = *split};
      }
    }
    group_comm.bcast(std::as_writable_bytes(std::span(&choice, 1)));
    return choice;
  }

  Report partition(Part<Element>& part, const Split<Splitter>& split, bool at_front) {
    const bool is_left = group_.left().contains(comm_.rank());
    const ClassOrder order = is_left == at_front ? ClassOrder::ascending : ClassOrder::descending;
    const std::optional<Cut> cut = blocks_.run(
        Block::partition, level_,
        [&] {
          const Cut found = app_.partition(std::span(part.data(), part.size()), split, order);
          if (found.less > part.size() || found.equal > part.size() - found.less) {
            throw Error("partition returned a cut of " + std::to_string(found.less) + " and " +
                        std::to_string(found.equal) + " elements, the part has " +
                        std::to_string(part.size()));
          }
          return found;
        },
        [&](const Cut&) { return sizes_of(std::ssize(part)); });
    if (!cut) {
      return {};
    }
    part.set_uniform(cut->equal == part.size());
    return {.is_well = 1,
            .counts = {.less = static_cast<std::int64_t>(cut->less),
                       .equal = static_cast<std::int64_t>(cut->equal),
                       .greater = static_cast<std::int64_t>(part.size() - cut->less - cut->equal)},
            .room = static_cast<std::int64_t>(at_front ? part.room_before() : part.room_behind())};
  }

  /// \return  whether every rank of the group has room for what it will receive
  bool make_room(Part<Element>& part, std::size_t count, bool at_front) {
    const auto made = blocks_.attempt(name_of(Block::exchange), level_, [&] {
      blocks_.timed(
          Block::skeleton, level_,
          [&] { at_front ? part.make_room_before(count) : part.make_room_behind(count); },
          [&] { return sizes_of(std::ssize(part)); }, bytes_of(part.size()));
      return true;
    });
    return all_are_well(made.has_value());
  }

  void exchange(Part<Element>& part, const ExchangePlan& plan, bool at_front) {
    const std::int64_t crossing = plan.crossing[index()];
    const std::int64_t shed = plan.shed[index()];
    const std::int64_t received = plan.received[index()];
    const auto kept = std::ssize(part) - crossing - shed;
    const Element* const given = part.begin() + (at_front ? kept + shed : 0);
    const Element* const dropped = part.begin() + (at_front ? kept : crossing);
    std::span<Element> room = at_front ? part.grow_before(received) : part.grow_behind(received);

    std::vector<Comm::Outbound> out;
    std::vector<Comm::Inbound> in;
    for (const Transfer& transfer : plan.transfers) {
      const auto count = static_cast<std::size_t>(transfer.count);
      if (transfer.from == index()) {
        const Element* const first = (transfer.crosses ? given : dropped) + transfer.offset;
        out.push_back({group_.first + transfer.to, std::as_bytes(std::span(first, count))});
      } else if (transfer.to == index()) {
        in.push_back({group_.first + transfer.from, std::as_writable_bytes(room.first(count))});
        room = room.subspan(count);
      }
    }
    const std::int64_t moved = std::max(crossing + shed, received);
    blocks_.timed(
        Block::exchange, level_, [&] { comm_.exchange(out, in); }, [&] { return sizes_of(moved); },
        bytes_of(moved));
    at_front ? part.drop_last(crossing + shed) : part.drop_first(crossing + shed);
  }

  int index() const { return comm_.rank() - group_.first; }

  const App& app_;
  const Messages& comm_;
  BlockRunner& blocks_;
  Group group_;
  Level level_;
  std::vector<std::int64_t> sizes_;  ///< of the parts of the group
};

}  // namespace cleave::detail
