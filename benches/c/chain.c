/* A fused chain of elementwise operations: one pass over memory. */
#include "bench.h"

BENCH(chain, "f32[] f32[] f32") {
  int64_t n = in[0].shape[0];
  const float *restrict x = F32(in[0]), *restrict y = F32(in[1]);
  float a = F32(in[2])[0];
  out[0] = new_array(TYPE_F32, 1, n);
  float *restrict z = F32(out[0]);
#pragma omp parallel for simd if (n > GRAIN)
  for (int64_t i = 0; i < n; i++) z[i] = sqrtf(x[i] * x[i] + y[i] * y[i]) * a + (1 - a) * fabsf(x[i] - y[i]) / (1 + x[i]);
}
