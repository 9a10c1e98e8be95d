#include "apps/examples/queens.hpp"

int main(int argc, char** argv) { return cleave::run<Queens>(argc, argv); }
