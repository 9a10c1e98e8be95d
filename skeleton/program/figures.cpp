// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include <cleave/figures.hpp>

namespace cleave {

Figures::Figures(std::initializer_list<Figures> values) {
  const auto name_of = [](const Figures& value) -> const std::string* {
    const auto* const pair = std::get_if<std::vector<Figures>>(&value.value_);
    return pair != nullptr && pair->size() == 2 ? std::get_if<std::string>(&pair->front().value_)
                                                : nullptr;
  };
  if (!std::ranges::all_of(values, name_of)) {
    value_ = std::vector<Figures>(values);
    return;
  }
  Named named;
  for (const Figures& value : values) {
    named.emplace_back(*name_of(value), std::get<std::vector<Figures>>(value.value_).back());
  }
  value_ = std::move(named);
}

nlohmann::ordered_json Figures::json() const {
  return std::visit(
      []<class T>(const T& value) -> nlohmann::ordered_json {
        if constexpr (std::same_as<T, Named>) {
          nlohmann::ordered_json object = nlohmann::ordered_json::object();
          for (const auto& [name, named] : value) {
            object.emplace(name, named.json());
          }
          return object;
        } else if constexpr (std::same_as<T, std::vector<Figures>>) {
          nlohmann::ordered_json list = nlohmann::ordered_json::array();
          for (const Figures& one : value) {
            list.push_back(one.json());
          }
          return list;
        } else {
          return value;
        }
      },
      value_);
}

}  // namespace cleave
