// The caches: a host of its own has the program and a rank's variables in its caches. Here other
// ranks have run since the rank had its turn, each with a copy of the program. So the copies get
// the memory of the first one for all that cannot be written, and its pages, the variables and the
// stack are touched before the clock is read. What a rank has in the heap is still there where few
// ranks are simulated, and not where many are; with SIMULATE_COLD set, the rank's long blocks are in
// no cache after a call of MPI that can wait.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "preload.h"

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

/// Lets the copy that is loaded at `info` share all that cannot be written with the first one, if
/// it is one: headers and the build's identity are in the first page.
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

EXPORTED void* dlopen(const char* file, int flags) {
  static void* (*next)(const char*, int);
  if (next == NULL) {
    next = (void* (*)(const char*, int))next_of("dlopen");
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

/// What a rank called MPI for, and how long it had computed before: other ranks have their turns
/// before the call returns. Who begins a message does not wait; who looks for one, and has done so
/// just before, has nothing in the caches that would be lost.
enum Call { kOther, kBegin, kLook };
static struct {
  enum Call call;
  int64_t computed_ns;
} of_rank[kMostRanks];
static const int64_t kJustBefore_ns = 5000;

void end_piece(int64_t ns) { of_rank[current_rank()].computed_ns = ns; }

/// A function of at most seven numbers and addresses.
#define WATCH(name, kind)                                                       \
  EXPORTED int name(long a, long b, long c, long d, long e, long f, long g) {   \
    static int (*next)(long, long, long, long, long, long, long);               \
    if (next == NULL) {                                                         \
      next = (int (*)(long, long, long, long, long, long, long))next_of(#name); \
    }                                                                           \
    of_rank[current_rank()].call = (kind);                                      \
    return next(a, b, c, d, e, f, g);                                           \
  }
WATCH(PMPI_Isend, kBegin)
WATCH(PMPI_Irecv, kBegin)
WATCH(PMPI_Iprobe, kLook)
WATCH(PMPI_Testsome, kLook)
WATCH(PMPI_Testall, kLook)

/// Touches the rank's stack, as far up as it has called from, and, of the copy that returns are to,
/// the variables and each page.
static void warm_caches(long rank) {
  static uintptr_t stacks[kMostRanks];
  const uintptr_t end = (uintptr_t)__builtin_frame_address(0);
  if (stacks[rank] < end) {
    stacks[rank] = end;
  }
  for (uintptr_t line = end; line < stacks[rank]; line += kCacheLine) {
    (void)*(const volatile char*)line;
  }
  const struct Copy* copy = NULL;
  const uintptr_t* const words = (const uintptr_t*)end;
  for (int i = 0; i < 256; ++i) {
    const uintptr_t word = ((const volatile uintptr_t*)words)[i];
    if (copy == NULL) {
      copy = copy_of(word);
    }
  }
  if (copy != NULL) {
    for (uintptr_t page = copy->begin; page < copy->variables; page += kPage) {
      (void)*(const volatile char*)page;
    }
    for (uintptr_t line = copy->variables; line < copy->end; line += kCacheLine) {
      (void)*(const volatile char*)line;
    }
  }
}

/// Whether another rank had its turn before this one, which is told by the stack.
static int is_another_rank(void) {
  static uintptr_t last_turn;
  const uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
  const uintptr_t distance = stack > last_turn ? stack - last_turn : last_turn - stack;
  last_turn = stack;
  return distance >= (UINT64_C(1) << 20);
}

void prepare_caches(void) {
  static int is_cold = -1;
  if (is_cold < 0) {
    is_cold = getenv("SIMULATE_COLD") != NULL;
  }
  const int is_another = is_another_rank();
  const long rank = current_rank();
  const enum Call call = of_rank[rank].call;
  of_rank[rank].call = kOther;
  blocks_are_of(rank);
  const int is_quick =
      call == kBegin || (call == kLook && of_rank[rank].computed_ns < kJustBefore_ns);
  if (is_cold && !is_quick && !piece_is_replayed()) {
    flush_blocks();
  }
  if (is_another) {
    warm_caches(rank);
  }
}
