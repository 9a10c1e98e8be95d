// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include <cleave/trace/words.hpp>

#include "models/tables/table.hpp"

namespace cleave::models {

namespace {

std::string text_of(const NamedValues& values) {
  NamedSizes sizes(values.begin(), values.end());
  if (sizes.size() > 1 && sizes[kRanksSize] == 1) {
    sizes.erase(kRanksSize);
  }
  return format_sizes(sizes);
}

/// Where the slope along the only size that varies changes by more than it varies on either side.
void add_regime(std::vector<std::string>& sentences, const TableModel& table,
                const std::string& size) {
  constexpr std::size_t kFewest = 2;  // slopes on each side
  std::vector<double> slopes;
  for (std::size_t i = 1; i < table.points.size(); ++i) {
    const auto [before, point] = std::pair(table.points[i - 1], table.points[i]);
    slopes.push_back(std::log(point.seconds / before.seconds) /
                     std::log(point.sizes.at(size) / before.sizes.at(size)));
  }
  double largest = 4 * kFloor;
  for (std::size_t cut = kFewest; cut + kFewest <= slopes.size(); ++cut) {
    const auto before = std::ranges::minmax(std::span(slopes).first(cut));
    const auto beyond = std::ranges::minmax(std::span(slopes).subspan(cut));
    const double gap = std::max(beyond.min - before.max, before.min - beyond.max);
    if (gap > std::max({largest, before.max - before.min, beyond.max - beyond.min})) {
      largest = gap;
      sentences = {
          fmt::format("a regime begins at {0}={1:.0f}: times go as {0}^{2:.2f} from there,"
                      " as {0}^{3:.2f} before; the last regime answers",
                      size, table.points[cut].sizes.at(size), (beyond.min + beyond.max) / 2,
                      (before.min + before.max) / 2)};
    }
  }
}

/// Points, at most a quarter, outside what the others say, and outside what points usually do.
void add_odd(std::vector<std::string>& sentences, TableModel table) {
  for (std::size_t left = table.points.size() / 4; left > 0; --left) {
    std::vector<double> off;
    std::vector<Estimate> said;
    for (const TablePoint& point : table.points) {
      TableModel others = table;
      std::erase_if(others.points, [&](const TablePoint& p) { return p.sizes == point.sizes; });
      said.push_back(others.at(point.sizes));
      off.push_back(std::abs(std::log(point.seconds / said.back().median)));
    }
    const double usual = 3 * kDeviationsPerMedian * detail::median(off);
    std::ranges::transform(off, said, off.begin(), [&](double by, const Estimate& e) {
      return by / std::hypot(e.half_width(), usual);
    });
    const auto odd = std::ranges::max_element(off);
    if (*odd <= 1) {
      return;
    }
    const auto point = table.points.begin() + (odd - off.begin());
    sentences.push_back(fmt::format("{} does not follow: measured {}, fitted {}; measure it again",
                                    text_of(point->sizes), detail::format_seconds(point->seconds),
                                    detail::format_seconds(said[odd - off.begin()].median)));
    table.points.erase(point);
  }
}

}  // namespace

std::string advice_on(const TableModel& table, const NamedValues& asked) {
  const auto cost = [](const TablePoint& p) { return p.seconds * p.sizes.at(kRanksSize); };
  const double dearest = cost(std::ranges::max(table.points, {}, cost));
  std::vector<NamedValues> runs = {table.points.back().sizes};
  for (const auto& [name, value] : asked) {
    const double most = table.values_of(name).back();
    for (std::size_t i = value > most ? runs.size() : 0; i-- > 0;) {
      runs.push_back(runs[i]);
      runs.back()[name] = std::min(value, 2 * most);
    }
  }
  TableModel more{.points = table.points};  // carried on also where a law answers
  double least = more.at(asked).half_width();
  std::string advice;
  for (const NamedValues& run : std::span(runs).subspan(1)) {
    const TablePoint point{.sizes = run, .seconds = table.at(run).median};
    more.points.insert(more.points.begin(), point);
    const double width = more.at(asked).half_width();
    more.points.erase(more.points.begin());
    if (width < least && run != asked && cost(point) <= 2 * dearest) {
      least = width;
      advice = fmt::format("measure {} next, about {}: it narrows {} most", text_of(run),
                           detail::format_seconds(point.seconds), text_of(asked));
    }
  }
  return advice;
}

std::vector<std::string> findings_of(const TableModel& table) {
  std::vector<std::string> sentences;
  std::vector<std::string> varying;
  NamedValues beyond = table.points.back().sizes;
  for (auto& [name, value] : beyond) {
    if (const std::vector<double> values = table.values_of(name); values.size() > 1) {
      varying.push_back(name);
      value = 4 * values.back();
    }
  }
  if (varying.size() == 1) {
    add_regime(sentences, table, varying.front());
  }
  if (sentences.empty()) {
    add_odd(sentences, table);
  }
  sentences.push_back(advice_on(table, beyond));
  std::erase(sentences, "");
  return sentences;
}

}  // namespace cleave::models
