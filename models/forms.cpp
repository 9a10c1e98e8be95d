// SPDX-License-Identifier: Apache-2.0
#include "models/forms.hpp"

#include <algorithm>
#include <iterator>
#include <numbers>

namespace cleave::models {

namespace {

Basis linear(const std::string& size) { return Basis({{.size = size}}); }

Basis times_logarithm(const std::string& size, const std::string& of) {
  return Basis({{.size = size}, {.size = of, .function = Basis::Function::log2}});
}

Basis power(const std::string& size, double exponent) {
  return Basis({{.size = size, .power = exponent}});
}

Basis times_squared_logarithm(const std::string& size) {
  return Basis({{.size = size}, {.size = size, .function = Basis::Function::log2, .power = 2}});
}

/// `n` times a function of the density m/n, with and without log2(n).
std::vector<Basis> of_occupancy(Basis::Function function, const std::string& n,
                                const std::string& m) {
  const Basis::Factor of_density{.size = m, .function = function, .per = n};
  return {Basis({{.size = n}, of_density}),
          Basis({{.size = n}, {.size = n, .function = Basis::Function::log2}, of_density})};
}

/// What a random graph of n nodes and m edges takes where a node costs by the edges that meet
/// there, alone or with work for all nodes or all edges; what a union-find takes that leaves out
/// edges inside the giant component; and what combining two halves of the graph takes, for all
/// nodes and for those that the halves have left over.
std::vector<TrialForm> occupancy_forms(const std::string& n, const std::string& m) {
  const std::vector<Basis> works = {Basis(),
                                    linear(n),
                                    times_logarithm(n, n),
                                    power(n, 1.5),
                                    linear(m),
                                    times_logarithm(m, n),
                                    power(m, 1.5),
                                    Basis({{.size = m}, {.size = n, .power = 0.5}})};
  const std::vector<Basis> none = of_occupancy(Basis::Function::none, n, m);
  const std::vector<Basis> hit = of_occupancy(Basis::Function::hit, n, m);
  const std::vector<Basis> once = of_occupancy(Basis::Function::once, n, m);
  const std::vector<Basis> twice = of_occupancy(Basis::Function::twice, n, m);
  const std::vector<Basis> giant = of_occupancy(Basis::Function::giant, n, m);
  const std::vector<Basis> outside = of_occupancy(Basis::Function::outside, n, m);
  const std::vector<Basis> leaving = of_occupancy(Basis::Function::leaving, n, m);
  const std::vector<Basis> outside_half = of_occupancy(Basis::Function::outside_half, n, m);
  const std::vector<Basis> joined = of_occupancy(Basis::Function::joined, n, m);
  std::vector<TrialForm> trials;
  for (std::size_t i = 0; i < hit.size(); ++i) {
    for (const Basis& occupied :
         {none[i], hit[i], once[i], twice[i], giant[i], outside[i], leaving[i]}) {
      trials.push_back({.form = {occupied}});
      for (const Basis& work : works) {
        trials.push_back({.form = {work, occupied}});
      }
    }
    for (const Form& work : {Form{Basis(), linear(n)}, Form{Basis(), linear(m)},
                             Form{linear(n), linear(m)}, Form{Basis(), linear(n), linear(m)}}) {
      trials.push_back({.form = work});
      trials.back().form.push_back(leaving[i]);
      trials.push_back(trials.back());
      trials.back().form.push_back(giant[i]);
    }
    for (const Basis& left_over : {outside_half[i], joined[i]}) {
      trials.push_back({.form = {linear(n), left_over}});
      trials.push_back({.form = {Basis(), linear(n), left_over}});
    }
    trials.push_back({.form = {linear(n), outside_half[i], joined[i]}});
    trials.push_back({.form = {Basis(), linear(n), outside_half[i], joined[i]}});
    trials.push_back({.form = {hit[i], twice[i]}});
    for (const Basis& work : works) {
      trials.push_back({.form = {work, hit[i], twice[i]}});
    }
  }
  return trials;
}

void append(std::vector<TrialForm>& trials, std::vector<TrialForm> more) {
  trials.insert(trials.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
}

void sort_by_terms(std::vector<TrialForm>& trials) {
  std::stable_sort(trials.begin(), trials.end(), [](const TrialForm& a, const TrialForm& b) {
    return a.form.size() < b.form.size();
  });
}

/// Extends each form by nothing, and by every term of `size` in the catalogue.
std::vector<Form> extended(const std::vector<Form>& forms, const std::string& size,
                           const std::vector<std::string>& all_sizes) {
  std::vector<Basis> terms = {linear(size)};
  for (const std::string& of : all_sizes) {
    terms.push_back(times_logarithm(size, of));
  }
  terms.push_back(times_squared_logarithm(size));
  terms.push_back(power(size, 1.5));
  terms.push_back(power(size, 2));
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

std::vector<TrialForm> candidate_forms(const std::vector<std::string>& size_names) {
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
  std::vector<TrialForm> trials;
  for (Form& form : forms) {
    if (!form.empty()) {
      trials.push_back({.form = std::move(form)});
    }
  }
  for (const std::string& size : size_names) {
    trials.push_back({.form = {power(size, 0.5), linear(size)}});
  }
  if (size_names.size() == 2) {
    const Basis product({{.size = size_names[0]}, {.size = size_names[1]}});
    trials.push_back({.form = {product}});
    trials.push_back({.form = {Basis(), product}});
    Form products;
    for (const std::string& size : size_names) {
      for (const std::string& of : size_names) {
        products.push_back(times_logarithm(size, of));
      }
    }
    trials.push_back({.form = products, .sign = Sign::any});
    for (std::size_t left_out = 0; left_out < products.size(); ++left_out) {
      Form three = products;
      three.erase(three.begin() + static_cast<std::ptrdiff_t>(left_out));
      trials.push_back({.form = std::move(three), .sign = Sign::any});
    }
    append(trials, occupancy_forms(size_names[1], size_names[0]));
  }
  sort_by_terms(trials);
  return trials;
}

std::vector<TrialForm> linear_forms(const std::vector<std::string>& size_names) {
  std::vector<TrialForm> trials = candidate_forms(size_names);
  std::erase_if(trials, [](const TrialForm& trial) {
    return std::any_of(trial.form.begin(), trial.form.end(), [](const Basis& term) {
      return term.factors().size() > 1 ||
             (!term.factors().empty() && term.factors().front().power != 1);
    });
  });
  return trials;
}

bool is_of_ends_at_a_node(const TrialForm& trial) {
  return std::any_of(trial.form.begin(), trial.form.end(), [](const Basis& term) {
    return std::any_of(term.factors().begin(), term.factors().end(),
                       [](const Basis::Factor& factor) { return !factor.per.empty(); });
  });
}

std::vector<TrialForm> forms_beyond_break(const std::string& size,
                                          const std::vector<TrialForm>& forms) {
  const TrialForm line = {.form = {Basis(), linear(size)},
                          .sign = Sign::any,
                          .beyond_break = true,
                          .positive_from = 1 / std::numbers::sqrt2};
  std::vector<TrialForm> trials = {line};
  for (const TrialForm& trial : forms) {
    if (trial.form.size() == 1 && is_of_ends_at_a_node(trial)) {
      trials.push_back(line);
      trials.back().form.push_back(trial.form.front());
    }
  }
  return trials;
}

std::vector<TrialForm> density_forms(const std::string& n, const std::string& m) {
  const Basis of_n = times_logarithm(n, n);
  const Basis of_m = times_logarithm(m, n);
  std::vector<TrialForm> trials = {{.form = {of_n}},
                                   {.form = {of_m}},
                                   {.form = {Basis(), of_n}},
                                   {.form = {Basis(), of_m}},
                                   {.form = {of_n, of_m}, .sign = Sign::any},
                                   {.form = {Basis(), of_n, of_m}, .sign = Sign::any},
                                   {.form = {linear(n), of_m, of_n}, .sign = Sign::any}};
  sort_by_terms(trials);
  return trials;
}

}  // namespace cleave::models
