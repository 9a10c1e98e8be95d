// SPDX-License-Identifier: Apache-2.0
// The seam at which tests and referees disturb the runs of a program: one that is linked with
// tests/instruments has the options that say how. No other program has any.
#pragma once

#include <cleave/blocks/call_options.hpp>
#include <cleave/comm.hpp>
#include <cleave/run_options.hpp>

namespace CLI {
class App;
}  // namespace CLI

namespace cleave::detail {

class Instruments {
 public:
  Instruments() = default;
  Instruments(const Instruments&) = delete;
  Instruments& operator=(const Instruments&) = delete;
  virtual ~Instruments() = default;

  virtual void add_options(CLI::App& cli) = 0;
  /// Adds hooks to the call of `rank`.
  virtual void attach(CallOptions& call, const RunOptions& options, int rank) = 0;
  /// After all runs. Collective. \throws Error  if what was asked for did not happen
  virtual void finish(const Comm& comm) = 0;
};

/// Those that are linked; set before main begins.
inline Instruments* instruments = nullptr;

}  // namespace cleave::detail
