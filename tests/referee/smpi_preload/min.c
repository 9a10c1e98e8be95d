// SPDX-License-Identifier: Apache-2.0
// What is left of os_noise hits one of many ranks now and then, and all others wait for it. So
// with SIMULATE_LEAST=FIRST,COUNT every piece of computation after COUNT repetitions from FIRST on
// takes the least of the times that the same piece of the same rank took in these.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload.h"

/// What a rank computes between two calls of MPI, in the order of its repetition.
enum { kMostPieces = 1 << 14 };
struct Pieces {
  int repetitions;    ///< begun
  int at;             ///< the next piece of this one
  int count;          ///< in every repetition that was measured
  int64_t* least_ns;  ///< [kMostPieces]
};
static struct Pieces of_rank[kMostRanks];
static int first_measured;
static int measured;  ///< repetitions; 0: none, all pieces take what they take

static const char kUneven[] =
    "a rank computes another number of times in one repetition than in another";

static void fail_least(const char* why) {
  fprintf(stderr, "simulate: --least: %s\n", why);
  _exit(3);
}

static struct Pieces* current_pieces(void) { return &of_rank[current_rank()]; }

int piece_is_replayed(void) {
  return measured != 0 && current_pieces()->repetitions > first_measured + measured;
}

int64_t settled_ns(int64_t ns) {
  if (measured == 0) {
    return ns;
  }
  struct Pieces* const pieces = current_pieces();
  const int repetition = pieces->repetitions - 1;
  if (repetition < first_measured) {
    return ns;
  }
  const int piece = pieces->at++;
  const int is_measured = repetition < first_measured + measured;
  if (piece >= kMostPieces && is_measured) {
    fail_least("a rank calls MPI too often in a repetition");
  }
  if (!is_measured) {
    return piece < pieces->count ? pieces->least_ns[piece] : ns;
  }
  if (repetition == first_measured) {
    pieces->least_ns[piece] = ns;
    pieces->count = piece + 1;
  } else if (piece >= pieces->count) {
    fail_least(kUneven);
  } else if (ns < pieces->least_ns[piece]) {
    pieces->least_ns[piece] = ns;
  }
  return ns;
}

void begin_repetition(void) {
  if (measured == 0) {
    return;
  }
  struct Pieces* const pieces = current_pieces();
  if (pieces->least_ns == NULL) {
    pieces->least_ns = mmap(NULL, kMostPieces * sizeof(int64_t), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pieces->least_ns == MAP_FAILED) {
      fail_least("there is no memory left");
    }
  }
  const int was_compared =
      pieces->repetitions > first_measured + 1 && pieces->repetitions <= first_measured + measured;
  if (was_compared && pieces->at != pieces->count) {
    fail_least(kUneven);
  }
  pieces->repetitions += 1;
  pieces->at = 0;
}

__attribute__((constructor)) static void read_setting(void) {
  const char* const text = getenv("SIMULATE_LEAST");
  if (text == NULL) {
    return;
  }
  if (sscanf(text, "%d,%d", &first_measured, &measured) != 2 || first_measured < 0 ||
      measured < 1) {
    fprintf(stderr, "SIMULATE_LEAST: '%s' is not FIRST,COUNT\n", text);
    exit(2);
  }
}
