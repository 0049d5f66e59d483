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

/* ---- Scalar operations that C has no operator for, or whose operator has another meaning. ---- */

#define REMORA_INT(T, U, W, BITS, SIGNED)                                                                                    \
  static inline T remora_div_##T(T a, T b) {                                                                                 \
    if (SIGNED && b == (T)-1) {                                                                                              \
      return (T)((U)0 - (U)a);                                                                                               \
    }                                                                                                                        \
    T q = (T)(a / b);                                                                                                        \
    return SIGNED && a % b != 0 && ((a % b < 0) != (b < 0)) ? (T)(q - 1) : q;                                                \
  }                                                                                                                          \
  static inline T remora_mod_##T(T a, T b) {                                                                                 \
    if (SIGNED && b == (T)-1) {                                                                                              \
      return 0;                                                                                                              \
    }                                                                                                                        \
    T r = (T)(a % b);                                                                                                        \
    return SIGNED && r != 0 && ((r < 0) != (b < 0)) ? (T)(r + b) : r;                                                        \
  }                                                                                                                          \
  static inline T remora_quot_##T(T a, T b) { return SIGNED && b == (T)-1 ? (T)((U)0 - (U)a) : (T)(a / b); }                 \
  static inline T remora_rem_##T(T a, T b) { return SIGNED && b == (T)-1 ? (T)0 : (T)(a % b); }                              \
  static inline T remora_pow_##T(T base, T exponent) {                                                                       \
    U x = (U)base, r = 1;                                                                                                    \
    for (U n = (U)exponent; n; n >>= 1) {                                                                                    \
      if (n & 1) {                                                                                                           \
        r = (U)((uint64_t)r * (uint64_t)x);                                                                                  \
      }                                                                                                                      \
      x = (U)((uint64_t)x * (uint64_t)x);                                                                                    \
    }                                                                                                                        \
    return (T)r;                                                                                                             \
  }                                                                                                                          \
  static inline T remora_shl_##T(T a, T b) { return (U)b < BITS ? (T)((U)a << (U)b) : (T)0; }                                \
  static inline T remora_shr_##T(T a, T b) { return (U)b < BITS ? (T)(a >> b) : (SIGNED && a < 0 ? (T)-1 : (T)0); }          \
  static inline T remora_ushr_##T(T a, T b) { return (U)b < BITS ? (T)((U)a >> (U)b) : (T)0; }                               \
  static inline T remora_min_##T(T a, T b) { return a < b ? a : b; }                                                         \
  static inline T remora_max_##T(T a, T b) { return a > b ? a : b; }                                                         \
  static inline T remora_mul_hi_##T(T a, T b) { return (T)(((W)a * (W)b) >> BITS); }                                         \
  static inline T remora_abs_##T(T a) { return SIGNED && a < 0 ? (T)((U)0 - (U)a) : a; }                                     \
  static inline T remora_sgn_##T(T a) { return a > 0 ? (T)1 : SIGNED && a < 0 ? (T)-1 : (T)0; }                              \
  static inline int32_t remora_popc_##T(T a) { return __builtin_popcountll((uint64_t)(U)a); }                                \
  static inline int32_t remora_clz_##T(T a) { return a == 0 ? BITS : __builtin_clzll((uint64_t)(U)a) - (64 - BITS); }        \
  static inline int32_t remora_ctz_##T(T a) { return a == 0 ? BITS : __builtin_ctzll((uint64_t)(U)a); }                      \
  static inline int32_t remora_get_bit_##T(int32_t i, T a) { return (uint32_t)i < BITS ? (int32_t)(((U)a >> i) & 1) : 0; }   \
  static inline T remora_set_bit_##T(int32_t i, T a, int32_t bit) {                                                          \
    return (uint32_t)i < BITS ? (T)(((U)a & ~((U)1 << i)) | ((U)(bit & 1) << i)) : a;                                        \
  }

