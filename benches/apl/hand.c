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

/* The examples. */
#include <complex.h>

void c_easter(int64_t n, const int64_t *restrict years, int64_t *restrict out) {
#pragma omp parallel for if (n > 32768)
  for (int64_t i = 0; i < n; i++) {
    int64_t y = years[i], g = 1 + y % 19, c = 1 + y / 100, x = 3 * c / 4 - 12, z = (5 + 8 * c) / 25 - 5, d = 5 * y / 4 - x - 10;
    int64_t a = (11 * g + 20 + z - x) % 30;
    a += a == 24 || (a == 25 && g > 11);
    int64_t m = 44 - a;
    m += 30 * (m < 21);
    m += 7 - (d + m) % 7;
    out[i] = 10000 * y + 100 * (3 + (m > 31)) + m - 31 * (m > 31);
  }
}

void c_sobol(int64_t n, double *out) {
  int64_t inside = 0;
#pragma omp parallel for reduction(+ : inside) if (n > 32768)
  for (int64_t k = 0; k < n; k++) {
    int64_t reversed = 0;
    for (int bit = 0; bit < 22; bit++) reversed = 2 * reversed + (k >> bit & 1);
    double x = reversed / 4194304.0, y = (double)k / n;
    inside += x * x + y * y <= 1;
  }
  *out = 4.0 * inside / n;
}

void c_mandelbrot(int64_t times, int64_t n, const double *restrict grid, int64_t *restrict out) {
#pragma omp parallel for
  for (int64_t i = 0; i < n * n; i++) {
    double a = 0, b = 0, x = grid[2 * i], y = grid[2 * i + 1];
    int64_t t = 0;
    while (t < times && a * a + b * b < 4) {
      double next = x + a * a - b * b;
      b = y + 2 * a * b;
      a = next;
      t++;
    }
    out[i] = t;
  }
}

void c_hotspot(int64_t times, int64_t n, const double *restrict plate, double *restrict out) {
  double *now = malloc(n * n * sizeof *now), *next = malloc(n * n * sizeof *next);
  memcpy(now, plate, n * n * sizeof *now);
  for (int64_t t = 0; t < times; t++) {
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
      const double *up = now + (i ? i - 1 : 0) * n, *row = now + i * n, *down = now + (i + 1 < n ? i + 1 : i) * n;
      for (int64_t j = 0; j < n; j++) {
        double l = row[j ? j - 1 : 0], r = row[j + 1 < n ? j + 1 : j];
        next[i * n + j] = row[j] + 0.1 * (up[j] + down[j] + l + r - 4 * row[j]) + (plate[i * n + j] > 0.9) - 0.02 * (row[j] - 20);
      }
    }
    double *swap = now;
    now = next;
    next = swap;
  }
  memcpy(out, now, n * n * sizeof *now);
  free(now);
  free(next);
}

void c_shallow(int64_t times, int64_t n, const double *restrict height, double *restrict out) {
  double *h = malloc(n * sizeof *h), *m = calloc(n, sizeof *m), *h2 = malloc(n * sizeof *h), *m2 = malloc(n * sizeof *m);
  memcpy(h, height, n * sizeof *h);
  for (int64_t t = 0; t < times; t++) {
#pragma omp parallel for simd if (n > 32768)
    for (int64_t i = 0; i < n; i++) {
      int64_t l = i + 1 < n ? i + 1 : 0, r = i ? i - 1 : n - 1;
      h2[i] = 0.5 * (h[l] + h[r]) - 0.05 * (m[l] - m[r]);
      m2[i] = 0.5 * (m[l] + m[r]) - 0.05 * (m[l] * m[l] / h[l] + 4.905 * h[l] * h[l] - m[r] * m[r] / h[r] - 4.905 * h[r] * h[r]);
    }
    double *swap = h;
    h = h2, h2 = swap, swap = m, m = m2, m2 = swap;
  }
  memcpy(out, h, n * sizeof *h);
  free(h), free(m), free(h2), free(m2);
}

void c_kmeans(int64_t times, int64_t n, const double *restrict points, double *restrict out) {
  memcpy(out, points, 8 * sizeof *out);
  for (int64_t t = 0; t < times; t++) {
    double sum[8] = {0}, count[4] = {0};
#pragma omp parallel for reduction(+ : sum, count) if (n > 32768)
    for (int64_t i = 0; i < n; i++) {
      int best = 0;
      double least = INFINITY, x = points[2 * i], y = points[2 * i + 1];
      for (int k = 0; k < 4; k++) {
        double far = (x - out[2 * k]) * (x - out[2 * k]) + (y - out[2 * k + 1]) * (y - out[2 * k + 1]);
        if (far < least) least = far, best = k;
      }
      sum[2 * best] += x, sum[2 * best + 1] += y, count[best]++;
    }
    for (int k = 0; k < 8; k++) out[k] = sum[k] / fmax(1, count[k / 2]);
  }
}

