// SPDX-License-Identifier: Apache-2.0
#include "calibration/machine_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <cleave/trace/duration.hpp>
#include <cleave/trace/median.hpp>

#include "calibration/median.hpp"

namespace cleave::calibration {

using namespace cleave::detail;

namespace {

std::string known(double seconds) { return seconds < 0 ? "" : format_seconds(seconds); }

/// The median relative error of what `seconds_of` says of each message size.
template <class SecondsOf>
double median_error(const Communication& c, SecondsOf seconds_of) {
  std::vector<double> errors;
  for (const MessageSamples& s : c.samples) {
    const double measured = median(s.seconds);
    errors.push_back(std::abs(seconds_of(static_cast<double>(s.message_bytes)) - measured) /
                     measured);
  }
  return median(std::move(errors));
}

/// How far pieces, one line and the paper's worst case are from the medians.
std::string errors_of(const Communication& c) {
  const auto line = [](double l, double g) {
    return [l, g](double bytes) { return 2 * (l + bytes * g); };
  };
  const auto percent = [&](auto seconds_of) { return 100 * median_error(c, seconds_of); };
  std::string text = fmt::format("  median error: {:.1f} % by pieces, {:.1f} % by one line\n",
                                 percent([&](double bytes) { return 2 * c.unit_seconds(bytes); }),
                                 percent(line(c.latency_s, c.gap_s_per_byte)));
  text += fmt::format("  the paper's worst case: {:.1f} %",
                      percent(line(c.worst_latency_s, c.worst_gap_s_per_byte)));
  if (c.worst_latency_s >= 0 && c.worst_gap_s_per_byte >= 0) {
    text += fmt::format(" (l {}, g {} a byte)", format_seconds(c.worst_latency_s),
                        format_seconds(c.worst_gap_s_per_byte));
  }
  text += '\n';
  const auto unstable = std::ranges::count_if(c.samples, [](const auto& s) { return !s.stable; });
  if (unstable > 0) {
    double widest = 0;
    for (const MessageSamples& s : c.samples) {
      widest = std::max(widest, median_interval(s.seconds).relative_half_width());
    }
    text += fmt::format("  medians are not known to 2 % at {} of {} sizes, the least to {:.0f} %\n",
                        unstable, c.samples.size(), 100 * widest);
  }
  return text + (c.oversubscribed ? "  oversubscribed, left out of fits\n" : "");
}

}  // namespace

std::string text_of(const Machine& machine) {
  const auto row = [](auto... cells) {
    return fmt::format("{:<10} {:>5} {:>5} {:<8} {:>12} {:>10} {:>12} {:>10}\n", cells...);
  };
  std::string text =
      row("pattern", "ranks", "level", "hosts", "from, bytes", "l", "g of a byte", "of a word");
  const auto add = [&](const char* pattern, const std::vector<Communication>& entries) {
    for (const Communication& c : entries) {
      for (const MessageSegment& s : c.segments) {
        text += row(pattern, c.ranks, c.level, c.between_hosts ? "between" : "inside",
                    fmt::format("{:.0f}", s.from_bytes), known(s.latency_s),
                    known(s.gap_s_per_byte), known(kBytesPerWord * s.gap_s_per_byte));
      }
      text += errors_of(c);
    }
  };
  add("alltoallv", machine.alltoallv);
  add("exchange", machine.exchange);
  return text;
}

}  // namespace cleave::calibration
