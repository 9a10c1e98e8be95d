// SPDX-License-Identifier: Apache-2.0
// Basis functions: what a block's time is a linear combination of, written as people write them:
// "1", "N", "N*log2(N)", "N^1.5", "N*M", "N*hit(M/N)".
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cleave::models {

/// Sizes as numbers: measured ones are counts, those derived by a model need not be whole.
using NamedValues = std::map<std::string, double>;

/// A product of powers of sizes and of functions of them; without factors it is 1.
class Basis {
 public:
  /// Of a size; the last nine of two, M edges and N nodes of a random graph. The ends of edges
  /// that meet at a node follow Poisson's law with mean x = 2 M / N (Feller, An Introduction to
  /// Probability Theory, II.5). The giant component leaves out u = exp(-x (1 - u)) of the nodes
  /// (Erdos and Renyi, On the Evolution of Random Graphs, 1960).
  enum class Function {
    identity,
    log2,
    none,     ///< the part of the nodes without an end: exp(-x)
    hit,      ///< with one or more: 1 - exp(-x)
    once,     ///< with one: x exp(-x)
    twice,    ///< with two and more: 1 - (1 + x) exp(-x)
    giant,    ///< the part in the giant component: 1 - u
    outside,  ///< the part outside it: u
    /// Edges for each node that do not lie inside it when they come, one after the other; the
    /// integral of 1 - (1 - u)^2 over M / N: 1 - u + x u^2 / 2.
    leaving,
    outside_half,  ///< the part outside it where only half of the edges are there
    /// The part that is labelled by another node in two such halves, and not by the giant component
    /// in both: these labels are united where the halves are combined.
    joined,
  };

  struct Factor {
    std::string size;
    Function function = Function::identity;
    std::string per;  ///< N of a function of M and N, which is `size`
    double power = 1;

    friend bool operator==(const Factor&, const Factor&) = default;
  };

  Basis() = default;
  explicit Basis(std::vector<Factor> factors) : factors_(std::move(factors)) {}

  /// "1", or factors joined by '*': SIZE, log2(SIZE) and, of two sizes, none(SIZE/SIZE), hit(...),
  /// once(...), twice(...), giant(...), outside(...), leaving(...), outside_half(...) and
  /// joined(...), each of them perhaps with ^POWER.
  ///
  /// \throws UsageError  naming what was expected and the position
  static Basis parse(std::string_view text);

  /// As `parse` reads it.
  std::string text() const;

  /// log2(0) counts as 0.
  /// \throws Error  if `sizes` lacks one that this is a function of
  double operator()(const NamedValues& sizes) const;

  const std::vector<Factor>& factors() const { return factors_; }

  /// The names of the sizes that this is a function of.
  std::set<std::string> sizes() const;

  friend bool operator==(const Basis&, const Basis&) = default;

 private:
  std::vector<Factor> factors_;
};

/// The terms of a block's time, e.g. {1, N, M}.
using Form = std::vector<Basis>;

/// Terms joined by commas: "1,N*log2(N)". \throws UsageError  also for a term that comes twice
Form parse_form(std::string_view text);

std::string text_of(const Form& form);
std::vector<std::string> term_names(const Form& form);

}  // namespace cleave::models
