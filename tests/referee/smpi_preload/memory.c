// SPDX-License-Identifier: Apache-2.0
// Memory. All ranks share one heap. Where it grows inside the timed region, the one rank that touches
// the system's fresh pages first pays for them. So the heap gets its length, SIMULATE_HEAP_MIB, before
// the program starts, with every page touched. Blocks of a kilobyte and more that a rank releases
// serve itself: it would find those of hundreds of others to look through.
//
// A host of its own has the program, a rank's variables, its stack and its short blocks in its
// caches. Here other ranks have run since. So these are touched before the clock is read. All ranks
// run one copy of the program, so that the core's knowledge of its branches serves all. Long blocks
// are still in the caches where few ranks are simulated, and not where many are. With SIMULATE_COLD
// they are flushed line by line after a call of MPI that can wait, and the core forgets branches.
#define _GNU_SOURCE
#include <cpuid.h>
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "preload.h"

static const uintptr_t kPage = 4096;

/// The applications never use mmap for a block nor give memory back, either
/// (skeleton/program/measure.cpp).
__attribute__((constructor)) static void grow_heap(void) {
  const char* const text = getenv("SIMULATE_HEAP_MIB");
  if (text == NULL) {
    return;
  }
  const size_t bytes = strtoull(text, NULL, 10) << 20;
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  char* const heap = malloc(bytes);
  if (heap == NULL) {
    fprintf(stderr, "SIMULATE_HEAP_MIB: there are no %s MiB of memory\n", text);
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

extern void* __libc_malloc(size_t bytes);
extern void* __libc_calloc(size_t count, size_t bytes);
extern void* __libc_realloc(void* block, size_t bytes);
extern void* __libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void* block);

static const size_t kNoted = (size_t)1 << 10;
static const size_t kMostTouched = (size_t)64 << 10;
static const size_t kLeastFlushed = (size_t)16 << 10;
/// Beside what a rank does with more, looking for it takes no time, and memory for hundreds of
/// ranks to keep it apart there is not.
static const size_t kMostKept = (size_t)1 << 20;
static const uintptr_t kCacheLine = 64;

struct Block {
  char* begin;
  size_t bytes;
};
struct Blocks {
  struct Block* blocks;
  int count;
  int room;
};
static struct {
  struct Blocks used;
  struct Blocks released;
} blocks_of[kMostRanks];
/// The rank whose blocks the heap gives; nobody's are known before it is set.
static long owner = -1;

/// Whether there was memory to note it.
static int add(struct Blocks* blocks, struct Block block) {
  if (blocks->count == blocks->room) {
    const int room = 2 * blocks->room + 64;
    void* const more = __libc_realloc(blocks->blocks, room * sizeof(struct Block));
    if (more == NULL) {
      return 0;
    }
    blocks->blocks = more;
    blocks->room = room;
  }
  blocks->blocks[blocks->count++] = block;
  return 1;
}

static void* take(struct Blocks* blocks, int i) {
  void* const block = blocks->blocks[i].begin;
  blocks->blocks[i] = blocks->blocks[--blocks->count];
  return block;
}

/// Notes whose it is.
static void* noted(void* block) {
  const size_t bytes = block != NULL && owner >= 0 ? malloc_usable_size(block) : 0;
  if (bytes >= kNoted) {
    add(&blocks_of[owner].used, (struct Block){.begin = block, .bytes = bytes});
  }
  return block;
}

/// One that the rank has released, or a new one.
static void* own_block(size_t bytes) {
  struct Blocks* const released = &blocks_of[owner].released;
  for (int i = released->count - 1; i >= 0; --i) {
    // About as long: else a short request would keep a long block from the next that needs it.
    if (released->blocks[i].bytes >= bytes && released->blocks[i].bytes - bytes <= bytes / 8) {
      return take(released, i);
    }
  }
  return __libc_malloc(bytes);
}

/// Whether the block was one of the rank's, which keeps it if it is not too long.
static int release_of(long rank, void* block) {
  struct Blocks* const used = &blocks_of[rank].used;
  for (int i = used->count - 1; i >= 0; --i) {
    if (used->blocks[i].begin == block) {
      const struct Block released = used->blocks[i];
      take(used, i);
      if (released.bytes > kMostKept || !add(&blocks_of[rank].released, released)) {
        __libc_free(block);
      }
      return 1;
    }
  }
  return 0;
}

static int is_noted(void* block) {
  return block != NULL && owner >= 0 && malloc_usable_size(block) >= kNoted;
}

/// Whether it was a rank's.
static int release(void* block) {
  if (release_of(owner, block)) {
    return 1;
  }
  for (long rank = 0; rank < kMostRanks; ++rank) {
    if (release_of(rank, block)) {
      return 1;
    }
  }
  return 0;
}

EXPORTED void* malloc(size_t bytes) {
  return noted(owner >= 0 && bytes >= kNoted ? own_block(bytes) : __libc_malloc(bytes));
}

EXPORTED void* calloc(size_t count, size_t bytes) { return noted(__libc_calloc(count, bytes)); }

EXPORTED void* memalign(size_t alignment, size_t bytes) {
  return noted(__libc_memalign(alignment, bytes));
}

EXPORTED void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

EXPORTED void free(void* block) {
  if (!is_noted(block) || !release(block)) {
    __libc_free(block);
  }
}

EXPORTED void* realloc(void* block, size_t bytes) {
  if (!is_noted(block)) {
    return noted(__libc_realloc(block, bytes));
  }
  void* const other = bytes > 0 ? malloc(bytes) : NULL;
  if (other != NULL) {
    const size_t before = malloc_usable_size(block);
    memcpy(other, block, before < bytes ? before : bytes);
  }
  if (other != NULL || bytes == 0) {
    free(block);
  }
  return other;
}

static int can_flush(void) {
  unsigned a, b, c, d;
  const unsigned kClflushopt = 1U << 23;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & kClflushopt) != 0;
}

