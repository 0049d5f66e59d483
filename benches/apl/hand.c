/* The programs beside this file by hand: fused loops, OpenMP, no assembly. Results are allocated by the caller. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void c_signal(int64_t n, const double *restrict x, double *restrict out) {
#pragma omp parallel for simd if (n > 32768)
  for (int64_t i = 0; i < n; i++) out[i] = fmax(-50, fmin(50, 50 * ((x[i] - (i ? x[i - 1] : 0)) / (0.01 + x[i]))));
}

void c_dot(int64_t n, const double *restrict a, const double *restrict b, double *out) {
  double sum = 0;
#pragma omp parallel for simd reduction(+ : sum) if (n > 32768)
  for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
  *out = sum;
}

void c_product(int64_t n, const double *restrict a, const double *restrict b, double *restrict out) {
  memset(out, 0, n * n * sizeof *out);
#pragma omp parallel for
  for (int64_t i0 = 0; i0 < n; i0 += 8)
    for (int64_t k0 = 0; k0 < n; k0 += 64)
      for (int64_t i = i0; i < n && i < i0 + 8; i++)
        for (int64_t k = k0; k < n && k < k0 + 64; k++) {
          double x = a[i * n + k];
#pragma omp simd
          for (int64_t j = 0; j < n; j++) out[i * n + j] += x * b[k * n + j];
        }
}

void c_variance(int64_t n, const double *restrict x, double *out) {
  double sum = 0, squares = 0;
#pragma omp parallel for simd reduction(+ : sum) if (n > 32768)
  for (int64_t i = 0; i < n; i++) sum += x[i];
  double mean = sum / n;
#pragma omp parallel for simd reduction(+ : squares) if (n > 32768)
  for (int64_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
  *out = squares / n;
}

void c_life(int64_t times, int64_t n, const int64_t *restrict board, int64_t *restrict out) {
  int64_t *now = malloc(n * n * sizeof *now), *next = malloc(n * n * sizeof *next);
  memcpy(now, board, n * n * sizeof *now);
  for (int64_t t = 0; t < times; t++) {
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
      const int64_t *up = now + (i ? i - 1 : n - 1) * n, *row = now + i * n, *down = now + (i + 1 < n ? i + 1 : 0) * n;
      for (int64_t j = 0; j < n; j++) {
        int64_t l = j ? j - 1 : n - 1, r = j + 1 < n ? j + 1 : 0;
        int64_t s = up[l] + up[j] + up[r] + row[l] + row[j] + row[r] + down[l] + down[j] + down[r];
        next[i * n + j] = s == 3 || (row[j] == 1 && s == 4);
      }
    }
    int64_t *swap = now;
    now = next;
    next = swap;
  }
  memcpy(out, now, n * n * sizeof *now);
  free(now);
  free(next);
}

void c_primes(int64_t n, int64_t *out) {
  int64_t primes = 0;
#pragma omp parallel for reduction(+ : primes)
  for (int64_t x = 1; x <= n; x++) {
    int64_t divisors = 0;
    for (int64_t d = 1; d <= n; d++) divisors += x % d == 0;
    primes += divisors == 2;
  }
  *out = primes;
}

static inline double cdf(double x) {
  double k = 1 / (1 + 0.2316419 * fabs(x));
  double w = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  double t = w * exp(-0.5 * x * x) * 0.3989422804014327;
  return x < 0 ? t : 1 - t;
}

void c_options(int64_t n, const double *restrict s, const double *restrict t, double *restrict out) {
#pragma omp parallel for simd if (n > 32768)
  for (int64_t i = 0; i < n; i++) {
    double root = sqrt(t[i]), d = (log(s[i] / 65) + t[i] * (0.02 + 0.5 * 0.09)) / (0.3 * root);
    out[i] = s[i] * cdf(d) - 65 * exp(-0.02 * t[i]) * cdf(d - 0.3 * root);
  }
}

void c_heat(int64_t times, int64_t n, const double *restrict a, double *restrict out) {
  double *now = malloc(n * n * sizeof *now), *next = malloc(n * n * sizeof *next);
  memcpy(now, a, n * n * sizeof *now);
  for (int64_t t = 0; t < times; t++) {
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
      const double *up = now + (i ? i - 1 : n - 1) * n, *row = now + i * n, *down = now + (i + 1 < n ? i + 1 : 0) * n;
      double *to = next + i * n;
      to[0] = row[0] + 0.1 * (row[1 % n] + row[n - 1] + up[0] + down[0] - 4 * row[0]);
#pragma omp simd
      for (int64_t j = 1; j < n - 1; j++) to[j] = row[j] + 0.1 * (row[j + 1] + row[j - 1] + up[j] + down[j] - 4 * row[j]);
      to[n - 1] = row[n - 1] + 0.1 * (row[0] + row[n - 2] + up[n - 1] + down[n - 1] - 4 * row[n - 1]);
    }
    double *swap = now;
    now = next;
    next = swap;
  }
  memcpy(out, now, n * n * sizeof *now);
  free(now);
  free(next);
}

void c_softmax(int64_t n, int64_t m, const double *restrict a, double *restrict out) {
#pragma omp parallel for
  for (int64_t i = 0; i < n; i++) {
    const double *row = a + i * m;
    double *to = out + i * m, top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < m; j++) top = fmax(top, row[j]);
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < m; j++) sum += to[j] = exp(row[j] - top);
    double scale = 1 / sum;
    for (int64_t j = 0; j < m; j++) to[j] *= scale;
  }
}

void c_chosen(int64_t n, const double *restrict x, double *out) {
  double sum = 0;
#pragma omp parallel for simd reduction(+ : sum) if (n > 32768)
  for (int64_t i = 0; i < n; i++) sum += x[i] > 0.5 ? x[i] * x[i] : 0;
  *out = sum;
}

void c_pi(int64_t n, double *out) {
  double sum = 0;
#pragma omp parallel for simd reduction(+ : sum) if (n > 32768)
  for (int64_t i = 0; i < n; i++) {
    double x = (i + 0.5) / n;
    sum += 1 / (1 + x * x);
  }
  *out = 4 * sum / n;
}
