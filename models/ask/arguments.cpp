// SPDX-License-Identifier: Apache-2.0
#include "models/ask/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/span.hpp>
#include <cleave/trace/trace_file.hpp>

#include "models/tables/table.hpp"

namespace cleave::models {

namespace {

using detail::kMaxRanks;

/// Goes on from the last two of `ranks` to `last`.
void continue_series(std::vector<int>& ranks, int last) {
  constexpr std::size_t kMaxNumbers = 10000;
  const std::int64_t before = ranks[ranks.size() - 2];
  const std::int64_t first = ranks.back();
  const bool is_ratio = first > before && first % before == 0;
  std::int64_t next = first;
  while (next < last && first > before && ranks.size() < kMaxNumbers) {
    next = is_ratio ? next * (first / before) : next + (first - before);
    ranks.push_back(static_cast<int>(std::min<std::int64_t>(next, kMaxRanks)));
  }
  if (next != last) {
    throw UsageError(fmt::format("{},{},... does not come to {} in {} steps or fewer", before,
                                 first, last, kMaxNumbers));
  }
}

std::vector<int> ranks_in(std::string_view rest) {
  std::vector<int> ranks;
  bool goes_on = false;
  while (true) {
    const auto comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    if (part == "..." && ranks.size() >= 2 && comma != std::string_view::npos && !goes_on) {
      goes_on = true;
    } else {
      const std::int64_t count = parse_count(part);
      if (count < 1 || count > kMaxRanks) {
        throw UsageError(fmt::format("'{}' is not a number of ranks: 1 to {}", part, kMaxRanks));
      }
      if (goes_on) {
        continue_series(ranks, static_cast<int>(count));
        goes_on = false;
      } else {
        ranks.push_back(static_cast<int>(count));
      }
    }
    if (comma == std::string_view::npos) {
      return ranks;
    }
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace

std::vector<int> parse_ranks(const std::string& option, const std::string& text) {
  try {
    return ranks_in(text);
  } catch (const UsageError& e) {
    throw UsageError(fmt::format("{}: {}", option, e.what()));
  }
}

std::map<detail::Block, Form> parse_given_forms(const std::vector<std::string>& texts) {
  std::map<detail::Block, Form> forms;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    const std::optional<detail::Block> block = detail::block_named(text.substr(0, equals));
    if (equals == std::string::npos || !block) {
      throw UsageError(
          fmt::format("'{}' is not BLOCK=TERMS, for example sequential=1,N*log2(N); "
                      "blocks are {}",
                      text, fmt::join(detail::kBlockNames, ", ")));
    }
    forms[*block] = parse_form(std::string_view(text).substr(equals + 1));
  }
  return forms;
}

std::vector<detail::Trace> read_traces(const std::vector<std::string>& files) {
  std::vector<detail::Trace> traces;
  for (const std::string& file : files) {
    traces.push_back(detail::read_trace(file));
  }
  return traces;
}

std::optional<detail::Machine> read_machine_if_given(const std::string& file) {
  return file.empty() ? std::nullopt : std::optional(detail::read_machine(file));
}

void TableArguments::add_to(CLI::App& command) {
  command.add_option("--only", choice.only,
                     "Of a table with several benchmarks or call paths this one");
  command.add_option("--ranks-size", choice.ranks_size,
                     "The size of a table that is the number of ranks; without it ranks or p");
}

bool are_tables(const std::vector<std::string>& files) {
  return is_table(read_file(files.front()));
}

Measurements read_measurements(const std::vector<std::string>& files, const TableChoice& choice) {
  if (are_tables(files)) {
    return measurements_of_tables(files, choice);
  }
  if (!choice.only.empty() || !choice.ranks_size.empty()) {
    throw UsageError("--only and --ranks-size are for tables, not for traces");
  }
  return collect_measurements(read_traces(files));
}

void FitArguments::add_to(CLI::App& command) {
  command.add_option("--forms", forms, "How the terms of a block are decided")
      ->check(CLI::IsMember({"auto", "paper"}))
      ->capture_default_str();
  command.add_option("--form", given_forms, "Terms of one block, e.g. sequential=1,N*log2(N)")
      ->take_all()
      ->allow_extra_args(false);
  command.add_flag("--allow-oversubscribed", allow_oversubscribed,
                   "Also fit runs with more ranks than cores");
}

FitOptions FitArguments::options() const {
  return {.forms = forms == "paper" ? Forms::paper : Forms::automatic,
          .given_forms = parse_given_forms(given_forms),
          .hold_out = hold_out == "every-second" ? HoldOut::every_second
                      : hold_out == "beyond"     ? HoldOut::beyond_third
                                                 : HoldOut::none};
}

Measurements FitArguments::measurements(Measurements all) const {
  return allow_oversubscribed ? all : without_oversubscribed(std::move(all));
}

}  // namespace cleave::models