/// Brings the short blocks of the rank into the caches.
static void touch_blocks(void) {
  const struct Blocks* const used = &blocks_of[owner].used;
  for (int i = 0; i < used->count; ++i) {
    const struct Block block = used->blocks[i];
    for (size_t at = 0; block.bytes < kMostTouched && at < block.bytes; at += kCacheLine) {
      (void)((const volatile char*)block.begin)[at];
    }
  }
}

/// Takes the long blocks of the rank out of all caches, where the processor can.
static void flush_blocks(void) {
  static int can = -1;
  can = can < 0 ? can_flush() : can;
  const struct Blocks* const used = &blocks_of[owner].used;
  for (int i = 0; can && i < used->count; ++i) {
    const struct Block block = used->blocks[i];
    for (size_t at = 0; block.bytes >= kLeastFlushed && at < block.bytes; at += kCacheLine) {
      __asm__ volatile("clflushopt %0" : "+m"(block.begin[at]));
    }
  }
  __asm__ volatile("sfence" ::: "memory");
}

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
  NEXT(void* (*)(const char*, int), next, "dlopen");
  void* const handle = next(file, flags);
  struct link_map* map = NULL;
  const int is_first = program.begin == 0;
  if (is_first && handle != NULL && file != NULL && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) {
    dl_iterate_phdr(note_program, map);
  }
  return handle;
}

/// The reason of a rank's call of MPI, and how long it had computed before: other ranks have their turns
/// before the call returns. Who begins a message does not wait; who looks for one, and has done so
/// just before, has nothing in the caches that would be lost.
enum Call { kOther, kBegin, kLook };
static struct {
  enum Call call;
  int64_t computed_ns;
} calls_of[kMostRanks];
static const int64_t kJustBefore_ns = 5000;

void end_piece(int64_t ns) { calls_of[current_rank()].computed_ns = ns; }

/// A function of at most seven numbers and addresses.
#define WATCH(name, kind)                                                       \
  EXPORTED int name(long a, long b, long c, long d, long e, long f, long g) {   \
    NEXT(int (*)(long, long, long, long, long, long, long), next, #name);       \
    calls_of[current_rank()].call = (kind);                                     \
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

/// The branches that the core has learned of other ranks' data, this rank's core would not know: ranks that
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
  is_cold = is_cold < 0 ? getenv("SIMULATE_COLD") != NULL : is_cold;
  const int is_another = is_another_rank();
  const long rank = current_rank();
  const enum Call call = calls_of[rank].call;
  calls_of[rank].call = kOther;
  owner = rank;
  const int is_quick =
      call == kBegin || (call == kLook && calls_of[rank].computed_ns < kJustBefore_ns);
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
