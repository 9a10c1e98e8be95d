// error: cleave: a program with `with_application` must name its default `Application`
// SPDX-License-Identifier: Apache-2.0
#include <cleave/program.hpp>

struct App {
  template <class Run>
  void with_application(const cleave::RunOptions&, Run&&) const {}
};

int main(int argc, char** argv) { return cleave::run<App>(argc, argv); }
