/* Derivatives by hand, as an expert writes them: values and adjoints in one pass, sums of their own for every thread, nothing computed twice.
   benches/derivatives.py calls these functions with arrays that it made before. */
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32, BLOCK = 128, MOST = 32 };

void map(int64_t n, const double *restrict x, const double *restrict seed, double *restrict y, double *restrict adjoint) {
#pragma omp parallel for simd
  for (int64_t i = 0; i < n; i++) {
    double e = exp(-0.5 * x[i] * x[i]), s = sin(x[i]), c = cos(x[i]);
    y[i] = s * e;
    adjoint[i] = seed[i] * e * (c - x[i] * s);
  }
}

void sum(int64_t n, const double *restrict x, double *restrict value, double *restrict adjoint) {
  double total = 0;
#pragma omp parallel for simd reduction(+ : total)
  for (int64_t i = 0; i < n; i++) {
    total += x[i] * x[i] * x[i];
    adjoint[i] = 3 * x[i] * x[i];
  }
  *value = total;
}

/* The distribution function of the normal distribution (Abramowitz and Stegun, 26.2.17); `e` is exp(-d * d / 2). */
static inline double cnd(double d, double e) {
  double q = 1 / (1 + 0.2316419 * fabs(d));
  double p = q * (0.31938153 + q * (-0.356563782 + q * (1.781477937 + q * (-1.821255978 + q * 1.330274429))));
  double w = 1 - 0.39894228040143267794 * e * p;
  return d < 0 ? 1 - w : w;
}

/* `to` has the adjoints of the rate and of the volatility. */
void blackscholes(int64_t n, const double *restrict s, const double *restrict k, const double *restrict t, double rate, double vol,
                  const double *restrict a, const double *restrict b, double *restrict call, double *restrict put, double *restrict sa,
                  double *restrict ka, double *restrict ta, double *restrict to) {
  const double drift = rate + 0.5 * vol * vol, density = 0.39894228040143267794;
  double rates = 0, vols = 0, drifts = 0;
#pragma omp parallel for simd reduction(+ : rates, vols, drifts)
  for (int64_t i = 0; i < n; i++) {
    double root = sqrt(t[i]), spread = vol * root, d1 = (log(s[i] / k[i]) + drift * t[i]) / spread, d2 = d1 - spread;
    double discount = exp(-rate * t[i]), paid = k[i] * discount, e1 = exp(-0.5 * d1 * d1), e2 = exp(-0.5 * d2 * d2);
    double n1 = cnd(d1, e1), n2 = cnd(d2, e2), c = s[i] * n1 - paid * n2;
    call[i] = c;
    put[i] = c - s[i] + paid;
    double calls = a[i] + b[i], paids = b[i] - calls * n2;
    double d2s = -calls * paid * density * e2, d1s = calls * s[i] * density * e1 + d2s;
    double spreads = -d2s - d1s * d1 / spread, tops = d1s / spread;
    sa[i] = -b[i] + calls * n1 + tops / s[i];
    ka[i] = paids * discount - tops / k[i];
    ta[i] = tops * drift + spreads * vol * 0.5 / root - paids * paid * rate;
    drifts += tops * t[i];
    vols += spreads * root;
    rates -= paids * paid * t[i];
  }
  to[0] = rates + drifts;
  to[1] = vols + drifts * vol;
}

