/* The streaming bandwidth of the machine, by McCalpin's STREAM: copy, a[i] = b[i], and triad, a[i] = b[i] + s * c[i], counting what
   the program reads and writes. One JSON object with the best and the median of the runs, in bytes per second.

     stream [--threads N] [--runs N] [--bytes N]      bytes of each array (134217728) */
#include "bench.h"

#include <stdio.h>
#include <sys/mman.h>

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double *zeros(int64_t n) {
  size_t bytes = ((size_t)n * sizeof(double) + (2 << 20) - 1) >> 21 << 21;
  double *a = aligned_alloc(2 << 20, bytes);
  if (!a) exit(1);
  madvise(a, bytes, MADV_HUGEPAGE);
#pragma omp parallel for
  for (int64_t i = 0; i < n; i++) a[i] = 0;
  return a;
}

int main(int argc, char **argv) {
  enum { MOST = 1000 };
  int runs = 20;
  int64_t n = (128 << 20) / (int64_t)sizeof(double);
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--threads") == 0) omp_set_num_threads(atoi(argv[i + 1]));
    if (strcmp(argv[i], "--runs") == 0) runs = atoi(argv[i + 1]);
    if (strcmp(argv[i], "--bytes") == 0) n = atoll(argv[i + 1]) / (int64_t)sizeof(double);
  }
  if (runs < 1 || runs > MOST || n < 1) return 1;
  double *restrict a = zeros(n), *restrict b = zeros(n), *restrict c = zeros(n), copies[MOST], triads[MOST];
  for (int r = -2; r < runs; r++) { /* two runs to warm up */
    double begin = omp_get_wtime();
#pragma omp parallel for simd
    for (int64_t i = 0; i < n; i++) a[i] = b[i];
    double middle = omp_get_wtime();
#pragma omp parallel for simd
    for (int64_t i = 0; i < n; i++) a[i] = b[i] + 3 * c[i];
    double end = omp_get_wtime();
    if (r >= 0) copies[r] = middle - begin, triads[r] = end - middle;
  }
  qsort(copies, (size_t)runs, sizeof(double), ascending);
  qsort(triads, (size_t)runs, sizeof(double), ascending);
  double bytes = (double)n * sizeof(double);
  printf("{\"threads\": %d, \"copy\": %.6g, \"copy_median\": %.6g, \"triad\": %.6g, \"triad_median\": %.6g, \"check\": %g}\n",
         omp_get_max_threads(), 2 * bytes / copies[0], 2 * bytes / copies[runs / 2], 3 * bytes / triads[0],
         3 * bytes / triads[runs / 2], a[n - 1]);
  return 0;
}
