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

/* The product of sizes; what does not fit is more than there is memory. */
static inline int64_t remora_count(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* The bytes of so many elements; -1 if there cannot be so much memory. */
static inline int64_t remora_bytes(int64_t count, int64_t size) {
  int64_t bytes;
  return count < 0 || __builtin_mul_overflow(count, size, &bytes) || bytes > ((int64_t)1 << 46) ? -1 : bytes;
}

