/* MRI-Q: for every voxel a sum over all samples. Sine and cosine are in loops of their own because gcc has no vectorised sincos and
   would merge them into a scalar one. */
#include "bench.h"

enum { BLOCK = 512 };

BENCH(mriq, "f32[] f32[] f32[] f32[] f32[] f32[] f32[] f32[]") {
  int64_t samples = in[0].shape[0], n = in[3].shape[0];
  const float *restrict kx = F32(in[0]), *restrict ky = F32(in[1]), *restrict kz = F32(in[2]);
  const float *restrict x = F32(in[3]), *restrict y = F32(in[4]), *restrict z = F32(in[5]);
  const float *restrict phi_r = F32(in[6]), *restrict phi_i = F32(in[7]);
  out[0] = new_array(TYPE_F32, 1, n);
  out[1] = new_array(TYPE_F32, 1, n);
  float *restrict real = F32(out[0]), *restrict imaginary = F32(out[1]);
  float *restrict magnitude = take((size_t)samples * sizeof(float));
  for (int64_t k = 0; k < samples; k++) magnitude[k] = phi_r[k] * phi_r[k] + phi_i[k] * phi_i[k];
  const float turn = (float)(2 * M_PI);
#pragma omp parallel for if (n * samples > GRAIN / 16)
  for (int64_t i = 0; i < n; i++) {
    float angle[BLOCK], c = 0, s = 0;
    for (int64_t from = 0; from < samples; from += BLOCK) {
      int64_t count = samples - from < BLOCK ? samples - from : BLOCK;
      const float *restrict mag = magnitude + from;
      for (int64_t k = 0; k < count; k++) angle[k] = turn * (x[i] * kx[from + k] + y[i] * ky[from + k] + z[i] * kz[from + k]);
#pragma omp simd reduction(+ : c)
      for (int64_t k = 0; k < count; k++) c += cosf(angle[k]) * mag[k];
#pragma omp simd reduction(+ : s)
      for (int64_t k = 0; k < count; k++) s += sinf(angle[k]) * mag[k];
    }
    real[i] = c, imaginary[i] = s;
  }
  give(magnitude);
}
