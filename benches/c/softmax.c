/* Softmax of each row; a row stays in the first-level cache for its three loops. */
#include "bench.h"

BENCH(softmax, "f32[][]") {
  int64_t n = in[0].shape[0], m = in[0].shape[1];
  const float *restrict x = F32(in[0]);
  out[0] = new_array(TYPE_F32, 2, n, m);
  float *restrict y = F32(out[0]);
#pragma omp parallel for if (n * m > GRAIN / 4)
  for (int64_t i = 0; i < n; i++) {
    const float *restrict from = x + i * m;
    float *restrict to = y + i * m;
    float top = -INFINITY, sum = 0;
#pragma omp simd reduction(max : top)
    for (int64_t j = 0; j < m; j++) top = from[j] > top ? from[j] : top;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < m; j++) sum += to[j] = expf(from[j] - top);
    float scale = 1 / sum;
#pragma omp simd
    for (int64_t j = 0; j < m; j++) to[j] *= scale;
  }
}
