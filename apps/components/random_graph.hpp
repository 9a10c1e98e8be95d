// SPDX-License-Identifier: Apache-2.0
// What a random graph of N nodes and M edges looks like, as far as the cost of labelling it depends
// on that (Erdos and Renyi, On the Evolution of Random Graphs, 1960).
#pragma once

#include <cleave/costs.hpp>

namespace cleave::components {

/// The part of the nodes outside the giant component where `ends` of edges meet at a node, on
/// average: u of u = exp(-ends (1 - u)).
double outside_giant(double ends);

/// Edges for each node that do not lie inside the giant component when they come, one after the
/// other: the integral of 1 - (1 - u)^2 over M / N.
double leaving(double ends);

/// For two graphs on the same nodes with `ends` each. The part of the nodes that are the least of
/// their component in neither, less those in the giant components of both. Their two labels are
/// united where the graphs are combined.
double joined(double ends);

/// What solving a part and combining two take, by the ratio M/N.
Costs costs_on_random_graphs();

}  // namespace cleave::components
