// Preloaded into SimGrid's SMPI, so that what it costs to simulate is not taken for computation.
//
// The clock: SMPI reads the thread's processor time before and after every piece of computation. Where that is a
// system call of a microsecond and more, as on virtual machines, a program that looks for messages
// every few microseconds would seem to compute for longer than it does. What is returned here is the
// time less one call's cost for every call so far, so the difference of two is what lies between them.
//
// The heap: all ranks share it, and where it grows inside the timed region the system's fresh pages, on
// virtual machines milliseconds each, are paid by the one rank that touches them first. So the heap gets
// its length before the program starts, SIMULATE_HEAP_MIB, with every page touched, and keeps it.
//
// The code: each rank has a copy of the program, in the folder SIMULATE_COPIES, for the sake of its
// variables. Its code is the same in all, and in one place of memory only, else the processor's
// caches would have to fetch it anew whenever the simulation goes on to another rank.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static int (*next)(clockid_t, struct timespec*);

static int64_t processor_time_ns(void) {
  struct timespec time;
  next(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/// The least that a call took of many: of what disturbs it, nothing counts.
static int64_t cost_ns(void) {
  int64_t least = INT64_MAX;
  for (int i = 0; i < 1000; ++i) {
    const int64_t before = processor_time_ns();
    const int64_t took = processor_time_ns() - before;
    least = took < least ? took : least;
  }
  return least;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  static int64_t cost;
  static int64_t taken_off;
  static int64_t last;
  if (next == NULL) {
    next = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
    cost = cost_ns();
  }
  if (clock != CLOCK_THREAD_CPUTIME_ID) {
    return next(clock, time);
  }
  taken_off += cost;
  int64_t now = processor_time_ns() - taken_off;
  if (now < last) {  // a call was quicker than the quickest of those measured
    taken_off -= last - now;
    now = last;
  }
  last = now;
  time->tv_sec = now / INT64_C(1000000000);
  time->tv_nsec = now % INT64_C(1000000000);
  return 0;
}

static int first_copy = -1;  // a file

/// Maps what nobody writes to, in the program that begins at *base, from the first copy.
static int share_code(struct dl_phdr_info* program, size_t size, void* base) {
  (void)size;
  if (program->dlpi_addr != *(ElfW(Addr)*)base) {
    return 0;
  }
  const uintptr_t page = 4096;
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const part = &program->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || (part->p_flags & PF_W) != 0) {
      continue;
    }
    const uintptr_t within = part->p_vaddr % page;
    void* const place = (void*)(program->dlpi_addr + part->p_vaddr - within);
    const int protection = PROT_READ | ((part->p_flags & PF_X) != 0 ? PROT_EXEC : 0);
    if (mmap(place, part->p_filesz + within, protection, MAP_PRIVATE | MAP_FIXED, first_copy,
             (off_t)(part->p_offset - within)) == MAP_FAILED) {
      perror("the code of a simulated rank cannot be mapped");
      exit(1);
    }
  }
  return 1;
}

void* dlopen(const char* name, int flags) {
  static void* (*open_library)(const char*, int);
  if (open_library == NULL) {
    open_library = (void* (*)(const char*, int))dlsym(RTLD_NEXT, "dlopen");
  }
  void* const library = open_library(name, flags);
  const char* const copies = getenv("SIMULATE_COPIES");
  if (library == NULL || name == NULL || copies == NULL ||
      strncmp(name, copies, strlen(copies)) != 0) {
    return library;
  }
  struct link_map* map = NULL;
  if (first_copy < 0) {
    first_copy = open(name, O_RDONLY | O_CLOEXEC);
  } else if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0) {
    ElfW(Addr) base = map->l_addr;
    dl_iterate_phdr(share_code, &base);
  }
  return library;
}

/// The applications never use mmap for a block nor give memory back, either (apps/harness/measure.cpp).
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
  const size_t huge_page = (size_t)2 << 20;
  const uintptr_t first = ((uintptr_t)heap + huge_page - 1) / huge_page * huge_page;
  const uintptr_t past = ((uintptr_t)heap + bytes) / huge_page * huge_page;
  if (first < past) {
    madvise((void*)first, past - first, MADV_HUGEPAGE);  // a hint: small pages do as well
  }
  for (size_t i = 0; i < bytes; i += 4096) {
    ((volatile char*)heap)[i] = 0;
  }
  free(heap);
}
