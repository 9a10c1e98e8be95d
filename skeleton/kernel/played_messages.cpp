// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <cleave/clock.hpp>
#include <cleave/comm/virtual_ranks.hpp>
#include <cleave/error.hpp>
#include <cleave/kernel/link.hpp>
#include <cleave/kernel/played_messages.hpp>

namespace cleave::detail {

namespace {

std::int64_t played_ns = 0;  ///< in which the clock of rehearsals stood

/// The clock stands while this lives.
class Pause {
 public:
  Pause() = default;
  ~Pause() { played_ns += mpi_time_ns() - begin_ns_; }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  const std::int64_t begin_ns_ = mpi_time_ns();
};

void copy(std::span<const std::byte> from, std::span<std::byte> to) {
  if (from.size() != to.size()) {
    throw Error(
        "the rehearsed rank asks for another message than in its preparation: the application "
        "is not deterministic, or keeps state from call to call");
  }
  std::ranges::copy(from, to.begin());
}

}  // namespace

std::vector<Bytes> heard_by(int rank, int ranks, const std::function<void(const Messages&)>& work) {
  VirtualRanks all(ranks, {}, nullptr, rank);
  all.run(work);
  return all.take_heard();
}

std::int64_t rehearsed_ns() { return mpi_time_ns() - played_ns; }

void PlayedMessages::wait_for_others(int meetings) const {
  for (; meetings_ < meetings; ++meetings_) {
    world_.barrier();
  }
}

void PlayedMessages::finish() const {
  const Pause pause;
  wait_for_others(2 * levels_.count);
}

void PlayedMessages::begin(const Step& step, int level) const {
  if (step.kind == Step::Kind::work || step.kind == Step::Kind::agree) {
    return;
  }
  const Pause pause;
  const auto& payloads = step.what == Step::What::solution ? answers_.solutions : answers_.problems;
  payload_ = static_cast<std::size_t>(level) < payloads.size()
                 ? &payloads[static_cast<std::size_t>(level)]
                 : nullptr;
  had_header_ = false;
  const int level_of_all = levels_.first + level;
  wait_for_others(step.what == Step::What::solution ? 2 * levels_.count - level_of_all
                                                    : level_of_all + 1);
}

/// A header, a byte about room where either side asks, a payload.
void PlayedMessages::exchange(int /*partner*/, std::span<const std::byte> out,
                              std::span<std::byte> in) const {
  const Pause pause;
  if (!had_header_) {
    had_header_ = true;
    Header mine;
    Header theirs;
    if (!out.empty()) {
      copy(out.first(kHeaderBytes), bytes_of(mine));
    }
    if (!in.empty()) {
      if (payload_ != nullptr && *payload_) {
        theirs = {.payload = Header::follows, .bytes = std::ssize(**payload_)};
      }
      copy(bytes_of(theirs), in.first(kHeaderBytes));
    }
    asks_ = std::max(mine.bytes, theirs.bytes) > static_cast<std::int64_t>(kMaxBytesUnasked);
  } else if (asks_) {
    asks_ = false;
    std::ranges::fill(in, std::byte{1});
  } else if (!in.empty()) {
    copy(**payload_, in);
  }
}

void PlayedMessages::exchange(std::span<const Comm::Outbound> /*out*/,
                              std::span<const Comm::Inbound> in) const {
  for (const Comm::Inbound& message : in) {
    receive(message.from, message.bytes);
  }
}

void PlayedMessages::receive(int /*from*/, std::span<std::byte> message) const {
  const Pause pause;
  static const Bytes kNone;
  const bool is_left = answers_.messages && played_ < answers_.messages->size();
  copy(is_left ? (*answers_.messages)[played_++] : kNone, message);
}

}  // namespace cleave::detail
