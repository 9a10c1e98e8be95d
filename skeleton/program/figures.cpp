// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include <cleave/figures.hpp>

namespace cleave {

namespace {

using Json = nlohmann::ordered_json;

std::unique_ptr<Json> made_of(Json json) { return std::make_unique<Json>(std::move(json)); }

bool is_named(const Figures& value) {
  return value.json().is_array() && value.json().size() == 2 && value.json().front().is_string();
}

}  // namespace

Figures::Figures() : json_(made_of(Json::object())) {}

Figures::Figures(std::initializer_list<Figures> values) {
  if (std::all_of(values.begin(), values.end(), is_named)) {
    json_ = made_of(Json::object());
    for (const Figures& pair : values) {
      json_->emplace(pair.json().front().get<std::string>(), Json(pair.json().back()));
    }
  } else {
    json_ = made_of(Json::array());
    for (const Figures& value : values) {
      push_back(value);
    }
  }
}

Figures::Figures(std::nullptr_t /*none*/) : json_(made_of(Json(nullptr))) {}
Figures::Figures(const Json& json) : json_(made_of(json)) {}
Figures::Figures(Widest /*to*/, bool value) : json_(made_of(Json(value))) {}
Figures::Figures(Widest /*to*/, std::int64_t value) : json_(made_of(Json(value))) {}
Figures::Figures(Widest /*to*/, std::uint64_t value) : json_(made_of(Json(value))) {}
Figures::Figures(Widest /*to*/, double value) : json_(made_of(Json(value))) {}
Figures::Figures(Widest /*to*/, std::string_view text) : json_(made_of(Json(text))) {}

Figures::Figures(const Figures& other) : json_(made_of(other.json())) {}
Figures::Figures(Figures&& other) noexcept = default;
Figures& Figures::operator=(const Figures& other) {
  json_ = made_of(other.json());
  return *this;
}
Figures& Figures::operator=(Figures&& other) noexcept = default;
Figures::~Figures() = default;

Figures Figures::array() { return Json::array(); }
Figures Figures::object() { return {}; }

void Figures::push_back(const Figures& value) { json_->push_back(value.json()); }

}  // namespace cleave
