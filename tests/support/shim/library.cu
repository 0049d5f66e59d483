/* Kernels in the form in which they are generated, one for each function of the device library and each of several types of values. */

/* A number. */
struct test_sum {
  int64_t v0;
};
REMORA_FN test_sum test_neutral(test_sum) { return {0}; }
REMORA_FN test_sum test_op(test_sum a, test_sum b) { return {a.v0 + b.v0}; }
REMORA_FN test_sum test_cell(test_sum, uint32_t x) { return {(int64_t)x - 1000000000}; }

/* A byte. */
struct test_byte {
  uint8_t v0;
};
REMORA_FN test_byte test_neutral(test_byte) { return {0}; }
REMORA_FN test_byte test_op(test_byte a, test_byte b) { return {(uint8_t)(a.v0 ^ b.v0)}; }
REMORA_FN test_byte test_cell(test_byte, uint32_t x) { return {(uint8_t)(x >> 7)}; }

/* The map that takes x to v0 * x + v1; composed, which does not commute. */
struct test_affine {
  uint32_t v0, v1;
};
REMORA_FN test_affine test_neutral(test_affine) { return {1, 0}; }
REMORA_FN test_affine test_op(test_affine a, test_affine b) { return {a.v0 * b.v0, a.v1 * b.v0 + b.v1}; }
REMORA_FN test_affine test_cell(test_affine, uint32_t x) { return {x | 1, x >> 3}; }

/* The first and the last letter of a text and how often neighbours differ; fields of many sizes. */
struct test_text {
  bool v0; /* there is a letter */
  int16_t v1;
  uint8_t v2;
  int64_t v3;
};
REMORA_FN test_text test_neutral(test_text) { return {false, 0, 0, 0}; }
REMORA_FN test_text test_op(test_text a, test_text b) {
  if (!a.v0) {
    return b;
  }
  if (!b.v0) {
    return a;
  }
  return {true, a.v1, b.v2, a.v3 + b.v3 + (a.v2 != b.v1)};
}
REMORA_FN test_text test_cell(test_text, uint32_t x) { return {x % 5 != 0, (int16_t)(x >> 9 & 7), (uint8_t)(x >> 9 & 7), 0}; }

/* A matrix, the largest kind of value. */
struct test_matrix {
  uint32_t v0[16];
};
REMORA_FN test_matrix test_neutral(test_matrix) {
  test_matrix one = {};
  for (int k = 0; k < 4; k++) {
    one.v0[k * 5] = 1;
  }
  return one;
}
REMORA_FN test_matrix test_op(test_matrix a, test_matrix b) {
  test_matrix c = {};
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      for (int k = 0; k < 4; k++) {
        c.v0[i * 4 + j] += a.v0[i * 4 + k] * b.v0[k * 4 + j];
      }
    }
  }
  return c;
}
REMORA_FN test_matrix test_cell(test_matrix, uint32_t x) {
  test_matrix m;
  for (int k = 0; k < 16; k++) {
    m.v0[k] = x >> k % 7;
  }
  return m;
}

#define TEST_OPERATOR(T)                                                                                                     \
  auto cell = [&](int64_t segment, int64_t i) -> T { return test_cell(T{}, xs[segment * width + i]); };                      \
  auto op = [&](T a, T b) -> T { return test_op(a, b); };

