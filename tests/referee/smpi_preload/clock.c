// SPDX-License-Identifier: Apache-2.0
// The clock: SMPI reads the thread's processor time before and after every piece of computation.
// Where that is a system call of a microsecond and more, as on virtual machines, a program that
// looks for messages every few microseconds would seem to compute for longer than it does. What is
// returned here is the time less one call's cost for every call so far, so the difference of two is
// what lies between them. What that call costs depends on what the caches hold, so of a piece that
// nothing interrupts the system's clock, which is read without a call, knows better: it takes the
// lesser of both.
//
// A program that looks at MPI's clock goes on with what it computes: SMPI would end the piece and
// turn to another rank, after which the caches are another's. The system's steady clock is the
// simulated one too, or a program that does something every 10 us would always find them over when
// its turn comes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "preload.h"

static int (*next_gettime)(clockid_t, struct timespec*);
static volatile sig_atomic_t is_read;
static volatile int64_t taken_off;
static volatile int64_t wall_taken_off;

int64_t wall_ns(void) {
  struct timespec time;
  next_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

void* next_of(const char* name) { return dlsym(RTLD_NEXT, name); }

long current_rank(void) {
  static long (*number)(void);
  if (number == NULL) {
    number = (long (*)(void))next_of("sg_actor_self_get_pid");
  }
  const long rank = number();
  if (rank < 0 || rank >= kMostRanks) {
    fprintf(stderr, "simulate: there are too many ranks\n");
    _exit(3);
  }
  return rank;
}

int64_t processor_time_ns(void) {
  struct timespec time;
  next_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

void take_off(int64_t of_processor_ns, int64_t of_wall_ns) {
  taken_off += of_processor_ns;
  wall_taken_off += of_wall_ns;
}

int clock_is_read(void) { return is_read; }

/// The least that reading `clock` took of many times: of what disturbs it, nothing counts.
static int64_t cost_ns(int64_t (*clock)(void)) {
  int64_t least = INT64_MAX;
  for (int i = 0; i < 1000; ++i) {
    const int64_t before = clock();
    const int64_t took = clock() - before;
    least = took < least ? took : least;
  }
  return least;
}

static enum { kNothing, kPieceBegins, kPieceEnds } at_piece;
static int is_computing;         ///< a rank, between two calls of MPI
static int64_t computing_since;  ///< of the clock of pieces
static int64_t piece_began;      ///< of the same, and
static int64_t wall_began;       ///< of the system's without what is taken off
typedef void (*TimerCall)(void* timer);

/// SMPI's timer reads the clock before and after each piece.
static void call_timer(TimerCall call, void* timer, int at) {
  at_piece = at;
  call(timer);
  at_piece = kNothing;
}

EXPORTED void xbt_os_threadtimer_start(void* timer) {
  static TimerCall next;
  next = next != NULL ? next : (TimerCall)next_of("xbt_os_threadtimer_start");
  call_timer(next, timer, kPieceBegins);
  is_computing = 1;
}

EXPORTED void xbt_os_threadtimer_stop(void* timer) {
  static TimerCall next;
  next = next != NULL ? next : (TimerCall)next_of("xbt_os_threadtimer_stop");
  is_computing = 0;
  call_timer(next, timer, kPieceEnds);
}

/// Ranks begin their repetitions together (skeleton/program/cleave/program/measure.hpp).
EXPORTED int PMPI_Barrier(void* comm) {
  static int (*next)(void*);
  if (next == NULL) {
    next = (int (*)(void*))next_of("PMPI_Barrier");
  }
  const int status = next(comm);
  begin_repetition();
  return status;
}

/// The core's speed when the piece began: one for all of it, or time would go back.
static double speed_of_piece = 1;

static int64_t counted_ns(int64_t ns) { return (int64_t)(speed_of_piece * (double)ns); }

/// The clock of pieces: the processor time without all that is not the program's. Here a piece ends
/// or begins.
static int64_t piece_clock_ns(void) {
  static int64_t cost = -1;
  static int64_t wall_cost;
  static int64_t last;
  if (cost == -1) {
    cost = cost_ns(processor_time_ns);
    wall_cost = cost_ns(wall_ns);
    watch_core();
  }
  is_read = 1;
  const int64_t wall = wall_ns() - wall_taken_off;
  if (at_piece == kPieceBegins) {
    prepare_caches();
  }
  taken_off += cost;
  int64_t now = processor_time_ns() - taken_off;
  if (now < last) {  // a call was quicker than the quickest of those measured
    taken_off -= last - now;
    now = last;
  }
  if (at_piece == kPieceBegins) {
    computing_since = now;
  } else if (at_piece == kPieceEnds) {
    const int64_t by_wall = wall - wall_began > wall_cost ? wall - wall_began - wall_cost : 0;
    const int64_t by_processor = now - piece_began;
    const int64_t piece_ns = counted_ns(by_wall < by_processor ? by_wall : by_processor);
    end_piece(piece_ns);
    const int64_t settled = piece_began + settled_ns(piece_ns);
    taken_off += now - settled;
    now = settled;
  }
  piece_began = now;
  speed_of_piece = core_speed();
  last = now;
  is_read = 0;
  wall_began = wall_ns() - wall_taken_off;
  return now;
}

/// Simulated time after so much computation since the rank's last call of MPI.
static double simulated_s(int64_t computed_ns) {
  static double (*now)(void);
  static double slower;
  if (now == NULL) {
    now = (double (*)(void))next_of("simgrid_get_clock");
    slower = atof(getenv("SIMULATE_SLOWER"));
  }
  return now() + slower * (double)computed_ns / 1e9;
}

static void set(struct timespec* time, int64_t ns) {
  time->tv_sec = ns / INT64_C(1000000000);
  time->tv_nsec = ns % INT64_C(1000000000);
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec* time) {
  if (next_gettime == NULL) {
    next_gettime = (int (*)(clockid_t, struct timespec*))next_of("clock_gettime");
  }
  if (clock == CLOCK_THREAD_CPUTIME_ID) {
    set(time, piece_clock_ns());
  } else if (clock == CLOCK_MONOTONIC && is_computing) {
    is_read = 1;
    const int64_t of_piece = counted_ns(wall_ns() - wall_taken_off - wall_began);
    is_read = 0;
    set(time, (int64_t)(1e9 * simulated_s(piece_began - computing_since + of_piece)));
  } else {
    return next_gettime(clock, time);
  }
  return 0;
}

EXPORTED double PMPI_Wtime(void) {
  static double (*next)(void);
  if (next == NULL) {
    next = (double (*)(void))next_of("PMPI_Wtime");
  }
  if (!is_computing) {
    return next();
  }
  at_piece = kPieceEnds;
  const int64_t computed = piece_clock_ns() - computing_since;
  at_piece = kNothing;
  return simulated_s(computed);
}
