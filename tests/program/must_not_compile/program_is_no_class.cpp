// error: cleave: the application must be a class
#include <cleave/program.hpp>

using App = int;

int main(int argc, char** argv) { return cleave::run<App>(argc, argv); }