#define TEST_KERNELS(T)                                                                                                      \
  extern "C" __global__ void __launch_bounds__(256) T##_reduce(remora_failure *failure, int64_t launch, int64_t segments, int64_t width,     \
                                                               int64_t parts, const uint32_t *xs, T *partial,                \
                                                               uint32_t *counter, T *out) {                                  \
    REMORA_KERNEL                                                                                                            \
    TEST_OPERATOR(T)                                                                                                         \
    auto done = [&](int64_t segment, T total) { out[segment] = total; };                                                     \
    remora_reduce<T>(segments, width, parts, test_neutral(T{}), partial, counter, cell, op, done);                           \
  }                                                                                                                          \
  REMORA_ENTRY(T##_reduce)                                                                                                   \
  extern "C" __global__ void __launch_bounds__(256)                                                                          \
      T##_scan(remora_failure *failure, int64_t launch, int64_t segments, int64_t width, const uint32_t *xs, remora_tile<T> *state,          \
               uint32_t *ticket, T *out) {                                                                                   \
    REMORA_KERNEL                                                                                                            \
    TEST_OPERATOR(T)                                                                                                         \
    auto done = [&](int64_t segment, int64_t i, T prefix) { out[segment * width + i] = prefix; };                            \
    remora_scan<T>(segments, width, test_neutral(T{}), state, ticket, cell, op, done);                                       \
  }                                                                                                                          \
  REMORA_ENTRY(T##_scan)

TEST_KERNELS(test_sum)
TEST_KERNELS(test_byte)
TEST_KERNELS(test_affine)
TEST_KERNELS(test_text)
TEST_KERNELS(test_matrix)

#define TEST_SMALL(T, LANES, COMMUTES)                                                                                       \
  extern "C" __global__ void __launch_bounds__(256)                                                                          \
      T##_small_##LANES(remora_failure *failure, int64_t launch, int64_t segments, int64_t width, const uint32_t *xs, T *out) {              \
    REMORA_KERNEL                                                                                                            \
    TEST_OPERATOR(T)                                                                                                         \
    auto done = [&](int64_t segment, T total) { out[segment] = total; };                                                     \
    remora_reduce_small<T, COMMUTES>(segments, width, LANES, test_neutral(T{}), cell, op, done);                             \
  }                                                                                                                          \
  REMORA_ENTRY(T##_small_##LANES)

TEST_SMALL(test_sum, 32, true)
TEST_SMALL(test_text, 32, false)
TEST_SMALL(test_affine, 1, false)
TEST_SMALL(test_affine, 4, false)
TEST_SMALL(test_text, 16, false)

#define TEST_COLUMNS(T, COMMUTES)                                                                                            \
  extern "C" __global__ void __launch_bounds__(256) T##_columns(remora_failure *failure, int64_t launch, int64_t segments, int64_t width,    \
                                                                int64_t parts, int64_t across, const uint32_t *xs, T *partial,               \
                                                                uint32_t *counter, T *out) {                                                 \
    REMORA_KERNEL                                                                                                            \
    TEST_OPERATOR(T)                                                                                                         \
    auto done = [&](int64_t segment, T total) { out[segment] = total; };                                                     \
    remora_reduce_columns<T, COMMUTES>(segments, width, parts, across, test_neutral(T{}), partial, counter, cell, op, done);  \
  }                                                                                                                          \
  REMORA_ENTRY(T##_columns)

TEST_COLUMNS(test_sum, true)
TEST_COLUMNS(test_byte, true)
TEST_COLUMNS(test_affine, false)
TEST_COLUMNS(test_text, false)
TEST_COLUMNS(test_matrix, false)

extern "C" __global__ void __launch_bounds__(256) test_sum_fast(remora_failure *failure, int64_t launch, int64_t segments, int64_t width, int64_t parts,
                                                                const uint32_t *xs, test_sum *partial, uint32_t *counter, test_sum *out) {
  REMORA_KERNEL
  TEST_OPERATOR(test_sum)
  auto done = [&](int64_t segment, test_sum total) { out[segment] = total; };
  remora_reduce<test_sum, true>(segments, width, parts, {0}, partial, counter, cell, op, done);
}
REMORA_ENTRY(test_sum_fast)

extern "C" __global__ void __launch_bounds__(256) test_map(remora_failure *failure, int64_t launch, int64_t width, const uint32_t *xs, double *out) {
  REMORA_KERNEL
  remora_for_each(width, [&](int64_t i) {
    if (xs[i] % 1024 == 77) {
      remora_fail(failure, launch, i, 4, i, xs[i]);
      return;
    }
    out[i] = sqrt((double)xs[i]);
  });
}
REMORA_ENTRY(test_map)

/* In vectors where both arrays begin where they may. */
extern "C" __global__ void __launch_bounds__(256)
    test_wide(remora_failure *failure, int64_t launch, int64_t width, const uint32_t *xs, const uint8_t *ys, uint32_t *out) {
  REMORA_KERNEL
  auto cell = [&](int64_t i) { out[i] = xs[i] * 3 + ys[i]; };
  auto wide = [&](int64_t i) {
    const remora_vector<uint32_t, 4> x = remora_take<4>(xs + i);
    const remora_vector<uint8_t, 4> y = remora_take<4>(ys + i);
    remora_vector<uint32_t, 4> z;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      z.value[k] = x.value[k] * 3 + y.value[k] + 0x80000000u;
    }
    remora_give<4>(out + i, z);
  };
  remora_for_each_wide<4>(width, remora_aligned<4>(xs) && remora_aligned<4>(ys) && remora_aligned<4>(out), cell, wide);
}
REMORA_ENTRY(test_wide)

