/* A histogram: every thread counts in four tables of its own, so that equal neighbours do not wait for each other. */
#include "bench.h"

enum { BINS = 256, TABLES = 4, ROOM = BINS + 8 }; /* what is outside falls into bin 256 and is not reported */

BENCH(histogram, "i64[]") {
  int64_t n = in[0].shape[0];
  const int64_t *restrict x = I64(in[0]);
  out[0] = new_array(TYPE_I64, 1, (int64_t)BINS);
  int64_t *restrict total = I64(out[0]);
  memset(total, 0, BINS * sizeof(int64_t));
#pragma omp parallel if (n > GRAIN)
  {
    int64_t own[TABLES][ROOM] = {{0}};
#pragma omp for nowait
    for (int64_t i = 0; i < n / TABLES; i++) {
      for (int t = 0; t < TABLES; t++) {
        uint64_t bin = (uint64_t)x[i * TABLES + t];
        own[t][bin < BINS ? bin : BINS]++;
      }
    }
#pragma omp single nowait
    for (int64_t i = n / TABLES * TABLES; i < n; i++) own[0][(uint64_t)x[i] < BINS ? x[i] : BINS]++;
#pragma omp critical
    for (int t = 0; t < TABLES; t++)
      for (int b = 0; b < BINS; b++) total[b] += own[t][b];
  }
}
