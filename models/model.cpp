#include "models/model.hpp"

#include <algorithm>
#include <set>

namespace cleave {

int Model::most_ranks_per_host() const {
  int most = 1;
  for (const BlockModel& block : blocks) {
    most = std::max(most, block.ranks_per_host);
  }
  return most;
}

int Model::most_ranks() const {
  int most = 1;
  for (const RunOfModel& run : fitted) {
    most = std::max(most, run.ranks);
  }
  return most;
}

std::vector<std::string> Model::size_names() const {
  std::set<std::string> names;
  const auto add_sizes = [&](const Form& form) {
    for (const Basis& term : form) {
      for (const Basis::Factor& factor : term.factors()) {
        names.insert(factor.size);
      }
    }
  };
  for (const BlockModel& block : blocks) {
    if (block.block != Block::skeleton) {
      add_sizes(block.fit.form);
    }
  }
  for (const ExchangeModel& moved : exchange) {
    add_sizes(moved.bytes.form);
  }
  return {names.begin(), names.end()};
}

}  // namespace cleave
