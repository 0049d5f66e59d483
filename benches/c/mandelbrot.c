/* flags: -fno-fast-math -ffp-contract=off
   Mandelbrot counts: many points of a row side by side until all have left. The counts are compared exactly, and a point that
   leaves is one whose rounding matters: no contraction, no reassociation. */
#include "bench.h"

enum { LANES = 32 };

BENCH(mandelbrot, "i64 i64") {
  int64_t n = I64(in[0])[0], limit = I64(in[1])[0];
  out[0] = new_array(TYPE_I32, 2, n, n);
  int32_t *restrict counts = I32(out[0]);
#pragma omp parallel for schedule(dynamic) if (n > 8)
  for (int64_t i = 0; i < n; i++) {
    double cy = 3 * (double)i / (double)n - 1.5;
    for (int64_t from = 0; from < n; from += LANES) {
      double x[LANES] = {0}, y[LANES] = {0}, cx[LANES];
      int64_t count[LANES] = {0}, live[LANES];
      for (int l = 0; l < LANES; l++) cx[l] = 3 * (double)(from + l) / (double)n - 2, live[l] = 1;
      for (int64_t step = 0; step < limit; step++) {
        int64_t any = 0;
        for (int l = 0; l < LANES; l++) {
          double new_x = x[l] * x[l] - y[l] * y[l] + cx[l], new_y = 2 * x[l] * y[l] + cy;
          live[l] &= new_x * new_x + new_y * new_y <= 4; /* false for ever once false */
          count[l] += live[l];
          any |= live[l];
          x[l] = new_x, y[l] = new_y;
        }
        if (!any) break;
      }
      for (int l = 0; l < LANES && from + l < n; l++) counts[i * n + from + l] = (int32_t)count[l];
    }
  }
}
