#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A place from which elements are copied, of which the compiler does not know what is there: where it does, GCC 12 stores constants instead,
   and takes 32 bytes whose last 16 are zeros, such as 3, 3, 0, 0, for copies of the first number. */
static inline const void *remora_source(const void *place) {
  __asm__("" : "+r"(place));
  return place;
}

/* ---- Memory: buffers with a header, kept for reuse by size class, a list for each thread. ---- */

#define REMORA_CLASSES 192
#define REMORA_HEADER 64
#define REMORA_MOST_PLACES 16

typedef struct remora_block {
  struct remora_block *next;
  int64_t bytes; /* of the elements */
  int32_t class;
} remora_block;

#ifdef REMORA_PROFILE
/* What a thread has measured of a site. */
typedef struct remora_row {
  int64_t calls, timed, sampled; /* all, those outside of parallel loops, those whose time was taken */
  int64_t self, total; /* nanoseconds, without and with the sites inside */
  int64_t elements, bytes, largest;
  int64_t loops, single; /* parallel loops of several pieces, and of one */
  int64_t busy, joined;  /* nanoseconds in parallel loops, and how many of them it took part in */
  int64_t start;
  int outer;
} remora_row;
#endif

typedef struct remora_thread {
  struct remora_context *context;
  int64_t order; /* the first iteration of the piece that runs here, -1 outside of parallel loops */
  int64_t live, peak, cached;
  uintptr_t lowest; /* address down to which functions may call themselves */
  remora_block *free[REMORA_CLASSES];
#ifdef REMORA_PROFILE
  remora_row *rows;
  int row; /* the site that has begun, or -1 */
  int64_t since;
#endif
  char apart[64]; /* others change what follows, and should not get in the way of the rest */
  int64_t next, end; /* the pieces of a parallel loop that are this thread's and that nobody has begun */
  char padding[64];
  pthread_t self; /* but for the first, which is whoever calls */
  int there;
} remora_thread;

typedef int (*remora_piece)(remora_thread *, void *, int64_t, int64_t, int64_t);

/* A parallel loop, and where threads wait for the next one. */
typedef struct remora_crew {
  uint64_t loop; /* its number, whether more may join, how many others take part: see below */
  remora_piece run;
  void *env;
  int64_t width, pieces;
  int failed;
  pid_t process;    /* that the threads belong to; 0 before there are any */
  int64_t patience; /* nanoseconds for which a thread looks for a change before it sleeps */
  int quit;
  int asleep;  /* threads without a loop */
  int waiting; /* the first thread, for others to finish */
  pthread_mutex_t lock;
  pthread_cond_t begun, done;
  char padding[64];
} remora_crew;

typedef struct remora_context {
  int threads;
  remora_thread *thread;
  remora_crew crew;
  int64_t failed_at; /* order of the failure that counts */
  int failed;
  struct remora_thread *failing; /* whose failure it is */
  char code[8];
  int32_t places, place[REMORA_MOST_PLACES]; /* where it failed, and the calls that it left */
  char message[1024];
  int64_t peak;
  int lock;
  const int *stop; /* what is there is not 0 once somebody wants the call to end early */
  pthread_mutex_t in_use;
} remora_context;

/* Looked at between pieces of parallel loops, and in loops that are not parallel. What ends so has failed without a message. */
#define REMORA_STOPPED(c) __builtin_expect(__atomic_load_n((c)->stop, __ATOMIC_RELAXED), 0)

/* Bytes of the widest vector registers that there are or may be. */
#ifdef __AVX512F__
#define REMORA_REGISTERS INT64_C(64)
#else
#define REMORA_REGISTERS INT64_C(32)
#endif

#define REMORA_LIKELY(x) __builtin_expect(!!(x), 1)

static void remora_lock(remora_context *c) {
  while (__atomic_exchange_n(&c->lock, 1, __ATOMIC_ACQUIRE)) {
  }
}
static void remora_unlock(remora_context *c) { __atomic_store_n(&c->lock, 0, __ATOMIC_RELEASE); }

