// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/part_sort.hpp"

namespace cleave::quicksort {

template AnyProgram part_sort<float, Ascending>(const Input&);
template AnyProgram part_sort<float, Descending>(const Input&);

}  // namespace cleave::quicksort
