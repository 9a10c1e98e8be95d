// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ranges>
#include <span>
#include <system_error>

#include <cleave/command_line/output.hpp>
#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

namespace {

/// A figure without the marks of JSON. The name of a number tells its unit.
std::string words_of(std::string_view name, const Figures& figure,
                     std::string_view between = ", ") {
  const auto words = [&]<class T>(const T& value) -> std::string {
    if constexpr (std::is_null_pointer_v<T>) {
      return "none";
    } else if constexpr (std::is_same_v<T, bool>) {
      return value ? "yes" : "no";
    } else if constexpr (std::is_same_v<T, std::string>) {
      return visible(value);
    } else if constexpr (std::is_same_v<T, double>) {
      return name.ends_with("seconds") ? format_seconds(value)
             : std::abs(value) >= 1e4  ? rounded_count(value)
                                       : fmt::format("{:.4g}", value);
    } else if constexpr (std::is_integral_v<T>) {
      return std::to_string(value);
    } else {
      std::vector<std::string> all;
      if constexpr (std::is_same_v<T, Figures::Named>) {
        for (const auto& [key, item] : value.figures) {
          all.push_back(key + ' ' + words_of(name, item, " "));
        }
      } else {
        for (const Figures& item : value) {
          all.push_back(words_of(name, item, " "));
        }
      }
      return fmt::format("{}", fmt::join(all, between));
    }
  };
  return std::visit(words, figure.written());
}

}  // namespace

std::string rounded_count(double count) {
  constexpr std::array<const char*, 5> kUnits = {"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  for (; count >= 999.5 && unit + 1 < kUnits.size(); ++unit) {
    count /= 1000;
  }
  return fmt::format("{:.3g}{}", count, kUnits[unit]);
}

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return visible(text);
}

std::string figures_text(const Figures::Named& figures) {
  constexpr std::string_view kRate = "_per_second";
  constexpr std::size_t kLabel = 22;
  std::string text;
  for (const auto& [name, value] : figures.figures) {
    const auto* const rate =
        name.ends_with(kRate) ? std::get_if<double>(&value.written()) : nullptr;
    const std::string words = rate != nullptr
                                  ? fmt::format("{} {}/s", rounded_count(*rate),
                                                name.substr(0, name.size() - kRate.size()))
                                  : words_of(name, value);
    text +=
        wrapped(fmt::format("{:<{}}{}", rate != nullptr ? "rate" : name, kLabel, words), kLabel);
  }
  return text;
}

void check_has_standard_output(const std::string& option, const std::filesystem::path& file,
                               bool json) {
  if (json && is_standard_output(file)) {
    throw UsageError(fmt::format(
        "{0} - and --json both write to standard output: give {0} a file, or leave one out",
        option));
  }
}

void check_is_not_read(const std::string& option, const std::filesystem::path& file,
                       const std::vector<std::string>& inputs) {
  std::error_code none;
  for (const std::string& input : inputs) {
    if (std::filesystem::equivalent(input, file, none)) {
      throw UsageError(
          fmt::format("{}: {} is read, choose another file to write", option, file.string()));
    }
  }
}

void refuse_first(const std::vector<std::pair<bool, std::string>>& refusals,
                  const std::string& start) {
  for (const auto& [is_refused, why] : refusals) {
    if (is_refused) {
      throw UsageError(start + why);
    }
  }
}

void write_out(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  flush_out();
}

void flush_out() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw Error("cannot write to standard output");
  }
}

std::string command_line_of(int argc, char** argv) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  return fmt::format("{}", fmt::join(words | std::views::transform(quote), " "));
}

int run_alone(const std::string& program, const std::function<void()>& body) {
  const auto fail = [&program](const std::exception& error, int status) {
    fmt::print(stderr, "{}: {}\n", program, one_line(error.what()));
    return status;
  };
  try {
    body();
    flush_out();
    return 0;
  } catch (const UsageError& error) {
    return fail(error, 2);
  } catch (const std::exception& error) {
    return fail(error, 1);
  }
}

}  // namespace cleave::detail