REMORA_INT(int8_t, uint8_t, int32_t, 8, 1)
REMORA_INT(int16_t, uint16_t, int32_t, 16, 1)
REMORA_INT(int32_t, uint32_t, int64_t, 32, 1)
REMORA_INT(int64_t, uint64_t, __int128, 64, 1)
REMORA_INT(uint8_t, uint8_t, uint32_t, 8, 0)
REMORA_INT(uint16_t, uint16_t, uint32_t, 16, 0)
REMORA_INT(uint32_t, uint32_t, uint64_t, 32, 0)
REMORA_INT(uint64_t, uint64_t, unsigned __int128, 64, 0)

/* The minimum of a NaN and a number is the number. */
#ifdef REMORA_STRICT
#define REMORA_TIE(a, b, sign) ((a) == (b) && sign)
#else
#define REMORA_TIE(a, b, sign) 0
#endif

#define REMORA_FLOAT(T, S, PI)                                                                                               \
  static inline T remora_min_##T(T a, T b) { return b != b || a < b || REMORA_TIE(a, b, signbit(a)) ? a : b; }               \
  static inline T remora_max_##T(T a, T b) { return b != b || a > b || REMORA_TIE(a, b, signbit(b)) ? a : b; }               \
  static inline T remora_sgn_##T(T a) { return a > 0 ? (T)1 : a < 0 ? (T)-1 : a; }                                           \
  static inline T remora_turn_##T(T x) { return x - 2 * rint##S(x / 2); }                                                    \
  static inline T remora_sinpi_##T(T x) {                                                                                    \
    T r = remora_turn_##T(x);                                                                                                \
    T folded = fabs##S(r) > (T)0.5 ? copysign##S(1, r) - r : r;                                                              \
    return sin##S(folded * PI);                                                                                              \
  }                                                                                                                          \
  static inline T remora_cospi_##T(T x) { return sin##S(((T)0.5 - fabs##S(remora_turn_##T(x))) * PI); }                      \
  static inline T remora_exp10_##T(T x) { return pow##S(10, x); }

#define REMORA_PI 3.14159265358979323846264338327950288
REMORA_FLOAT(float, f, (float)REMORA_PI)
REMORA_FLOAT(double, , REMORA_PI)

/* Conversions of floats to integers stop at the ends of the type; NaN becomes 0. */
#define REMORA_TO(T, LOW, HIGH)                                                                                              \
  static inline T remora_to_##T(double x) { return x != x ? 0 : x <= (double)LOW ? LOW : x >= (double)HIGH ? HIGH : (T)x; }
REMORA_TO(int8_t, INT8_MIN, INT8_MAX)
REMORA_TO(int16_t, INT16_MIN, INT16_MAX)
REMORA_TO(int32_t, INT32_MIN, INT32_MAX)
REMORA_TO(int64_t, INT64_MIN, INT64_MAX)
REMORA_TO(uint8_t, 0, UINT8_MAX)
REMORA_TO(uint16_t, 0, UINT16_MAX)
REMORA_TO(uint32_t, 0, UINT32_MAX)
REMORA_TO(uint64_t, 0, UINT64_MAX)

#define REMORA_BITS(NAME, FROM, TO)                                                                                          \
  static inline TO NAME(FROM x) {                                                                                            \
    TO y;                                                                                                                    \
    memcpy(&y, &x, sizeof y);                                                                                                \
    return y;                                                                                                                \
  }
REMORA_BITS(remora_bits_float, float, uint32_t)
REMORA_BITS(remora_bits_double, double, uint64_t)
REMORA_BITS(remora_from_bits_float, uint32_t, float)
REMORA_BITS(remora_from_bits_double, uint64_t, double)
REMORA_BITS(remora_bits__Float16, _Float16, uint16_t)
REMORA_BITS(remora_from_bits__Float16, uint16_t, _Float16)

/* One value or the other, without a jump that keeps loops from being vectorised. */
#define REMORA_BLEND(T, U, BITS, FROM_BITS)                                                                                  \
  static inline T remora_blend_##T(int64_t mask, T a, T b) { return FROM_BITS((U)(((BITS(a) ^ BITS(b)) & (U)mask) ^ BITS(b))); }
