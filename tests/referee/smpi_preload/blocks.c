// SPDX-License-Identifier: Apache-2.0
// Blocks of the heap of a kilobyte and more, and which rank asked for them with `new` (what the
// program asks malloc itself for goes past any preloaded library: SMPI has it look for names among
// what it is linked with first). All ranks share one heap: a rank that needs a long block would find
// those that hundreds of others have released to look through, so a rank's released blocks serve
// itself. On a host of its own a rank has its short blocks in the caches, so they are touched. The
// long ones are still there where few ranks are simulated and not where many are, and a shared cache
// of hundreds of megabytes keeps them whatever other memory is read, so with SIMULATE_COLD their lines
// are flushed one by one, from a length on that is below that of the data of most runs: a run of less
// does not compare with one of more.
#include <cpuid.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "preload.h"

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
static const size_t kCacheLine = 64;

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
} of_rank[kMostRanks];
static long owner = -1;  ///< nobody's blocks are known before it is set

void blocks_are_of(long rank) { owner = rank; }

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
    add(&of_rank[owner].used, (struct Block){.begin = block, .bytes = bytes});
  }
  return block;
}

/// One that the rank has released, or a new one.
static void* own_block(size_t bytes) {
  struct Blocks* const released = &of_rank[owner].released;
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
  struct Blocks* const used = &of_rank[rank].used;
  for (int i = used->count - 1; i >= 0; --i) {
    if (used->blocks[i].begin == block) {
      const struct Block released = used->blocks[i];
      take(used, i);
      if (released.bytes > kMostKept || !add(&of_rank[rank].released, released)) {
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

void touch_blocks(void) {
  const struct Blocks* const used = &of_rank[owner].used;
  for (int i = 0; i < used->count; ++i) {
    const struct Block block = used->blocks[i];
    for (size_t at = 0; block.bytes < kMostTouched && at < block.bytes; at += kCacheLine) {
      (void)((const volatile char*)block.begin)[at];
    }
  }
}

void flush_blocks(void) {
  static int can = -1;
  if (can < 0) {
    can = can_flush();
  }
  const struct Blocks* const used = &of_rank[owner].used;
  for (int i = 0; can && i < used->count; ++i) {
    const struct Block block = used->blocks[i];
    for (size_t at = 0; block.bytes >= kLeastFlushed && at < block.bytes; at += kCacheLine) {
      __asm__ volatile("clflushopt %0" : "+m"(block.begin[at]));
    }
  }
  __asm__ volatile("sfence" ::: "memory");
}
