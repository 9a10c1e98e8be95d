// The clock: SMPI reads the thread's processor time before and after every piece of computation. Where
// that is a system call of a microsecond and more, as on virtual machines, a program that looks for
// messages every few microseconds would seem to compute for longer than it does. What is returned here
// is the time less one call's cost for every call so far, so the difference of two is what lies between
// them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <time.h>

#include "preload.h"

static int (*next_gettime)(clockid_t, struct timespec*);
static volatile sig_atomic_t is_read;
static volatile int64_t taken_off;

void* next_of(const char* name) { return dlsym(RTLD_NEXT, name); }

int64_t processor_time_ns(void) {
  struct timespec time;
  next_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

void take_off(int64_t ns) { taken_off += ns; }

int clock_is_read(void) { return is_read; }

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
  cool_caches();
  begin_repetition();
  return status;
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec* time) {
  static int64_t cost;
  static int64_t last;
  static int64_t piece_began;
  if (next_gettime == NULL) {
    next_gettime = (int (*)(clockid_t, struct timespec*))next_of("clock_gettime");
    cost = cost_ns();
    watch_core();
  }
  if (clock != CLOCK_THREAD_CPUTIME_ID) {
    return next_gettime(clock, time);
  }
  is_read = 1;
  warm_caches();
  taken_off += cost;
  int64_t now = processor_time_ns() - taken_off;
  if (now < last) {  // a call was quicker than the quickest of those measured
    taken_off -= last - now;
    now = last;
  }
  if (at_piece == kPieceBegins) {
    piece_began = now;
  } else if (at_piece == kPieceEnds) {
    const int64_t settled = piece_began + settled_ns(now - piece_began);
    taken_off += now - settled;
    now = settled;
  }
  last = now;
  is_read = 0;
  time->tv_sec = now / INT64_C(1000000000);
  time->tv_nsec = now % INT64_C(1000000000);
  return 0;
}
