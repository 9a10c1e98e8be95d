// SPDX-License-Identifier: Apache-2.0
#include "tests/instruments/instruments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <limits>
#include <map>
#include <new>
#include <thread>
#include <utility>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/sizes.hpp>

namespace cleave::detail {

namespace {

using What = Injection::Fault;

std::map<std::string, std::string, std::less<>> fields_of(std::string_view text) {
  std::map<std::string, std::string, std::less<>> fields;
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto equals = std::min(part.find('='), part.size());
    fields.emplace(part.substr(0, equals), part.substr(std::min(equals + 1, part.size())));
  }
  return fields;
}

/// The entry of a table that has this name. \throws UsageError
template <class Table, class NameOf>
const auto& named(const Table& table, std::string_view name, NameOf name_of_entry) {
  const auto found = std::ranges::find(table, name, name_of_entry);
  if (found == table.end()) {
    throw UsageError(fmt::format("'{}' is not known here", name));
  }
  return *found;
}

using NamedFault = std::pair<std::string_view, What>;
constexpr std::array<NamedFault, 6> kFaults = {{{"throw:", What::throw_error},
                                                {"throw:error", What::throw_error},
                                                {"throw:memory", What::throw_memory},
                                                {"throw:number", What::throw_number},
                                                {"delay:", What::delay},
                                                {"kill:", What::kill}}};

/// The blocks that are functors: no other is announced before it runs.
constexpr std::array kFunctors = {Block::divide, Block::combine, Block::sequential, Block::conquer,
                                  Block::sample, Block::pivot,   Block::partition};

void happen(const Injection& injection) {
  const int time = ++*injection.reached;
  if (injection.nth != 0 && time != injection.nth) {
    return;
  }
  ++*injection.happened;
  switch (injection.fault) {
    case What::throw_error:
      throw Error("thrown by --inject");
    case What::throw_memory:
      throw std::bad_alloc();
    case What::throw_number:
      throw 42;
    case What::delay:
      std::this_thread::sleep_for(std::chrono::milliseconds(injection.delay_ms));
      return;
    case What::kill:
      std::raise(SIGKILL);
      return;
  }
}

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
  }

  void attach(CallOptions& call, int rank) override {
    call.hooks.before_block = arm(injections_, rank);
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
} linked;

}  // namespace

Injection parse_injection(std::string_view text) {
  const auto after_kind = std::min(text.find(':'), text.size() - 1) + 1;
  auto fields = fields_of(text.substr(after_kind));
  const auto take = [&fields](const char* name) {
    const auto field = fields.extract(name);
    return field ? field.mapped() : std::string();
  };
  const auto take_int = [&take](const char* name, const char* otherwise = "") {
    const std::string given = take(name);
    return static_cast<int>(std::min<std::int64_t>(parse_count(given.empty() ? otherwise : given),
                                                   std::numeric_limits<int>::max()));
  };
  Injection injection{.text = std::string(text)};
  injection.fault =
      named(kFaults, std::string(text.substr(0, after_kind)) + take("what"), &NamedFault::first)
          .second;
  injection.delay_ms = injection.fault == What::delay ? take_int("ms") : 0;
  injection.rank = take_int("rank");
  injection.nth = take_int("nth", "0");
  injection.level = take_int("level");
  injection.block = named(kFunctors, take("block"), [](Block block) { return name_of(block); });
  if (!fields.empty()) {
    throw UsageError(fmt::format("'{}' is not known here", fields.begin()->first));
  }
  return injection;
}

std::function<void(Block, int)> arm(const std::vector<Injection>& injections, int rank) {
  std::vector<Injection> mine;
  for (const Injection& injection : injections) {
    if (injection.rank == rank) {
      mine.push_back(injection);
    }
  }
  if (mine.empty()) {
    return nullptr;
  }
  return [mine](Block block, int level) {
    for (const Injection& injection : mine) {
      if (injection.block == block && injection.level == level) {
        happen(injection);
      }
    }
  };
}

}  // namespace cleave::detail
