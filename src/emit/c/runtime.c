#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* ---- Memory: buffers with a header, kept for reuse by size class, a list for each thread. ---- */

#define REMORA_CLASSES 192
#define REMORA_HEADER 64

typedef struct remora_block {
  struct remora_block *next;
  int64_t bytes; /* of the elements */
  int32_t class;
} remora_block;

typedef struct remora_thread {
  struct remora_context *context;
  int64_t order; /* the first iteration of the piece that runs here, -1 outside of parallel loops */
  int64_t live, peak, cached;
  remora_block *free[REMORA_CLASSES];
  char padding[64];
} remora_thread;

typedef struct remora_context {
  int threads;
  remora_thread *thread;
  int64_t failed_at; /* order of the failure that counts */
  int failed;
  char code[8];
  int32_t file, start, end;
  char message[1024];
  int64_t peak;
  int lock;
  pthread_mutex_t in_use;
} remora_context;

#define REMORA_LIKELY(x) __builtin_expect(!!(x), 1)

static void remora_lock(remora_context *c) {
  while (__atomic_exchange_n(&c->lock, 1, __ATOMIC_ACQUIRE)) {
  }
}
static void remora_unlock(remora_context *c) { __atomic_store_n(&c->lock, 0, __ATOMIC_RELEASE); }

/* Of several failures the one in the lowest piece counts. */
__attribute__((cold, noinline, format(printf, 6, 7))) static int remora_fail(remora_thread *th, const char *code, int file, int start,
                                                                             int end, const char *format, ...) {
  remora_context *c = th->context;
  remora_lock(c);
  if (!c->failed || th->order < c->failed_at) {
    c->failed = 1;
    c->failed_at = th->order;
    snprintf(c->code, sizeof c->code, "%s", code);
    c->file = file;
    c->start = start;
    c->end = end;
    va_list list;
    va_start(list, format);
    vsnprintf(c->message, sizeof c->message, format, list);
    va_end(list);
  }
  remora_unlock(c);
  return 1;
}

/* Four classes for each power of two. */
static int remora_class(int64_t bytes) {
  uint64_t n = bytes < 64 ? 64 : (uint64_t)bytes;
  int log = 63 - __builtin_clzll(n);
  uint64_t quarter = (uint64_t)1 << (log - 2);
  int part = (int)((n - ((uint64_t)1 << log) + quarter - 1) / quarter);
  return (log - 6) * 4 + part;
}
static int64_t remora_class_bytes(int class) {
  int log = class / 4 + 6, part = class % 4;
  return ((int64_t)1 << log) + (int64_t)part * ((int64_t)1 << (log - 2));
}

static void remora_flush(remora_thread *th) {
  for (int k = 0; k < REMORA_CLASSES; k++) {
    while (th->free[k]) {
      remora_block *block = th->free[k];
      th->free[k] = block->next;
      free(block);
    }
  }
  th->cached = 0;
}

static void *remora_data(remora_block *block) { return (char *)block + REMORA_HEADER; }

/* The product of sizes; what does not fit is more than there is memory. */
static inline int64_t remora_count(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static remora_block *remora_alloc(remora_thread *th, int64_t count, int64_t size, int file, int start, int end) {
  int64_t bytes;
  if (count < 0 || __builtin_mul_overflow(count, size, &bytes) || bytes > ((int64_t)1 << 46)) {
    remora_fail(th, "E0507", file, start, end, "out of memory: %.0f bytes were requested", (double)count * (double)size);
    return NULL;
  }
  int class = remora_class(bytes);
  remora_block *block = th->free[class];
  int64_t room = remora_class_bytes(class);
  if (block) {
    th->free[class] = block->next;
    th->cached -= room;
  } else {
    if (th->cached > (64 << 20) + th->peak / 4) {
      remora_flush(th);
    }
    void *memory = NULL;
    if (posix_memalign(&memory, 64, (size_t)(REMORA_HEADER + room))) {
      remora_flush(th);
      if (posix_memalign(&memory, 64, (size_t)(REMORA_HEADER + room))) {
        remora_fail(th, "E0507", file, start, end, "out of memory: %lld bytes were requested", (long long)bytes);
        return NULL;
      }
    }
    block = memory;
    block->class = class;
  }
  block->bytes = bytes;
  block->next = NULL;
  th->live += bytes;
  if (th->live > th->peak) {
    th->peak = th->live;
  }
  return block;
}

static void remora_release(remora_thread *th, remora_block **owner) {
  remora_block *block = *owner;
  if (block) {
    *owner = NULL;
    th->live -= block->bytes;
    block->next = th->free[block->class];
    th->free[block->class] = block;
    th->cached += remora_class_bytes(block->class);
  }
}

/* ---- Threads ---- */

typedef int (*remora_piece)(remora_thread *, void *, int64_t, int64_t, int64_t);

static int64_t remora_pieces(remora_thread *th, int64_t width, int64_t cost, int one_each) {
  int64_t threads = th->context->threads;
  if (threads <= 1 || th->order >= 0 || width <= 1) {
    return 1;
  }
  /* About 20 microseconds of work for each thread that is woken. */
  double work = (double)width * (double)cost;
  if (work < 40000.0) {
    return 1;
  }
  double most = work / 20000.0;
  int64_t pieces = one_each ? threads : threads * 8;
  if (pieces > width) {
    pieces = width;
  }
  if ((double)pieces > most) {
    pieces = (int64_t)most;
  }
  return pieces < 1 ? 1 : pieces;
}

static int remora_parallel(remora_thread *th, remora_piece run, void *env, int64_t width, int64_t pieces) {
  if (pieces <= 1) {
    int64_t order = th->order;
    if (order < 0) {
      th->order = 0;
    }
    int failed = run(th, env, 0, width, 0);
    th->order = order;
    return failed;
  }
  int failed = 0;
#ifdef _OPENMP
  remora_context *c = th->context;
  int64_t live = th->live;
#pragma omp parallel for num_threads(c->threads) schedule(dynamic, 1) reduction(| : failed)
  for (int64_t piece = 0; piece < pieces; piece++) {
    remora_thread *own = &c->thread[omp_get_thread_num()];
    int64_t lo = (int64_t)((__int128)width * piece / pieces), hi = (int64_t)((__int128)width * (piece + 1) / pieces);
    int64_t order = own->order;
    own->order = lo;
    failed |= run(own, env, lo, hi, piece);
    own->order = order;
  }
  for (int k = 0; k < c->threads; k++) {
    if (&c->thread[k] != th) {
      live += c->thread[k].peak;
    }
  }
  if (live > c->peak) {
    c->peak = live;
  }
#else
  for (int64_t piece = 0; piece < pieces; piece++) {
    int64_t lo = (int64_t)((__int128)width * piece / pieces), hi = (int64_t)((__int128)width * (piece + 1) / pieces);
    failed |= run(th, env, lo, hi, piece);
  }
#endif
  return failed;
}

#define REMORA_FN static inline
#define REMORA_POPC(x) __builtin_popcountll(x)
#define REMORA_CLZ(x) __builtin_clzll(x)
#define REMORA_CTZ(x) __builtin_ctzll(x)

