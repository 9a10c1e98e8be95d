// SPDX-License-Identifier: Apache-2.0
// The caches: a host of its own has the program and a rank's variables in its caches. Here other
// ranks have run since the rank had its turn. All run the same copy of the program, so that what the
// core learns of its branches serves all, each with its own variables in the same place. The
// program's pages, the variables, the short blocks of the heap and the stack are touched before the
// clock is read. The long blocks are still there where few ranks are simulated, and not where many
// are; with SIMULATE_COLD set, they are in no cache after a call of MPI that can wait, nor does the
// core know then what it has learned of other ranks' data.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

#include "preload.h"

static const uintptr_t kPage = 4096;
static const uintptr_t kCacheLine = 64;

/// The program, of which each rank has its own variables in the same place.
static struct {
  uintptr_t begin;
  uintptr_t end;
  uintptr_t variables;  ///< up to `end`
} program;

/// Notes where the program that is loaded at `wanted` lies.
static int note_program(struct dl_phdr_info* info, size_t size, void* wanted) {
  (void)size;
  const struct link_map* const map = wanted;
  if (info->dlpi_addr != map->l_addr) {
    return 0;
  }
  program.begin = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD) {
      continue;
    }
    const uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
    program.end = begin + segment->p_memsz;
    if ((segment->p_flags & PF_W) != 0) {
      program.variables = begin;
    }
  }
  return 1;
}

EXPORTED void* dlopen(const char* file, int flags) {
  static void* (*next)(const char*, int);
  if (next == NULL) {
    next = (void* (*)(const char*, int))next_of("dlopen");
  }
  void* const handle = next(file, flags);
  struct link_map* map = NULL;
  const int is_first = program.begin == 0;
  if (is_first && handle != NULL && file != NULL && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) {
    dl_iterate_phdr(note_program, map);
  }
  return handle;
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

/// Touches the program's pages, and of the rank its variables, its short blocks, and its stack as far
/// up as it has called from and as far down as it soon needs it.
static void warm_caches(long rank) {
  static uintptr_t stacks[kMostRanks];
  const uintptr_t end = (uintptr_t)__builtin_frame_address(0);
  if (stacks[rank] < end) {
    stacks[rank] = end;
  }
  for (uintptr_t page = program.begin; page < program.variables; page += kPage) {
    (void)*(const volatile char*)page;
  }
  for (uintptr_t line = program.variables; line < program.end; line += kCacheLine) {
    (void)*(const volatile char*)line;
  }
  touch_blocks();
  static const uintptr_t kBelow = (uintptr_t)8 << 10;
  for (uintptr_t line = end - kBelow; line < stacks[rank]; line += kCacheLine) {
    (void)*(const volatile char*)line;
  }
}

/// What the core has learned of other ranks' data, this rank's core would not know: ranks that
/// combine the same data one after the other, as those of replicated data do, would take half of the
/// time once it knows their branches by heart. So many that nobody can foresee take their place.
static void forget_branches(void) {
  static const int kBranches = 1 << 16;
  static uint64_t random = UINT64_C(0x9E3779B97F4A7C15);
  for (int i = 0; i < kBranches; i += 64) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    for (int bit = 0; bit < 64; ++bit) {
      if ((random >> bit & 1) != 0) {
        __asm__ volatile("nop");  // or the compiler would do without the branch
      }
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
  if (is_another) {
    warm_caches(rank);
  }
  if (is_cold && !is_quick && !piece_is_replayed()) {
    flush_blocks();
    if (is_another) {
      forget_branches();
    }
  }
}
