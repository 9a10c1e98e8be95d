#include "models/forms.hpp"

#include <algorithm>

namespace cleave {

namespace {

Basis linear(const std::string& size) { return Basis({{.size = size}}); }

Basis times_logarithm(const std::string& size, const std::string& of) {
  return Basis({{.size = size}, {.size = of, .logarithm = true}});
}

/// Extends each form by nothing, by S, and by S*log2(T) for every size T.
std::vector<Form> extended(const std::vector<Form>& forms, const std::string& size,
                           const std::vector<std::string>& all_sizes) {
  std::vector<Basis> terms = {linear(size)};
  for (const std::string& of : all_sizes) {
    terms.push_back(times_logarithm(size, of));
  }
  std::vector<Form> result;
  for (const Form& form : forms) {
    result.push_back(form);
    for (const Basis& term : terms) {
      result.push_back(form);
      result.back().push_back(term);
    }
  }
  return result;
}

}  // namespace

std::optional<Form> paper_form(Block block, const std::vector<std::string>& size_names) {
  const auto has = [&](const char* name) {
    return std::find(size_names.begin(), size_names.end(), name) != size_names.end();
  };
  if (!has("N")) {
    return std::nullopt;
  }
  const bool is_graph = has("M");
  switch (block) {
    case Block::divide:
      return parse_form(is_graph ? "1,M" : "1,N");
    case Block::combine:
      return parse_form("1,N");
    case Block::sequential:
      return parse_form(is_graph ? "1,N,M" : "1,N");
    default:
      return std::nullopt;
  }
}

std::vector<Form> candidate_forms(const std::vector<std::string>& size_names) {
  std::vector<Form> forms = {{}};
  for (const std::string& size : size_names) {
    forms = extended(forms, size, size_names);
  }
  const std::size_t without_constant = forms.size();
  for (std::size_t i = 0; i < without_constant; ++i) {
    Form with_constant = {Basis()};
    with_constant.insert(with_constant.end(), forms[i].begin(), forms[i].end());
    forms.push_back(std::move(with_constant));
  }
  std::erase_if(forms, [](const Form& form) { return form.empty(); });
  std::stable_sort(forms.begin(), forms.end(),
                   [](const Form& a, const Form& b) { return a.size() < b.size(); });
  return forms;
}

std::vector<Form> linear_forms(const std::vector<std::string>& size_names) {
  std::vector<Form> forms = candidate_forms(size_names);
  std::erase_if(forms, [](const Form& form) {
    return std::any_of(form.begin(), form.end(),
                       [](const Basis& term) { return term.factors().size() > 1; });
  });
  return forms;
}

}  // namespace cleave
