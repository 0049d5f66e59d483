/* Shortest paths in place (Floyd, Warshall): with no negative cycles, row k and column k stay as they are in step k. */
#include "bench.h"

BENCH(floyd, "f32[][]") {
  int64_t n = in[0].shape[0];
  out[0] = new_array(TYPE_F32, 2, n, n);
  float *d = out[0].data;
  memcpy(d, in[0].data, (size_t)(n * n) * sizeof(float));
#pragma omp parallel if (n * n > GRAIN / 4)
  for (int64_t k = 0; k < n; k++) {
    const float *restrict through = d + k * n;
#pragma omp for
    for (int64_t i = 0; i < n; i++) {
      if (i == k) continue;
      float *restrict row = d + i * n, first = row[k];
#pragma omp simd
      for (int64_t j = 0; j < n; j++) row[j] = first + through[j] < row[j] ? first + through[j] : row[j];
    }
  }
}
