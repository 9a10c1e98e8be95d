// SPDX-License-Identifier: Apache-2.0
// The core: where other programs share it, as the hosts of virtual machines let them, all it
// computes takes up to twice as long for a few milliseconds or seconds, and a simulated rank that
// happens to have its turn then looks slower than the others. So every millisecond the simulation
// measures how fast the core is, and where something else slows it waits until it is free again.
// Where the millisecond came late, the core was away: that is taken off. SIMULATE_CALM=0 lets all
// be.
//
// A core's frequency changes by a tenth with what the machine's other cores do. With
// SIMULATE_STEADY=FILE computation counts as it would on a core that is always as fast as FILE
// says, which the first run writes, and what is less than a quarter slower is not waited for.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "preload.h"

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

/// What probe_ns takes on a core as fast as all are taken to be; 0: each as fast as it is.
static double steady_probe;
static volatile double speed = 1;

double core_speed(void) { return speed; }

static void fail_steady(const char* file, const char* why) {
  fprintf(stderr, "simulate: --steady: %s: %s\n", file, why);
  _exit(2);
}

/// The least of what probe_ns takes in a tenth of a second.
static double least_probe(void) {
  const int64_t kTenthOfSecond_ns = 100000000;
  int64_t least = INT64_MAX;
  for (const int64_t end = wall_ns() + kTenthOfSecond_ns; wall_ns() < end;) {
    const int64_t now = probe_ns();
    least = now < least ? now : least;
  }
  return (double)least;
}

static void read_steady_probe(const char* file) {
  FILE* stream = fopen(file, "r");
  if (stream != NULL) {
    const int found = fscanf(stream, "%lf", &steady_probe);
    fclose(stream);
    if (found != 1 || !(steady_probe > 0)) {
      fail_steady(file, "there is no time of the fixed computation in it");
    }
    return;
  }
  steady_probe = least_probe();
  char beside[4096];
  snprintf(beside, sizeof(beside), "%s.%ld", file, (long)getpid());
  stream = fopen(beside, "w");
  const int is_written = stream != NULL && fprintf(stream, "%.0f\n", steady_probe) > 0;
  if (stream == NULL || fclose(stream) != 0 || !is_written || rename(beside, file) != 0) {
    const int error = errno;
    remove(beside);
    fail_steady(file, strerror(error));
  }
}

static const int64_t kTick_ns = 1000000;

/// What passed beyond `kTick_ns` since `last_ns`, if that is known (not 0) and it is more than a
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
  const double kThrottled = steady_probe > 0 ? 1.25 : 1.05;
  static const int64_t kLongest_ns = INT64_C(2000000000);
  static const int64_t kAlways_ns = INT64_C(10000000000);
  static int64_t least = INT64_MAX;
  static int64_t first_ns;
  static int64_t last_processor_ns;
  static int64_t last_wall_ns;
  if (clock_is_read()) {
    last_processor_ns = 0;  // what the next tick is late by is not known
    last_wall_ns = 0;
    return;
  }
  const int error = errno;
  const int64_t processor_begin = processor_time_ns();
  const int64_t wall_begin = wall_ns();
  const int64_t processor_away_ns = away_ns(processor_begin, last_processor_ns);
  const int64_t wall_away_ns = away_ns(wall_begin, last_wall_ns);
  int64_t now = steady_probe > 0 ? lesser_probe_ns() : probe_ns();
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
  speed = steady_probe > 0 ? steady_probe / (double)now : 1;
  last_processor_ns = processor_time_ns();
  last_wall_ns = wall_ns();
  take_off(last_processor_ns - processor_begin + processor_away_ns,
           last_wall_ns - wall_begin + wall_away_ns);
  errno = error;
}

static void say_waited(void) {
  const double kLong_s = 1;
  const double waited_s = (double)waited_ns / 1e9;
  if (waited_s > kLong_s) {
    fprintf(stderr, "simulate: waited %.1f s until no other program throttled the core\n", waited_s);
  }
}

void watch_core(void) {
  const char* const text = getenv("SIMULATE_CALM");
  if (text != NULL && strcmp(text, "0") == 0) {
    return;
  }
  const char* const steady = getenv("SIMULATE_STEADY");
  if (steady != NULL) {
    read_steady_probe(steady);
  }
  const struct sigaction action = {.sa_handler = wait_for_free_core, .sa_flags = SA_RESTART};
  // To this thread alone: while it is in the handler, the program's others would take what is theirs
  // off its clock.
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
