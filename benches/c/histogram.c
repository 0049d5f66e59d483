/* A histogram: every thread counts in four tables of its own, so that equal neighbours do not wait for each other. What is not a
   bin is not counted. Counting keeps the processor from running ahead into the numbers: they are asked for early, which doubles
   the speed on arrays beyond the caches. */
#include "bench.h"

enum { BINS = 256, TABLES = 4, AHEAD = 512 };

BENCH(histogram, "i64[]") {
  int64_t n = in[0].shape[0];
  const int64_t *restrict x = I64(in[0]);
  out[0] = new_array(TYPE_I64, 1, (int64_t)BINS);
  int64_t *restrict total = I64(out[0]);
  memset(total, 0, BINS * sizeof(int64_t));
#pragma omp parallel if (n > GRAIN)
  {
    int64_t own[TABLES][BINS] = {{0}};
#pragma omp for nowait
    for (int64_t i = 0; i < n / TABLES; i++) {
      __builtin_prefetch(x + i * TABLES + AHEAD);
      for (int t = 0; t < TABLES; t++) {
        uint64_t bin = (uint64_t)x[i * TABLES + t];
        if (bin < BINS) own[t][bin]++;
      }
    }
#pragma omp single nowait
    for (int64_t i = n / TABLES * TABLES; i < n; i++)
      if ((uint64_t)x[i] < BINS) own[0][x[i]]++;
#pragma omp critical
    for (int t = 0; t < TABLES; t++)
      for (int b = 0; b < BINS; b++) total[b] += own[t][b];
  }
}
