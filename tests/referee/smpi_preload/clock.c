// The clock: SMPI reads the thread's processor time before and after every piece of computation. Where
// that is a system call of a microsecond and more, as on virtual machines, a program that looks for
// messages every few microseconds would seem to compute for longer than it does. What is returned here
// is the time less one call's cost for every call so far, so the difference of two is what lies between
// them. What that call costs depends on what the caches hold, so of a piece that nothing interrupts the
// system's clock, which is read without a call, knows better: it takes the lesser of both.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <time.h>

#include "preload.h"

static int (*next_gettime)(clockid_t, struct timespec*);
static volatile sig_atomic_t is_read;
static volatile int64_t taken_off;

/// The system's clock.
static int64_t wall_ns(void) {
  struct timespec time;
  next_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

void* next_of(const char* name) { return dlsym(RTLD_NEXT, name); }

int64_t processor_time_ns(void) {
  struct timespec time;
  next_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

void take_off(int64_t ns) { taken_off += ns; }

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
}

EXPORTED void xbt_os_threadtimer_stop(void* timer) {
  static TimerCall next;
  next = next != NULL ? next : (TimerCall)next_of("xbt_os_threadtimer_stop");
  call_timer(next, timer, kPieceEnds);
}

/// Ranks begin their repetitions together (apps/harness/measure.hpp).
EXPORTED int PMPI_Barrier(void* comm) {
  static int (*next)(void*);
  if (next == NULL) {
    next = (int (*)(void*))next_of("PMPI_Barrier");
  }
  const int status = next(comm);
  begin_repetition();
  return status;
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec* time) {
  static int64_t cost;
  static int64_t wall_cost;
  static int64_t last;
  static int64_t piece_began;
  static int64_t wall_began;  ///< with `taken_off`, of then and later
  if (next_gettime == NULL) {
    next_gettime = (int (*)(clockid_t, struct timespec*))next_of("clock_gettime");
    cost = cost_ns(processor_time_ns);
    wall_cost = cost_ns(wall_ns);
    watch_core();
  }
  if (clock != CLOCK_THREAD_CPUTIME_ID) {
    return next_gettime(clock, time);
  }
  is_read = 1;
  const int64_t wall = wall_ns() - taken_off;
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
    piece_began = now;
  } else if (at_piece == kPieceEnds) {
    const int64_t by_wall = wall - wall_began > wall_cost ? wall - wall_began - wall_cost : 0;
    const int64_t by_processor = now - piece_began;
    const int64_t settled =
        piece_began + settled_ns(by_wall < by_processor ? by_wall : by_processor);
    taken_off += now - settled;
    now = settled;
  }
  last = now;
  time->tv_sec = now / INT64_C(1000000000);
  time->tv_nsec = now % INT64_C(1000000000);
  is_read = 0;
  wall_began = wall_ns() - taken_off;
  return 0;
}
