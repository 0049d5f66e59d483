/* Plays a CUDA device for kernels that a C++ compiler compiles: this text stands in front of theirs. Each CUDA thread is a fiber; what
   threads say to each other goes through the scheduler in shim.cpp. Memory is sequentially consistent here; what blocks read that others have
   written without a fence is found where accesses are watched. */
#define REMORA_SHIM 1
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <utility>

#ifndef REMORA_SHIM_INSIDE
#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((__noinline__))
#define __launch_bounds__(...)
#define warpSize 32
#endif

struct remora_shim_index {
  unsigned x, y, z;
};
/* The thread that runs. */
struct remora_shim_place {
  remora_shim_index thread, block;
};
extern __thread const remora_shim_place *remora_shim_here;
extern __thread remora_shim_index remora_shim_grid, remora_shim_block;
#define threadIdx (remora_shim_here->thread)
#define blockIdx (remora_shim_here->block)
#define blockDim remora_shim_block
#define gridDim remora_shim_grid

/* What shim.cpp does. `line` is where in the text a thread meets others. */
enum { REMORA_SHIM_SYNC, REMORA_SHIM_OR, REMORA_SHIM_AND, REMORA_SHIM_COUNT };
enum { REMORA_SHIM_INDEX, REMORA_SHIM_UP, REMORA_SHIM_DOWN, REMORA_SHIM_XOR, REMORA_SHIM_BALLOT };
int remora_shim_barrier(int line, int kind, int predicate);
uint64_t remora_shim_warp(int line, int kind, unsigned mask, uint64_t value, int lane, int width);
void *remora_shim_shared(const void *site, size_t bytes);
void *remora_shim_dynamic();
void remora_shim_spin(int line);
void remora_shim_aligned(const void *address, size_t bytes);
/* Other threads may run between atomic operations. `changed`: memory has another value now, somebody gets on. */
void remora_shim_atomic(bool changed);
/* What the thread has written is there for all. */
void remora_shim_fence();

/* The entry that a launch finds by the name of the kernel. */
struct remora_shim_entry {
  void (*run)(void **args);
  int count;
};
template <class... Args, size_t... K>
static void remora_shim_call(void (*kernel)(Args...), void **args, std::index_sequence<K...>) {
  kernel(*(Args *)args[K]...);
}
template <class... Args> static void remora_shim_call(void (*kernel)(Args...), void **args) {
  remora_shim_call(kernel, args, std::index_sequence_for<Args...>{});
}
template <class... Args> static constexpr int remora_shim_count(void (*)(Args...)) { return sizeof...(Args); }
#define REMORA_ENTRY(kernel)                                                                                                 \
  static void remora_shim_run_##kernel(void **args) { remora_shim_call(kernel, args); }                                      \
  extern "C" __attribute__((visibility("default"), used)) const remora_shim_entry remora_shim_##kernel;                      \
  extern "C" const remora_shim_entry remora_shim_##kernel = {remora_shim_run_##kernel, remora_shim_count(kernel)};

/* Each place in the text that declares shared memory is an array of the block. */
#define REMORA_SHARED(T, name, count)                                                                                        \
  static const char name##_site = 0;                                                                                         \
  T(&name)[count] = *(T(*)[count])remora_shim_shared(&name##_site, sizeof(T) * (count))
#define REMORA_DYNAMIC(name) unsigned char *name = (unsigned char *)remora_shim_dynamic()
#define REMORA_SPIN() remora_shim_spin(__LINE__)
#define REMORA_ALIGNED(address, bytes) remora_shim_aligned(address, bytes)

#define __syncthreads() ((void)remora_shim_barrier(__LINE__, REMORA_SHIM_SYNC, 0))
#define __syncthreads_or(predicate) remora_shim_barrier(__LINE__, REMORA_SHIM_OR, !!(predicate))
#define __syncthreads_and(predicate) remora_shim_barrier(__LINE__, REMORA_SHIM_AND, !!(predicate))
#define __syncthreads_count(predicate) remora_shim_barrier(__LINE__, REMORA_SHIM_COUNT, !!(predicate))

template <class T> static T remora_shim_shuffle(int line, int kind, unsigned mask, T value, int lane, int width = 32) {
  static_assert(sizeof(T) <= 8, "values of at most 8 bytes are shuffled");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  bits = remora_shim_warp(line, kind, mask, bits, lane, width);
  memcpy(&value, &bits, sizeof(T));
  return value;
}
#define __shfl_sync(...) remora_shim_shuffle(__LINE__, REMORA_SHIM_INDEX, __VA_ARGS__)
#define __shfl_up_sync(...) remora_shim_shuffle(__LINE__, REMORA_SHIM_UP, __VA_ARGS__)
#define __shfl_down_sync(...) remora_shim_shuffle(__LINE__, REMORA_SHIM_DOWN, __VA_ARGS__)
#define __shfl_xor_sync(...) remora_shim_shuffle(__LINE__, REMORA_SHIM_XOR, __VA_ARGS__)
static inline unsigned remora_shim_ballot(int line, unsigned mask, int predicate) {
  return (unsigned)remora_shim_warp(line, REMORA_SHIM_BALLOT, mask, predicate != 0, 0, 32);
}
#define __ballot_sync(mask, predicate) remora_shim_ballot(__LINE__, mask, !!(predicate))
#define __any_sync(mask, predicate) (remora_shim_ballot(__LINE__, mask, !!(predicate)) != 0)
#define __all_sync(mask, predicate) (remora_shim_ballot(__LINE__, mask, !(predicate)) == 0)
static inline void remora_shim_sync_warp(int line, unsigned mask = 0xffffffffu) { remora_shim_ballot(line, mask, 0); }
#define __syncwarp(...) remora_shim_sync_warp(__LINE__, ##__VA_ARGS__)

/* Threads do not run at the same time, so that this is atomic; also where they change at each access. */
template <class T, class New> __attribute__((noinline, no_sanitize("thread"))) static T remora_shim_modify(T *address, New compute) {
  remora_shim_atomic(false);
  const T old = *(volatile T *)address, now = compute(old);
  *(volatile T *)address = now;
  remora_shim_atomic(memcmp(&old, &now, sizeof(T)) != 0);
  return old;
}
#define REMORA_SHIM_ATOMIC(NAME, EXPRESSION)                                                                                 \
  template <class T, class V> static T NAME(T *address, V given) {                                                           \
    const T value = (T)given;                                                                                                \
    return remora_shim_modify(address, [&](T old) { return (T)(EXPRESSION); });                                              \
  }
REMORA_SHIM_ATOMIC(atomicAdd, old + value)
REMORA_SHIM_ATOMIC(atomicSub, old - value)
REMORA_SHIM_ATOMIC(atomicMin, value < old ? value : old)
REMORA_SHIM_ATOMIC(atomicMax, old < value ? value : old)
REMORA_SHIM_ATOMIC(atomicAnd, old &value)
REMORA_SHIM_ATOMIC(atomicOr, old | value)
REMORA_SHIM_ATOMIC(atomicXor, old ^ value)
REMORA_SHIM_ATOMIC(atomicExch, value)
template <class T, class A, class B> static T atomicCAS(T *address, A from, B to) {
  return remora_shim_modify(address, [&](T old) { return old == (T)from ? (T)to : old; });
}
static inline void __threadfence() { remora_shim_fence(); }
static inline void __threadfence_block() { remora_shim_atomic(false); }
static inline void __threadfence_system() { remora_shim_fence(); }

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
static inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
template <class T> static T __ldg(const T *address) { return *address; }
