// SPDX-License-Identifier: Apache-2.0
#include "models/theory/hold_out.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

namespace cleave::models {

namespace {

std::map<std::string, std::set<std::int64_t>> values_of(const std::set<NamedSizes>& all) {
  std::map<std::string, std::set<std::int64_t>> values;
  for (const NamedSizes& sizes : all) {
    for (const auto& [name, value] : sizes) {
      values[name].insert(value);
    }
  }
  return values;
}

std::vector<NamedSizes> every_second_of(const std::set<NamedSizes>& all) {
  const std::map<std::string, std::set<std::int64_t>> values = values_of(all);
  // Rows of the chess board are the values of the size that takes the fewest.
  const auto row_size = std::min_element(
      values.begin(), values.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  std::map<std::int64_t, std::vector<NamedSizes>> rows;
  for (const NamedSizes& sizes : all) {
    const auto found = row_size == values.end() ? sizes.end() : sizes.find(row_size->first);
    rows[found == sizes.end() ? 0 : found->second].push_back(sizes);
  }
  std::vector<NamedSizes> held_out;
  std::size_t row = 0;
  for (const auto& [value, of_row] : rows) {
    for (std::size_t column = 0; column < of_row.size(); ++column) {
      if ((row + column) % 2 == 1) {
        held_out.push_back(of_row[column]);
      }
    }
    ++row;
  }
  return held_out;
}

std::vector<NamedSizes> beyond_third_of(const std::set<NamedSizes>& all) {
  constexpr int kBeyond = 3;
  const std::map<std::string, std::set<std::int64_t>> values = values_of(all);
  std::vector<NamedSizes> held_out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(held_out), [&](const NamedSizes& sizes) {
    return std::any_of(sizes.begin(), sizes.end(), [&](const auto& size) {
      const std::set<std::int64_t>& of_size = values.at(size.first);
      return of_size.size() > 1 && size.second > *of_size.rbegin() / kBeyond;
    });
  });
  return held_out;
}

}  // namespace

std::vector<NamedSizes> held_out_sizes(const std::vector<RunPoint>& points, HoldOut hold_out) {
  std::set<NamedSizes> all;
  for (const RunPoint& point : points) {
    all.insert(point.sizes);
  }
  switch (hold_out) {
    case HoldOut::none:
      return {};
    case HoldOut::every_second:
      return every_second_of(all);
    case HoldOut::beyond_third:
      return beyond_third_of(all);
  }
  throw std::logic_error("an unknown way of holding out");
}

}  // namespace cleave::models