void logistic(int64_t n, int64_t m, const double *restrict x, const double *restrict y, const double *restrict w, double *restrict value,
              double *restrict adjoint) {
  double loss = 0;
  int threads = omp_get_max_threads();
  int64_t stride = (m + 15) / 8 * 8;
  double *sums = aligned_alloc(64, (size_t)(threads * stride) * sizeof(double));
#pragma omp parallel reduction(+ : loss)
  {
    double *restrict own = sums + omp_get_thread_num() * stride;
    memset(own, 0, (size_t)stride * sizeof(double));
#pragma omp for
    for (int64_t from = 0; from < n; from += BLOCK) {
      int64_t count = n - from < BLOCK ? n - from : BLOCK;
      double z[BLOCK], c[BLOCK];
      for (int64_t i = 0; i < count; i++) {
        const double *restrict row = x + (from + i) * m;
        double s = 0;
        for (int64_t j = 0; j < m; j++) s += row[j] * w[j];
        z[i] = s;
      }
#pragma omp simd reduction(+ : loss)
      for (int64_t i = 0; i < count; i++) {
        double e = exp(-fabs(z[i]));
        loss += (z[i] > 0 ? z[i] : 0) + log1p(e) - y[from + i] * z[i];
        c[i] = (z[i] > 0 ? 1 : e) / (1 + e) - y[from + i];
      }
      int64_t i = 0;
      for (; i + 4 <= count; i += 4) {
        const double *restrict row = x + (from + i) * m;
        for (int64_t j = 0; j < m; j++) own[j] += c[i] * row[j] + c[i + 1] * row[j + m] + c[i + 2] * row[j + 2 * m] + c[i + 3] * row[j + 3 * m];
      }
      for (; i < count; i++)
        for (int64_t j = 0; j < m; j++) own[j] += c[i] * x[(from + i) * m + j];
    }
  }
  for (int64_t j = 0; j < m; j++) {
    double total = 0;
    for (int thread = 0; thread < threads; thread++) total += sums[thread * stride + j];
    adjoint[j] = total / (double)n;
  }
  *value = loss / (double)n;
  free(sums);
}

/* The distances to 32 centres at a time are in registers: centres by coordinate, filled up with infinitely distant ones. */
void kmeans(int64_t n, int64_t k, int64_t d, const double *restrict points, const double *restrict centres, double *restrict value,
            double *restrict adjoint) {
  int threads = omp_get_max_threads();
  int64_t blocks = (k + LANES - 1) / LANES, stride = (k * (d + 1) + 15) / 8 * 8;
  double *turned = aligned_alloc(64, (size_t)(blocks * LANES * d) * sizeof(double));
  double *sums = aligned_alloc(64, (size_t)(threads * stride) * sizeof(double)), cost = 0;
  for (int64_t c = 0; c < blocks * LANES; c++)
    for (int64_t j = 0; j < d; j++) turned[(c / LANES * d + j) * LANES + c % LANES] = c < k ? centres[c * d + j] : 1e150;
#pragma omp parallel reduction(+ : cost)
  {
    double *restrict own = sums + omp_get_thread_num() * stride, *restrict members = own + k * d;
    memset(own, 0, (size_t)stride * sizeof(double));
#pragma omp for
    for (int64_t i = 0; i < n; i++) {
      const double *restrict point = points + i * d, *restrict block = turned;
      double least = HUGE_VAL;
      int64_t near = 0;
      for (int64_t b = 0; b < blocks; b++, block += d * LANES) {
        double s[LANES] = {0};
        for (int64_t j = 0; j < d; j++)
          for (int c = 0; c < LANES; c++) s[c] += (point[j] - block[j * LANES + c]) * (point[j] - block[j * LANES + c]);
        double low = s[0];
        for (int c = 0; c < LANES; c++) low = s[c] < low ? s[c] : low;
        if (low < least) {
          int first = LANES;
          for (int c = 0; c < LANES; c++) {
            int here = s[c] == low ? c : LANES;
            first = here < first ? here : first;
          }
          least = low, near = b * LANES + first;
        }
      }
      cost += least;
      members[near] += 1;
#pragma omp simd
      for (int64_t j = 0; j < d; j++) own[near * d + j] += point[j];
    }
  }
  for (int thread = 1; thread < threads; thread++)
    for (int64_t j = 0; j < k * (d + 1); j++) sums[j] += sums[thread * stride + j];
  for (int64_t c = 0; c < k; c++)
    for (int64_t j = 0; j < d; j++) adjoint[c * d + j] = 2 * (sums[k * d + c] * centres[c * d + j] - sums[c * d + j]);
  *value = cost;
  free(sums);
  free(turned);
}

