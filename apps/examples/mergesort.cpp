// SPDX-License-Identifier: Apache-2.0
#include "apps/examples/mergesort.hpp"

int main(int argc, char** argv) { return cleave::run<Mergesort>(argc, argv); }
