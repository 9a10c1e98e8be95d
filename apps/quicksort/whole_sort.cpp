// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "apps/quicksort/check.hpp"
#include "apps/quicksort/programs.hpp"
#include "apps/quicksort/quicksort.hpp"
#include "apps/quicksort/source.hpp"

namespace cleave::quicksort {

AnyProgram whole_sort(const Input& input) {
  return Program<Quicksort>{
      .make_problem =
          [&input](const NamedSizes& sizes, std::uint64_t seed) {
            const Source<std::int32_t> source(input, sizes, seed, {});
            Keys keys(static_cast<std::size_t>(source.keys()));
            source.fill(0, keys);
            return keys;
          },
      .is_generated = [&input] { return input.is_generated(); },
      .wrong = [](const Keys& keys, const Keys& sorted) { return wrong_order(keys, sorted); },
      .figures = [](const Keys& keys) -> Figures {
        return {{"sorted", std::is_sorted(keys.begin(), keys.end())}};
      }};
}

}  // namespace cleave::quicksort
