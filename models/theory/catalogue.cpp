// SPDX-License-Identifier: Apache-2.0
#include "models/theory/catalogue.hpp"

#include "models/theory/terms.hpp"

namespace cleave::models {

bool has_paper_forms(const std::vector<std::string>& size_names) {
  return size_names == std::vector<std::string>{"N"} ||
         size_names == std::vector<std::string>{"M", "N"};
}

std::optional<Form> paper_form(detail::Block block, const std::vector<std::string>& size_names) {
  if (!has_paper_forms(size_names)) {
    return std::nullopt;
  }
  const bool is_graph = size_names.size() == 2;
  switch (block) {
    case detail::Block::divide:
      return is_graph ? parse_form("1,M") : parse_form("1,N");
    case detail::Block::combine:
      return parse_form("1,N");
    case detail::Block::sequential:
      return is_graph ? parse_form("1,N,M") : parse_form("1,N");
    default:
      return std::nullopt;
  }
}

std::vector<PricedForm> prescribed(Form form) { return {{std::move(form), 0}}; }

std::vector<PricedForm> linear_forms(const std::vector<std::string>& size_names) {
  FormList forms;
  forms.add({Basis()}, kConstantAlone);
  for (const std::string& size : size_names) {
    forms.add_with_constant({power(size, 1)}, 0);
    for (const std::string& other : size_names) {
      forms.add_with_constant({power(size, 1), power(other, 1)}, kFurtherTerm);
    }
  }
  return std::move(forms).take();
}

}  // namespace cleave::models