/* Forgets the failure of the call before. */
static inline void remora_fresh(remora_context *c) { c->failed = 0; }

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

/* ---- Functions that call themselves: how deep the stack is ---- */

#ifdef REMORA_RECURSIVE
/* What is left free for functions that do not look, and for what the system puts there. */
#define REMORA_SPARE_STACK ((uintptr_t)256 << 10)
/* No more is used, even of a stack that is larger. */
#define REMORA_MOST_STACK ((uintptr_t)1 << 30)
/* The stacks of threads that the program starts. */
#define REMORA_OWN_STACK ((size_t)256 << 20)
/* Used where the system does not say how large a stack is. */
#define REMORA_SMALL_STACK ((uintptr_t)256 << 10)

#if defined(__GNUC__) || defined(__TINYC__)
#define REMORA_HERE() ((uintptr_t)__builtin_frame_address(0))
#else
static uintptr_t remora_here(void) {
  volatile char here = 0;
  return (uintptr_t)&here;
}
#define REMORA_HERE() remora_here()
#endif

static __thread uintptr_t remora_lowest;

/* Finds out how far down the stack of this thread may be used, once. */
__attribute__((noinline)) static uintptr_t remora_stack_end(void) {
  uintptr_t here = REMORA_HERE();
  if (!remora_lowest) {
    uintptr_t end = here > REMORA_SMALL_STACK ? here - REMORA_SMALL_STACK : 0;
#ifdef __GLIBC__
    pthread_attr_t attr;
    if (!pthread_getattr_np(pthread_self(), &attr)) {
      void *base = NULL;
      size_t size = 0;
      if (!pthread_attr_getstack(&attr, &base, &size) && size) {
        end = (uintptr_t)base + REMORA_SPARE_STACK;
      }
      pthread_attr_destroy(&attr);
    }
#endif
    remora_lowest = here > REMORA_MOST_STACK && here - REMORA_MOST_STACK > end ? here - REMORA_MOST_STACK : end;
  }
  return remora_lowest;
}
#define REMORA_MEASURE(th) ((th)->lowest = remora_stack_end())
static inline int remora_is_deep(remora_thread *th) { return __builtin_expect(REMORA_HERE() < th->lowest, 0); }
#else
#define REMORA_MEASURE(th) ((void)0)
#endif

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

/* What may be tuned: `ir::tuning` says what it is. */
#ifndef REMORA_CHUNK_WORK
#define REMORA_CHUNK_WORK 20000
#endif
#ifndef REMORA_CHUNKS_EACH
#define REMORA_CHUNKS_EACH 8
#endif

static int64_t remora_pieces(remora_thread *th, int64_t width, int64_t cost, int one_each) {
  int64_t threads = th->context->threads;
  if (threads <= 1 || th->order >= 0 || width <= 1) {
    return 1;
  }
  /* About 20 microseconds of work for each thread that is woken. */
  const double work = (double)width * (double)cost, most = work / REMORA_CHUNK_WORK;
  if (most < 2) {
    return 1;
  }
  int64_t pieces = one_each ? threads : threads * REMORA_CHUNKS_EACH;
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

static int64_t remora_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Runs pieces: every thread those that are its own, which lie side by side and are the same ones whenever a loop is divided in the same
   way, so that what it works on stays in its cache from loop to loop; then what the others have left. */
static int remora_share(remora_thread *own) {
  remora_context *c = own->context;
  const remora_crew *crew = &c->crew;
  const int64_t width = crew->width, pieces = crew->pieces, order = own->order;
  int me = (int)(own - c->thread), failed = 0;
#ifdef REMORA_PROFILE
  const int64_t begun = remora_now();
  const int site = c->thread[0].row;
  int64_t ran = 0;
#endif
  for (int k = 0; k < c->threads; k++) {
    remora_thread *from = &c->thread[(me + k) % c->threads];
    while (__atomic_load_n(&from->next, __ATOMIC_RELAXED) < from->end) {
      int64_t piece = __atomic_fetch_add(&from->next, 1, __ATOMIC_RELAXED);
      if (piece >= from->end) {
        break;
      }
      if (REMORA_STOPPED(c)) {
        failed = 1;
        continue;
      }
      int64_t lo = (int64_t)((__int128)width * piece / pieces), hi = (int64_t)((__int128)width * (piece + 1) / pieces);
      own->order = lo;
#ifdef REMORA_PROFILE
      ran++;
#endif
      failed |= crew->run(own, crew->env, lo, hi, piece);
    }
  }
  own->order = order;
#ifdef REMORA_PROFILE
  if (ran && site >= 0) {
    own->rows[site].busy += remora_now() - begun;
    own->rows[site].joined++;
  }
#endif
  return failed;
}

/* Threads join a loop as long as it is open: until whoever has it finds no piece left. Nobody waits for threads that have not joined, so
   where other programs want the processors too, a loop takes as long as those that came need. The word `loop` of a crew has the number of
   the loop in its upper half, then whether it is open, then how many have joined and not left. */
#define REMORA_OPEN (UINT64_C(1) << 31)
#define REMORA_INSIDE (REMORA_OPEN - 1)

static void remora_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield" ::: "memory");
#endif
}

