// SPDX-License-Identifier: Apache-2.0
// Preloaded into SimGrid's SMPI, so that what it costs to simulate, and what disturbs this machine,
// is not taken for computation: clock.c, core.c, min.c, caches.c, blocks.c and heap.c say of what
// and how.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))

/// The function that `name` would be without this library.
void* next_of(const char* name);

/// The thread's processor time, with all that is not the program's.
int64_t processor_time_ns(void);

/// The system's clock.
int64_t wall_ns(void);

/// Takes so much off the processor time that SMPI reads from now on, and of what passed meanwhile.
void take_off(int64_t of_processor_ns, int64_t of_wall_ns);

/// Whether SMPI's clock is being read: no moment to interrupt.
int clock_is_read(void);

/// Begins to watch the core, unless SIMULATE_CALM=0 (core.c).
void watch_core(void);

/// How fast the core is now, of what it counts as with SIMULATE_STEADY; else 1 (core.c).
double core_speed(void);

/// Which of at most kMostRanks ranks has its turn.
enum { kMostRanks = 4096 };
long current_rank(void);

/// Before a rank computes: the program and what is short of its data are in the caches as on a host
/// of its own, and with SIMULATE_COLD its long blocks are not (caches.c).
void prepare_caches(void);

/// A rank has computed for `ns`, which prepare_caches asks for.
void end_piece(int64_t ns);

/// The blocks that the heap gives from now on are this rank's (blocks.c).
void blocks_are_of(long rank);

/// Brings the short blocks of that rank into the caches.
void touch_blocks(void);

/// Takes the long blocks of that rank out of all caches, where the processor can.
void flush_blocks(void);

/// A rank begins a repetition (min.c).
void begin_repetition(void);

/// Whether the piece that begins takes what it took before, whatever it takes now (min.c).
int piece_is_replayed(void);

/// What a piece of computation that took `ns` is taken to have taken (min.c).
int64_t settled_ns(int64_t ns);
