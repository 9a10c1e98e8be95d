// Preloaded into SimGrid's SMPI, so that what it costs to simulate is not taken for computation.
//
// The clock: SMPI reads the thread's processor time before and after every piece of computation. Where
// that is a system call of a microsecond and more, as on virtual machines, a program that looks for
// messages every few microseconds would seem to compute for longer than it does. What is returned here
// is the time less one call's cost for every call so far, so the difference of two is what lies between
// them.
//
// The heap: all ranks share it, and where it grows inside the timed region the system's fresh pages, on
// virtual machines milliseconds each, are paid by the one rank that touches them first. So the heap gets
// its length before the program starts, SIMULATE_HEAP_MIB, with every page touched, and keeps it.
//
// The caches: a host of its own has the program and a rank's variables in its caches. Here other ranks
// have run since the rank had its turn, each with a copy of the program. So the copies get the memory of
// the first one for all that cannot be written, and the variables and the end of the stack are touched
// before the clock is read. What a rank has in the heap stays as cold as it is.
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
#include <unistd.h>

static const uintptr_t kPage = 4096;
static const uintptr_t kCacheLine = 64;

/// A rank's copy of the program.
struct Copy {
  uintptr_t begin;
  uintptr_t end;
  uintptr_t variables;  ///< up to `end`
};
enum { kMostCopies = 4096 };
static struct Copy copies[kMostCopies];
static int count_of_copies;
static int first_file = -1;
static char first_page[4096];

static uintptr_t page_of(uintptr_t address) { return address / kPage * kPage; }

/// Lets the copy that is loaded at `info` share all that cannot be written with the first one, if it is
/// one: headers and the build's identity are in the first page.
static int add_copy(struct dl_phdr_info* info, size_t size, void* wanted) {
  (void)size;
  const struct link_map* const map = wanted;
  if (info->dlpi_addr != map->l_addr || count_of_copies == kMostCopies) {
    return 0;
  }
  const char* const page = (const char*)info->dlpi_addr;
  const int is_first = first_file == -1;
  if (is_first) {
    first_file = open(map->l_name, O_RDONLY | O_CLOEXEC);
    memcpy(first_page, page, sizeof(first_page));
  }
  if (first_file == -1 || memcmp(first_page, page, sizeof(first_page)) != 0) {
    return 1;
  }
  struct Copy copy = {.begin = info->dlpi_addr, .end = info->dlpi_addr, .variables = 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD) {
      continue;
    }
    const uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
    copy.end = begin + segment->p_memsz;
    if ((segment->p_flags & PF_W) != 0) {
      copy.variables = begin;
    } else if (!is_first) {
      const uintptr_t before = begin - page_of(begin);
      const int protection = PROT_READ | ((segment->p_flags & PF_X) != 0 ? PROT_EXEC : 0);
      if (mmap((void*)(begin - before), segment->p_filesz + before, protection,
               MAP_PRIVATE | MAP_FIXED, first_file,
               (off_t)(segment->p_offset - before)) == MAP_FAILED) {
        perror("the code of a simulated rank cannot be shared");
        exit(1);
      }
    }
  }
  int place = count_of_copies++;
  for (; place > 0 && copies[place - 1].begin > copy.begin; --place) {
    copies[place] = copies[place - 1];
  }
  copies[place] = copy;
  return 1;
}

void* dlopen(const char* file, int flags) {
  static void* (*next)(const char*, int);
  if (next == NULL) {
    next = (void* (*)(const char*, int))dlsym(RTLD_NEXT, "dlopen");
  }
  void* const handle = next(file, flags);
  struct link_map* map = NULL;
  if (handle != NULL && file != NULL && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) {
    dl_iterate_phdr(add_copy, map);
  }
  return handle;
}

/// The copy in which `address` lies, or null.
static const struct Copy* copy_of(uintptr_t address) {
  int low = 0;
  int high = count_of_copies;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (copies[middle].begin <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low > 0 && address < copies[low - 1].end ? &copies[low - 1] : NULL;
}

/// If another rank had its turn before this one, which is told by the stack: touches the end of the
/// stack and, of the copy that returns are to, the variables.
static void warm_caches(void) {
  static uintptr_t last_turn;
  const uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
  const uintptr_t distance = stack > last_turn ? stack - last_turn : last_turn - stack;
  if (distance < (UINT64_C(1) << 20)) {
    return;
  }
  last_turn = stack;
  const struct Copy* copy = NULL;
  const uintptr_t* const words = (const uintptr_t*)stack;
  for (int i = 0; i < 256; ++i) {
    const uintptr_t word = ((const volatile uintptr_t*)words)[i];
    if (copy == NULL) {
      copy = copy_of(word);
    }
  }
  if (copy != NULL) {
    for (uintptr_t line = copy->variables; line < copy->end; line += kCacheLine) {
      (void)*(const volatile char*)line;
    }
  }
}

static int (*next_gettime)(clockid_t, struct timespec*);

static int64_t processor_time_ns(void) {
  struct timespec time;
  next_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
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
  if (next_gettime == NULL) {
    next_gettime = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
    cost = cost_ns();
  }
  if (clock != CLOCK_THREAD_CPUTIME_ID) {
    return next_gettime(clock, time);
  }
  warm_caches();
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