REMORA_BLEND(int8_t, uint8_t, (uint8_t), (int8_t))
REMORA_BLEND(int16_t, uint16_t, (uint16_t), (int16_t))
REMORA_BLEND(int32_t, uint32_t, (uint32_t), (int32_t))
REMORA_BLEND(int64_t, uint64_t, (uint64_t), (int64_t))
REMORA_BLEND(uint8_t, uint8_t, (uint8_t), (uint8_t))
REMORA_BLEND(uint16_t, uint16_t, (uint16_t), (uint16_t))
REMORA_BLEND(uint32_t, uint32_t, (uint32_t), (uint32_t))
REMORA_BLEND(uint64_t, uint64_t, (uint64_t), (uint64_t))
REMORA_BLEND(float, uint32_t, remora_bits_float, remora_from_bits_float)
REMORA_BLEND(double, uint64_t, remora_bits_double, remora_from_bits_double)
REMORA_BLEND(_Float16, uint16_t, remora_bits__Float16, remora_from_bits__Float16)
static inline bool remora_blend_bool(int64_t mask, bool a, bool b) { return ((uint8_t)mask & (uint8_t)a) | ((uint8_t)~mask & (uint8_t)b); }

static inline _Float16 remora_next_after_half(_Float16 a, _Float16 b) {
  if (a != a || b != b) {
    return remora_from_bits__Float16(0x7e00);
  }
  if (a == b) {
    return b;
  }
  uint16_t bits = remora_bits__Float16(a);
  if (!(bits & 0x7fff)) {
    return remora_from_bits__Float16(1 | (remora_bits__Float16(b) & 0x8000));
  }
  int away = (a < b) == !(bits & 0x8000);
  return remora_from_bits__Float16(away ? bits + 1 : bits - 1);
}

#if !defined(REMORA_STRICT) && defined(__x86_64__) && defined(__GLIBC__)
/* The C library has vector versions of these (libmvec, at most 4 units in the last place off). */
#define REMORA_VECTOR(T, NAME) extern __attribute__((simd("notinbranch"), const)) T NAME(T);
REMORA_VECTOR(double, exp)
REMORA_VECTOR(double, log)
REMORA_VECTOR(float, expf)
REMORA_VECTOR(float, logf)
/* A compiler that knows sine and cosine of the same number by their names makes one call of them, which has no vector version. */
#define REMORA_UNKNOWN(T, NAME) extern __attribute__((simd("notinbranch"), const)) T remora_##NAME(T) __asm__(#NAME);
REMORA_UNKNOWN(double, sin)
REMORA_UNKNOWN(double, cos)
REMORA_UNKNOWN(float, sinf)
REMORA_UNKNOWN(float, cosf)
#define sin(x) remora_sin(x)
#define cos(x) remora_cos(x)
#define sinf(x) remora_sinf(x)
#define cosf(x) remora_cosf(x)
extern __attribute__((simd("notinbranch"), const)) double pow(double, double);
extern __attribute__((simd("notinbranch"), const)) float powf(float, float);
#if __GLIBC_PREREQ(2, 35)
REMORA_VECTOR(double, tan)
REMORA_VECTOR(double, tanh)
REMORA_VECTOR(double, sinh)
REMORA_VECTOR(double, cosh)
REMORA_VECTOR(double, atan)
REMORA_VECTOR(double, asin)
REMORA_VECTOR(double, acos)
REMORA_VECTOR(double, exp2)
REMORA_VECTOR(double, expm1)
REMORA_VECTOR(double, log2)
REMORA_VECTOR(double, log10)
REMORA_VECTOR(double, log1p)
REMORA_VECTOR(double, cbrt)
REMORA_VECTOR(double, erf)
REMORA_VECTOR(float, tanf)
REMORA_VECTOR(float, tanhf)
REMORA_VECTOR(float, sinhf)
REMORA_VECTOR(float, coshf)
REMORA_VECTOR(float, atanf)
REMORA_VECTOR(float, asinf)
REMORA_VECTOR(float, acosf)
REMORA_VECTOR(float, exp2f)
REMORA_VECTOR(float, expm1f)
REMORA_VECTOR(float, log2f)
REMORA_VECTOR(float, log10f)
REMORA_VECTOR(float, log1pf)
REMORA_VECTOR(float, cbrtf)
REMORA_VECTOR(float, erff)
#endif
#endif

