// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include <cleave/figures.hpp>

namespace cleave {

using Json = nlohmann::ordered_json;

Figures::Figures(std::initializer_list<Figures> values) {
  Json json = Json::array();
  for (const Figures& value : values) {
    json.push_back(value.json());
  }
  if (std::ranges::all_of(json, [](const Json& value) {
        return value.is_array() && value.size() == 2 && value[0].is_string();
      })) {
    Json named = Json::object();
    for (const Json& pair : json) {
      named.emplace(pair[0].get<std::string>(), Json(pair[1]));
    }
    json = std::move(named);
  }
  json_ = std::make_shared<const Json>(std::move(json));
}

Figures::Figures(const std::vector<Figures>& list) {
  Json json = Json::array();
  for (const Figures& value : list) {
    json.push_back(value.json());
  }
  json_ = std::make_shared<const Json>(std::move(json));
}

Figures::Figures(const Scalar& scalar)
    : json_(std::make_shared<const Json>(
          std::visit([](const auto& value) { return Json(value); }, scalar))) {}

}  // namespace cleave