static int remora_is_open(const remora_crew *crew, uint32_t last) {
  uint64_t loop = __atomic_load_n(&crew->loop, __ATOMIC_SEQ_CST);
  return (loop & REMORA_OPEN) && (uint32_t)(loop >> 32) != last;
}

/* Joins a loop that is open and is not the last one that this thread had. */
static int remora_join(remora_crew *crew, uint32_t *last) {
  uint64_t loop = __atomic_load_n(&crew->loop, __ATOMIC_RELAXED);
  while ((loop & REMORA_OPEN) && (uint32_t)(loop >> 32) != *last) {
    if (__atomic_compare_exchange_n(&crew->loop, &loop, loop + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
      *last = (uint32_t)(loop >> 32);
      return 1;
    }
  }
  return 0;
}

static void remora_leave_loop(remora_crew *crew) {
  uint64_t loop = __atomic_sub_fetch(&crew->loop, 1, __ATOMIC_SEQ_CST);
  if (!(loop & (REMORA_OPEN | REMORA_INSIDE)) && __atomic_load_n(&crew->waiting, __ATOMIC_SEQ_CST)) {
    pthread_mutex_lock(&crew->lock);
    pthread_cond_signal(&crew->done);
    pthread_mutex_unlock(&crew->lock);
  }
}

static void *remora_work(void *of) {
  remora_thread *own = of;
  REMORA_MEASURE(own);
  remora_crew *crew = &own->context->crew;
  uint32_t last = 0;
  for (;;) {
    for (int64_t since = remora_now();;) {
      if (remora_join(crew, &last)) {
        if (remora_share(own)) {
          __atomic_store_n(&crew->failed, 1, __ATOMIC_RELAXED);
        }
        remora_leave_loop(crew);
        since = remora_now();
      } else if (__atomic_load_n(&crew->quit, __ATOMIC_RELAXED) || remora_now() - since > crew->patience) {
        break;
      } else {
        for (int k = 0; k < 8; k++) remora_pause();
      }
    }
    pthread_mutex_lock(&crew->lock);
    __atomic_add_fetch(&crew->asleep, 1, __ATOMIC_SEQ_CST);
    while (!crew->quit && !remora_is_open(crew, last)) {
      pthread_cond_wait(&crew->begun, &crew->lock);
    }
    __atomic_sub_fetch(&crew->asleep, 1, __ATOMIC_SEQ_CST);
    int quit = crew->quit;
    pthread_mutex_unlock(&crew->lock);
    if (quit) {
      return NULL;
    }
  }
}

/* Threads that cannot be had are not missed. */
static void remora_hire(remora_context *c) {
  c->crew.process = getpid();
  pthread_attr_t *attr = NULL;
#ifdef REMORA_RECURSIVE
  pthread_attr_t large;
  if (!pthread_attr_init(&large)) {
    attr = &large;
    pthread_attr_setstacksize(attr, REMORA_OWN_STACK);
  }
#endif
  for (int k = 1; k < c->threads; k++) {
    c->thread[k].there = !pthread_create(&c->thread[k].self, attr, remora_work, &c->thread[k]);
  }
  if (attr) {
    pthread_attr_destroy(attr);
  }
}

/* In a process that was forked off there are no threads, whatever its copy of their data says: nobody holds the lock, and a condition that
   somebody seems to wait for could not be destroyed. It begins anew, with threads of its own if it needs some. */
static void remora_renew(remora_crew *crew) {
  if (crew->process && crew->process != getpid()) {
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->begun, NULL);
    pthread_cond_init(&crew->done, NULL);
    crew->asleep = crew->waiting = crew->quit = 0;
    crew->loop &= ~(REMORA_OPEN | REMORA_INSIDE);
    crew->process = 0;
  }
}

