// SPDX-License-Identifier: Apache-2.0
// The time of a table's run is carried on from the edge of what was measured
// (docs/explanation/model.md, "Tables").
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>
#include <valarray>

#include "models/theory/model.hpp"

namespace cleave::models {

namespace {

using Numbers = std::valarray<double>;

constexpr double kNear = 1.5;        ///< runs u doublings from the edge weigh 2^(-2 kNear u)
constexpr double kNearOfWork = 0.5;  ///< where the law of the work is chosen

/// Ranks, load of a rank and surface of the work of runs, by a law of the work; the last is asked
/// for. The edge is the measured place that is nearest to it.
struct Neighbourhood {
  Numbers ranks;
  Numbers load;
  Numbers surface{};  ///< 1 where the number of ranks does not vary
  Numbers seconds;    ///< of all but the last
  Numbers u{};        ///< doublings from the edge, of all but the last
  double reach = 0;
  std::size_t edge = 0;  ///< the run that is nearest to it

  Numbers weights(double nearness) const { return std::exp(-2 * std::numbers::ln2 * nearness * u); }
};

/// The work is a product of S^power log2(S)^logarithms of the sizes that vary. Ranks share it, or
/// each has it whole; what a size counts may share it, too, by a power of -1.
struct WorkLaw {
  struct Power {
    double power;
    int logarithms;
    double price;  ///< in nats
  };
  std::vector<std::pair<std::string, Power>> powers{};
  bool is_shared = false;
  double log_weight = 0;
  Neighbourhood place{};  ///< by it
};

/// All but what is asked for.
Numbers measured(const Numbers& all, std::size_t rows) { return all[std::slice(0, rows, 1)]; }

Numbers log2_of(const Numbers& x) { return std::log(x) / std::numbers::ln2; }

std::vector<double> list_of(const Numbers& x) { return {std::begin(x), std::end(x)}; }

/// Terms c1 load + c2 surface + c3 + c4 log2(ranks), or a root in place of the logarithm. They are
/// fitted to relative residuals with c >= 0.
/// \return  the logarithm of what is asked, and the weighted root mean square of what is left
std::pair<double, double> fit_terms(const Neighbourhood& of, double nearness, double log = 1,
                                    double root = 0) {
  const std::size_t rows = of.seconds.size();
  const std::vector<Numbers> terms = {
      of.load / of.load[of.edge], of.surface / of.surface[of.edge], Numbers(1, rows + 1),
      log * log2_of(of.ranks) / std::max(std::log2(of.ranks[of.edge]), 1.0),
      root * std::sqrt(of.ranks / of.ranks[of.edge])};
  Columns relative;
  for (const Numbers& term : terms) {
    relative.push_back(list_of(measured(term, rows) / of.seconds));
  }
  const Numbers weights = of.weights(nearness);
  const auto c = solve_non_negative(list_of(weights), relative, std::vector<double>(rows, 1));
  Numbers fitted(1e-300, rows + 1);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    fitted += terms[i] * c[i];
  }
  const Numbers left = measured(fitted, rows) / of.seconds - 1.0;
  return {std::log(fitted[rows]), std::sqrt((weights * left * left).sum() / weights.sum())};
}

/// A plane through the logarithms. Gains by caches, more than the load, do not continue.
double on_plane(const Neighbourhood& of) {
  const std::size_t rows = of.seconds.size();
  const Numbers load = log2_of(of.load / of.load[of.edge]);
  const Numbers ranks = log2_of(of.ranks / of.ranks[of.edge]);
  const Columns columns = {Columns::value_type(rows, 1), list_of(measured(load, rows)),
                           list_of(measured(ranks, rows))};
  const auto c =
      solve(list_of(of.weights(kNear)), columns, list_of(std::log(of.seconds)), 1e-6).coefficients;
  return c[0] + std::min(c[1], std::numbers::ln2) * load[rows] + c[2] * ranks[rows];
}

/// Laws of low prices.
std::vector<WorkLaw> laws_of_work(const TableModel& table, const NamedValues& asked) {
  constexpr double kDearest = 6;
  static const std::vector<WorkLaw::Power> kPowers = {
      {1, 0, 0},       {1, 1, 1},       {2, 0, 3},       {3, 0, 3},       {-1, 0, 3},
      {2, 1, 6},       {3, 1, 6},       {4, 0, 6},       {1.0 / 2, 0, 6}, {2.0 / 3, 0, 6},
      {4.0 / 3, 0, 6}, {3.0 / 2, 0, 6}, {5.0 / 3, 0, 6}, {5.0 / 2, 0, 6}};
  std::vector<WorkLaw> laws(1);
  for (const auto& [size, value] : asked) {
    if (size == kRanksSize || table.values_of(size) == std::vector{value}) {
      continue;
    }
    std::vector<WorkLaw> longer;
    for (const WorkLaw& law : laws) {
      for (const WorkLaw::Power& power : kPowers) {
        if (power.price <= law.log_weight + kDearest) {
          longer.push_back(law);
          longer.back().powers.emplace_back(size, power);
          longer.back().log_weight -= power.price;
        }
      }
    }
    laws = std::move(longer);
  }
  if (table.values_of(kRanksSize) != std::vector{asked.at(kRanksSize)}) {
    const std::vector<WorkLaw> whole = std::move(laws);
    for (const WorkLaw& law : whole) {
      laws.insert(laws.end(), law.powers.empty() ? 1 : 2, law);
      laws.back().is_shared = true;
    }
  }
  return laws;
}

Neighbourhood near(const TableModel& table, const NamedValues& asked, const WorkLaw& law) {
  const std::size_t rows = table.points.size();
  Neighbourhood of{
      .ranks = Numbers(rows + 1), .load = Numbers(1, rows + 1), .seconds = Numbers(rows)};
  for (std::size_t i = 0; i <= rows; ++i) {
    const NamedValues& sizes = i < rows ? table.points[i].sizes : asked;
    of.ranks[i] = sizes.at(kRanksSize);
    for (const auto& [size, p] : law.powers) {
      const double value = sizes.at(size);
      of.load[i] *=
          std::pow(value, p.power) * std::pow(std::log2(std::max(value, 2.0)), p.logarithms);
    }
  }
  std::ranges::transform(table.points, std::begin(of.seconds), std::identity(),
                         &Observation::value);
  of.surface = std::pow(of.load, table.values_of(kRanksSize).size() > 1 ? 2.0 / 3 : 0.0);
  of.load /= law.is_shared ? of.ranks : Numbers(1, rows + 1);
  const auto away = [rows](const Numbers& x) -> Numbers {
    const Numbers known = measured(x, rows);
    return std::abs(log2_of(x / std::clamp(x[rows], known.min(), known.max())));
  };
  const Numbers by_ranks = away(of.ranks);
  Numbers u = away(of.load);
  std::ranges::transform(u, by_ranks, std::begin(u),
                         [](double a, double b) { return std::max(a, b); });
  of.u = measured(u, rows);
  of.reach = u[rows];
  of.edge = static_cast<std::size_t>(std::ranges::min_element(of.u) - std::begin(of.u));
  return of;
}

/// How far all points but the outermost miss that one, a doubling.
double hindcast(TableModel table, const WorkLaw& law) {
  const Observation outermost = table.points.back();
  table.points.pop_back();
  if (table.points.size() < 2) {
    return 0;
  }
  const Neighbourhood of = near(table, outermost.sizes, law);
  return (fit_terms(of, kNear).first - std::log(outermost.value)) / std::max(of.reach, 0.5);
}

}  // namespace

