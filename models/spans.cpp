#include "models/spans.hpp"

#include <algorithm>

namespace cleave {

namespace {

/// The power of `size` in `term`; log2 counts from its square on.
double power_of(const Basis& term, const std::string& size) {
  double sum = 0;
  for (const Basis::Factor& factor : term.factors()) {
    if (factor.size == size && factor.function == Basis::Function::identity) {
      sum += factor.power;
    } else if (factor.size == size && factor.function == Basis::Function::log2) {
      sum += factor.power - 1;
    }
  }
  return sum;
}

}  // namespace

Spans::Spans(const std::vector<Observation>& observations) {
  for (const Observation& o : observations) {
    for (const auto& [name, value] : o.sizes) {
      extend(name, value);
    }
  }
}

void Spans::add(const Spans& other) {
  for (const auto& [name, range] : other.ranges_) {
    extend(name, range.first);
    extend(name, range.second);
  }
}

bool Spans::tell(const Form& form) const {
  constexpr double kEnough = 4;
  return std::all_of(form.begin(), form.end(), [&](const Basis& term) {
    return std::all_of(ranges_.begin(), ranges_.end(), [&](const auto& size) {
      const auto& [least, largest] = size.second;
      return largest >= kEnough * least || power_of(term, size.first) <= 1;
    });
  });
}

void Spans::extend(const std::string& name, double value) {
  auto& [least, largest] = ranges_.try_emplace(name, value, value).first->second;
  least = std::min(least, value);
  largest = std::max(largest, value);
}

}  // namespace cleave
