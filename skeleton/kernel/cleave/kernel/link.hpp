// SPDX-License-Identifier: Apache-2.0
// What the ranks of a call say to each other. At the start all make the same call, or all throw the
// same error. At the end one rank's failure becomes every rank's.
//
// Values cross between two ranks so that neither ever hangs. A header (status and length) goes
// before every payload, so a rank that has failed says so instead of its payload. Before a long
// payload each side says whether it found room for what is to come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include <cleave/comm.hpp>
#include <cleave/dc_type.hpp>
#include <cleave/error.hpp>
#include <cleave/kernel/blocks.hpp>
#include <cleave/kernel/erased_value.hpp>
#include <cleave/options.hpp>
#include <cleave/schedule/schedule.hpp>

namespace cleave::detail {

/// Whether equal values have equal bytes: no padding, nothing elsewhere.
template <class T>
inline constexpr bool kHasValueInBytes =
    std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>;

/// A hash for the ranks of one run, on top of that of what comes before.
std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t before = 0);

/// A hash of what is cheap to read: of a plain problem, or of the length of a sequence of plain
/// elements and of the first 64 of them. It is 0 for any other problem, which is not compared.
template <class Problem>
std::uint64_t cheap_hash(const Problem& problem) {
  if constexpr (kHasValueInBytes<Problem>) {
    return hash_of(std::as_bytes(std::span(&problem, 1)));
  } else if constexpr (requires { std::span(problem); }) {
    const std::span all(problem);
    if constexpr (kHasValueInBytes<typename decltype(all)::value_type>) {
      constexpr std::size_t kMost = 64;
      return hash_of(std::as_bytes(all.first(std::min(all.size(), kMost))), all.size() + 1);
    }
  }
  return 0;
}

/// Collective. If a rank has failed, all throw the failure of the lowest level, of the lowest rank.
///
/// \param agenda  anything that a rank may ask of all in the same agreement
/// \return  the greatest of any rank. \throws FunctorError
std::int64_t agree_on_failure(const Messages& comm, BlockRunner& blocks, std::int64_t agenda = 0);

/// The text of the lowest rank that has one, on every rank. Collective.
std::string text_of_any(const Messages& comm, const std::string& mine);

/// Tells where the options say, or else throws.
void tell_or_throw(const EndedEarly& ended, const StealingOptions& options);

struct Header {
  std::int64_t has_payload = 0;  ///< or not
  std::int64_t bytes = 0;        ///< of the payload
};
static_assert(sizeof(Header) == kHeaderBytes);

template <class T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

/// The bytes of a list on its way out, which it refers to.
class OutgoingList {
 public:
  OutgoingList(const Values& list, const ListWire& list_wire);
  std::span<const std::byte> bytes() const { return one_ ? one_->bytes() : packer_.bytes(); }

 private:
  std::unique_ptr<AnyOutgoing> one_;
  Packer packer_;
};

/// Moves values between this rank and others, as blocks of the trace: `wait` until the other side
/// is there, `skeleton` for packing and room, `exchange` for the payload.
class Link {
 public:
  enum class Direction { out, in, both };

  Link(const Messages& comm, BlockRunner& blocks) : comm_(comm), blocks_(blocks) {}

  /// Gives `mine` to `other`, gets theirs, or both. Either side may have none.
  /// \param sizes  of `mine`, for the trace
  std::optional<Values> transfer(int other, Direction direction, const std::optional<Values>& mine,
                                 const ListWire& list_wire, Level level, const Sizes& sizes);

 private:
  const Messages& comm_;
  BlockRunner& blocks_;
};

}  // namespace cleave::detail
