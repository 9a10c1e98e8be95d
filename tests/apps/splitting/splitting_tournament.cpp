// SPDX-License-Identifier: Apache-2.0
// The league tables of docs/results/splitting.md, as one JSON object: every online policy on three
// trees at six numbers of processors, priced by N alone. `run_splitting_tournament` among the
// benchmarks.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/splitting/tree_source.hpp"
#include "apps/splitting/ledger/cost.hpp"
#include "tests/apps/splitting/tournament.hpp"

namespace cleave::splitting {
namespace {

nlohmann::json to_json(const Comparison& row) {
  return {{"tree", row.tree},           {"processors", row.processors},
          {"policy", row.policy},       {"peano", row.peano},
          {"filled", row.filled},       {"cost", row.cost},
          {"sum_n", row.sum_n},         {"sum_N", row.sum_N},
          {"imbalance", row.imbalance}, {"max_over_mean", row.max_over_mean},
          {"optimum", row.optimum},     {"optimum_is_exact", row.optimum_is_exact},
          {"beaten_by", row.beaten_by}, {"why_not", row.why_not}};
}

}  // namespace
}  // namespace cleave::splitting

int main() {
  using namespace cleave::splitting;
  auto rows = nlohmann::json::array();
  for (const char* source : {"random:max=8,p=0.65", "sphere:max=10", "point:max=12,min=3"}) {
    const Tree tree = cleave::spacetree::tree_named(source);
    for (const int processors : {2, 4, 8, 16, 32, 64}) {
      for (const Comparison& row : compare(source, tree, processors, linear_cost(0, 1))) {
        rows.push_back(to_json(row));
      }
    }
  }
  fmt::print("{}\n", nlohmann::json{{"rows", std::move(rows)}}.dump());
}
