// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/quicksort_program.hpp"

template CLEAVE_RUN_OF_KEYS(cleave::quicksort::Record, Ascending);
template CLEAVE_RUN_OF_KEYS(cleave::quicksort::Record, Descending);
