// SPDX-License-Identifier: Apache-2.0
#include "apps/examples/closest_pair.hpp"

int main(int argc, char** argv) { return cleave::run<ClosestPair>(argc, argv); }
