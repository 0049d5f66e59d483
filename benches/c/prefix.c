/* Running sum and maximum: pieces that fit the second-level caches of all threads together, one after the other. Every thread
   reduces its share of a piece, and then scans it out of the cache: memory is read once. */
#include "bench.h"

enum { SHARE = 1 << 15 };

BENCH(prefix, "f64[]") {
  int64_t n = in[0].shape[0];
  const double *restrict x = F64(in[0]);
  out[0] = new_array(TYPE_F64, 1, n);
  out[1] = new_array(TYPE_F64, 1, n);
  double *restrict sums = F64(out[0]), *restrict maxima = F64(out[1]);
  int threads = n > GRAIN ? omp_get_max_threads() : 1;
  double *shared = take((size_t)threads * 2 * 8 * sizeof(double)), *sum_of = shared, *max_of = shared + threads * 8;
#pragma omp parallel num_threads(threads)
  {
    int me = omp_get_thread_num(), all = omp_get_num_threads();
    double sum_before = 0, max_before = -INFINITY;
    for (int64_t piece = 0; piece < n; piece += (int64_t)SHARE * all) {
      int64_t from = piece + (int64_t)SHARE * me, to = from + SHARE;
      if (from > n) from = n;
      if (to > n) to = n;
      double sum = 0, max = -INFINITY;
#pragma omp simd reduction(+ : sum) reduction(max : max)
      for (int64_t i = from; i < to; i++) sum += x[i], max = x[i] > max ? x[i] : max;
      sum_of[8 * me] = sum, max_of[8 * me] = max;
#pragma omp barrier
      for (int t = 0; t < me; t++) sum_before += sum_of[8 * t], max_before = fmax(max_before, max_of[8 * t]);
      sum = sum_before, max = max_before;
#pragma omp simd reduction(inscan, + : sum) reduction(inscan, max : max)
      for (int64_t i = from; i < to; i++) {
        sum += x[i], max = x[i] > max ? x[i] : max;
#pragma omp scan inclusive(sum, max)
        sums[i] = sum, maxima[i] = max;
      }
      for (int t = me; t < all; t++) sum_before += sum_of[8 * t], max_before = fmax(max_before, max_of[8 * t]);
#pragma omp barrier
    }
  }
  give(shared);
}
