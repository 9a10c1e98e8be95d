// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/quicksort_program.hpp"

template CLEAVE_RUN_OF_KEYS(double, Ascending);
template CLEAVE_RUN_OF_KEYS(double, Descending);
