// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cleave::detail {

/// "950", "1.2 k", "3.45 M", "12 G": three digits, by powers of 1000.
std::string rounded_count(double count);

}  // namespace cleave::detail