/* Histograms: one word, a byte, several components under a lock, in shared memory. */
extern "C" __global__ void __launch_bounds__(256)
    test_histogram(remora_failure *failure, int64_t launch, int64_t width, int64_t bins, const uint32_t *xs, int64_t *sums, uint32_t *highest, uint8_t *odd,
                   double *weights, float *products) {
  REMORA_KERNEL
  remora_for_each(width, [&](int64_t i) {
    const int64_t bin = xs[i] % bins;
    remora_atomic_add(&sums[bin], (int64_t)xs[i]);
    remora_atomic_max(&highest[bin], xs[i]);
    remora_atomic_xor(&odd[bin], (uint8_t)(xs[i] >> 5));
    remora_atomic_add(&weights[bin], (double)(xs[i] >> 12));
    remora_update(&products[bin], xs[i] % 3 == 0 ? -1.0f : 1.0f, [](float a, float b) { return a * b; });
  });
}
REMORA_ENTRY(test_histogram)

struct test_best {
  uint32_t v0;
  int64_t v1;
};
extern "C" __global__ void __launch_bounds__(256) test_locked(remora_failure *failure, int64_t launch, int64_t width, int64_t bins, const uint32_t *xs,
                                                              uint32_t *locks, uint32_t *best, int64_t *where) {
  REMORA_KERNEL
  remora_for_each(width, [&](int64_t i) {
    const int64_t bin = xs[i] % bins;
    remora_locked(locks, bin, [&] {
      const uint32_t now = best[bin];
      const int64_t at = where[bin];
      if (xs[i] > now || (xs[i] == now && i < at)) {
        best[bin] = xs[i];
        where[bin] = i;
      }
    });
  });
}
REMORA_ENTRY(test_locked)

extern "C" __global__ void __launch_bounds__(256)
    test_shared(remora_failure *failure, int64_t launch, int64_t width, int64_t bins, int64_t first, int64_t here, int64_t copies,
                const uint32_t *xs, uint32_t *counts) {
  REMORA_KERNEL
  auto cell = [&](int64_t i, int64_t &bin) -> uint32_t {
    bin = (int64_t)(xs[i] % (uint32_t)(bins + 2)) - 1;
    return xs[i] & 3;
  };
  auto own = [&](uint32_t *place, uint32_t *, uint32_t value) { remora_atomic_add(place, value); };
  auto op = [&](uint32_t a, uint32_t b) { return a + b; };
  auto update = [&](int64_t bin, uint32_t value) { remora_atomic_add(&counts[bin], value); };
  remora_hist_shared<uint32_t, false>(width, first, here, copies, 0u, cell, own, op, update);
}
REMORA_ENTRY(test_shared)

/* The greatest element of each bin, and where it is the first time. */
struct test_greatest {
  uint32_t v0;
  int64_t v1;
};
extern "C" __global__ void __launch_bounds__(256)
    test_shared_locks(remora_failure *failure, int64_t launch, int64_t width, int64_t bins, int64_t first, int64_t here, int64_t copies,
                      const uint32_t *xs, uint32_t *locks, uint32_t *best, int64_t *where) {
  REMORA_KERNEL
  auto cell = [&](int64_t i, int64_t &bin) -> test_greatest {
    bin = (int64_t)(xs[i] % (uint32_t)bins);
    return {xs[i], i};
  };
  auto op = [&](test_greatest a, test_greatest b) -> test_greatest {
    return a.v0 > b.v0 || (a.v0 == b.v0 && (uint64_t)a.v1 < (uint64_t)b.v1) ? a : b;
  };
  auto own = [&](test_greatest *place, uint32_t *lock, test_greatest value) {
    remora_locked(lock, 0, [&] { *place = op(*place, value); });
  };
  auto update = [&](int64_t bin, test_greatest value) {
    remora_locked(locks, bin, [&] {
      const test_greatest next = op({best[bin], where[bin]}, value);
      best[bin] = next.v0;
      where[bin] = next.v1;
    });
  };
  remora_hist_shared<test_greatest, true>(width, first, here, copies, {0, -1}, cell, own, op, update);
}
REMORA_ENTRY(test_shared_locks)

