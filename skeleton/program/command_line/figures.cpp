// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ranges>

#include <cleave/figures.hpp>
#include <cleave/trace/json_fields.hpp>

namespace cleave {

Figures::Figures(std::initializer_list<Figures> values) : Figures() {
  const auto named = [](const Figures& value) -> const List* {
    const List* const pair = std::get_if<List>(&value.value_);
    const bool is_named = pair != nullptr && pair->size() == 2 &&
                          std::holds_alternative<std::string>((*pair)[0].value_);
    return is_named ? pair : nullptr;
  };
  if (!std::ranges::all_of(values, named)) {
    value_ = List(values);
    return;
  }
  for (const Figures& value : std::views::reverse(values)) {  // the first of a name counts
    set(std::get<std::string>((*named(value))[0].value_), (*named(value))[1]);
  }
  std::ranges::reverse(std::get<Named>(value_).figures);
}

void Figures::set(std::string_view name, Figures value) {
  auto& figures = std::get<Named>(value_).figures;
  const auto found = std::ranges::find(figures, name, &std::pair<std::string, Figures>::first);
  if (found != figures.end()) {
    found->second = std::move(value);
  } else {
    figures.emplace_back(name, std::move(value));
  }
}

void Figures::Named::operator()(detail::JsonFields& object) const {
  for (const auto& [name, value] : figures) {
    object(name, value);
  }
}

}  // namespace cleave
