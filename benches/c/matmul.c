/* The product of two matrices after Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008): panels of
   b that stay in the second-level cache and slivers of a in the first are packed, and a tile of the result stays in registers. */
#include "bench.h"

#if defined __AVX512F__
enum { LANES = 16, MR = 12 };
#else
enum { LANES = 8, MR = 6 };
#endif
enum { NR = 2 * LANES, KC = 256, MC = 4 * MR };

typedef float vec __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

/* c[MR][NR] (its rows `step` apart) += a[depth][MR] * b[depth][NR] */
static inline void tile(int64_t depth, const float *restrict a, const float *restrict b, float *restrict c, int64_t step) {
  vec sum[MR][2];
#pragma GCC unroll 16
  for (int i = 0; i < MR; i++) sum[i][0] = sum[i][1] = (vec){0};
  for (int64_t k = 0; k < depth; k++, a += MR, b += NR) {
    vec left = *(const vec *)b, right = *(const vec *)(b + LANES);
#pragma GCC unroll 16
    for (int i = 0; i < MR; i++) sum[i][0] += a[i] * left, sum[i][1] += a[i] * right;
  }
#pragma GCC unroll 16
  for (int i = 0; i < MR; i++) *(vec *)(c + i * step) += sum[i][0], *(vec *)(c + i * step + LANES) += sum[i][1];
}

/* Columns j .. j + NR of `depth` rows of b, zeros beyond its m columns. */
static void pack_b(int64_t depth, int64_t m, int64_t j, const float *restrict b, float *restrict to) {
  int64_t width = m - j < NR ? m - j : NR;
  for (int64_t k = 0; k < depth; k++) {
    for (int64_t l = 0; l < width; l++) to[k * NR + l] = b[k * m + j + l];
    for (int64_t l = width; l < NR; l++) to[k * NR + l] = 0;
  }
}

/* `depth` columns of `rows` rows of a (rows `step` apart), one sliver of MR rows after the other, zeros below. */
static void pack_a(int64_t depth, int64_t rows, int64_t step, const float *restrict a, float *restrict to) {
  for (int64_t i = 0; i < rows; i += MR, to += depth * MR) {
    for (int64_t r = 0; r < MR; r++) {
      const float *restrict row = a + (i + r) * step;
      if (i + r < rows) for (int64_t k = 0; k < depth; k++) to[k * MR + r] = row[k];
      else for (int64_t k = 0; k < depth; k++) to[k * MR + r] = 0;
    }
  }
}

BENCH(matmul, "f32[][] f32[][]") {
  int64_t n = in[0].shape[0], m = in[0].shape[1], p = in[1].shape[1];
  const float *restrict a = F32(in[0]), *restrict b = F32(in[1]);
  out[0] = new_array(TYPE_F32, 2, n, p);
  float *restrict c = F32(out[0]);
  int64_t panels = (p + NR - 1) / NR;
  int threads = n * m * p > GRAIN * 8 ? omp_get_max_threads() : 1;
  float *packed_b = take((size_t)(panels * NR * KC) * sizeof(float));
  float *slivers = take((size_t)(threads * MC * KC) * sizeof(float));
#pragma omp parallel num_threads(threads)
  {
    float *packed_a = slivers + omp_get_thread_num() * MC * KC;
#pragma omp for
    for (int64_t i = 0; i < n * p; i++) c[i] = 0;
    for (int64_t k = 0; k < m; k += KC) {
      int64_t depth = m - k < KC ? m - k : KC;
#pragma omp for
      for (int64_t j = 0; j < panels; j++) pack_b(depth, p, j * NR, b + k * p, packed_b + j * NR * depth);
#pragma omp for schedule(dynamic)
      for (int64_t i = 0; i < n; i += MC) {
        int64_t rows = n - i < MC ? n - i : MC;
        pack_a(depth, rows, m, a + i * m + k, packed_a);
        for (int64_t j = 0; j < panels; j++) {
          for (int64_t r = 0; r < rows; r += MR) {
            const float *left = packed_a + r * depth, *right = packed_b + j * NR * depth;
            float *to = c + (i + r) * p + j * NR;
            if (rows - r >= MR && (j + 1) * NR <= p) {
              tile(depth, left, right, to, p);
            } else { /* at the lower and right edges */
              float whole[MR * NR] = {0};
              tile(depth, left, right, whole, NR);
              for (int64_t x = 0; x < MR && r + x < rows; x++)
                for (int64_t y = 0; y < NR && j * NR + y < p; y++) to[x * p + y] += whole[x * NR + y];
            }
          }
        }
      }
    }
  }
  give(slivers);
  give(packed_b);
}
