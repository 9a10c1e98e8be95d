// SPDX-License-Identifier: Apache-2.0
// What the ranks of a DC_Call agree on. At the start all make the same call, or all throw the same
// error; that has messages of its own, or comes with the first that two ranks swap. At the end one
// rank's failure becomes every rank's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/dc_type.hpp>
#include <cleave/error.hpp>
#include <cleave/kernel/blocks.hpp>
#include <cleave/kernel/call_options.hpp>

namespace cleave::detail {

/// Whether equal values have equal bytes: no padding, nothing elsewhere.
template <class T>
inline constexpr bool kHasValueInBytes =
    std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>;

/// A hash for the ranks of one run.
std::uint64_t hash_of(std::span<const std::byte> bytes);

/// A hash of what is cheap to read: of a plain problem, or of the length of a sequence of plain
/// elements and of 64 of them. It is 0 for any other problem, which is not compared.
template <class Problem>
std::uint64_t cheap_hash(const Problem& problem) {
  if constexpr (kHasValueInBytes<Problem>) {
    return hash_of(std::as_bytes(std::span(&problem, 1)));
  } else if constexpr (std::ranges::contiguous_range<const Problem> &&
                       std::ranges::sized_range<const Problem>) {
    using Element = std::ranges::range_value_t<const Problem>;
    if constexpr (kHasValueInBytes<Element>) {
      constexpr std::size_t kPlaces = 64;
      const std::span<const Element> all(std::ranges::data(problem), std::ranges::size(problem));
      if (all.size() <= kPlaces) {
        return hash_of(std::as_bytes(all));
      }
      std::vector<std::byte> some;
      some.reserve(kPlaces * sizeof(Element));
      for (std::size_t i = 0; i < kPlaces; ++i) {
        const auto bytes = std::as_bytes(all.subspan((all.size() - 1) / (kPlaces - 1) * i, 1));
        some.insert(some.end(), bytes.begin(), bytes.end());
      }
      return hash_of(some) + all.size();
    }
  }
  return 0;
}

/// What a rank calls, to be compared with what the others call.
class CallIdentity {
 public:
  /// \param application, problem  hashes; 0 of a problem that is not compared
  CallIdentity(DC_Type type, const CallOptions& options, std::uint64_t application,
               std::uint64_t problem);

  std::int64_t hash() const;
  /// Collective. Cost: one all-reduce.
  /// \throws Error  on every rank if type, placement, threads, application or, where all have it,
  ///                the problem differs; for work stealing also whether there are snapshots, or
  ///                where a search tells that it was ended early
  void agree(const Comm& comm) const;
  /// Collective, once it is known that ranks make different calls. \throws Error  what differs
  [[noreturn]] void refuse(const Comm& comm) const;

 private:
  /// How the call is made.
  std::uint64_t kind() const;
  std::string kind_text() const;

  DC_Type type_;
  Placement placement_;
  int threads_;
  bool keeps_snapshots_;
  bool tells_early_end_;
  bool is_timed_;  ///< by a number
  std::uint64_t application_;
  std::uint64_t problem_;
};

/// The other of two ranks makes another call.
struct OtherCall {};

/// The messages of two ranks whose first is of both at once, and says which call it is of: what
/// `CallIdentity::agree` says in a message of its own, to which the other rank may have come.
class CallMessages final : public Comm {
 public:
  /// \param call  what the first message tells; none without it
  CallMessages(const Comm& comm, const CallIdentity* call) : Comm(comm), call_(call) {}

  /// \throws OtherCall  on both ranks
  void exchange(int partner, std::span<const std::byte> out,
                std::span<std::byte> in) const override;
  using Comm::exchange;

 private:
  mutable const CallIdentity* call_;
};

/// Collective. If any rank has failed, every rank throws the failure of the lowest level, and there
/// of the lowest rank.
///
/// \param agenda  anything that a rank may ask of all in the same agreement
/// \return  the greatest of any rank
/// \throws FunctorError
std::int64_t agree_on_failure(const Messages& comm, BlockRunner& blocks, std::int64_t agenda = 0);

/// The text of the lowest rank that has one, on every rank. Collective.
std::string text_of_any(const Messages& comm, const std::string& mine);

/// Tells where the options say, or else throws.
void tell_or_throw(const EndedEarly& ended, const StealingOptions& options);

}  // namespace cleave::detail
