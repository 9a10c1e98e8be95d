// SPDX-License-Identifier: Apache-2.0
// Preloaded into SimGrid's SMPI, so that what it costs to simulate, and what disturbs this machine,
// is not taken for computation: clock.c and memory.c say of what and how.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))

/// The function that `name` would be without this library.
void* next_of(const char* name);

/// Declares `next`, of a type of functions: the function `name` without this library.
#define NEXT(type, next, name)       \
  static __typeof__(type) next;      \
  next = next != NULL ? next : (type)next_of(name)

/// Which of at most kMostRanks ranks has its turn.
enum { kMostRanks = 4096 };
long current_rank(void);

/// Before a rank computes: the program and what is short of its data are in the caches as on a host
/// of its own, and with SIMULATE_COLD its long blocks are not.
void prepare_caches(void);

/// A rank has computed for `ns`, which prepare_caches asks for.
void end_piece(int64_t ns);

/// Whether the piece that begins takes what it took before, whatever it takes now.
int piece_is_replayed(void);
