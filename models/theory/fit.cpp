// SPDX-License-Identifier: Apache-2.0
#include "models/theory/fit.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <cleave/dc_type.hpp>

#include "models/theory/law.hpp"
#include "models/theory/prediction.hpp"
#include "models/theory/statistics.hpp"

namespace cleave::models {

namespace {

/// The times of the fitted runs' repetitions, over the quiet time that the model says of them.
/// Rehearsals have no noise of a host.
std::map<int, std::vector<double>> noise_of(const Model& model,
                                            const std::vector<RunPoint>& points) {
  std::map<int, std::vector<double>> noise;
  for (const RunPoint& point : points) {
    if (point.is_rehearsed) {
      continue;
    }
    try {
      const double predicted = predict(model, point).seconds;
      for (const double seconds : point.seconds) {
        noise[point.ranks].push_back(seconds / predicted);
      }
    } catch (const Error&) {
      continue;  // a part was refused, and the model says so
    }
  }
  for (auto& [ranks, ratios] : noise) {
    std::ranges::sort(ratios);
  }
  return noise;
}

TableModel fit_table(const std::vector<RunPoint>& points) {
  std::vector<Observation> observations;
  for (const RunPoint& point : points) {
    Observation& o =
        observations.emplace_back(Observation{.run_sizes = point.sizes,
                                              .sizes = table_sizes(point.ranks, point.sizes),
                                              .value = quiet_time(point.seconds),
                                              .disturbed = point.disturbed});
    o.run_sizes[kRanksSize] = point.ranks;
  }
  std::optional<Refusal> refusal = refuse_choice(observations);
  auto law = refusal ? std::variant<Law, Refusal>(*std::move(refusal))
                     : fit_law(observations, candidate_forms(observations, Of::run));
  if (const auto* refused = std::get_if<Refusal>(&law)) {
    throw Error("the table cannot be fitted: " + refused->reason);
  }
  return {.law = std::get<Law>(std::move(law)), .rows = static_cast<int>(points.size())};
}

/// The points by whose sizes runs are held out. Of a table whose runs differ in their ranks alone
/// these are such a size.
std::vector<RunPoint> told_apart(const Measurements& measurements) {
  std::vector<RunPoint> points = measurements.points;
  const bool by_ranks =
      measurements.type == kTableType && std::ranges::all_of(points, [&](const RunPoint& point) {
        return point.sizes == measurements.points.front().sizes;
      });
  for (RunPoint& point : points) {
    if (by_ranks) {
      point.sizes[kRanksSize] = point.ranks;
    }
  }
  return points;
}

/// Every second field of a chess board whose rows are the values of the size that takes the fewest.
std::vector<NamedSizes> every_second_of(
    const std::set<NamedSizes>& all, const std::map<std::string, std::set<std::int64_t>>& values) {
  const auto row_size =
      std::ranges::min_element(values, {}, [](const auto& of) { return of.second.size(); });
  std::map<std::int64_t, std::vector<NamedSizes>> rows;
  for (const NamedSizes& sizes : all) {
    const auto found = row_size == values.end() ? sizes.end() : sizes.find(row_size->first);
    rows[found == sizes.end() ? 0 : found->second].push_back(sizes);
  }
  std::vector<NamedSizes> held_out;
  std::size_t row = 0;
  for (const auto& [value, of_row] : rows) {
    for (std::size_t column = (row++ + 1) % 2; column < of_row.size(); column += 2) {
      held_out.push_back(of_row[column]);
    }
  }
  return held_out;
}

/// The loss of workers on steals for each of their nodes, in units of the visit of a node. It grows
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
  return std::ranges::count(varying_sizes(observations), size) > 0;
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

static void fit_search(Model& model, const std::vector<SearchRun>& runs) {
  SearchModel result;
  if (runs.empty()) {
    model.refused.push_back({detail::Block::sequential, "no trace says what its workers did"});
    model.parts = std::move(result);
    return;
  }
  // Only real runs tell the time of a node beside other workers of a host.
  const bool has_real = !std::ranges::all_of(runs, &SearchRun::is_rehearsed);
  std::set<int> threads;
  std::vector<Observation> visits;
  std::vector<Observation> inverse_efficiency;
  for (const SearchRun& run : runs) {
    threads.insert(run.threads);
    const double visits_s = std::max(kShortest_s, detail::median(run.visits));
    // The loss varies by itself: no run counts as disturbed in it.
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

std::vector<NamedSizes> held_out_sizes(const std::vector<RunPoint>& points, HoldOut hold_out) {
  constexpr int kBeyond = 3;
  std::set<NamedSizes> all;
  std::map<std::string, std::set<std::int64_t>> values;
  for (const RunPoint& point : points) {
    all.insert(point.sizes);
    for (const auto& [name, value] : point.sizes) {
      values[name].insert(value);
    }
  }
  if (hold_out == HoldOut::every_second) {
    return every_second_of(all, values);
  }
  std::vector<NamedSizes> held_out;
  std::ranges::copy_if(all, std::back_inserter(held_out), [&](const NamedSizes& sizes) {
    return hold_out == HoldOut::beyond_third && std::ranges::any_of(sizes, [&](const auto& size) {
             const std::set<std::int64_t>& of_size = values.at(size.first);
             return of_size.size() > 1 && size.second > *of_size.rbegin() / kBeyond;
           });
  });
  return held_out;
}

std::optional<Law> fit_memory(const std::vector<RunPoint>& points) {
  std::vector<Observation> observations;
  for (const RunPoint& point : points) {
    if (point.peak_memory_bytes > 0) {
      observations.push_back({.run_sizes = point.sizes,
                              .sizes = memory_sizes(point.ranks, point.sizes),
                              .value = static_cast<double>(point.peak_memory_bytes)});
    }
  }
  auto law = fit_law(observations, linear_forms(varying_sizes(observations)));
  return std::holds_alternative<Law>(law) ? std::optional(std::get<Law>(std::move(law)))
                                          : std::nullopt;
}

Model fit_model(const Measurements& measurements, const std::optional<detail::Machine>& machine,
                const FitOptions& options, const detail::Provenance& provenance) {
  Model model{.app = measurements.app,
              .type = measurements.type,
              .placement = measurements.placement,
              .threads = measurements.threads,
              .options = measurements.options,
              .cache_bytes = measurements.cache_bytes,
              .cores = measurements.cores,
              .given_sizes = measurements.given_sizes,
              .forms = options.forms == Forms::paper ? "paper" : "auto",
              .notes = measurements.notes,
              .provenance = provenance};
  const std::vector<RunPoint> points = told_apart(measurements);
  const std::vector<NamedSizes> held_out = held_out_sizes(points, options.hold_out);
  const auto is_held_out = [&](const NamedSizes& sizes) {
    return std::ranges::find(held_out, sizes) != held_out.end();
  };
  Measurements fitted = measurements;
  for (std::size_t i = 0; i < points.size(); ++i) {
    (is_held_out(points[i].sizes) ? model.held_out : model.fitted)
        .push_back(measurements.points[i]);
  }
  fitted.points = model.fitted;
  if (fitted.points.empty()) {
    throw UsageError(
        "--hold-out leaves no size to fit: measure sizes that differ by more, or hold out none");
  }
  std::erase_if(fitted.samples, [&](const Sample& s) { return is_held_out(s.run_sizes); });
  std::erase_if(fitted.searches, [&](const SearchRun& r) { return is_held_out(r.sizes); });
  model.memory = fit_memory(fitted.points);
  if (fitted.type == kTableType) {
    model.parts = fit_table(fitted.points);
  } else if (fitted.type == name_of(DC_Type::work_stealing)) {
    fit_search(model, fitted.searches);
  } else {
    model.network = machine ? network_of(*machine) : network_of(fitted.samples, fitted.placement);
    fit_hypercube(model, fitted, options.forms, machine.has_value());
  }
  model.noise = noise_of(model, fitted.points);
  model.verdict = judge(model, measurements.points);
  if (options.hold_out != HoldOut::none && !model.verdict.trusted) {
    model.verdict.advice =
        "--hold-out leaves too few sizes to predict others from: measure more, or hold out none";
  }
  return model;
}

}  // namespace cleave::models
