/* The loss of logistic regression: the products of some rows with the weights, four rows at a time, and then their losses,
   vectorised with libmvec. */
#include "bench.h"

enum { BLOCK = 128 };

BENCH(logistic, "f64[][] f64[] f64[]") {
  int64_t n = in[0].shape[0], m = in[0].shape[1];
  const double *restrict x = F64(in[0]), *restrict y = F64(in[1]), *restrict w = F64(in[2]);
  double loss = 0;
#pragma omp parallel for reduction(+ : loss) if (n * m > GRAIN / 4)
  for (int64_t from = 0; from < n; from += BLOCK) {
    int64_t count = n - from < BLOCK ? n - from : BLOCK, i = 0;
    double z[BLOCK];
    for (; i + 4 <= count; i += 4) {
      const double *restrict r = x + (from + i) * m;
      double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
      for (int64_t j = 0; j < m; j++) s0 += r[j] * w[j], s1 += r[j + m] * w[j], s2 += r[j + 2 * m] * w[j], s3 += r[j + 3 * m] * w[j];
      z[i] = s0, z[i + 1] = s1, z[i + 2] = s2, z[i + 3] = s3;
    }
    for (; i < count; i++) {
      z[i] = 0;
      for (int64_t j = 0; j < m; j++) z[i] += x[(from + i) * m + j] * w[j];
    }
#pragma omp simd reduction(+ : loss)
    for (i = 0; i < count; i++) loss += (z[i] > 0 ? z[i] : 0) + log1p(exp(-fabs(z[i]))) - y[from + i] * z[i];
  }
  out[0] = scalar_f64(loss / (double)n);
}
