#include "apps/examples/record_sort.hpp"

int main(int argc, char** argv) { return cleave::run<RecordSort>(argc, argv); }
