// SPDX-License-Identifier: Apache-2.0
// Options for tests and referees, which --help does not show.
#pragma once

#include <optional>
#include <vector>

#include <cleave/program/inject.hpp>

namespace cleave::detail {

struct TestOptions {
  std::vector<Injection> injections;
  std::optional<int> dilation;  ///< see dilate.hpp
};

}  // namespace cleave::detail
