// SPDX-License-Identifier: Apache-2.0
#include "apps/examples/knapsack.hpp"

int main(int argc, char** argv) { return cleave::run<Knapsack>(argc, argv); }
