// SPDX-License-Identifier: Apache-2.0
// Which terms a block's time may have: the paper's forms, and the candidates that a choice is made
// among where nothing is prescribed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/basis.hpp"
#include "models/files.hpp"
#include "models/least_squares.hpp"

namespace cleave::models {

/// The form that Printista and Saez (section VI.A) give `block` of an application with these sizes:
/// N alone, or N and M of a graph. None for other blocks and sizes.
std::optional<Form> paper_form(Block block, const std::vector<std::string>& size_names);

/// A form on trial. Its coefficients may be negative only where logarithms of ratios are meant:
/// log2(M/N) is log2(M) - log2(N).
struct TrialForm {
  Form form;
  Sign sign = Sign::non_negative;
  /// Holds beyond a break only, where a constant below 0 is what smaller sizes saved.
  bool beyond_break = false;
  /// Is positive at sizes in the proportion of the measured ones, from so many times as large.
  double positive_from = 1.0 / 1024;
};

/// The catalogue. Every choice of some of the sizes, each as S, S*log2(T) with T any of them
/// (sorting: N*log2(N); edges that meet ever more distant nodes: M*log2(N)), S*log2(S)^2, S^1.5 or
/// S^2, with and without a constant, and the constant alone; fewer terms first. S^0.5 beside S: a
/// number of samples that grows less than what they are taken from, or misses the caches ever more
/// often. For two sizes also their product with and without a constant; three or all four products
/// of N and M with their logarithms, of any sign, since what depends on the density M/N, as paths
/// in a union-find do, may shrink with either; and what a random graph of N nodes and M edges takes
/// where a node costs by the edges that meet there, or an edge by whether it lies inside the giant
/// component (Basis::Function), alone or with work for all nodes or all edges.
std::vector<TrialForm> candidate_forms(const std::vector<std::string>& size_names);

/// Those of `candidate_forms` without logarithms and powers: for what is moved and copied rather
/// than computed.
std::vector<TrialForm> linear_forms(const std::vector<std::string>& size_names);

/// Whether a term is a function of two sizes (Basis::Function).
bool is_of_ends_at_a_node(const TrialForm& trial);

/// What holds beyond a break in `size` only: a line whose constant may be negative, since each unit
/// beyond a cache costs more than those within; alone or with any of `forms` that is one term of
/// the ends at a node.
std::vector<TrialForm> forms_beyond_break(const std::string& size,
                                          const std::vector<TrialForm>& forms);

/// Between two breaks of the density M/N a time is close to a plane over N and M, times log2(N),
/// since every access is to one of N places at random; with a constant, which is much of the time
/// of a small graph; of any sign, since more edges may mean less work.
std::vector<TrialForm> density_forms(const std::string& n, const std::string& m);

}  // namespace cleave::models
