// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include <cleave/trace/words.hpp>

#include "models/tables/table.hpp"
#include "models/theory/fit.hpp"

namespace cleave::models {

namespace {

std::string text_of(const NamedValues& values) {
  NamedSizes sizes(values.begin(), values.end());
  if (sizes.size() > 1 && sizes[kRanksSize] == 1) {
    sizes.erase(kRanksSize);
  }
  return format_sizes(sizes);
}

/// Where the slope along the only size that varies changes by more than it varies on either side;
/// empty if nowhere.
std::string regime_of(const TableModel& table) {
  constexpr std::size_t kFewest = 2;  // slopes on each side
  const std::vector<std::string> varying = varying_sizes(table.points);
  std::vector<double> slopes;
  for (std::size_t i = 1; varying.size() == 1 && i < table.points.size(); ++i) {
    const auto [before, point] = std::pair(table.points[i - 1], table.points[i]);
    slopes.push_back(std::log(point.value / before.value) /
                     std::log(point.sizes.at(varying[0]) / before.sizes.at(varying[0])));
  }
  std::string sentence;
  double largest = 4 * kFloor;
  for (std::size_t cut = kFewest; cut + kFewest <= slopes.size(); ++cut) {
    const auto before = std::ranges::minmax(std::span(slopes).first(cut));
    const auto beyond = std::ranges::minmax(std::span(slopes).subspan(cut));
    const double gap = std::max(beyond.min - before.max, before.min - beyond.max);
    if (gap > std::max({largest, before.max - before.min, beyond.max - beyond.min})) {
      largest = gap;
      sentence = fmt::format(
          "a regime begins at {0}={1:.0f}: times go as {0}^{2:.2f} from there, as {0}^{3:.2f} "
          "before; the last regime answers",
          varying[0], table.points[cut].sizes.at(varying[0]), (beyond.min + beyond.max) / 2,
          (before.min + before.max) / 2);
    }
  }
  return sentence;
}

/// A point without which the others say this of it, and how far off that is, on the scale of
/// logarithms: 0 outside them, where it may be the first of a regime.
struct LeftOut {
  Estimate said;
  double off = 0;
};

std::vector<LeftOut> each_left_out(const TableModel& table) {
  std::vector<LeftOut> all;
  for (const Observation& point : table.points) {
    TableModel others = table;
    others.points.erase(others.points.begin() + std::ssize(all));
    const bool is_within = std::ranges::all_of(point.sizes, [&](const auto& size) {
      const std::vector<double> values = others.values_of(size.first);
      return values.front() <= size.second && size.second <= values.back();
    });
    const Estimate said = others.at(point.sizes);
    all.push_back({said, is_within ? std::abs(std::log(point.value / said.median)) : 0});
  }
  return all;
}

}  // namespace

std::string advice_on(const TableModel& table, const NamedValues& asked) {
  const auto cost = [](const Observation& p) { return p.value * p.sizes.at(kRanksSize); };
  const double dearest = cost(std::ranges::max(table.points, {}, cost));
  std::vector<NamedValues> runs = {table.points.back().sizes};
  for (const auto& [name, value] : asked) {
    const double most = table.values_of(name).back();
    for (std::size_t i = value > most ? runs.size() : 0; i-- > 0;) {
      runs.push_back(runs[i]);
      runs.back()[name] = std::min(value, 2 * most);
    }
  }
  TableModel more{.points = table.points};
  double least = more.at(asked).half_width();
  std::string advice;
  for (const NamedValues& run : std::span(runs).subspan(1)) {
    const Observation point{.sizes = run, .value = table.at(run).median};
    more.points.insert(more.points.begin(), point);
    const double width = more.at(asked).half_width();
    more.points.erase(more.points.begin());
    if (width < least && run != asked && cost(point) <= 2 * dearest) {
      least = width;
      advice = fmt::format("measure {} next, about {}: it narrows {} most", text_of(run),
                           detail::format_seconds(point.value), text_of(asked));
    }
  }
  return advice;
}

void leave_out_odd(Measurements& measurements) {
  std::vector<RunPoint>& points = measurements.points;
  TableModel table = table_of(points);
  if (points.size() < 4 || !regime_of(table).empty()) {
    return;
  }
  std::vector<LeftOut> all = each_left_out(table);
  for (std::size_t left = points.size() / 4; left > 0; --left) {
    const auto odd = std::ranges::max_element(
        all, {}, [](const LeftOut& of) { return of.off / of.said.half_width(); });
    const auto index = odd - all.begin();
    const Observation point = table.points[static_cast<std::size_t>(index)];
    table.points.erase(table.points.begin() + index);
    std::vector<LeftOut> others = each_left_out(table);
    std::vector<double> usual;
    std::ranges::transform(others, std::back_inserter(usual), &LeftOut::off);
    if (odd->off <=
        std::hypot(odd->said.half_width(), 3 * kDeviationsPerMedian * detail::median(usual))) {
      return;
    }
    measurements.notes.push_back(
        fmt::format("{} does not follow: measured {}, fitted {}; left out: measure it again",
                    text_of(point.sizes), detail::format_seconds(point.value),
                    detail::format_seconds(odd->said.median)));
    points.erase(points.begin() + index);
    all = std::move(others);
  }
}

std::vector<std::string> findings_of(const TableModel& table) {
  NamedValues beyond = table.points.back().sizes;
  for (const std::string& name : varying_sizes(table.points)) {
    beyond[name] = 4 * table.values_of(name).back();
  }
  std::vector<std::string> sentences = {regime_of(table), advice_on(table, beyond)};
  std::erase(sentences, "");
  return sentences;
}

}  // namespace cleave::models
