// SPDX-License-Identifier: Apache-2.0
// The clock. SMPI reads the thread's processor time before and after every piece of computation. Where
// that is a system call of a microsecond, a program that looks for messages every few microseconds
// would seem to compute for longer than it does. So one call's cost is taken off for every call, and
// of a piece that nothing interrupts the lesser of processor time and system's clock counts. A look
// at MPI's clock ends no piece: the caches would be another rank's. The steady clock is simulated.
//
// The core. Where other programs share it, all it computes takes up to twice as long for a while, and
// a rank that has its turn then looks slow. So every millisecond the simulation measures how fast the
// core is, and waits where something slows it. Where the millisecond came late, the core was away:
// that is taken off. SIMULATE_CALM=0 lets all be.
//
// Noise that is left hits one of many ranks, and all others wait for it. With
// SIMULATE_LEAST=FIRST,COUNT every piece after COUNT repetitions from FIRST on takes the least of the
// times that the same piece of the same rank took in these.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "preload.h"

static int (*next_gettime)(clockid_t, struct timespec*);
/// Whether SMPI's clock is being read: no moment to interrupt.
static volatile sig_atomic_t is_read;
static volatile int64_t taken_off;
static volatile int64_t wall_taken_off;

/// The system's clock.
static int64_t wall_ns(void) {
  struct timespec time;
  next_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

void* next_of(const char* name) { return dlsym(RTLD_NEXT, name); }

long current_rank(void) {
  NEXT(long (*)(void), number, "sg_actor_self_get_pid");
  const long rank = number();
  if (rank < 0 || rank >= kMostRanks) {
    fprintf(stderr, "simulate: there are too many ranks\n");
    _exit(3);
  }
  return rank;
}

/// The thread's processor time, with all that is not the program's.
static int64_t processor_time_ns(void) {
  struct timespec time;
  next_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static volatile int64_t waited_ns;

/// How long a fixed computation takes that keeps all units for integers busy: what else uses them,
/// as the core's other thread, makes it slower.
static int64_t probe_ns(void) {
  uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
  const int64_t begin = wall_ns();
  for (uint64_t i = 0; i < 2500; ++i) {
    a += i ^ (a >> 1);
    b += i ^ (b >> 2);
    c += i ^ (c >> 3);
    d += i ^ (d >> 1);
    e += i ^ (e >> 2);
    f += i ^ (f >> 3);
    g += i ^ (g >> 1);
    h += i ^ (h >> 2);
    __asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f), "r"(g), "r"(h));
  }
  return wall_ns() - begin;
}

/// The lesser of two: an interrupt disturbs only one.
static int64_t lesser_probe_ns(void) {
  const int64_t first = probe_ns();
  const int64_t second = probe_ns();
  return first < second ? first : second;
}

static const int64_t kTick_ns = 1000000;

/// The time beyond `kTick_ns` since `last_ns`, if that is known (not 0) and it is more than a
/// timer is late by itself.
static int64_t away_ns(int64_t now_ns, int64_t last_ns) {
  static const int64_t kLate_ns = 200000;
  const int64_t late = now_ns - last_ns - kTick_ns;
  return last_ns != 0 && late > kLate_ns ? late : 0;
}

/// Waits until the core is about as fast as it has been at best: at most two seconds at a time, and
/// in all at most ten seconds and half of the time.
static void wait_for_free_core(int signal) {
  (void)signal;
  static const double kThrottled = 1.05;
  static const int64_t kLongest_ns = INT64_C(2000000000);
  static const int64_t kAlways_ns = INT64_C(10000000000);
  static int64_t least = INT64_MAX;
  static int64_t first_ns;
  static int64_t last_processor_ns;
  static int64_t last_wall_ns;
  if (is_read) {
    last_processor_ns = 0;  // what the next tick is late by is not known
    last_wall_ns = 0;
    return;
  }
  const int error = errno;
  const int64_t processor_begin = processor_time_ns();
  const int64_t wall_begin = wall_ns();
  const int64_t processor_away_ns = away_ns(processor_begin, last_processor_ns);
  const int64_t wall_away_ns = away_ns(wall_begin, last_wall_ns);
  int64_t now = probe_ns();
  if ((double)now > kThrottled * (double)least) {
    const int64_t begin = wall_ns();
    first_ns = first_ns == 0 ? begin : first_ns;
    const int64_t due = kAlways_ns + (begin - first_ns) / 2 - waited_ns;
    const int64_t longest = due < kLongest_ns ? due : kLongest_ns;
    int64_t waited = 0;
    for (now = lesser_probe_ns(); (double)now > kThrottled * (double)least && waited < longest;
         now = lesser_probe_ns()) {
      const struct timespec moment = {.tv_sec = 0, .tv_nsec = 500000};
      nanosleep(&moment, NULL);
      waited = wall_ns() - begin;
    }
    waited_ns += waited;
  }
  least = now < least ? now : least;
  last_processor_ns = processor_time_ns();
  last_wall_ns = wall_ns();
  taken_off += last_processor_ns - processor_begin + processor_away_ns;
  wall_taken_off += last_wall_ns - wall_begin + wall_away_ns;
  errno = error;
}

