/* The device library: everything that kernels need and that does not depend on the program. It is compiled by NVRTC, without any header,
   as CUDA C++17 for sm_70 and later; or by a C++ compiler behind a header that plays the device (REMORA_SHIM).

   Rules. Blocks have REMORA_BLOCK threads. Grids have any size: work is gone over in strides of the grid. Operators are associative and
   keep the order of their operands; they need not be commutative unless a function says so. `neutral` is the operator's neutral element.
   Values (`T`) can be copied byte by byte and have at most 64 bytes. Functors never meet a barrier; they may fail inside
   (`remora_fail`) and then return any value. Every function is to be called by all threads of a block with the same arguments. */

/* ---- Prelude ---- */

#ifndef REMORA_SHIM
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#define INT8_MIN (-128)
#define INT8_MAX 127
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT64_MAX 9223372036854775807LL
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295u
#define UINT64_MAX 18446744073709551615ULL
#define INFINITY __int_as_float(0x7f800000)
#define INT64_C(x) x##LL
#define UINT64_C(x) x##ULL

/* Halves as a type of their own: stored in 16 bits, computed with as floats, rounded to the nearest even number. */
struct _Float16 {
  uint16_t bits;
  _Float16() = default;
  __device__ explicit _Float16(float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
  __device__ explicit _Float16(double x) { asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x)); }
  /* Integers that a float does not hold are beyond the largest half. */
  template <class Int> __device__ explicit _Float16(Int x) : _Float16((float)x) {}
  __device__ operator float() const {
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
  }
};

/* Shared memory: an array of a fixed size; all that the launch asked for (aligned to 16 bytes). */
#define REMORA_SHARED(T, name, count) __shared__ T name[count]
#define REMORA_DYNAMIC(name)                                                                                                 \
  extern __shared__ ulonglong2 remora_dynamic[];                                                                             \
  unsigned char *name = (unsigned char *)remora_dynamic
/* In loops that wait for other threads. */
#define REMORA_SPIN() __nanosleep(20)
/* Stands behind each kernel. */
#define REMORA_ENTRY(kernel)
/* An access of so many bytes at once, which must be aligned. */
#define REMORA_ALIGNED(address, bytes)
#endif

#define REMORA_DEVICE static __device__ __forceinline__
#define REMORA_FN static __device__ __forceinline__
#define REMORA_POPC(x) __popcll(x)
#define REMORA_CLZ(x) __clzll(x)
#define REMORA_CTZ(x) (__ffsll(x) - 1)
#define REMORA_CONSTANT(x) false

#define REMORA_BLOCK 256
#define REMORA_WARPS (REMORA_BLOCK / 32)
#define REMORA_ALL 0xffffffffu

/* ---- Failures ---- */

struct remora_failure {
  int32_t code;
  uint32_t lock;
  int64_t args[8];
  int64_t order;
  int64_t launch;
};

/* Nothing is done after a launch in which something failed. All threads of the block agree on it. The number of that launch alone says
   it (they are counted from 1): while another block of this launch records a failure, its code may be seen before the number that
   belongs to it, as memory is not sequentially consistent, and a block that ended then would not find an earlier failure. */
#define REMORA_KERNEL                                                                                                        \
  const int64_t failed_ = *(volatile int64_t *)&failure->launch;                                                             \
  if (__syncthreads_or(failed_ != 0 && failed_ != launch)) {                                                                 \
    return;                                                                                                                  \
  }

/* a / b for numbers that are not negative. Division in 64 bits is a call on a GPU, around which registers are saved; indices hardly ever
   need it. */
REMORA_DEVICE int64_t remora_quotient(int64_t a, int64_t b) {
  if ((((uint64_t)a | (uint64_t)b) >> 32) == 0) {
    return (int64_t)((uint32_t)a / (uint32_t)b);
  }
  uint64_t quotient = 0, rest = 0;
  for (int bit = 63; bit >= 0; bit--) {
    rest = rest << 1 | ((uint64_t)a >> bit & 1);
    quotient <<= 1;
    if (rest >= (uint64_t)b) {
      rest -= (uint64_t)b;
      quotient |= 1;
    }
  }
  return (int64_t)quotient;
}

/* ---- Values as words ---- */

/* A value of any type in words of four bytes, which is what goes from one thread to another. */
template <class T> struct remora_words {
  static constexpr int count = (sizeof(T) + 3) / 4;
  uint32_t word[count];
  __device__ __forceinline__ static remora_words of(const T &value) {
    remora_words words;
    words.word[count - 1] = 0;
    memcpy(words.word, &value, sizeof(T));
    return words;
  }
  __device__ __forceinline__ T value() const {
    T value;
    memcpy(&value, word, sizeof(T));
    return value;
  }
};

/* The value of the thread `delta` lanes further up in the warp; what those get that have none is of no use. */
template <class T> REMORA_DEVICE T remora_from_above(const T &value, int delta) {
  remora_words<T> words = remora_words<T>::of(value);
#pragma unroll
  for (int k = 0; k < words.count; k++) {
    words.word[k] = __shfl_down_sync(REMORA_ALL, words.word[k], delta);
  }
  return words.value();
}

/* The value of the thread `delta` lanes further down. */
template <class T> REMORA_DEVICE T remora_from_below(const T &value, int delta) {
  remora_words<T> words = remora_words<T>::of(value);
#pragma unroll
  for (int k = 0; k < words.count; k++) {
    words.word[k] = __shfl_up_sync(REMORA_ALL, words.word[k], delta);
  }
  return words.value();
}

/* How blocks cut arrays of values. A thread takes `items` neighbours, a block `tile`. Global memory is read with neighbours in neighbouring
   threads and values are then exchanged in shared memory, where `slot` keeps the threads in different banks: one slot in every 128 bytes
   stays empty, so that strides of a power of two become odd. `BYTES` is what a thread has of values with 4 bytes and more. */
