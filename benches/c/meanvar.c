/* Mean and variance in two passes, as NumPy computes them: the numbers are read twice. */
#include "bench.h"

BENCH(meanvar, "f64[]") {
  int64_t n = in[0].shape[0];
  const double *restrict x = F64(in[0]);
  double sum = 0, squares = 0;
#pragma omp parallel for simd reduction(+ : sum) if (n > GRAIN)
  for (int64_t i = 0; i < n; i++) sum += x[i];
  double mean = sum / (double)n;
#pragma omp parallel for simd reduction(+ : squares) if (n > GRAIN)
  for (int64_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
  out[0] = scalar_f64(mean);
  out[1] = scalar_f64(squares / (double)n);
}
