/* A x and A^T x: the matrix is read once. Four rows at a time, so that the vector A^T x is touched a quarter as often; each thread
   sums its own. */
#include "bench.h"

BENCH(atax, "f32[][] f32[]") {
  int64_t n = in[0].shape[0], m = in[0].shape[1];
  const float *restrict a = F32(in[0]), *restrict x = F32(in[1]);
  out[0] = new_array(TYPE_F32, 1, n);
  out[1] = new_array(TYPE_F32, 1, m);
  float *restrict ax = F32(out[0]), *restrict atx = F32(out[1]);
  int threads = n * m > GRAIN ? omp_get_max_threads() : 1;
  int64_t stride = (m + 15) / 16 * 16;
  float *sums = take((size_t)(threads * stride) * sizeof(float));
#pragma omp parallel num_threads(threads)
  {
    float *restrict own = sums + omp_get_thread_num() * stride;
    memset(own, 0, (size_t)m * sizeof(float));
#pragma omp for nowait
    for (int64_t i = 0; i < n / 4 * 4; i += 4) {
      const float *restrict r0 = a + i * m, *restrict r1 = r0 + m, *restrict r2 = r1 + m, *restrict r3 = r2 + m;
      float x0 = x[i], x1 = x[i + 1], x2 = x[i + 2], x3 = x[i + 3], s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
      for (int64_t j = 0; j < m; j++) {
        s0 += r0[j] * x[j];
        s1 += r1[j] * x[j];
        s2 += r2[j] * x[j];
        s3 += r3[j] * x[j];
        own[j] += r0[j] * x0 + r1[j] * x1 + r2[j] * x2 + r3[j] * x3;
      }
      ax[i] = s0, ax[i + 1] = s1, ax[i + 2] = s2, ax[i + 3] = s3;
    }
#pragma omp single nowait
    for (int64_t i = n / 4 * 4; i < n; i++) {
      float sum = 0;
      for (int64_t j = 0; j < m; j++) sum += a[i * m + j] * x[j], own[j] += a[i * m + j] * x[i];
      ax[i] = sum;
    }
#pragma omp barrier
#pragma omp for
    for (int64_t j = 0; j < m; j++) {
      float sum = 0;
      for (int t = 0; t < omp_get_num_threads(); t++) sum += sums[t * stride + j];
      atx[j] = sum;
    }
  }
  give(sums);
}
