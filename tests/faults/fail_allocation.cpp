// SPDX-License-Identifier: Apache-2.0
// To be preloaded by an MPI program: `operator new` fails at one call after MPI_Init, or from one
// on. CLEAVE_FAIL_AT is the call, from 1; 0 fails none. CLEAVE_FAIL_ALL=1: all from there on.
// CLEAVE_COUNT names a file that gets the number of calls when the program ends.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

extern "C" {
// The MPI library's.
int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided);
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided);
}

namespace {

std::atomic<bool> counts = false;
std::atomic<long> calls = 0;

long number(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? 0 : std::atol(text);
}

bool fails() {
  if (!counts) {
    return false;
  }
  static const long at = number("CLEAVE_FAIL_AT");
  static const bool all = number("CLEAVE_FAIL_ALL") != 0;
  const long call = ++calls;
  return at > 0 && (all ? call >= at : call == at);
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (fails()) {
    return nullptr;
  }
  const std::size_t wanted = bytes == 0 ? 1 : bytes;
  return alignment == 0
             ? std::malloc(wanted)
             : std::aligned_alloc(alignment, (wanted + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocate(bytes, alignment);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

struct Teller {
  ~Teller() {
    const char* const path = std::getenv("CLEAVE_COUNT");
    std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w");
    if (file != nullptr) {
      std::fprintf(file, "%ld\n", calls.load());
      std::fclose(file);
    }
  }
};
const Teller teller;

}  // namespace

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  counts = true;
  return code;
}

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, 0); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 0); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, 0);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
