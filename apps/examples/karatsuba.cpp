// SPDX-License-Identifier: Apache-2.0
#include "apps/examples/karatsuba.hpp"

int main(int argc, char** argv) { return cleave::run<Karatsuba>(argc, argv); }
