/* Two-dimensional convolution: the sums of a stretch of a row of the result stay in registers. */
#include "bench.h"

enum { BLOCK = 64 };

static inline void stretch(const float *restrict a, int64_t width, const float *restrict k, int64_t p, int64_t q,
                           float *restrict to, int64_t count) {
  float sum[BLOCK] = {0};
  for (int64_t r = 0; r < p; r++) {
    for (int64_t c = 0; c < q; c++) {
      float weight = k[r * q + c];
      for (int64_t l = 0; l < count; l++) sum[l] += weight * a[r * width + c + l];
    }
  }
  for (int64_t l = 0; l < count; l++) to[l] = sum[l];
}

BENCH(conv2d, "f32[][] f32[][]") {
  int64_t n = in[0].shape[0], m = in[0].shape[1], p = in[1].shape[0], q = in[1].shape[1];
  const float *restrict a = F32(in[0]), *restrict k = F32(in[1]);
  int64_t rows = n - p + 1, columns = m - q + 1;
  out[0] = new_array(TYPE_F32, 2, rows, columns);
  float *restrict b = F32(out[0]);
#pragma omp parallel for if (rows * columns > GRAIN / 4)
  for (int64_t i = 0; i < rows; i++) {
    int64_t j = 0;
    for (; j + BLOCK <= columns; j += BLOCK) stretch(a + i * m + j, m, k, p, q, b + i * columns + j, BLOCK);
    if (j < columns) stretch(a + i * m + j, m, k, p, q, b + i * columns + j, columns - j);
  }
}
