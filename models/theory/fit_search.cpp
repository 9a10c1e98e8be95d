// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <cleave/trace/median.hpp>

#include "models/theory/fit_law.hpp"
#include "models/theory/fit_parts.hpp"
#include "models/theory/search_time.hpp"

namespace cleave::models {

namespace {

Basis power_of(const std::string& size, double power) {
  return Basis({{.size = size, .power = power}});
}

/// Of the nodes of one answer in `runs`.
double bytes_of_answer(const std::vector<const SearchRun*>& runs) {
  double bytes = 0;
  double answers = 0;
  for (const SearchRun* run : runs) {
    bytes += run->bytes_received;
    answers += run->remote_made;
  }
  return answers > 0 ? bytes / answers : 0;
}

class SearchFit {
 public:
  SearchFit(Model& model, const std::vector<SearchRun>& runs) : model_(model), runs_(runs) {}

  void fit(bool has_machine) {
    if (runs_.empty()) {
      refuse(detail::Block::sequential, "no trace says what its workers did");
      model_.parts = std::move(result_);
      return;
    }
    std::set<int> threads;
    int ranks = 1;
    for (const SearchRun& run : runs_) {
      threads.insert(run.threads);
      ranks = std::max(ranks, run.ranks);
      result_.ranks_per_host = std::max(result_.ranks_per_host, run.ranks_per_host);
    }
    model_.threads = threads.size() == 1 ? *threads.begin() : 1;
    result_.knows_network = has_machine;
    result_.threads = *threads.rbegin();
    fit_search();
    if (result_.threads > 1) {
      result_.inside = fit_steals(true);
    }
    if (ranks > 1) {
      result_.between = fit_steals(false);
    }
    fit_rounds();
    model_.parts = std::move(result_);
  }

 private:
  void refuse(detail::Block block, std::string reason) {
    model_.refused.push_back({block, std::move(reason)});
  }

  /// `forms`, each further term of which costs 1; refused as `block` of the search at `where`.
  std::optional<Law> fitted(const std::vector<Observation>& observations,
                            const std::vector<Form>& forms, Weights weights, detail::Block block,
                            const std::string& where = "") {
    std::vector<PricedForm> priced;
    for (const Form& form : forms) {
      priced.push_back({form, static_cast<double>(form.size() - 1)});
    }
    auto result = fit_law(observations, priced, weights);
    if (auto* refusal = std::get_if<Refusal>(&result)) {
      refuse(block, where + refusal->reason);
      return std::nullopt;
    }
    return std::move(std::get<Law>(result));
  }

  void fit_search() {
    std::vector<Observation> observations;
    for (const SearchRun& run : runs_) {
      observations.push_back(
          {.run_sizes = run.sizes,
           .ranks_per_host = run.workers_per_host(),
           .sizes = sizes_of_search(run.nodes() / run.all_workers(), run.requests_per_worker()),
           .value = std::max(kShortest_s, detail::median(run.search)),
           .disturbed = run.disturbed});
    }
    const bool is_one_size = std::ranges::all_of(
        runs_, [&](const SearchRun& run) { return run.sizes == runs_.front().sizes; });
    if (is_one_size) {
      refuse(detail::Block::sequential, "nodes are as many in every run: measure more sizes");
      return;
    }
    const Basis nodes = power_of("nodes", 1);
    result_.search =
        fitted(observations, {{nodes}, {Basis(), nodes}, {nodes, power_of("requests", 1)}},
               Weights::relative, detail::Block::sequential);
  }

  /// Steals, their time and requests in vain grow with the number of doublings in which work
  /// spreads. They also grow with the logarithm or the root of a worker's share, since each steal
  /// takes half of what is there.
  static std::vector<Form> forms_of_steals() {
    const Basis::Factor doublings{.size = "doublings"};
    const Basis alone({doublings});
    const Basis logarithm({doublings, {.size = "nodes", .is_log = true}});
    const Basis root({doublings, {.size = "nodes", .power = 0.5}});
    return {{alone}, {logarithm}, {root}, {alone, logarithm}, {alone, root}};
  }

  /// What was never seen in as many chances as `run` had is taken to come once in them.
  static double seen_or_once(double number, const SearchRun& run) {
    return std::max(1 / (run.counted_workers() * run.repetitions()), number);
  }

