// SPDX-License-Identifier: Apache-2.0
// To be preloaded by an MPI program: `operator new` fails at one call after MPI_Init, or from one
// on. CLEAVE_FAIL_AT is the call, from 1; 0 fails none. CLEAVE_FAIL_ALL=1: all from there on.
// CLEAVE_COUNT names a file that gets the number of calls, also of arrays, when the program ends.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

extern "C" int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided);

namespace {

std::atomic<bool> counts = false;
std::atomic<long> calls = 0;

long number(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? 0 : std::atol(text);
}

bool fails() {
  static const long at = number("CLEAVE_FAIL_AT");
  static const bool all = number("CLEAVE_FAIL_ALL") != 0;
  const long call = counts ? ++calls : 0;
  return at > 0 && (all ? call >= at : call == at);
}

struct Teller {
  ~Teller() {
    const char* const path = std::getenv("CLEAVE_COUNT");
    if (std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w")) {
      std::fprintf(file, "%ld\n", calls.load());
      std::fclose(file);
    }
  }
};
const Teller teller;

}  // namespace

extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  counts = true;
  return code;
}

void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  const std::size_t units = std::max<std::size_t>((bytes + unit - 1) / unit, 1);
  void* const memory = fails() ? nullptr : std::aligned_alloc(unit, units * unit);
  return memory == nullptr ? throw std::bad_alloc() : memory;
}
void* operator new(std::size_t bytes) {
  return operator new(bytes, std::align_val_t(alignof(std::max_align_t)));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