static void say_waited(void) {
  const double kLong_s = 1;
  const double waited_s = (double)waited_ns / 1e9;
  if (waited_s > kLong_s) {
    fprintf(stderr, "simulate: waited %.1f s until no other program throttled the core\n", waited_s);
  }
}

static void watch_core(void) {
  const char* const text = getenv("SIMULATE_CALM");
  if (text != NULL && strcmp(text, "0") == 0) {
    return;
  }
  const struct sigaction action = {.sa_handler = wait_for_free_core, .sa_flags = SA_RESTART};
  // To this thread alone: the program's others would take what is theirs off its clock meanwhile.
  struct sigevent to_this_thread = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
  to_this_thread._sigev_un._tid = gettid();
  const struct timespec millisecond = {.tv_sec = 0, .tv_nsec = kTick_ns};
  const struct itimerspec each = {.it_interval = millisecond, .it_value = millisecond};
  timer_t timer = NULL;
  if (sigaction(SIGALRM, &action, NULL) != 0 ||
      timer_create(CLOCK_MONOTONIC, &to_this_thread, &timer) != 0 ||
      timer_settime(timer, 0, &each, NULL) != 0) {
    perror("the core's speed cannot be watched");
    exit(1);
  }
  atexit(say_waited);
}

/// The computation of a rank between two calls of MPI, in the order of its repetition.
enum { kMostPieces = 1 << 14 };
struct Pieces {
  int repetitions;    ///< begun
  int at;             ///< the next piece of this one
  int count;          ///< in every repetition that was measured
  int64_t* least_ns;  ///< [kMostPieces]
};
static struct Pieces pieces_of[kMostRanks];
static int first_measured;
static int measured;  ///< repetitions; 0: none, all pieces take what they take

static const char kUneven[] =
    "a rank computes another number of times in one repetition than in another";

static void fail_least(const char* why) {
  fprintf(stderr, "simulate: --least: %s\n", why);
  _exit(3);
}

static struct Pieces* current_pieces(void) { return &pieces_of[current_rank()]; }

int piece_is_replayed(void) {
  return measured != 0 && current_pieces()->repetitions > first_measured + measured;
}

/// The time that a piece of computation of `ns` counts as.
static int64_t settled_ns(int64_t ns) {
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

static void begin_repetition(void) {
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
  if (text != NULL) {
    sscanf(text, "%d,%d", &first_measured, &measured);
  }
}

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
  NEXT(TimerCall, next, "xbt_os_threadtimer_start");
  call_timer(next, timer, kPieceBegins);
  is_computing = 1;
}

EXPORTED void xbt_os_threadtimer_stop(void* timer) {
  NEXT(TimerCall, next, "xbt_os_threadtimer_stop");
  is_computing = 0;
  call_timer(next, timer, kPieceEnds);
}

/// Ranks begin their repetitions together (skeleton/program/cleave/program/measure.hpp).
EXPORTED int PMPI_Barrier(void* comm) {
  NEXT(int (*)(void*), next, "PMPI_Barrier");
  const int status = next(comm);
  begin_repetition();
  return status;
}

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
    const int64_t piece_ns = by_wall < by_processor ? by_wall : by_processor;
    end_piece(piece_ns);
    const int64_t settled = piece_began + settled_ns(piece_ns);
    taken_off += now - settled;
    now = settled;
  }
  piece_began = now;
  last = now;
  is_read = 0;
  wall_began = wall_ns() - wall_taken_off;
  return now;
}

/// Simulated time after so much computation since the rank's last call of MPI.
static double simulated_s(int64_t computed_ns) {
  NEXT(double (*)(void), now, "simgrid_get_clock");
  static double slower;
  slower = slower > 0 ? slower : atof(getenv("SIMULATE_SLOWER"));
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
    const int64_t of_piece = wall_ns() - wall_taken_off - wall_began;
    is_read = 0;
    set(time, (int64_t)(1e9 * simulated_s(piece_began - computing_since + of_piece)));
  } else {
    return next_gettime(clock, time);
  }
  return 0;
}

EXPORTED double PMPI_Wtime(void) {
  NEXT(double (*)(void), next, "PMPI_Wtime");
  if (!is_computing) {
    return next();
  }
  at_piece = kPieceEnds;
  const int64_t computed = piece_clock_ns() - computing_since;
  at_piece = kNothing;
  return simulated_s(computed);
}