  /// `inside`: runs on one rank; else on several ranks of one thread each.
  std::optional<Steals> fit_steals(bool inside) {
    const std::string where = inside ? "inside a rank: " : "between ranks: ";
    const auto sharers = [inside](const SearchRun& run) {
      return inside ? run.threads : run.ranks;
    };
    std::vector<const SearchRun*> runs;
    int maximum = 2;
    for (const SearchRun& run : runs_) {
      if ((inside ? run.ranks : run.threads) == 1 && sharers(run) > 1) {
        runs.push_back(&run);
        maximum = std::max(maximum, sharers(run));
      }
    }
    if (runs.empty()) {
      refuse(detail::Block::steal,
             where + (inside ? "no run was on one rank with several threads"
                             : "no run was on several ranks with one thread each"));
      return std::nullopt;
    }
    const double bytes = bytes_of_answer(runs);
    const auto fit = [&](const auto& value_of) {
      std::vector<Observation> observations;
      for (const SearchRun* run : runs) {
        observations.push_back(
            {.run_sizes = run->sizes,
             .sizes = sizes_of_steals(sharers(*run), run->nodes() / sharers(*run)),
             .value = value_of(*run)});
      }
      // Each is a mean of counts that vary by half of themselves and more: relative to what was
      // measured, the least would pull all down.
      return fitted(observations, forms_of_steals(), Weights::ordinary, detail::Block::steal,
                    where);
    };
    auto count = fit([](const SearchRun& r) { return seen_or_once(r.steals_per_worker(), r); });
    auto in_vain =
        fit([](const SearchRun& r) { return seen_or_once(r.requests_in_vain_per_worker(), r); });
    auto seconds = fit([&](const SearchRun& run) {
      const SearchMessages m =
          search_messages(model_.network, run.ranks, run.ranks > run.ranks_per_host, bytes);
      return std::max(kShortest_s, detail::median(run.steal) - run.steals_per_worker() * m.steal_s -
                                       run.requests_in_vain_per_worker() * m.in_vain_s);
    });
    if (!count || !in_vain || !seconds) {
      return std::nullopt;
    }
    if (inside) {
      in_vain.reset();
    }
    return Steals{.seconds = *std::move(seconds),
                  .count = *std::move(count),
                  .in_vain = std::move(in_vain),
                  .bytes = bytes,
                  .maximum = maximum};
  }

  /// Start-up and termination: a constant, and more for each doubling of the ranks. Each round of a
  /// doubling takes the same, or waits for the slowest of all ranks: the largest of p exponential
  /// times grows with log p. More for each further thread of a rank where these vary.
  void fit_rounds() {
    const int least_ranks = std::ranges::min(runs_, {}, &SearchRun::ranks).ranks;
    const double bytes = result_.between ? result_.between->bytes : 0;
    std::vector<Observation> start_up;
    std::vector<Observation> termination;
    for (const SearchRun& run : runs_) {
      NamedSizes run_sizes = run.sizes;
      run_sizes["ranks"] = run.ranks;
      run_sizes["threads"] = run.threads;
      const SearchMessages m =
          search_messages(model_.network, run.ranks, run.ranks > run.ranks_per_host, bytes);
      const auto observed = [&](const std::vector<double>& part, double messages_s) {
        return Observation{.run_sizes = run_sizes,
                           .sizes = sizes_of_rounds(run.ranks, run.threads),
                           .value = std::max(kShortest_s, detail::median(part) - messages_s)};
      };
      start_up.push_back(observed(run.start_up, m.start_up_s));
      termination.push_back(observed(run.termination, m.termination_s));
    }
    const auto forms = [&](bool has_constant) {
      const std::vector<std::string> varying = varying_sizes(start_up);
      const auto varies = [&](const char* name) {
        return std::ranges::find(varying, name) != varying.end();
      };
      const bool grows = varies("doublings") || (!has_constant && least_ranks > 1);
      std::vector<Form> all;
      if (has_constant || !grows) {
        all.push_back({Basis()});
      }
      for (const double power : {1, 2}) {
        if (grows) {
          Form form = {power_of("doublings", power)};
          if (has_constant) {
            form.insert(form.begin(), Basis());
          }
          all.push_back(std::move(form));
        }
      }
      for (std::size_t i = 0, count = all.size(); i < count && varies("helpers"); ++i) {
        all.push_back(all[i]);
        all.back().push_back(power_of("helpers", 1));
      }
      return all;
    };
    result_.start_up = fitted(start_up, forms(true), Weights::relative, detail::Block::skeleton);
    result_.termination =
        fitted(termination, forms(least_ranks == 1), Weights::relative, detail::Block::idle);
  }

  Model& model_;
  const std::vector<SearchRun>& runs_;
  SearchModel result_;
};

}  // namespace

void fit_search(Model& model, const std::vector<SearchRun>& runs, bool has_machine) {
  SearchFit(model, runs).fit(has_machine);
}

}  // namespace cleave::models
