// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include <cleave/error.hpp>

namespace cleave::testing {

/// The message of the Error that `action` throws.
inline std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace cleave::testing