template <class T, int BYTES = 64> struct remora_layout {
  static constexpr int size = (int)sizeof(T);
  static constexpr int items = size <= 4 ? BYTES / 4 : size > 32 ? 1 : BYTES / size;
  static constexpr int tile = REMORA_BLOCK * items;
  static constexpr int period = size <= 1 ? 128 : size <= 2 ? 64 : size <= 4 ? 32 : size <= 8 ? 16 : size <= 16 ? 8 : size <= 32 ? 4 : 2;
  __device__ static constexpr int slots(int count) { return count + count / period; }
  __device__ __forceinline__ static int slot(int index) { return index + (int)((unsigned)index / period); }
  /* That of the k-th value of a thread, where neighbouring threads have neighbours, and where a thread has neighbours: a slot of the thread
     and a constant distance, which needs no register. */
  __device__ __forceinline__ static int across(int thread, int k) { return slot(thread) + k * slots(REMORA_BLOCK); }
  __device__ __forceinline__ static int along(int thread, int k) {
    return period % items == 0 ? slot(thread * items) + k : slot(thread * items + k);
  }
};
static_assert(REMORA_BLOCK % 128 == 0, "slots repeat from one stripe of a block to the next");

/* What a thread has in scans, where tiles wait for those before: twice the usual halves the number of tiles. */
#define REMORA_SCANNED 128

/* ---- Maps ---- */

/* `cell(i)` for each i below `width`. */
template <class Cell> REMORA_DEVICE void remora_for_each(int64_t width, Cell cell) {
  const int64_t stride = (int64_t)gridDim.x * REMORA_BLOCK;
  /* Other threads hide the time of loads; unrolled, cells with calls in them (divisions, sines) do not fit into registers. */
#pragma unroll 1
  for (int64_t i = (int64_t)blockIdx.x * REMORA_BLOCK + threadIdx.x; i < width; i += stride) {
    cell(i);
  }
}

/* `N` neighbours of an array, read or written at once: by an instruction of up to 16 bytes for each thread. With elements of 4 bytes all
   threads that a multiprocessor can have do not keep enough bytes under way to fill the time that memory takes to answer. */
template <class T, int N> struct alignas(N * sizeof(T)) remora_vector {
  T value[N];
};

/* Whether neighbours can be read and written at once from here on: a slice may begin anywhere. */
template <int N, class T> REMORA_DEVICE bool remora_aligned(const T *address) { return (uint64_t)address % (N * sizeof(T)) == 0; }

template <int N, class T> REMORA_DEVICE remora_vector<T, N> remora_take(const T *address) {
  REMORA_ALIGNED(address, N * sizeof(T));
  return *(const remora_vector<T, N> *)address;
}
template <int N, class T> REMORA_DEVICE void remora_give(T *address, const remora_vector<T, N> &values) {
  REMORA_ALIGNED(address, N * sizeof(T));
  *(remora_vector<T, N> *)address = values;
}

/* The same as `remora_for_each` where `wide(i)` does what `cell` does for i .. i + N - 1, if everything is aligned for it. */
template <int N, class Cell, class Wide> REMORA_DEVICE void remora_for_each_wide(int64_t width, bool aligned, Cell cell, Wide wide) {
  const int64_t stride = (int64_t)gridDim.x * REMORA_BLOCK, first = (int64_t)blockIdx.x * REMORA_BLOCK + threadIdx.x;
  const int64_t vectors = aligned ? width / N : 0;
#pragma unroll 1
  for (int64_t i = first; i < vectors; i += stride) {
    wide(i * N);
  }
#pragma unroll 1
  for (int64_t i = vectors * N + first; i < width; i += stride) {
    cell(i);
  }
}

/* ---- Reductions ---- */

/* The values of groups of `GROUP` neighbouring lanes combined in order; the result is in the first lane of each group. */
template <int GROUP, class T, class Op> REMORA_DEVICE T remora_combine_lanes(T value, Op op) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int delta = 1; delta < GROUP; delta *= 2) {
    const T above = remora_from_above(value, delta);
    if (lane % (2 * delta) == 0) {
      value = op(value, above);
    }
  }
  return value;
}

/* The values of all threads of the block combined in order; the result is in thread 0. `room` has a place for each warp. One barrier: who
   calls this again must pass other room, and may come back to the first afterwards. */
template <class T, class Op> REMORA_DEVICE T remora_combine_block(T value, T *room, Op op) {
  value = remora_combine_lanes<32>(value, op);
  if (threadIdx.x % 32 == 0) {
    room[threadIdx.x / 32] = value;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
#pragma unroll
    for (int warp = 1; warp < REMORA_WARPS; warp++) {
      value = op(value, room[warp]);
    }
  }
  return value;
}

/* The cells from `from` to before `to` for an operator that is commutative as well: each thread takes every 256th. `HEAVY`: cells take so
   many registers that there should be one at a time. */
template <bool HEAVY, class T, class Cell, class Op>
REMORA_DEVICE T remora_fold_strided(int64_t segment, int64_t from, int64_t to, T neutral, Cell cell, Op op) {
  T total = neutral;
  int64_t i = from + threadIdx.x;
  /* Four cells at a time are on their way from memory. */
  for (; !HEAVY && i + 3 * REMORA_BLOCK < to; i += 4 * REMORA_BLOCK) {
    const T a = cell(segment, i), b = cell(segment, i + REMORA_BLOCK);
    const T c = cell(segment, i + 2 * REMORA_BLOCK), d = cell(segment, i + 3 * REMORA_BLOCK);
    total = op(total, op(op(a, b), op(c, d)));
  }
#pragma unroll 1
  for (; i < to; i += REMORA_BLOCK) {
    total = op(total, cell(segment, i));
  }
  return total;
}

