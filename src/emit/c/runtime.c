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
#define REMORA_MOST_PLACES 16

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
  char apart[64]; /* others change what follows, and should not get in the way of the rest */
  int64_t next, end; /* the pieces of a parallel loop that are this thread's and that nobody has begun */
  char padding[64];
} remora_thread;

typedef struct remora_context {
  int threads;
  remora_thread *thread;
  int64_t failed_at; /* order of the failure that counts */
  int failed;
  struct remora_thread *failing; /* whose failure it is */
  char code[8];
  int32_t places, place[REMORA_MOST_PLACES]; /* where it failed, and the calls that it left */
  char message[1024];
  int64_t peak;
  int lock;
  pthread_mutex_t in_use;
} remora_context;

/* Bytes of the widest vector registers that there are or may be. */
#ifdef __AVX512F__
#define REMORA_REGISTERS INT64_C(64)
#else
#define REMORA_REGISTERS INT64_C(32)
#endif

/* In front of a loop whose iterations do not depend on each other. */
#ifdef __clang__
#define REMORA_ANY_ORDER _Pragma("clang loop vectorize(assume_safety)")
#else
#define REMORA_ANY_ORDER _Pragma("GCC ivdep")
#endif

/* In front of a short loop with a jump out of it: four iterations at a time spare jumps. */
#ifdef __clang__
#define REMORA_SEVERAL
#else
#define REMORA_SEVERAL _Pragma("GCC unroll 4")
#endif

#define REMORA_LIKELY(x) __builtin_expect(!!(x), 1)

static void remora_lock(remora_context *c) {
  while (__atomic_exchange_n(&c->lock, 1, __ATOMIC_ACQUIRE)) {
  }
}
static void remora_unlock(remora_context *c) { __atomic_store_n(&c->lock, 0, __ATOMIC_RELEASE); }

/* Of several failures the one in the lowest piece counts. */
__attribute__((cold, noinline, format(printf, 4, 5))) static int remora_fail(remora_thread *th, const char *code, int place,
                                                                             const char *format, ...) {
  remora_context *c = th->context;
  remora_lock(c);
  if (!c->failed || th->order < c->failed_at) {
    c->failed = 1;
    c->failed_at = th->order;
    c->failing = th;
    snprintf(c->code, sizeof c->code, "%s", code);
    c->place[0] = place;
    c->places = 1;
    va_list list;
    va_start(list, format);
    vsnprintf(c->message, sizeof c->message, format, list);
    va_end(list);
  }
  remora_unlock(c);
  return 1;
}

/* The failure leaves a call at this place. */
__attribute__((cold, noinline, unused)) static void remora_leave(remora_thread *th, int place) {
  remora_context *c = th->context;
  remora_lock(c);
  if (c->failing == th && c->places < REMORA_MOST_PLACES) {
    c->place[c->places++] = place;
  }
  remora_unlock(c);
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

static remora_block *remora_alloc(remora_thread *th, int64_t count, int64_t size, int place) {
  const int64_t bytes = remora_bytes(count, size);
  if (bytes < 0) {
    remora_fail(th, "E0507", place, "out of memory: %.0f bytes were requested", (double)count * (double)size);
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
        remora_fail(th, "E0507", place, "out of memory: %lld bytes were requested", (long long)bytes);
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
  /* As many for each thread. */
  if (pieces > threads) {
    pieces -= pieces % threads;
  }
  return pieces < 1 ? 1 : pieces;
}

#ifdef _OPENMP
/* Runs pieces: every thread those that are its own, which lie side by side and are the same ones whenever a loop is divided in the same
   way, so that what it works on stays in its cache from loop to loop; then what the others have left. */
static int remora_share(remora_thread *own, remora_piece run, void *env, int64_t width, int64_t pieces) {
  remora_context *c = own->context;
  int me = (int)(own - c->thread), failed = 0;
  int64_t order = own->order;
  for (int k = 0; k < c->threads; k++) {
    remora_thread *from = &c->thread[(me + k) % c->threads];
    while (__atomic_load_n(&from->next, __ATOMIC_RELAXED) < from->end) {
      int64_t piece = __atomic_fetch_add(&from->next, 1, __ATOMIC_RELAXED);
      if (piece >= from->end) {
        break;
      }
      int64_t lo = (int64_t)((__int128)width * piece / pieces), hi = (int64_t)((__int128)width * (piece + 1) / pieces);
      own->order = lo;
      failed |= run(own, env, lo, hi, piece);
    }
  }
  own->order = order;
  return failed;
}
#endif

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
  for (int k = 0; k < c->threads; k++) {
    c->thread[k].next = pieces * k / c->threads;
    c->thread[k].end = pieces * (k + 1) / c->threads;
  }
#pragma omp parallel num_threads(c->threads) reduction(| : failed)
  failed |= remora_share(&c->thread[omp_get_thread_num()], run, env, width, pieces);
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
  if (failed) {
    th->context->failing = th;
  }
  return failed;
}

