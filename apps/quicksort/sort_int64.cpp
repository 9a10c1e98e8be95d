// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/part_sort.hpp"

namespace cleave::quicksort {

template AnyProgram part_sort<std::int64_t>(const Input&, ByKey);

}  // namespace cleave::quicksort
