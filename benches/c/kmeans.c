/* One step of k-means: the distances of a point to 32 centres at a time are computed in registers (centres stored by coordinate,
   filled up with infinitely distant ones), and every thread sums the members of the clusters on its own. */
#include "bench.h"

enum { LANES = 32 };

/* The index of the nearest centre, the lowest where several are. */
static inline int64_t nearest(const float *restrict point, const float *restrict centres, int64_t k, int64_t d) {
  float least = HUGE_VALF;
  int64_t near = 0;
  for (int64_t block = 0; block < k; block += LANES, centres += d * LANES) {
    float sum[LANES] = {0};
    for (int64_t j = 0; j < d; j++) {
      float p = point[j];
      for (int c = 0; c < LANES; c++) sum[c] += (p - centres[j * LANES + c]) * (p - centres[j * LANES + c]);
    }
    float low = sum[0];
    for (int c = 0; c < LANES; c++) low = sum[c] < low ? sum[c] : low;
    if (low < least) {
      int first = LANES;
      for (int c = 0; c < LANES; c++) {
        int here = sum[c] == low ? c : LANES;
        first = here < first ? here : first;
      }
      least = low, near = block + first;
    }
  }
  return near;
}

BENCH(kmeans, "f32[][] f32[][]") {
  int64_t n = in[0].shape[0], d = in[0].shape[1], k = in[1].shape[0];
  const float *restrict points = F32(in[0]), *restrict centres = F32(in[1]);
  out[0] = new_array(TYPE_I64, 1, n);
  out[1] = new_array(TYPE_F32, 2, k, d);
  int64_t *restrict near = I64(out[0]);
  float *restrict moved = F32(out[1]);

  int64_t blocks = (k + LANES - 1) / LANES;
  float *by_coordinate = take((size_t)(blocks * LANES * d) * sizeof(float));
  for (int64_t c = 0; c < blocks * LANES; c++)
    for (int64_t j = 0; j < d; j++) by_coordinate[(c / LANES * d + j) * LANES + c % LANES] = c < k ? centres[c * d + j] : 1e18f;

  int threads = n * k * d > GRAIN ? omp_get_max_threads() : 1;
  int64_t stride = (k * (d + 1) + 15) / 16 * 16; /* the sums of a thread, and how many members there are */
  float *sums = take((size_t)(threads * stride) * sizeof(float));
#pragma omp parallel num_threads(threads)
  {
    float *restrict own = sums + omp_get_thread_num() * stride, *restrict members = own + k * d;
    memset(own, 0, (size_t)stride * sizeof(float));
#pragma omp for
    for (int64_t i = 0; i < n; i++) {
      const float *restrict point = points + i * d;
      int64_t c = near[i] = nearest(point, by_coordinate, k, d);
      members[c] += 1;
#pragma omp simd
      for (int64_t j = 0; j < d; j++) own[c * d + j] += point[j];
    }
  }
  for (int t = 1; t < threads; t++)
    for (int64_t j = 0; j < k * (d + 1); j++) sums[j] += sums[t * stride + j];
  for (int64_t c = 0; c < k; c++)
    for (int64_t j = 0; j < d; j++) moved[c * d + j] = sums[k * d + c] > 0 ? sums[c * d + j] / sums[k * d + c] : centres[c * d + j];
  give(sums);
  give(by_coordinate);
}
