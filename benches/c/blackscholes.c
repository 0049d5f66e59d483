/* European options: one loop, vectorised with libmvec's exp and log. */
#include "bench.h"

/* The cumulative distribution function of the normal distribution (Abramowitz and Stegun, 26.2.17). */
static inline double cnd(double d) {
  double q = 1 / (1 + 0.2316419 * fabs(d));
  double p = q * (0.31938153 + q * (-0.356563782 + q * (1.781477937 + q * (-1.821255978 + q * 1.330274429))));
  double w = 1 - 0.39894228040143267794 * exp(-0.5 * d * d) * p;
  return d < 0 ? 1 - w : w;
}

BENCH(blackscholes, "f64[] f64[] f64[] f64 f64") {
  int64_t n = in[0].shape[0];
  const double *restrict s = F64(in[0]), *restrict k = F64(in[1]), *restrict t = F64(in[2]);
  double rate = F64(in[3])[0], vol = F64(in[4])[0];
  out[0] = new_array(TYPE_F64, 1, n);
  out[1] = new_array(TYPE_F64, 1, n);
  double *restrict call = F64(out[0]), *restrict put = F64(out[1]);
  double drift = rate + 0.5 * vol * vol;
#pragma omp parallel for simd if (n > GRAIN / 16)
  for (int64_t i = 0; i < n; i++) {
    double spread = vol * sqrt(t[i]);
    double d1 = (log(s[i] / k[i]) + drift * t[i]) / spread;
    double paid = k[i] * exp(-rate * t[i]);
    double c = s[i] * cnd(d1) - paid * cnd(d1 - spread);
    call[i] = c;
    put[i] = c - s[i] + paid;
  }
}