/* The same in order: each warp takes its share of neighbouring cells and goes over it in tiles; each lane combines the neighbours of a tile
   that are its own, and the lanes combine what they have. The total of the warp is in its first lane. `exchange` is the warp's own. */
template <class T, class Cell, class Op>
REMORA_DEVICE T remora_fold_ordered(int64_t segment, int64_t from, int64_t to, T neutral, T *exchange, Cell cell, Op op) {
  typedef remora_layout<T> layout;
  constexpr int TILE = 32 * layout::items;
  const int lane = threadIdx.x % 32;
  T total = neutral;
  for (int64_t tile = from; tile < to; tile += TILE) {
    const int count = to - tile < TILE ? (int)(to - tile) : TILE;
    T mine = neutral;
    if (layout::items == 1) {
      if (lane < count) {
        mine = cell(segment, tile + lane);
      }
    } else {
      if (count == TILE) {
        /* All that a thread reads is on its way before it uses any of it. */
        T read[layout::items];
#pragma unroll
        for (int k = 0; k < layout::items; k++) {
          read[k] = cell(segment, tile + k * 32 + lane);
        }
#pragma unroll
        for (int k = 0; k < layout::items; k++) {
          exchange[layout::slot(k * 32 + lane)] = read[k];
        }
      } else {
#pragma unroll 1
        for (int at = lane; at < count; at += 32) {
          exchange[layout::slot(at)] = cell(segment, tile + at);
        }
      }
      __syncwarp();
#pragma unroll
      for (int k = 0; k < layout::items; k++) {
        const int at = lane * layout::items + k;
        if (at < count) {
          mine = k == 0 ? exchange[layout::slot(at)] : op(mine, exchange[layout::slot(at)]);
        }
      }
      __syncwarp();
    }
    mine = remora_combine_lanes<32>(mine, op);
    if (lane == 0) {
      total = op(total, mine);
    }
  }
  return total;
}

/* Reads a value that another block has written, past the caches that blocks do not share. */
template <class T> REMORA_DEVICE T remora_peek(const T *address) {
  remora_words<T> words;
  words.word[words.count - 1] = 0;
  if (alignof(T) % 4 == 0) {
#pragma unroll
    for (int k = 0; k < words.count; k++) {
      words.word[k] = ((const volatile uint32_t *)address)[k];
    }
  } else {
#pragma unroll
    for (int k = 0; k < (int)sizeof(T); k++) {
      ((uint8_t *)words.word)[k] = ((const volatile uint8_t *)address)[k];
    }
  }
  return words.value();
}

/* `done(segment, total)`, once and in one thread, for each of `segments` segments of `width` cells `cell(segment, i)`. A block reduces one of
   `parts` parts of a segment at a time. With more than one part, `partial` has room for segments * parts values and `counter` for a zero
   per segment; the block that finishes a segment last combines its parts, and leaves the counter zero (after a failure, it may not be). The
   last block is found as in NVIDIA's sample `threadFenceReduction`. `COMMUTES`: the operator is commutative, which is faster. */
template <class T, bool COMMUTES = false, bool HEAVY = false, class Cell, class Op, class Done>
REMORA_DEVICE void remora_reduce(int64_t segments, int64_t width, int64_t parts, T neutral, T *partial, uint32_t *counter, Cell cell, Op op,
                                 Done done) {
  typedef remora_layout<T> layout;
  constexpr int OWN = layout::slots(32 * layout::items);
  REMORA_SHARED(T, room, 4 * REMORA_WARPS);
  REMORA_SHARED(T, exchange, COMMUTES || layout::items == 1 ? 1 : REMORA_WARPS * OWN);
  REMORA_SHARED(uint32_t, arrived, 2);
  const int warp = threadIdx.x / 32;
  const int64_t chunk = ((width + parts - 1) / parts + REMORA_BLOCK - 1) / REMORA_BLOCK * REMORA_BLOCK;
  int odd = 0;
  for (int64_t item = blockIdx.x; item < segments * parts; item += gridDim.x, odd ^= 1) {
    const int64_t segment = parts == 1 ? item : item / parts;
    const int64_t from = parts == 1 ? 0 : (item - segment * parts) * chunk;
    const int64_t to = from + chunk < width ? from + chunk : width;
    /* Room is used in turns: who writes it again has been at the barrier behind its last use. */
    T *const own = room + odd * 2 * REMORA_WARPS;
    T total;
    if (COMMUTES) {
      total = remora_combine_block(remora_fold_strided<HEAVY>(segment, from, to, neutral, cell, op), own, op);
    } else {
      const int64_t share = (chunk / REMORA_WARPS + 31) / 32 * 32;
      const int64_t low = from + warp * share, high = low + share < to ? low + share : to;
      total = remora_fold_ordered(segment, low, high, neutral, exchange + (layout::items == 1 ? 0 : warp * OWN), cell, op);
      if (threadIdx.x % 32 == 0) {
        own[warp] = total;
      }
      __syncthreads();
      if (threadIdx.x == 0) {
        for (int k = 1; k < REMORA_WARPS; k++) {
          total = op(total, own[k]);
        }
      }
    }
    if (parts == 1) {
      if (threadIdx.x == 0) {
        done(segment, total);
      }
      continue;
    }
    if (threadIdx.x == 0) {
      partial[item] = total;
      __threadfence();
      arrived[odd] = atomicAdd(&counter[segment], 1u);
      __threadfence();
    }
    __syncthreads();
    if (arrived[odd] != parts - 1) {
      continue;
    }
    /* The last one: each thread takes its share of neighbouring parts. */
    const int64_t share = (parts + REMORA_BLOCK - 1) / REMORA_BLOCK;
    T mine = neutral;
    for (int64_t part = threadIdx.x * share; part < (threadIdx.x + 1) * share && part < parts; part++) {
      mine = op(mine, remora_peek(&partial[segment * parts + part]));
    }
    mine = remora_combine_block(mine, own + REMORA_WARPS, op);
    if (threadIdx.x == 0) {
      counter[segment] = 0;
      done(segment, mine);
    }
  }
}

