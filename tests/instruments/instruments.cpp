// SPDX-License-Identifier: Apache-2.0
// What a program has that is linked with this: --inject (inject.hpp) and --dilate (dilate.hpp).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/program/measure.hpp>

#include "tests/instruments/dilate.hpp"
#include "tests/instruments/inject.hpp"

namespace cleave::detail {

namespace {

constexpr int kMaxDilation = 1000;

class Linked : public Instruments {
 public:
  Linked() { instruments = this; }

  void add_options(CLI::App& cli) override {
    cli.add_option_function<std::vector<std::string>>(
           "--inject",
           [this](const std::vector<std::string>& texts) {
             for (const std::string& text : texts) {
               injections_.push_back(parse_injection(text));
             }
           })
        ->check(ParsedBy([](const std::string& text) { parse_injection(text); }))
        ->group("");
    cli.add_option("--dilate", dilation_)->transform(Count(1, kMaxDilation))->group("");
  }

  void attach(CallOptions& call, const RunOptions& options, int rank) override {
    call.hooks.before_block = arm(injections_, rank);
    if (dilation_) {
      dilate_blocks(call, *dilation_,
                    options.type == DC_Type::hypercube && options.inputs == Inputs::same);
    }
  }

  void finish(const Comm& comm) override {
    for (const Injection& injection : injections_) {
      if (comm.allreduce_sum(*injection.happened) == 0) {
        throw Error(fmt::format(
            "--inject {}: nothing happened, this run has no such block on that rank and level",
            injection.text));
      }
    }
  }

 private:
  std::vector<Injection> injections_;
  std::optional<int> dilation_;
} linked;

}  // namespace

}  // namespace cleave::detail