extern "C" __global__ void __launch_bounds__(256)
    test_transpose(remora_failure *failure, int64_t launch, int64_t planes, int64_t rows, int64_t columns, const double *from, double *to) {
  REMORA_KERNEL
  remora_transpose<double>(planes, rows, columns, from, to);
}
REMORA_ENTRY(test_transpose)
extern "C" __global__ void __launch_bounds__(256)
    test_transpose_bytes(remora_failure *failure, int64_t launch, int64_t planes, int64_t rows, int64_t columns, const uint8_t *from, uint8_t *to) {
  REMORA_KERNEL
  remora_transpose<uint8_t>(planes, rows, columns, from, to);
}
REMORA_ENTRY(test_transpose_bytes)

/* A product of matrices; one of maps that are made of both sides, in order; one of larger values, the right side transposed. */
extern "C" __global__ void __launch_bounds__(256) test_product(remora_failure *failure, int64_t launch, int64_t planes, int64_t rows, int64_t columns,
                                                               int64_t depth, const float *a, const float *b, float *out) {
  REMORA_KERNEL
  auto left = [&](int64_t p, int64_t i, int64_t k) { return a[(p * rows + i) * depth + k]; };
  auto right = [&](int64_t p, int64_t j, int64_t k) { return b[(p * depth + k) * columns + j]; };
  auto step = [&](float total, float x, float y) { return total + x * y; };
  auto done = [&](int64_t p, int64_t i, int64_t j, float total) { out[(p * rows + i) * columns + j] = total; };
  remora_product<float, float, float, true, false>(planes, rows, columns, depth, 0.0f, left, right, step, done);
}
REMORA_ENTRY(test_product)
struct test_pair {
  double v0;
  uint32_t v1;
};
extern "C" __global__ void __launch_bounds__(256)
    test_product_maps(remora_failure *failure, int64_t launch, int64_t planes, int64_t rows, int64_t columns, int64_t depth, const float *a, const float *b,
                      test_affine *out) {
  REMORA_KERNEL
  auto left = [&](int64_t p, int64_t i, int64_t k) { return (uint8_t)a[(p * rows + i) * depth + k]; };
  auto right = [&](int64_t p, int64_t j, int64_t k) { return test_pair{b[(p * depth + k) * columns + j] * 2.0, (uint32_t)j}; };
  auto step = [&](test_affine total, uint8_t x, test_pair y) { return test_op(total, test_affine{x + 3u, (uint32_t)y.v0 + y.v1}); };
  auto done = [&](int64_t p, int64_t i, int64_t j, test_affine total) { out[(p * rows + i) * columns + j] = total; };
  remora_product<uint8_t, test_pair, test_affine, true, false>(planes, rows, columns, depth, test_affine{1, 0}, left, right, step, done);
}
REMORA_ENTRY(test_product_maps)
extern "C" __global__ void __launch_bounds__(256)
    test_product_texts(remora_failure *failure, int64_t launch, int64_t planes, int64_t rows, int64_t columns, int64_t depth, const float *a, const float *b,
                       test_text *out) {
  REMORA_KERNEL
  auto left = [&](int64_t p, int64_t i, int64_t k) { return (uint32_t)a[(p * rows + i) * depth + k]; };
  auto right = [&](int64_t p, int64_t j, int64_t k) { return (uint16_t)b[(p * depth + k) * columns + j]; };
  auto step = [&](test_text total, uint32_t x, uint16_t y) { return test_op(total, test_cell(test_text{}, x * 977 + y * 513)); };
  auto done = [&](int64_t p, int64_t i, int64_t j, test_text total) { out[(p * rows + i) * columns + j] = total; };
  remora_product<uint32_t, uint16_t, test_text, false, true>(planes, rows, columns, depth, test_neutral(test_text{}), left, right, step, done);
}
REMORA_ENTRY(test_product_texts)

/* Halves and the scalar operations. */
extern "C" __global__ void __launch_bounds__(256) test_half(remora_failure *failure, int64_t launch, int64_t width, const uint32_t *xs, _Float16 *out) {
  REMORA_KERNEL
  remora_for_each(width, [&](int64_t i) {
    const _Float16 x = remora_from_bits__Float16((uint16_t)(xs[i] & 0x7bff)), y = (_Float16)(int64_t)(xs[i] >> 24);
    out[i] = (_Float16)((float)x * 0.5f + (float)y);
    remora_atomic_add(&out[width], (_Float16)1.0);
  });
}
REMORA_ENTRY(test_half)
