// SPDX-License-Identifier: Apache-2.0
#include "apps/examples/record_sort.hpp"

int main(int argc, char** argv) { return cleave::run<RecordSort>(argc, argv); }