/* Gauss and Jordan with pivots. */
void c_inverse(int64_t n, const double *restrict a, double *restrict out) {
  double *w = malloc(n * n * sizeof *w);
  memcpy(w, a, n * n * sizeof *w);
  for (int64_t i = 0; i < n * n; i++) out[i] = i % (n + 1) == 0;
  for (int64_t k = 0; k < n; k++) {
    int64_t p = k;
    for (int64_t i = k + 1; i < n; i++) p = fabs(w[i * n + k]) > fabs(w[p * n + k]) ? i : p;
    double scale = 1 / w[p * n + k];
    for (int64_t j = 0; j < n; j++) {
      double x = w[p * n + j], y = out[p * n + j];
      w[p * n + j] = w[k * n + j], out[p * n + j] = out[k * n + j];
      w[k * n + j] = x * scale, out[k * n + j] = y * scale;
    }
#pragma omp parallel for if (n > 128)
    for (int64_t i = 0; i < n; i++) {
      double x = w[i * n + k];
      if (i == k) continue;
      for (int64_t j = k; j < n; j++) w[i * n + j] -= x * w[k * n + j];
      for (int64_t j = 0; j < n; j++) out[i * n + j] -= x * out[k * n + j];
    }
  }
  free(w);
}

/* Merge sort, stable, from runs of one. */
void c_sorting(int64_t n, const int64_t *restrict x, int64_t *restrict out) {
  int64_t *from = malloc(n * sizeof *from), *to = malloc(n * sizeof *to);
  memcpy(from, x, n * sizeof *x);
  for (int64_t width = 1; width < n; width *= 2) {
    for (int64_t low = 0; low < n; low += 2 * width) {
      int64_t middle = low + width < n ? low + width : n, high = low + 2 * width < n ? low + 2 * width : n;
      for (int64_t i = low, j = middle, k = low; k < high; k++) to[k] = i < middle && (j >= high || from[i] <= from[j]) ? from[i++] : from[j++];
    }
    int64_t *swap = from;
    from = to;
    to = swap;
  }
  memcpy(out, from, n * sizeof *out);
  free(from), free(to);
}

void c_text(int64_t n, const uint32_t *restrict text, int64_t *restrict out) {
  memset(out, 0, 26 * sizeof *out);
#pragma omp parallel for reduction(+ : out[:26]) if (n > 32768)
  for (int64_t i = 0; i < n; i++)
    if (text[i] - 'A' < 26) out[text[i] - 'A']++;
}

static int64_t placed(int n, uint32_t columns, uint32_t left, uint32_t right, int row) {
  if (row == n) return 1;
  int64_t count = 0;
  for (uint32_t free = ~(columns | left | right) & ((1u << n) - 1); free; free &= free - 1) {
    uint32_t bit = free & -free;
    count += placed(n, columns | bit, (left | bit) << 1, (right | bit) >> 1, row + 1);
  }
  return count;
}
void c_queens(int64_t n, int64_t *out) { *out = placed(n, 0, 0, 0, 0); }

/* Rows of 64 complex numbers: bits of the places turned round, then halves are put together (Cooley and Tukey 1965). */
void c_fft(int64_t n, const double *restrict x, double *restrict out) {
  enum { SIZE = 64, BITS = 6 };
  double re[SIZE / 2], im[SIZE / 2];
  int place[SIZE];
  for (int k = 0; k < SIZE / 2; k++) re[k] = cos(2 * M_PI * k / SIZE), im[k] = -sin(2 * M_PI * k / SIZE);
  for (int k = 0; k < SIZE; k++) {
    place[k] = 0;
    for (int bit = 0; bit < BITS; bit++) place[k] |= (k >> bit & 1) << (BITS - 1 - bit);
  }
#pragma omp parallel for if (n > 512)
  for (int64_t row = 0; row < n; row++) {
    double a[SIZE], b[SIZE];
    for (int k = 0; k < SIZE; k++) a[k] = x[2 * (row * SIZE + place[k])], b[k] = x[2 * (row * SIZE + place[k]) + 1];
    for (int half = 1; half < SIZE; half *= 2)
      for (int low = 0; low < SIZE; low += 2 * half)
        for (int k = 0; k < half; k++) {
          int i = low + k, j = i + half, w = k * (SIZE / 2 / half);
          double p = a[j] * re[w] - b[j] * im[w], q = a[j] * im[w] + b[j] * re[w];
          a[j] = a[i] - p, b[j] = b[i] - q, a[i] += p, b[i] += q;
        }
    for (int k = 0; k < SIZE; k++) out[2 * (row * SIZE + k)] = a[k], out[2 * (row * SIZE + k) + 1] = b[k];
  }
}