/* `x` to the power of `twice / 2`, a constant: by multiplication, but to the last bit as `pow` has it where that counts. The square root
   of minus infinity would be no number. */
#ifdef REMORA_STRICT
#define REMORA_POWER(T, S)                                                                                                   \
  static inline T remora_power_##T(T x, int twice) { return pow##S(x, (T)twice / 2); }
#else
#define REMORA_POWER(T, S)                                                                                                   \
  static inline T remora_power_##T(T x, int twice) {                                                                         \
    int n = twice < 0 ? -twice : twice;                                                                                      \
    T product = 1;                                                                                                           \
    for (int k = 0; k < n / 2; k++) {                                                                                        \
      product *= x;                                                                                                          \
    }                                                                                                                        \
    if (n % 2) {                                                                                                             \
      product = (x == -(T)INFINITY ? (T)INFINITY : product) * sqrt##S(x == -(T)INFINITY ? (T)INFINITY : x);                  \
    }                                                                                                                        \
    return twice < 0 ? 1 / product : product;                                                                                \
  }
#endif
REMORA_POWER(float, f)
REMORA_POWER(double, )

/* ---- Contexts ---- */

/* In a library the doors have other names, and what is here stays inside. */
#ifdef REMORA_LIBRARY
#define REMORA_EXPORT __attribute__((visibility("hidden")))
#else
#define REMORA_EXPORT __attribute__((visibility("default")))
#endif

/* More threads than this are of no use, and the system may not have them. */
#define REMORA_MOST_THREADS 512

REMORA_EXPORT remora_context *remora_context_new(int threads) {
  remora_context *c = calloc(1, sizeof *c);
  if (!c) {
    return NULL;
  }
#ifdef _OPENMP
  c->threads = threads > 0 ? threads : omp_get_num_procs();
  if (c->threads > REMORA_MOST_THREADS) {
    c->threads = REMORA_MOST_THREADS;
  }
#else
  c->threads = 1;
#endif
  c->thread = calloc((size_t)c->threads, sizeof *c->thread);
  if (!c->thread) {
    free(c);
    return NULL;
  }
  pthread_mutex_init(&c->in_use, NULL);
  for (int k = 0; k < c->threads; k++) {
    c->thread[k].context = c;
    c->thread[k].order = -1;
  }
  return c;
}

REMORA_EXPORT void remora_context_free(remora_context *c) {
  if (c) {
    for (int k = 0; k < c->threads; k++) {
      remora_flush(&c->thread[k]);
    }
    pthread_mutex_destroy(&c->in_use);
    free(c->thread);
    free(c);
  }
}

/* The last failure: its code, its message and the place in the source (file number, first and last byte). */
REMORA_EXPORT const char *remora_error_code(const remora_context *c) { return c->failed ? c->code : ""; }
REMORA_EXPORT const char *remora_error_message(const remora_context *c) { return c->failed ? c->message : ""; }
REMORA_EXPORT void remora_error_place(const remora_context *c, int32_t *file, int32_t *start, int32_t *end) {
  *file = c->file;
  *start = c->start;
  *end = c->end;
}

/* The most bytes that arrays have taken at a time since the last call. */
REMORA_EXPORT int64_t remora_peak_bytes(remora_context *c) {
  int64_t peak = c->thread[0].peak > c->peak ? c->thread[0].peak : c->peak;
  c->peak = 0;
  for (int k = 0; k < c->threads; k++) {
    c->thread[k].peak = c->thread[k].live;
  }
  return peak;
}

REMORA_EXPORT void *remora_array_data(remora_block *block) { return remora_data(block); }
REMORA_EXPORT void remora_array_free(remora_context *c, remora_block *block) { remora_release(&c->thread[0], &block); }

/* ---- The program ---- */