/* The same for small segments, with `lanes` lanes for each (1, 2, .., 32): those of less than a warp stand side by side in one. */
template <class T, bool COMMUTES = false, bool HEAVY = false, class Cell, class Op, class Done>
REMORA_DEVICE void remora_reduce_small(int64_t segments, int64_t width, int64_t lanes, T neutral, Cell cell, Op op, Done done) {
  typedef remora_layout<T> layout;
  constexpr int OWN = layout::slots(32 * layout::items);
  REMORA_SHARED(T, exchange, COMMUTES || layout::items == 1 ? 1 : REMORA_WARPS * OWN);
  const int group = (int)lanes, groups = REMORA_BLOCK / group;
  const int lane = threadIdx.x & (group - 1);
  /* In order, lanes have neighbouring cells: as long as those of a lane are few, what a warp reads at a time is close together. */
  const bool tiles = !COMMUTES && group == 32 && width > 4 * 32;
  for (int64_t base = (int64_t)blockIdx.x * groups; base < segments; base += (int64_t)gridDim.x * groups) {
    const int64_t segment = base + threadIdx.x / group;
    T total = neutral;
    if (segment < segments) {
      if (COMMUTES) {
        int64_t i = lane;
        for (; !HEAVY && i + 3 * group < width; i += 4 * group) {
          const T a = cell(segment, i), b = cell(segment, i + group);
          const T c = cell(segment, i + 2 * group), d = cell(segment, i + 3 * group);
          total = op(total, op(op(a, b), op(c, d)));
        }
#pragma unroll 1
        for (; i < width; i += group) {
          total = op(total, cell(segment, i));
        }
      } else if (tiles) {
        T *const own = exchange + (layout::items == 1 ? 0 : threadIdx.x / 32 * OWN);
        total = remora_fold_ordered(segment, 0, width, neutral, own, cell, op);
      } else {
        const int64_t share = (width + group - 1) / group;
#pragma unroll 1
        for (int64_t i = lane * share; i < (lane + 1) * share && i < width; i++) {
          total = op(total, cell(segment, i));
        }
      }
    }
#pragma unroll 1
    for (int delta = 1; delta < group; delta *= 2) {
      const T above = remora_from_above(total, delta);
      if ((lane & (2 * delta - 1)) == 0) {
        total = op(total, above);
      }
    }
    if (lane == 0 && segment < segments) {
      done(segment, total);
    }
  }
}

/* The same where neighbours in memory are cells of neighbouring segments, as in sums of columns: neighbouring threads take neighbouring
   segments, `across` (1, 2, .., 256) of them in a block, and the threads that are left take cells of the same segments. `partial` and
   `counter` as above. */
template <class T, bool COMMUTES = false, bool HEAVY = false, class Cell, class Op, class Done>
REMORA_DEVICE void remora_reduce_columns(int64_t segments, int64_t width, int64_t parts, int64_t across, T neutral, T *partial,
                                         uint32_t *counter, Cell cell, Op op, Done done) {
  REMORA_SHARED(T, room, REMORA_BLOCK);
  REMORA_SHARED(uint32_t, arrived, 1);
  const int side = (int)across, rows = REMORA_BLOCK / side, column = threadIdx.x & (side - 1), row = threadIdx.x / side;
  const int64_t groups = (segments + side - 1) / side, chunk = (width + parts - 1) / parts;
  /* What the threads of a column have, in order, in the first of them. */
  auto combined = [&](T total) {
    room[threadIdx.x] = total;
    __syncthreads();
    if (row == 0) {
#pragma unroll 1
      for (int k = 1; k < rows; k++) {
        total = op(total, room[k * side + column]);
      }
    }
    return total;
  };
  for (int64_t item = blockIdx.x; item < groups * parts; item += gridDim.x) {
    const int64_t group = item / parts, part = item - group * parts, segment = group * side + column;
    const int64_t from = part * chunk, to = from + chunk < width ? from + chunk : width;
    const int64_t share = (chunk + rows - 1) / rows, step = COMMUTES ? rows : 1;
    int64_t i = from + (COMMUTES ? row : row * share);
    const int64_t end = COMMUTES || i + share > to ? to : i + share;
    T total = neutral;
    if (segment < segments) {
      for (; !HEAVY && i + 3 * step < end; i += 4 * step) {
        const T a = cell(segment, i), b = cell(segment, i + step), c = cell(segment, i + 2 * step), d = cell(segment, i + 3 * step);
        total = op(total, op(op(a, b), op(c, d)));
      }
#pragma unroll 1
      for (; i < end; i += step) {
        total = op(total, cell(segment, i));
      }
    }
    total = combined(total);
    const bool first = row == 0 && segment < segments;
    if (parts > 1) {
      if (first) {
        partial[part * segments + segment] = total;
      }
      /* Several threads have written: what each wrote is there before the block says that it has come. */
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) {
        arrived[0] = atomicAdd(&counter[group], 1u);
        __threadfence();
      }
      __syncthreads();
      if (arrived[0] == parts - 1) {
        const int64_t own = (parts + rows - 1) / rows;
        total = neutral;
        if (segment < segments) {
#pragma unroll 1
          for (int64_t k = row * own; k < (row + 1) * own && k < parts; k++) {
            total = op(total, remora_peek(&partial[k * segments + segment]));
          }
        }
        total = combined(total);
        if (threadIdx.x == 0) {
          counter[group] = 0;
        }
        if (first) {
          done(segment, total);
        }
      }
    } else if (first) {
      done(segment, total);
    }
    /* The room is used again. */
    __syncthreads();
  }
}

/* ---- Scans ---- */

/* What a tile has told the others: words of a value, each beside a flag, so that a word and its flag are written and read at once and
   no fence is needed. The flag is 0 before anything is known. Tiles take sizeof(remora_tile<T>) = 8 * ceil(sizeof(T) / 4) bytes. */
