// Counts as people type them: digits, then K, M or G (1024-based, as the papers count elements).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "skeleton/trace/trace_file.hpp"

namespace cleave {

/// "32M" is 33554432. At least 0.
/// \throws UsageError  if `text` is not a count or is beyond 2^63 - 1
std::int64_t parse_count(std::string_view text);

/// The shortest text that `parse_count` reads as `count`: "32M", "1000". \pre count >= 0
std::string format_count(std::int64_t count);

/// "1 rank", "8 ranks".
std::string format_ranks(int ranks);

/// "N=1M,M=2M" by name. Every size is at least 1.
/// \throws UsageError  naming the part that is not NAME=COUNT, is 0 or comes twice
NamedSizes parse_sizes(std::string_view text);

/// "N=1M, M=2M".
std::string format_sizes(const NamedSizes& sizes);

}  // namespace cleave
