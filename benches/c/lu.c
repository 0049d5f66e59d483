/* LU decomposition by rank-one updates; a thread keeps its rows from step to step, so that they stay in its cache. */
#include "bench.h"

BENCH(lu, "f64[][]") {
  int64_t n = in[0].shape[0];
  out[0] = new_array(TYPE_F64, 2, n, n);
  double *a = out[0].data;
  memcpy(a, in[0].data, (size_t)(n * n) * sizeof(double));
#pragma omp parallel if (n > 96)
  {
    int64_t me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int64_t k = 0; k < n - 1; k++) {
      const double *restrict pivot = a + k * n;
      double inverse = 1 / pivot[k];
      for (int64_t i = k + 1 + (me - (k + 1) % all + all) % all; i < n; i += all) {
        double *restrict row = a + i * n, factor = row[k] * inverse;
        row[k] = factor;
#pragma omp simd
        for (int64_t j = k + 1; j < n; j++) row[j] -= factor * pivot[j];
      }
#pragma omp barrier
    }
  }
}