template <class T> struct remora_tile {
  uint64_t piece[remora_words<T>::count];
};

/* The value is that of the cells of the tile alone, and the segment began before it. */
#define REMORA_AGGREGATE 1u
/* The value is that of all cells of the segment up to the end of the tile. */
#define REMORA_PREFIX 2u

template <class T> REMORA_DEVICE void remora_publish(remora_tile<T> *tile, uint32_t flag, const T &value) {
  const remora_words<T> words = remora_words<T>::of(value);
#pragma unroll
  for (int k = 0; k < words.count; k++) {
    *(volatile uint64_t *)&tile->piece[k] = (uint64_t)flag << 32 | words.word[k];
  }
}

/* The flag of a tile and its value; 0 while it is being written. */
template <class T> REMORA_DEVICE uint32_t remora_collect(const remora_tile<T> *tile, T *value) {
  remora_words<T> words;
  uint64_t piece = *(const volatile uint64_t *)&tile->piece[0];
  const uint32_t flag = (uint32_t)(piece >> 32);
  words.word[0] = (uint32_t)piece;
  bool same = true;
#pragma unroll
  for (int k = 1; k < words.count; k++) {
    piece = *(const volatile uint64_t *)&tile->piece[k];
    words.word[k] = (uint32_t)piece;
    same = same && (uint32_t)(piece >> 32) == flag;
  }
  *value = words.value();
  return same ? flag : 0;
}

/* The value of the cells of the segment before a tile, in lane 0 of the warp that asks. The lanes look at the 32 tiles before, then at the 32
   before those, until one of them knows its prefix. */
template <class T, class Op> REMORA_DEVICE T remora_look_back(const remora_tile<T> *state, int64_t tile, T neutral, Op op) {
  const int lane = threadIdx.x % 32;
  T total = neutral;
  for (int64_t near = tile - 1;; near -= 32) {
    T value = neutral;
    uint32_t prefixes, needed;
    for (;;) {
      const uint32_t flag = near < lane ? REMORA_PREFIX : remora_collect(&state[near - lane], &value);
      const uint32_t missing = __ballot_sync(REMORA_ALL, flag == 0);
      prefixes = __ballot_sync(REMORA_ALL, flag == REMORA_PREFIX);
      /* The lanes up to the first prefix, that is the nearest tile with one. */
      needed = prefixes ^ (prefixes - 1);
      if ((missing & needed) == 0) {
        break;
      }
      REMORA_SPIN();
    }
#pragma unroll
    for (int delta = 1; delta < 32; delta *= 2) {
      const T further = remora_from_above(value, delta);
      if (lane % (2 * delta) == 0 && lane + delta < 32 && (needed >> (lane + delta) & 1)) {
        value = op(further, value);
      }
    }
    if (lane == 0) {
      total = near == tile - 1 ? value : op(value, total);
    }
    if (prefixes != 0) {
      return total;
    }
  }
}

/* The segment and the position in it of what is less than the width and a tile behind the start of a segment. */
REMORA_DEVICE void remora_wrap(int64_t *segment, int64_t *position, int64_t width) {
  if (*position >= width) {
    if (*position < 2 * width) {
      *segment += 1;
      *position -= width;
    } else {
      /* The width is below the size of a tile. */
      const uint32_t whole = (uint32_t)*position / (uint32_t)width;
      *segment += whole;
      *position -= (int64_t)whole * width;
    }
  }
}

/* `done(segment, i, prefix)` for each of `width` cells `cell(segment, i)` of each of `segments` segments, where the prefix is the inclusive one
   within the segment, beginning with `neutral`. One pass with decoupled look-back over the cells of all segments in a row (Merrill and Garland, Single-pass
   parallel prefix scan with decoupled look-back, 2016, section 4), for segments of any size: a tile in which a segment begins knows its
   prefix at once. Values go with their flags, in the manner of the LL protocol of NCCL. `state` has a tile for each
   `remora_layout<T, REMORA_SCANNED>::tile` cells (256 times the items of a thread), rounded up; it and `ticket` are zeroed before each launch. */
