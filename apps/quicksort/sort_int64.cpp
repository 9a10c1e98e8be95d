// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/quicksort_program.hpp"

template CLEAVE_RUN_OF_KEYS(std::int64_t, Ascending);
template CLEAVE_RUN_OF_KEYS(std::int64_t, Descending);
