// SPDX-License-Identifier: Apache-2.0
// The heap: all ranks share it, and where it grows inside the timed region the system's fresh
// pages, on virtual machines milliseconds each, are paid by the one rank that touches them first.
// So the heap gets its length before the program starts, SIMULATE_HEAP_MIB, with every page
// touched, and keeps it.
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static const uintptr_t kPage = 4096;

/// The applications never use mmap for a block nor give memory back, either
/// (skeleton/program/measure.cpp).
__attribute__((constructor)) static void grow_heap(void) {
  const char* const text = getenv("SIMULATE_HEAP_MIB");
  if (text == NULL) {
    return;
  }
  char* end = NULL;
  errno = 0;
  const unsigned long long mib = strtoull(text, &end, 10);
  if (errno != 0 || *end != '\0' || mib > (UINT64_C(1) << 24)) {
    fprintf(stderr, "SIMULATE_HEAP_MIB: '%s' is not a number of MiB\n", text);
    exit(2);
  }
  const size_t bytes = (size_t)mib << 20;
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  char* const heap = malloc(bytes);
  if (heap == NULL) {
    fprintf(stderr, "SIMULATE_HEAP_MIB: there are no %llu MiB of memory\n", mib);
    exit(2);
  }
  const uintptr_t huge_page = (uintptr_t)2 << 20;
  const uintptr_t first = ((uintptr_t)heap + huge_page - 1) / huge_page * huge_page;
  const uintptr_t past = ((uintptr_t)heap + bytes) / huge_page * huge_page;
  if (first < past) {
    madvise((void*)first, past - first, MADV_HUGEPAGE);  // a hint: small pages do as well
  }
  for (size_t i = 0; i < bytes; i += kPage) {
    ((volatile char*)heap)[i] = 0;
  }
  free(heap);
}