std::vector<double> TableModel::values_of(const std::string& size) const {
  std::set<double> values;
  for (const Observation& point : points) {
    values.insert(point.sizes.at(size));
  }
  return {values.begin(), values.end()};
}

Estimate TableModel::at(const NamedValues& sizes) const {
  constexpr double kFarBehindLikeliest = 4;
  constexpr double kLeastMisfit = 0.05;
  constexpr double kHalfOf95 = 3.182;  // of Student's t with 3 degrees of freedom
  NamedValues asked = points.front().sizes;
  for (auto& [name, value] : asked) {
    value = sizes.contains(name) ? sizes.at(name) : value;
  }
  if (law) {
    return law->at(asked);
  }
  std::vector<WorkLaw> laws = laws_of_work(*this, asked);
  for (WorkLaw& work : laws) {
    work.place = near(*this, asked, work);
    const Numbers w = work.place.weights(kNearOfWork);
    work.log_weight -=
        w.sum() * w.sum() / (w * w).sum() *
        std::log(std::hypot(kLeastMisfit, fit_terms(work.place, kNearOfWork).second));
  }
  const double top = std::ranges::max(laws, {}, &WorkLaw::log_weight).log_weight;
  Numbers moments(3);  // of the logarithm, by weight
  for (const WorkLaw& work : laws) {
    const Neighbourhood& of = work.place;
    if (work.log_weight > top - kFarBehindLikeliest) {
      const auto [middle, misfit] = fit_terms(of, kNear);
      const Numbers others = {fit_terms(of, kNear, 0).first, fit_terms(of, kNear, 0, 1).first,
                              on_plane(of)};
      const Numbers apart = others - others.sum() / 3;
      const Numbers parts = {0.015, 0.02 * std::pow(of.reach, 0.6), misfit * of.reach,
                             0.2 * hindcast(*this, work) * of.reach};
      const double variance = (parts * parts).sum() + (apart * apart).sum() / 3;
      moments += std::exp(work.log_weight - top) * Numbers{1, middle, middle * middle + variance};
    }
  }
  moments /= double{moments[0]};
  const double half = kHalfOf95 * std::sqrt(std::max(0.0, moments[2] - moments[1] * moments[1]));
  return {std::exp(moments[1]), std::exp(moments[1] - half), std::exp(moments[1] + half)};
}

}  // namespace cleave::models
