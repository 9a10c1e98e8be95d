// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <cleave/trace/median.hpp>

#include "models/theory/fit.hpp"
#include "models/theory/forms.hpp"

namespace cleave::models {

namespace {

/// What workers lose on steals for each of their nodes, in units of the visit of a node. It grows
/// with the doublings of those who share the tree. Since each steal takes half of what is there, it
/// also grows with the logarithm or the root of a worker's share.
std::vector<Form> losses_by(const std::string& sharers) {
  const Basis::Factor doublings{.size = sharers, .is_log = true};
  const Basis::Factor a_node{.size = "nodes", .power = -1};
  const Basis alone({doublings, a_node});
  const Basis logarithm({doublings, {.size = "nodes", .is_log = true}, a_node});
  const Basis root({doublings, {.size = "nodes", .power = -0.5}});
  const Basis square({{.size = sharers, .is_log = true, .power = 2}, a_node});
  return {{},
          {alone},
          {logarithm},
          {root},
          {square},
          {alone, logarithm},
          {alone, root},
          {square, logarithm}};
}

bool varies(const std::vector<Observation>& observations, const std::string& size) {
  const std::vector<std::string> varying = varying_sizes(observations);
  return std::ranges::find(varying, size) != varying.end();
}

/// A time a node, perhaps a constant, or the requests of other ranks that are answered meanwhile.
/// Or a node takes the longer the deeper its tree is: the depth grows as the logarithm of the
/// nodes.
std::vector<PricedForm> forms_of_visits(const std::vector<Observation>& observations) {
  const Basis nodes = power("nodes", 1);
  const Basis nodes_by_depth = power("nodes", 1, 1);
  std::vector<PricedForm> forms = {{{nodes}, 0}, {{Basis(), nodes}, 1}, {{nodes_by_depth}, 1}};
  if (varies(observations, "ranks")) {
    forms.push_back({{nodes, power("ranks", 0, 1)}, 1});
  }
  return forms;
}

/// 1, and what is lost: to begin and to end, among ranks and among the threads of a rank.
std::vector<PricedForm> forms_of_inverse_efficiency(const std::vector<Observation>& observations) {
  constexpr std::size_t kMostTerms = 4;
  const auto losses = [&](const char* sharers) {
    return varies(observations, sharers) ? losses_by(sharers) : std::vector<Form>{{}};
  };
  std::vector<PricedForm> forms;
  for (const Form& start : {Form{}, Form{power("nodes", -1)}}) {
    for (const Form& of_ranks : losses("ranks")) {
      for (const Form& of_threads : losses("threads")) {
        PricedForm form{.form = {Basis()}};
        for (const Form* part : {&start, &of_ranks, &of_threads}) {
          form.form.insert(form.form.end(), part->begin(), part->end());
        }
        if (form.form.size() <= kMostTerms) {
          form.price = static_cast<double>(form.form.size() - 1);
          forms.push_back(std::move(form));
        }
      }
    }
  }
  return forms;
}

std::optional<Law> fitted(Model& model, const std::vector<Observation>& observations,
                          const std::vector<PricedForm>& forms, detail::Block block) {
  auto result = fit_law(observations, forms);
  if (auto* refusal = std::get_if<Refusal>(&result)) {
    model.refused.push_back({block, std::move(refusal->reason)});
    return std::nullopt;
  }
  return std::move(std::get<Law>(result));
}

}  // namespace

void fit_search(Model& model, const std::vector<SearchRun>& runs) {
  SearchModel result;
  if (runs.empty()) {
    model.refused.push_back({detail::Block::sequential, "no trace says what its workers did"});
    model.parts = std::move(result);
    return;
  }
  // What a node takes beside other workers of a host only real runs tell.
  const bool has_real = !std::ranges::all_of(runs, &SearchRun::is_rehearsed);
  std::set<int> threads;
  std::vector<Observation> visits;
  std::vector<Observation> inverse_efficiency;
  for (const SearchRun& run : runs) {
    threads.insert(run.threads);
    const double visits_s = std::max(kShortest_s, detail::median(run.visits));
    // What is lost varies by itself: of that no run counts as disturbed.
    Observation observation{.run_sizes = run.sizes,
                            .sizes = sizes_of_search(run.nodes(), run.ranks, run.threads),
                            .value = detail::median(run.seconds) / visits_s};
    observation.run_sizes["ranks"] = run.ranks;
    observation.run_sizes["threads"] = run.threads;
    inverse_efficiency.push_back(observation);
    if (!run.is_rehearsed || !has_real) {
      observation.run_sizes = run.sizes;
      observation.ranks_per_host = run.workers_per_host();
      observation.value = visits_s;
      observation.disturbed = run.disturbed;
      visits.push_back(std::move(observation));
    }
  }
  model.threads = threads.size() == 1 ? *threads.begin() : 1;
  result.threads = *threads.rbegin();
  const bool is_one_size = std::ranges::all_of(
      runs, [&](const SearchRun& run) { return run.sizes == runs.front().sizes; });
  if (is_one_size) {
    model.refused.push_back(
        {detail::Block::sequential, "nodes are as many in every run: measure more sizes"});
  } else {
    result.visits = fitted(model, visits, forms_of_visits(visits), detail::Block::sequential);
    result.inverse_efficiency =
        fitted(model, inverse_efficiency, forms_of_inverse_efficiency(inverse_efficiency),
               detail::Block::steal);
  }
  model.parts = std::move(result);
}

}  // namespace cleave::models
