// SPDX-License-Identifier: Apache-2.0
// A program that is linked with this has --inject, faults on purpose. Each is for one rank, before
// a functor of one level. throw ends the functor by an Error, with what=memory by a std::bad_alloc,
// with what=number by an int. delay is a sleep of ms=M. kill ends the process. nth=N: only then.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <csignal>
#include <list>
#include <new>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/options.hpp>
#include <cleave/program/measure.hpp>

namespace cleave::detail {
namespace {

struct Injection {
  explicit Injection(const std::string& given) : text(given) {
    static const std::regex form(
        "(throw|delay|kill):rank=(\\d{1,9}),level=(\\d{1,9}),"
        "block=(divide|combine|sequential|conquer|sample|pivot|partition)"
        "(?:,what=(error|memory|number))?(?:,ms=(\\d{1,9}))?(?:,nth=(\\d{1,9}))?");
    std::smatch words;
    if (!std::regex_match(text, words, form)) {
      throw UsageError(
          fmt::format("--inject: '{}' is not KIND:rank=R,level=L,block=B and then "
                      "what=W, ms=M, nth=N",
                      text));
    }
    const auto number = [&](std::size_t i) { return words[i].matched ? std::stoi(words[i]) : 0; };
    kind = words[1];
    what = words[5];
    rank = number(2);
    level = number(3);
    block =
        static_cast<Block>(std::ranges::find(kBlockNames, words[4].str()) - kBlockNames.begin());
    delay_ms = number(6);
    nth = number(7);
  }

  void happen() {
    if (++reached != nth && nth != 0) {
      return;
    }
    ++happened;
    if (kind == "delay") {
      std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
    } else if (kind == "kill") {
      std::raise(SIGKILL);
    } else if (what == "memory") {
      throw std::bad_alloc();
    } else if (what == "number") {
      throw 42;
    } else {
      throw Error("thrown by --inject");
    }
  }

  std::string text, kind, what;
  int rank, level, delay_ms, nth;
  Block block;
  std::atomic<int> reached = 0, happened = 0;  ///< in this process
};

std::list<Injection> injections;

void add_options(CLI::App& cli) {
  cli.add_option_function<std::vector<std::string>>("--inject",
                                                    [](const std::vector<std::string>& texts) {
                                                      for (const std::string& text : texts) {
                                                        injections.emplace_back(text);
                                                      }
                                                    })
      ->group("");
}

void attach(CallOptions& call, int rank) {
  if (!injections.empty()) {
    call.before_block = [rank](Block block, int level) {
      for (Injection& injection : injections) {
        if (injection.rank == rank && injection.block == block && injection.level == level) {
          injection.happen();
        }
      }
    };
  }
}

void finish(const Comm& comm) {
  for (const Injection& injection : injections) {
    if (comm.allreduce_sum(injection.happened) == 0) {
      throw Error(fmt::format(
          "--inject {}: nothing happened, this run has no such block on that rank and level",
          injection.text));
    }
  }
}

const bool is_linked = [] {
  instruments = {.add_options = add_options, .attach = attach, .finish = finish};
  return true;
}();

}  // namespace
}  // namespace cleave::detail