/* The mixture of examples/programs/gmm, with gamma = 1 and m = 0; at most 32 dimensions. */
void gmm(int64_t n, int64_t d, int64_t k, const double *restrict points, const double *restrict weights, const double *restrict means,
         const double *restrict diagonals, const double *restrict belows, double *restrict value, double *restrict wa, double *restrict ma,
         double *restrict da, double *restrict ba) {
  int threads = omp_get_max_threads();
  int64_t t = d * (d - 1) / 2, all = k * (1 + 2 * d + t), stride = (all + 15) / 8 * 8;
  double *sums = aligned_alloc(64, (size_t)(threads * stride) * sizeof(double));
  double *scale = malloc((size_t)(k * (d + 1)) * sizeof(double)), *offset = scale + k * d, total = 0;
  for (int64_t c = 0; c < k; c++) {
    offset[c] = weights[c];
    for (int64_t j = 0; j < d; j++) scale[c * d + j] = exp(diagonals[c * d + j]), offset[c] += diagonals[c * d + j];
  }
#pragma omp parallel reduction(+ : total)
  {
    double *restrict own = sums + omp_get_thread_num() * stride;
    double *apart = malloc((size_t)(k * (2 * d + 1)) * sizeof(double)), *turned = apart + k * d, *terms = turned + k * d;
    memset(own, 0, (size_t)stride * sizeof(double));
    double *restrict ow = own, *restrict om = own + k, *restrict od = om + k * d, *restrict ob = od + k * d;
#pragma omp for
    for (int64_t i = 0; i < n; i++) {
      double top = -HUGE_VAL, sum = 0;
      for (int64_t c = 0; c < k; c++) {
        double *restrict x = apart + c * d, *restrict q = turned + c * d, square = 0;
        const double *restrict below = belows + c * t;
        for (int64_t j = 0; j < d; j++) x[j] = points[i * d + j] - means[c * d + j];
        for (int64_t j = 0; j < d; j++) {
          double s = scale[c * d + j] * x[j];
          for (int64_t l = 0; l < j; l++) s += *below++ * x[l];
          q[j] = s;
          square += s * s;
        }
        terms[c] = offset[c] - 0.5 * square;
        top = terms[c] > top ? terms[c] : top;
      }
      for (int64_t c = 0; c < k; c++) sum += terms[c] = exp(terms[c] - top);
      total += top + log(sum);
      for (int64_t c = 0; c < k; c++) {
        const double p = terms[c] / sum, *restrict x = apart + c * d, *restrict q = turned + c * d, *restrict below = belows + c * t;
        double *restrict bs = ob + c * t, *restrict ms = om + c * d;
        ow[c] += p;
        for (int64_t j = 0; j < d; j++) {
          const double pq = p * q[j];
          od[c * d + j] += p - pq * scale[c * d + j] * x[j];
          ms[j] += pq * scale[c * d + j];
          for (int64_t l = 0; l < j; l++) {
            ms[l] += pq * below[l];
            bs[l] -= pq * x[l];
          }
          below += j;
          bs += j;
        }
      }
    }
    free(apart);
  }
  for (int thread = 1; thread < threads; thread++)
    for (int64_t j = 0; j < all; j++) sums[j] += sums[thread * stride + j];
  double top = -HUGE_VAL, sum = 0, prior = 0;
  for (int64_t c = 0; c < k; c++) top = weights[c] > top ? weights[c] : top;
  for (int64_t c = 0; c < k; c++) sum += exp(weights[c] - top);
  for (int64_t c = 0; c < k; c++) wa[c] = sums[c] - (double)n * exp(weights[c] - top) / sum;
  memcpy(ma, sums + k, (size_t)(k * d) * sizeof(double));
  for (int64_t j = 0; j < k * d; j++) da[j] = sums[k + k * d + j] + scale[j] * scale[j], prior += scale[j] * scale[j];
  for (int64_t j = 0; j < k * t; j++) ba[j] = sums[k + 2 * k * d + j] + belows[j], prior += belows[j] * belows[j];
  *value = total - (double)n * (top + log(sum)) + 0.5 * prior;
  free(scale);
  free(sums);
}