template <class T, class Cell, class Op, class Done>
REMORA_DEVICE void remora_scan(int64_t segments, int64_t width, T neutral, remora_tile<T> *state, uint32_t *ticket, Cell cell, Op op,
                               Done done) {
  typedef remora_layout<T, REMORA_SCANNED> layout;
  constexpr int ITEMS = layout::items, TILE = layout::tile, AHEAD = ITEMS < 4 ? 1 : 4;
  REMORA_SHARED(T, exchange, ITEMS == 1 ? 1 : layout::slots(TILE));
  REMORA_SHARED(T, warp_total, REMORA_WARPS);
  REMORA_SHARED(uint32_t, warp_heads, REMORA_WARPS);
  REMORA_SHARED(T, before, 1);
  REMORA_SHARED(int64_t, place, 3);
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int64_t total = segments * width, tiles = (total + TILE - 1) / TILE;
  for (int64_t turn = blockIdx.x; turn < tiles; turn += gridDim.x) {
    /* Tiles are taken in the order in which blocks come, so that all tiles before this one are being worked on. */
    if (thread == 0) {
      const int64_t tile = atomicAdd(ticket, 1u);
      place[0] = tile;
      place[1] = tile * TILE / width;
      place[2] = tile * TILE - place[1] * width;
    }
    __syncthreads();
    const int64_t tile = place[0], first_segment = place[1], first_position = place[2];
    const int count = total - tile * TILE < TILE ? (int)(total - tile * TILE) : TILE;

    /* Read with neighbours in neighbouring threads, then each thread gets neighbours. Values stay in shared memory: fewer registers are more
       blocks at a time, which keep more bytes under way while tiles wait for those before. */
    const bool whole = ITEMS > 1 && count == TILE && first_position + TILE <= width;
    T only;
    if (whole) {
      /* All that a thread reads is on its way before it uses any of it. */
      T read[ITEMS];
#pragma unroll
      for (int k = 0; k < ITEMS; k++) {
        read[k] = cell(first_segment, first_position + k * REMORA_BLOCK + thread);
      }
#pragma unroll
      for (int k = 0; k < ITEMS; k++) {
        exchange[layout::across(thread, k)] = read[k];
      }
    } else {
#pragma unroll AHEAD
      for (int at = thread; at < count; at += REMORA_BLOCK) {
        int64_t segment = first_segment, position = first_position + at;
        remora_wrap(&segment, &position, width);
        const T read = cell(segment, position);
        if (ITEMS == 1) {
          only = read;
          break;
        }
        exchange[layout::slot(at)] = read;
      }
    }
    if (ITEMS > 1) {
      __syncthreads();
    }

    /* The total of a thread is that behind the last head, the first cell of a segment, in it. Whole tiles inside of a segment need no
       counting of positions. */
    int64_t own_segment = first_segment, own_position = first_position + thread * ITEMS;
    remora_wrap(&own_segment, &own_position, width);
    bool head = whole && own_position == 0;
    T sum = neutral;
    if (ITEMS == 1) {
      if (thread < count) {
        head = own_position == 0;
        sum = head ? op(neutral, only) : only;
      }
    } else if (whole) {
      const T first = exchange[layout::along(thread, 0)];
      sum = head ? op(neutral, first) : first;
#pragma unroll
      for (int k = 1; k < ITEMS; k++) {
        sum = op(sum, exchange[layout::along(thread, k)]);
      }
    } else {
      int64_t position = own_position;
#pragma unroll 1
      for (int k = 0; k < ITEMS && thread * ITEMS + k < count; k++) {
        const T value = exchange[layout::along(thread, k)];
        sum = k == 0 && position != 0 ? value : op(position == 0 ? neutral : sum, value);
        head = head || position == 0;
        position = position + 1 == width ? 0 : position + 1;
      }
    }

    /* Within the warp: lanes take from lanes below, down to the nearest with a head. */
    const uint32_t heads = __ballot_sync(REMORA_ALL, head), below = (1u << lane) - 1;
    const uint32_t reach = heads & (below | 1u << lane);
    const int nearest = reach == 0 ? 0 : 31 - __clz(reach);
#pragma unroll
    for (int delta = 1; delta < 32; delta *= 2) {
      const T other = remora_from_below(sum, delta);
      if (lane - delta >= nearest) {
        sum = op(other, sum);
      }
    }
    const T lanes_before = remora_from_below(sum, 1);
    if (lane == 31) {
      warp_total[warp] = sum;
      warp_heads[warp] = heads;
    }
    __syncthreads();

    /* The first warp tells the others' blocks what this tile has, and finds what is before it. */
    if (warp == 0) {
      T all = warp_total[0];
      bool begins = warp_heads[0] != 0;
#pragma unroll
      for (int k = 1; k < REMORA_WARPS; k++) {
        all = warp_heads[k] != 0 ? warp_total[k] : op(all, warp_total[k]);
        begins = begins || warp_heads[k] != 0;
      }
      if (lane == 0) {
        remora_publish(&state[tile], begins ? REMORA_PREFIX : REMORA_AGGREGATE, all);
      }
      if (first_position != 0) {
        const T earlier = remora_look_back(state, tile, neutral, op);
        if (lane == 0) {
          before[0] = earlier;
          if (!begins) {
            remora_publish(&state[tile], REMORA_PREFIX, op(earlier, all));
          }
        }
      }
    }
    __syncthreads();

    /* What is before this thread: tiles, warps, lanes, each as far as no head is in between. */
    bool known = first_position != 0;
    T prefix = known ? before[0] : neutral;
    for (int k = 0; k < warp; k++) {
      prefix = known && warp_heads[k] == 0 ? op(prefix, warp_total[k]) : warp_total[k];
      known = true;
    }
    if (lane > 0) {
      prefix = known && (heads & below) == 0 ? op(prefix, lanes_before) : lanes_before;
    }
    if (ITEMS == 1) {
      if (thread < count) {
        prefix = op(head ? neutral : prefix, only);
      }
    } else if (whole) {
#pragma unroll
      for (int k = 0; k < ITEMS; k++) {
        T *const place = &exchange[layout::along(thread, k)];
        prefix = op(k == 0 && head ? neutral : prefix, *place);
        *place = prefix;
      }
    } else {
      int64_t position = own_position;
#pragma unroll 1
      for (int k = 0; k < ITEMS && thread * ITEMS + k < count; k++) {
        T *const place = &exchange[layout::along(thread, k)];
        prefix = op(position == 0 ? neutral : prefix, *place);
        *place = prefix;
        position = position + 1 == width ? 0 : position + 1;
      }
    }
    if (ITEMS > 1) {
      __syncthreads();
    }
    if (whole) {
#pragma unroll
      for (int k = 0; k < ITEMS; k++) {
        done(first_segment, first_position + k * REMORA_BLOCK + thread, exchange[layout::across(thread, k)]);
      }
    } else {
#pragma unroll AHEAD
      for (int at = thread; at < count; at += REMORA_BLOCK) {
        int64_t segment = first_segment, position = first_position + at;
        remora_wrap(&segment, &position, width);
        if (ITEMS == 1) {
          done(segment, position, prefix);
          break;
        }
        done(segment, position, exchange[layout::slot(at)]);
      }
    }
  }
}

/* ---- Updates by many threads ---- */

/* Words that can be compared and swapped. */
template <int BYTES> struct remora_word;
template <> struct remora_word<1> {
  typedef uint8_t bits;
};
template <> struct remora_word<2> {
  typedef unsigned short bits;
};
template <> struct remora_word<4> {
  typedef unsigned int bits;
};
template <> struct remora_word<8> {
  typedef unsigned long long bits;
};

