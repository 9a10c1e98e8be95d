// SPDX-License-Identifier: Apache-2.0
#include "apps/examples/queens.hpp"

int main(int argc, char** argv) { return cleave::run<Queens>(argc, argv); }
