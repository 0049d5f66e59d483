/* Jacobi steps: two buffers, one team of threads for all steps. */
#include "bench.h"

BENCH(jacobi, "f32[][] i64") {
  int64_t n = in[0].shape[0], m = in[0].shape[1], steps = I64(in[1])[0];
  size_t bytes = (size_t)(n * m) * sizeof(float);
  out[0] = new_array(TYPE_F32, 2, n, m);
  array other = new_array(TYPE_F32, 2, n, m);
  memcpy(out[0].data, in[0].data, bytes);
  memcpy(other.data, in[0].data, bytes);
#pragma omp parallel if (n * m > GRAIN / 4)
  {
    const float *restrict from = F32(out[0]);
    float *restrict to = F32(other);
    for (int64_t step = 0; step < steps; step++) {
#pragma omp for
      for (int64_t i = 1; i < n - 1; i++) {
        const float *restrict row = from + i * m, *restrict up = row - m, *restrict down = row + m;
        float *restrict new = to + i * m;
#pragma omp simd
        for (int64_t j = 1; j < m - 1; j++) new[j] = 0.2f * (row[j] + up[j] + down[j] + row[j - 1] + row[j + 1]);
      }
      float *swap = (float *)from;
      from = to;
      to = swap;
    }
  }
  if (steps % 2) {
    array swap = out[0];
    out[0] = other;
    other = swap;
  }
  give(other.data);
}
