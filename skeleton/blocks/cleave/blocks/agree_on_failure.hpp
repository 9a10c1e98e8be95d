// SPDX-License-Identifier: Apache-2.0
// The agreement at the end of a DC_Call: one rank's failure becomes every rank's.
#pragma once

#include <cstdint>
#include <string>

#include <cleave/blocks/blocks.hpp>
#include <cleave/comm/messages.hpp>
#include <cleave/error.hpp>

namespace cleave::detail {

/// Collective. If any rank has failed, every rank throws the failure of the lowest level, and there
/// of the lowest rank.
///
/// \param agenda  anything that a rank may ask of all in the same agreement
/// \return  the greatest of any rank
/// \throws FunctorError
std::int64_t agree_on_failure(const Messages& comm, BlockRunner& blocks, std::int64_t agenda = 0);

/// The text of the lowest rank that has one, on every rank. Collective.
std::string text_of_any(const Messages& comm, const std::string& mine);

/// Where the options say, or else by a throw.
void tell_or_throw(const EndedEarly& ended, const StealingOptions& options);

}  // namespace cleave::detail