static void remora_dismiss(remora_context *c) {
  remora_renew(&c->crew);
  if (!c->crew.process) {
    return;
  }
  pthread_mutex_lock(&c->crew.lock);
  __atomic_store_n(&c->crew.quit, 1, __ATOMIC_RELAXED);
  pthread_cond_broadcast(&c->crew.begun);
  pthread_mutex_unlock(&c->crew.lock);
  for (int k = 1; k < c->threads; k++) {
    if (c->thread[k].there) {
      pthread_join(c->thread[k].self, NULL);
    }
  }
}

/* Waits for those that have joined a loop which is closed. */
static void remora_await(remora_crew *crew) {
  for (int64_t since = 0; __atomic_load_n(&crew->loop, __ATOMIC_ACQUIRE) & REMORA_INSIDE;) {
    int64_t now = remora_now();
    since = since ? since : now;
    if (now - since <= crew->patience) {
      remora_pause();
      continue;
    }
    pthread_mutex_lock(&crew->lock);
    __atomic_store_n(&crew->waiting, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&crew->loop, __ATOMIC_SEQ_CST) & REMORA_INSIDE) {
      pthread_cond_wait(&crew->done, &crew->lock);
    }
    __atomic_store_n(&crew->waiting, 0, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&crew->lock);
  }
}

static int remora_parallel(remora_thread *th, remora_piece run, void *env, int64_t width, int64_t pieces) {
  if (pieces <= 1) {
    int64_t order = th->order;
    if (order < 0) {
      th->order = 0;
#ifdef REMORA_PROFILE
      if (th->row >= 0) {
        th->rows[th->row].single++;
      }
#endif
    }
    int failed = run(th, env, 0, width, 0);
    th->order = order;
    return failed;
  }
  remora_context *c = th->context;
  remora_crew *crew = &c->crew;
  int64_t live = th->live;
  remora_renew(crew);
  for (int k = 0; k < c->threads; k++) {
    c->thread[k].next = pieces * k / c->threads;
    c->thread[k].end = pieces * (k + 1) / c->threads;
  }
  crew->run = run;
  crew->env = env;
  crew->width = width;
  crew->pieces = pieces;
  crew->failed = 0;
#ifdef REMORA_PROFILE
  if (th->row >= 0) {
    th->rows[th->row].loops++;
  }
#endif
  if (!crew->process) {
    remora_hire(c);
  }
  uint64_t number = (__atomic_load_n(&crew->loop, __ATOMIC_RELAXED) >> 32) + 1;
  __atomic_store_n(&crew->loop, (number << 32) | REMORA_OPEN, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&crew->asleep, __ATOMIC_SEQ_CST)) {
    pthread_mutex_lock(&crew->lock);
    pthread_cond_broadcast(&crew->begun);
    pthread_mutex_unlock(&crew->lock);
  }
  int failed = remora_share(th);
  __atomic_and_fetch(&crew->loop, ~REMORA_OPEN, __ATOMIC_SEQ_CST);
  remora_await(crew);
  failed |= crew->failed;
  for (int k = 0; k < c->threads; k++) {
    if (&c->thread[k] != th) {
      live += c->thread[k].peak;
    }
  }
  if (live > c->peak) {
    c->peak = live;
  }
  if (failed) {
    th->context->failing = th;
  }
  return failed;
}
