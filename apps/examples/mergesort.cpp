#include "apps/examples/mergesort.hpp"

int main(int argc, char** argv) { return cleave::run<Mergesort>(argc, argv); }
