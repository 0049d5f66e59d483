/* A sparse matrix in compressed rows times a vector. Rows are short: the loop over one is not vectorised. */
#include "bench.h"

BENCH(spmv, "i64[] i64[] f64[] f64[]") {
  int64_t n = in[0].shape[0] - 1;
  const int64_t *restrict start = I64(in[0]), *restrict col = I64(in[1]);
  const double *restrict value = F64(in[2]), *restrict x = F64(in[3]);
  out[0] = new_array(TYPE_F64, 1, n);
  double *restrict y = F64(out[0]);
#pragma omp parallel for schedule(dynamic, 2048) if (n > GRAIN / 8)
  for (int64_t i = 0; i < n; i++) {
    double sum = 0;
#pragma GCC unroll 4
    for (int64_t j = start[i]; j < start[i + 1]; j++) sum += value[j] * x[col[j]];
    y[i] = sum;
  }
}
