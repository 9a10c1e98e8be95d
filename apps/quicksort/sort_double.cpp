// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/part_sort.hpp"

namespace cleave::quicksort {

template AnyProgram part_sort<double, Ascending>(const Input&);
template AnyProgram part_sort<double, Descending>(const Input&);

}  // namespace cleave::quicksort