template <class Bits> REMORA_DEVICE Bits remora_swap(Bits *address, Bits from, Bits to) { return atomicCAS(address, from, to); }
#ifndef REMORA_SHIM
/* A byte through the word around it, which is inside of the allocation: allocations are whole words. */
REMORA_DEVICE uint8_t remora_swap(uint8_t *address, uint8_t from, uint8_t to) {
  unsigned int *word = (unsigned int *)((uint64_t)address & ~(uint64_t)3);
  const int shift = (int)((uint64_t)address & 3) * 8;
  unsigned int seen = *(volatile unsigned int *)word;
  for (;;) {
    if ((uint8_t)(seen >> shift) != from) {
      return (uint8_t)(seen >> shift);
    }
    const unsigned int assumed = seen;
    seen = atomicCAS(word, assumed, (assumed & ~(0xffu << shift)) | (unsigned int)to << shift);
    if (seen == assumed) {
      return from;
    }
  }
}
#endif

/* *address = op(*address, value) as one step; for values of 1, 2, 4 and 8 bytes. The operator is commutative, as threads come in any order. */
template <class T, class Op> REMORA_DEVICE void remora_update(T *address, T value, Op op) {
  typedef typename remora_word<sizeof(T)>::bits Bits;
  Bits seen = *(volatile Bits *)address;
  for (;;) {
    T old;
    memcpy(&old, &seen, sizeof(T));
    const T next = op(old, value);
    Bits bits;
    memcpy(&bits, &next, sizeof(T));
    /* Where nothing changes, nothing is written: that makes minima and maxima cheap. */
    if (bits == seen) {
      return;
    }
    const Bits found = remora_swap((Bits *)address, seen, bits);
    if (found == seen) {
      return;
    }
    seen = found;
  }
}

/* Additions, minima, maxima and operations on bits, in hardware where it has them. Sums of integers wrap around. */
#define REMORA_HARDWARE(NAME, CALL, T, U)                                                                                    \
  REMORA_DEVICE void remora_atomic_##NAME(T *address, T value) { CALL((U *)address, (U)value); }
#define REMORA_SOFTWARE(NAME, T, EXPRESSION)                                                                                 \
  REMORA_DEVICE void remora_atomic_##NAME(T *address, T value) {                                                             \
    remora_update(address, value, [](T a, T b) { return (T)(EXPRESSION); });                                                 \
  }
#define REMORA_SMALL(T)                                                                                                      \
  REMORA_SOFTWARE(add, T, a + b)                                                                                             \
  REMORA_SOFTWARE(min, T, b < a ? b : a)                                                                                     \
  REMORA_SOFTWARE(max, T, a < b ? b : a)                                                                                     \
  REMORA_SOFTWARE(and, T, a & b)                                                                                             \
  REMORA_SOFTWARE(or, T, a | b)                                                                                              \
  REMORA_SOFTWARE(xor, T, a ^ b)
#define REMORA_LARGE(T, ADD, ORDER, BITS)                                                                                    \
  REMORA_HARDWARE(add, atomicAdd, T, ADD)                                                                                    \
  REMORA_HARDWARE(min, atomicMin, T, ORDER)                                                                                  \
  REMORA_HARDWARE(max, atomicMax, T, ORDER)                                                                                  \
  REMORA_HARDWARE(and, atomicAnd, T, BITS)                                                                                   \
  REMORA_HARDWARE(or, atomicOr, T, BITS)                                                                                     \
  REMORA_HARDWARE(xor, atomicXor, T, BITS)

REMORA_SMALL(int8_t)
REMORA_SMALL(int16_t)
REMORA_SMALL(uint8_t)
REMORA_SMALL(uint16_t)
REMORA_LARGE(int32_t, int, int, unsigned int)
REMORA_LARGE(uint32_t, unsigned int, unsigned int, unsigned int)
REMORA_LARGE(int64_t, unsigned long long, long long, unsigned long long)
REMORA_LARGE(uint64_t, unsigned long long, unsigned long long, unsigned long long)
REMORA_SOFTWARE(and, bool, a && b)
REMORA_SOFTWARE(or, bool, a || b)
REMORA_SOFTWARE(xor, bool, a != b)
REMORA_SOFTWARE(add, _Float16, (float)a + (float)b)
/* In global memory, sums of floats take the smallest (subnormal) numbers for zero. */
REMORA_HARDWARE(add, atomicAdd, float, float)
REMORA_HARDWARE(add, atomicAdd, double, double)

/* `body()` while no other thread holds the lock of this bin; locks are zero when free. What it reads is what the holder before has
   written. Threads of a warp that want the same lock take turns (independent thread scheduling, sm_70 and later). */
template <class Body> REMORA_DEVICE void remora_locked(uint32_t *locks, int64_t bin, Body body) {
  bool finished = false;
  while (!finished) {
    if (atomicCAS((unsigned int *)&locks[bin], 0u, 1u) == 0) {
      __threadfence();
      body();
      __threadfence();
      atomicExch((unsigned int *)&locks[bin], 0u);
      finished = true;
    } else {
      REMORA_SPIN();
    }
  }
}

/* Records the failure of a check in the cell with this number. Of several failures in a launch the first in order counts, so that it does
   not matter which thread comes first. */
template <class... Args>
REMORA_DEVICE void remora_fail(remora_failure *failure, int64_t launch, int64_t order, int32_t number, Args... args) {
  static_assert(sizeof...(Args) <= 8, "a failure has at most eight values");
  remora_locked(&failure->lock, 0, [&] {
    volatile remora_failure *record = failure;
    if (record->code == 0 || (record->code > 0 && order < record->order)) {
      const int64_t values[sizeof...(Args) + 1] = {(int64_t)args..., 0};
      for (int k = 0; k < (int)sizeof...(Args); k++) {
        record->args[k] = values[k];
      }
      record->order = order;
      record->launch = launch;
      record->code = number + 1;
    }
  });
}

