/* ---- What is compiled for a processor and the host plan of a device have in common: sizes. ---- */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* the processors that a process may use */
#endif
#include <stdint.h>

/* In a library the doors have other names, and what is here stays inside. */
#ifdef REMORA_LIBRARY
#define REMORA_EXPORT __attribute__((visibility("hidden")))
#else
#define REMORA_EXPORT __attribute__((visibility("default")))
#endif

/* The product of sizes. It is -1 where there are elements of a size that no array has: whoever would make them fails by the check of that
   size, so the memory for them, which is asked for before, is empty. Where the sizes are possible, but not all of them together, it is
   REMORA_TOO_MANY. */
#define REMORA_MAX_SIZE ((int64_t)1 << 48)
#define REMORA_TOO_MANY INT64_C(6148914691236517204)
static inline int64_t remora_count(int64_t a, int64_t b) {
  int64_t product;
  if (a == 0 || b == 0) {
    return 0;
  }
  if (a < 0 || b < 0 || (a > REMORA_MAX_SIZE && a != REMORA_TOO_MANY) || (b > REMORA_MAX_SIZE && b != REMORA_TOO_MANY)) {
    return -1;
  }
  return __builtin_mul_overflow(a, b, &product) || product > REMORA_MAX_SIZE ? REMORA_TOO_MANY : product;
}

/* The bytes of so many elements; -1 if there cannot be so much memory. */
static inline int64_t remora_bytes(int64_t count, int64_t size) {
  int64_t bytes;
  if (count < 0) {
    return 0;
  }
  return __builtin_mul_overflow(count, size, &bytes) || bytes > ((int64_t)1 << 46) ? -1 : bytes;
}

