// error: cleave: the application must be a class
// SPDX-License-Identifier: Apache-2.0
#include <cleave/program.hpp>

using App = int;

int main(int argc, char** argv) { return cleave::run<App>(argc, argv); }