/* A histogram: `update(bin, value)` for the value that `cell(i, bin)` gives for each i below `width`, and the bin that it sets; those outside
   of 0 .. bins - 1 are left out. `update` combines a value with the bin of the result while other threads do the same. */
template <class T, class Cell, class Update> REMORA_DEVICE void remora_hist(int64_t width, int64_t bins, Cell cell, Update update) {
  remora_for_each(width, [&](int64_t i) {
    int64_t bin = -1;
    const T value = cell(i, bin);
    if (0 <= bin && bin < bins) {
      update(bin, value);
    }
  });
}

/* The same for `here` bins from `first` on, each block with bins of its own in shared memory: `own(place, lock, value)` combines a value with what
   is in one of them, and `update` gets what a block has found for a bin, once. Of each bin a block has `copies` (1, 2, .., 32) side by side,
   in different banks, which neighbouring threads use in turns and `op` combines; so few threads of a warp meet. The launch asks for
   sizeof(T) bytes for each bin and copy; if `LOCKS`, for 4 bytes more for each, rounded up to 16 in all, which are locks. */
template <class T, bool LOCKS, class Cell, class Own, class Op, class Update>
REMORA_DEVICE void remora_hist_shared(int64_t width, int64_t first, int64_t here, int64_t copies, T neutral, Cell cell, Own own, Op op,
                                      Update update) {
  REMORA_DYNAMIC(room);
  const int64_t all = here * copies, mine = threadIdx.x & (copies - 1);
  uint32_t *const locks = (uint32_t *)room;
  T *const bins = (T *)(room + (LOCKS ? (4 * all + 15) / 16 * 16 : 0));
  for (int64_t k = threadIdx.x; k < all; k += REMORA_BLOCK) {
    bins[k] = neutral;
    if (LOCKS) {
      locks[k] = 0;
    }
  }
  __syncthreads();
  remora_for_each(width, [&](int64_t i) {
    int64_t bin = -1;
    const T value = cell(i, bin);
    if (first <= bin && bin < first + here) {
      const int64_t place = (bin - first) * copies + mine;
      own(&bins[place], LOCKS ? &locks[place] : nullptr, value);
    }
  });
  __syncthreads();
  for (int64_t bin = threadIdx.x; bin < here; bin += REMORA_BLOCK) {
    T value = bins[bin * copies];
    for (int64_t k = 1; k < copies; k++) {
      value = op(value, bins[bin * copies + k]);
    }
    /* Bins that nothing came to are not written. */
    const remora_words<T> words = remora_words<T>::of(value), nothing = remora_words<T>::of(neutral);
    bool touched = false;
#pragma unroll
    for (int k = 0; k < words.count; k++) {
      touched = touched || words.word[k] != nothing.word[k];
    }
    if (touched) {
      update(first + bin, value);
    }
  }
}

/* ---- Transposition ---- */

/* to[p][c][r] = from[p][r][c], through square tiles in shared memory; rows of a tile are one longer, which keeps a column in different banks.
   All that a thread reads of a whole tile is on its way before it keeps any of it. */
template <class T> REMORA_DEVICE void remora_transpose(int64_t planes, int64_t rows, int64_t columns, const T *from, T *to) {
  constexpr int SIDE = sizeof(T) <= 8 ? 64 : 32, ROW = SIDE + 1, EACH = SIDE / REMORA_WARPS, HALVES = SIDE / 32;
  REMORA_SHARED(T, tile, SIDE * ROW);
  const int x = threadIdx.x % 32, y = threadIdx.x / 32;
  const int64_t down = (rows + SIDE - 1) / SIDE, across = (columns + SIDE - 1) / SIDE;
  for (int64_t item = blockIdx.x; item < planes * down * across; item += gridDim.x) {
    const int64_t plane = remora_quotient(item, down * across), rest = item - plane * down * across;
    const int64_t band = remora_quotient(rest, across);
    const int64_t row = band * SIDE, column = (rest - band * across) * SIDE, base = plane * rows * columns;
    const T *const source = from + base + (row + y) * columns + column + x;
    T *const target = to + base + (column + y) * rows + row + x;
    const bool whole = row + SIDE <= rows && column + SIDE <= columns;
    if (whole) {
      T read[EACH][HALVES];
#pragma unroll
      for (int k = 0; k < EACH; k++) {
#pragma unroll
        for (int half = 0; half < HALVES; half++) {
          read[k][half] = source[k * REMORA_WARPS * columns + half * 32];
        }
      }
#pragma unroll
      for (int k = 0; k < EACH; k++) {
#pragma unroll
        for (int half = 0; half < HALVES; half++) {
          tile[(y + k * REMORA_WARPS) * ROW + x + half * 32] = read[k][half];
        }
      }
    } else {
      for (int k = y; k < SIDE && row + k < rows; k += REMORA_WARPS) {
        for (int at = x; at < SIDE && column + at < columns; at += 32) {
          tile[k * ROW + at] = source[(k - y) * columns + at - x];
        }
      }
    }
    __syncthreads();
    if (whole) {
#pragma unroll
      for (int k = 0; k < EACH; k++) {
#pragma unroll
        for (int half = 0; half < HALVES; half++) {
          target[k * REMORA_WARPS * rows + half * 32] = tile[(x + half * 32) * ROW + y + k * REMORA_WARPS];
        }
      }
    } else {
      for (int k = y; k < SIDE && column + k < columns; k += REMORA_WARPS) {
        for (int at = x; at < SIDE && row + at < rows; at += 32) {
          target[(k - y) * rows + at - x] = tile[at * ROW + k];
        }
      }
    }
    /* The tile is used again. */
    __syncthreads();
  }
}
