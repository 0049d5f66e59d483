/* One step of n-body: the positions are stored by coordinate, and the loop over the other bodies is vectorised. */
#include "bench.h"

BENCH(nbody, "f64[][] f64[][] f64[] f64") {
  int64_t n = in[0].shape[0];
  const double *restrict p = F64(in[0]), *restrict v = F64(in[1]), *restrict m = F64(in[2]);
  double dt = F64(in[3])[0];
  out[0] = new_array(TYPE_F64, 2, n, (int64_t)3);
  out[1] = new_array(TYPE_F64, 2, n, (int64_t)3);
  double *restrict place = F64(out[0]), *restrict speed = F64(out[1]);
  double *restrict xs = take((size_t)n * 3 * sizeof(double)), *restrict ys = xs + n, *restrict zs = ys + n;
  for (int64_t i = 0; i < n; i++) xs[i] = p[3 * i], ys[i] = p[3 * i + 1], zs[i] = p[3 * i + 2];
#pragma omp parallel for if (n * n > GRAIN / 4)
  for (int64_t i = 0; i < n; i++) {
    double x = xs[i], y = ys[i], z = zs[i], ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
    for (int64_t j = 0; j < n; j++) {
      double dx = xs[j] - x, dy = ys[j] - y, dz = zs[j] - z;
      double r2 = dx * dx + dy * dy + dz * dz + 0.01;
      double pull = m[j] / (r2 * sqrt(r2));
      ax += dx * pull, ay += dy * pull, az += dz * pull;
    }
    const double pull[3] = {ax, ay, az};
    for (int c = 0; c < 3; c++) {
      double moving = v[3 * i + c] + dt * pull[c];
      speed[3 * i + c] = moving;
      place[3 * i + c] = p[3 * i + c] + dt * moving;
    }
  }
  give(xs);
}
