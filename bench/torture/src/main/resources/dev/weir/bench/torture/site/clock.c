/*
 * Sets the time of day of one process: loaded before the C library (LD_PRELOAD), it adds to it the
 * nanoseconds that the file $WEIR_TORTURE_CLOCK holds, 8 bytes in the machine's order. Time that
 * only runs (CLOCK_MONOTONIC) stays, as it does when a machine's clock is set.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND 1000000000LL

static const volatile int64_t *added_ns;

__attribute__((constructor)) static void map_file(void) {
  const char *file = getenv("WEIR_TORTURE_CLOCK");
  const int descriptor = file == NULL ? -1 : open(file, O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0) {
    void *at = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, descriptor, 0);
    added_ns = at == MAP_FAILED ? NULL : at;
    close(descriptor);
  }
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  const int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && added_ns != NULL &&
      (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    const int64_t ns = now->tv_sec * NS_PER_SECOND + now->tv_nsec + *added_ns;
    now->tv_sec = ns / NS_PER_SECOND;
    now->tv_nsec = ns % NS_PER_SECOND;
  }
  return result;
}

int gettimeofday(struct timeval *now, void *zone) {
  struct timespec exact;
  (void)zone;
  const int result = clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return result;
}

time_t time(time_t *now) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (now != NULL) {
    *now = exact.tv_sec;
  }
  return exact.tv_sec;
}
