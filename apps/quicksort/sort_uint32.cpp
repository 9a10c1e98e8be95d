// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/part_sort.hpp"

namespace cleave::quicksort {

template AnyProgram part_sort<std::uint32_t, Ascending>(const Input&);
template AnyProgram part_sort<std::uint32_t, Descending>(const Input&);

}  // namespace cleave::quicksort
