// SPDX-License-Identifier: Apache-2.0
#include "tests/instruments/inject.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <csignal>
#include <limits>
#include <map>
#include <new>
#include <string>
#include <thread>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>

namespace cleave::detail {

namespace {

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

/// A block that is a functor: no other is announced before it runs.
Block parse_functor(const std::string& name) {
  constexpr std::array kFunctors = {Block::divide,   Block::combine, Block::sequential,
                                    Block::conquer,  Block::sample,  Block::pivot,
                                    Block::partition};
  for (const Block block : kFunctors) {
    if (name == name_of(block)) {
      return block;
    }
  }
  throw UsageError(fmt::format(
      "'{}' is not divide, combine, sequential, conquer, sample, pivot or partition", name));
}

Injection::Fault parse_thrown(std::string_view what) {
  if (what.empty() || what == "error") {
    return Injection::Fault::throw_error;
  }
  if (what == "memory") {
    return Injection::Fault::throw_memory;
  }
  if (what == "number") {
    return Injection::Fault::throw_number;
  }
  throw UsageError(fmt::format("'{}' is not error, memory or number", what));
}

void happen(const Injection& injection) {
  const int time = ++*injection.reached;
  if (injection.nth != 0 && time != injection.nth) {
    return;
  }
  ++*injection.happened;
  switch (injection.fault) {
    case Injection::Fault::throw_error:
      throw Error("thrown by --inject");
    case Injection::Fault::throw_memory:
      throw std::bad_alloc();
    case Injection::Fault::throw_number:
      throw 42;
    case Injection::Fault::delay:
      std::this_thread::sleep_for(std::chrono::milliseconds(injection.delay_ms));
      return;
    case Injection::Fault::kill:
      std::raise(SIGKILL);
      return;
  }
}

}  // namespace

Injection parse_injection(std::string_view text) {
  const auto colon = std::min(text.find(':'), text.size());
  const auto fault = text.substr(0, colon);
  auto fields = fields_of(text.substr(std::min(colon + 1, text.size())));
  const auto take_int = [&fields](const char* name) {
    const auto field = fields.extract(name);
    if (!field) {
      throw UsageError(fmt::format("{} is missing", name));
    }
    return static_cast<int>(
        std::min<std::int64_t>(parse_count(field.mapped()), std::numeric_limits<int>::max()));
  };

  Injection injection{.text = std::string(text)};
  if (fault == "throw") {
    injection.fault = parse_thrown(fields["what"]);
    fields.erase("what");
  } else if (fault == "delay") {
    injection.fault = Injection::Fault::delay;
    injection.delay_ms = take_int("ms");
  } else if (fault == "kill") {
    injection.fault = Injection::Fault::kill;
  } else {
    throw UsageError(fmt::format("'{}' is not throw:, delay: or kill:", text));
  }
  injection.rank = take_int("rank");
  if (fields.contains("nth")) {
    injection.nth = take_int("nth");
  }
  injection.level = take_int("level");
  injection.block = parse_functor(fields["block"]);
  fields.erase("block");
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
