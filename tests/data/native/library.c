/* Calls the library made from library.rem: results, failures, many calls, several threads. Says what is wrong and returns 1. */
#include "t.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(cond)                                                      \
  do {                                                                   \
    if (!(cond)) {                                                       \
      fprintf(stderr, "line %d: %s\n", __LINE__, #cond);                 \
      exit(1);                                                           \
    }                                                                    \
  } while (0)

/* On a device that is played, fewer elements are enough. */
#ifndef ELEMENTS
#define ELEMENTS 20000
#endif
#ifndef EACH
#define EACH 250
#endif
enum { N = ELEMENTS };
static double xs[N];
static int64_t is[N];

static void results(t_context *c) {
  double norm = 0, v[2] = {3, 4};
  CHECK(t_norm(c, 2, v, &norm) == 0 && norm == 5);
  CHECK(t_norm(c, 0, NULL, &norm) == 0 && norm == 0);
  double a[6] = {1, 2, 3, 4, 5, 6};
  t_f64_2d scaled;
  int64_t count = 0;
  CHECK(t_scale(c, 2, 3, a, 10, &scaled, &count) == 0 && count == 6);
  CHECK(scaled.shape[0] == 3 && scaled.shape[1] == 2 && scaled.data[1] == 40 && scaled.data[4] == 30);
  CHECK(a[1] == 2);
  t_release(c, scaled.owner);
  t_i64_1d kept;
  int64_t k = -1, some[5] = {-1, 5, 0, 7, -2};
  CHECK(t_kept(c, 5, some, &k, &kept) == 0 && k == 2 && kept.shape[0] == 2 && kept.data[0] == 5 && kept.data[1] == 7);
  t_release(c, kept.owner);
  CHECK(t_kept(c, 0, some, &k, &kept) == 0 && k == 0 && kept.shape[0] == 0);
  t_release(c, kept.owner);
  int32_t half = 0;
  uint16_t twice = 0;
  bool more = false;
  CHECK(t_error_entry(c, 7, 0x3e00 /* 1.5 */, &half, &twice, &more) == 0 && half == 3 && twice == 0x4200 && more);
  int64_t difference = 0;
  CHECK(t_new_entry(c, 7, 5, &difference) == 0 && difference == 2);
  uint16_t halves[2] = {0x3c00, 0xc000};
  bool truths[2] = {true, false};
  t_f16_1d next;
  t_bool_1d not;
  CHECK(t_pairs(c, 2, halves, truths, &next, &not) == 0);
  CHECK(next.data[0] == 0x4000 && next.data[1] == 0xbc00 && !not.data[0] && not.data[1]);
  t_release(c, next.owner);
  t_release(c, not.owner);
}

static void complex_numbers(t_context *c) {
  float _Complex zs[3] = {1 + 2i, 3, -1i};
  t_c64_1d turned;
  remora_c64 total = {0, 0};
  remora_c128 twice = {0, 0};
  int64_t k = 0;
  CHECK(t_turned(c, 3, (const remora_c64 *)zs, (remora_c64){0, 2}, 40, &turned, &total, &k, &twice) == 0 && k == 43);
  CHECK(turned.shape[0] == 3 && ((float _Complex *)turned.data)[0] == -4 + 2i && turned.data[1].im == 6 && turned.data[2].re == 2);
  CHECK(total.re == 4 && total.im == 1 && twice.re == 0 && twice.im == 4);
  t_release(c, turned.owner);
  t_exact_c128_rough_c64_two_c64 *some[3], *one;
  t_exact_c128_rough_c64_two_c64_1d *all;
  const remora_c64 two[2] = {{1, 2}, {3, -4}};
  CHECK(t_exact_c128_rough_c64_two_c64_new_exact(c, (remora_c128){1.5, -2.5}, &some[0]) == 0);
  CHECK(t_exact_c128_rough_c64_two_c64_new_rough(c, (remora_c64){7, 8}, &some[1]) == 0);
  CHECK(t_exact_c128_rough_c64_two_c64_new_two(c, two, (int64_t[]){2}, &some[2]) == 0);
  const remora_c128 wanted[3] = {{1.5, -2.5}, {7, 8}, {-2, 6}};
  t_c128_1d exact;
  CHECK(t_exact_c128_rough_c64_two_c64_1d_new(c, (int64_t[]){3}, (const t_exact_c128_rough_c64_two_c64 *const *)some, &all) == 0);
  CHECK(t_all_exact(c, 3, all, &exact) == 0);
  for (int i = 0; i < 3; i++) {
    remora_c128 z = {0, 0};
    CHECK(t_exact(c, some[i], 5, &k, &z) == 0 && k == 5 && z.re == wanted[i].re && z.im == wanted[i].im);
    CHECK(exact.data[i].re == wanted[i].re && exact.data[i].im == wanted[i].im);
    t_exact_c128_rough_c64_two_c64_free(c, some[i]);
  }
  t_release(c, exact.owner);
  t_exact_c128_rough_c64_two_c64_1d_free(c, all);
  CHECK(t_numbers(c, 3, wanted, &all) == 0 && t_exact_c128_rough_c64_two_c64_1d_get(c, all, 2, &one) == 0);
  remora_c64 rough = {0, 0};
  CHECK(t_exact_c128_rough_c64_two_c64_get_rough(c, one, &rough) == 0 && rough.re == -2 && rough.im == 6);
  t_exact_c128_rough_c64_two_c64_free(c, one);
  t_exact_c128_rough_c64_two_c64_1d_free(c, all);
}

typedef t_circle_f64_point_rect_f64_f64 shape;
typedef t_circle_f64_point_rect_f64_f64_1d shapes;
typedef t_scalar_i64_vector_i64 data;
typedef t_scalar_i64_vector_i64_1d many;
typedef t_all_circle_f64_point_rect_f64_f64_i32_none maybe;
enum {
  CIRCLE = t_circle_f64_point_rect_f64_f64_is_circle,
  POINT = t_circle_f64_point_rect_f64_f64_is_point,
  RECT = t_circle_f64_point_rect_f64_f64_is_rect
};

static void sums(t_context *c) {
  shape *rect, *circle, *point, *to, *inner;
  CHECK(t_circle_f64_point_rect_f64_f64_new_rect(c, 2, 3.5, &rect) == 0);
  CHECK(t_circle_f64_point_rect_f64_f64_new_circle(c, 2, &circle) == 0);
  CHECK(t_circle_f64_point_rect_f64_f64_new_point(c, &point) == 0);
  double x = 0, y = 0;
  CHECK(t_area(c, rect, &x) == 0 && x == 7 && t_area(c, circle, &x) == 0 && x == 12 && t_area(c, point, &x) == 0 && x == 0);
  CHECK(t_circle_f64_point_rect_f64_f64_variant(rect) == RECT && t_circle_f64_point_rect_f64_f64_variant(point) == POINT);
  CHECK(t_circle_f64_point_rect_f64_f64_get_rect(c, rect, &x, &y) == 0 && x == 2 && y == 3.5);
  CHECK(t_circle_f64_point_rect_f64_f64_get_rect(c, circle, &x, &y) != 0 && strstr(t_error(c), "the value was not made by `#rect`"));
  maybe *last;
  int64_t times = 0;
  int32_t seven = 0;
  CHECK(t_grown_shape(c, rect, 0.5, 2, &to, &last, &times) == 0 && times == 1 && !*t_error(c));
  CHECK(t_circle_f64_point_rect_f64_f64_get_rect(c, to, &x, &y) == 0 && x == 2.5 && y == 3.5);
  CHECK(t_all_circle_f64_point_rect_f64_f64_i32_none_get_all(c, last, &inner, &seven) == 0 && seven == 7);
  CHECK(t_area(c, inner, &x) == 0 && x == 7 && t_largest(c, last, &x) == 0 && x == 49);
  t_circle_f64_point_rect_f64_f64_free(c, inner);
  t_circle_f64_point_rect_f64_f64_free(c, to);
  t_all_circle_f64_point_rect_f64_f64_i32_none_free(c, last);
  CHECK(t_grown_shape(c, point, 0.5, 1, &to, &last, &times) == 0);
  CHECK(t_all_circle_f64_point_rect_f64_f64_i32_none_variant(last) == t_all_circle_f64_point_rect_f64_f64_i32_none_is_none);
  CHECK(t_all_circle_f64_point_rect_f64_f64_i32_none_get_all(c, last, &inner, &seven) != 0 && !inner);
  t_all_circle_f64_point_rect_f64_f64_i32_none_free(c, last);
  t_circle_f64_point_rect_f64_f64_free(c, to);
  CHECK(t_all_circle_f64_point_rect_f64_f64_i32_none_new_all(c, circle, 2, &last) == 0);
  CHECK(t_largest(c, last, &x) == 0 && x == 24);
  t_all_circle_f64_point_rect_f64_f64_i32_none_free(c, last);

  const shape *cells[4] = {point, rect, circle, point};
  const int64_t four[1] = {4}, none[1] = {0}, minus[1] = {-4};
  shapes *all, *kept;
  CHECK(t_circle_f64_point_rect_f64_f64_1d_new(c, minus, cells, &all) == 504 && !all);
  CHECK(t_circle_f64_point_rect_f64_f64_1d_new(c, four, cells, &all) == 0);
  int64_t k = 0;
  CHECK(t_without_points(c, 4, all, &k, &kept) == 0 && k == 2 && t_circle_f64_point_rect_f64_f64_1d_shape(kept)[0] == 2);
  CHECK(t_circle_f64_point_rect_f64_f64_1d_get(c, kept, 1, &to) == 0 && t_circle_f64_point_rect_f64_f64_variant(to) == CIRCLE);
  CHECK(t_circle_f64_point_rect_f64_f64_1d_get(c, kept, 2, &inner) == 501 && strstr(t_error(c), "index 2"));
  CHECK(t_without_points(c, 5, all, &k, &kept) == 503 && strstr(t_error(c), "size 4"));
  t_circle_f64_point_rect_f64_f64_free(c, to);
  t_circle_f64_point_rect_f64_f64_1d_free(c, kept);
  int64_t numbers[4] = {4, 5, 6, 7};
  t_i64_1d same;
  CHECK(t_named(c, 4, all, numbers, &same, &kept) == 0 && same.data[3] == 7);
  CHECK(t_circle_f64_point_rect_f64_f64_1d_get(c, kept, 1, &to) == 0 && t_area(c, to, &x) == 0 && x == 7);
  t_release(c, same.owner);
  t_circle_f64_point_rect_f64_f64_free(c, to);
  t_circle_f64_point_rect_f64_f64_1d_free(c, kept);
  t_circle_f64_point_rect_f64_f64_1d_free(c, all);
  CHECK(t_circle_f64_point_rect_f64_f64_1d_new(c, none, NULL, &all) == 0 && t_without_points(c, 0, all, &k, &kept) == 0 && k == 0);
  t_circle_f64_point_rect_f64_f64_1d_free(c, kept);
  t_circle_f64_point_rect_f64_f64_1d_free(c, all);
  t_circle_f64_point_rect_f64_f64_free(c, rect);
  t_circle_f64_point_rect_f64_f64_free(c, circle);
  t_circle_f64_point_rect_f64_f64_free(c, point);

  /* A payload with an array: values without it fit any size. */
  data *scalar, *vector, *longer, *next;
  many *ds;
  t_i64_1d sum, payload;
  const int64_t three[1] = {3}, two[1] = {2};
  CHECK(t_scalar_i64_vector_i64_new_scalar(c, 10, &scalar) == 0);
  CHECK(t_scalar_i64_vector_i64_new_vector(c, numbers, three, &vector) == 0);
  CHECK(t_scalar_i64_vector_i64_new_vector(c, numbers, four, &longer) == 0);
  const data *mixed[2] = {scalar, vector}, *uneven[2] = {longer, vector};
  CHECK(t_scalar_i64_vector_i64_1d_new(c, two, uneven, &ds) == 503 && !ds);
  CHECK(t_scalar_i64_vector_i64_1d_new(c, two, mixed, &ds) == 0);
  CHECK(t_summed(c, 3, 2, ds, &sum) == 0 && sum.data[0] == 10 && sum.data[1] == 15);
  t_release(c, sum.owner);
  CHECK(t_summed(c, 2, 2, ds, &sum) == 503);
  CHECK(t_scalar_i64_vector_i64_1d_get(c, ds, 1, &next) == 0);
  CHECK(t_scalar_i64_vector_i64_get_vector(c, next, &payload) == 0 && payload.shape[0] == 3 && payload.data[2] == 6 && !payload.owner);
  t_scalar_i64_vector_i64_free(c, next);
  t_scalar_i64_vector_i64_1d_free(c, ds);
  mixed[1] = scalar;
  CHECK(t_scalar_i64_vector_i64_1d_new(c, two, mixed, &ds) == 0);
  CHECK(t_summed(c, 7, 2, ds, &sum) == 0 && sum.data[1] == 10);
  t_release(c, sum.owner);
  t_scalar_i64_vector_i64_1d_free(c, ds);
  CHECK(t_one_more(c, 5, scalar, 2, &next) == 0 && t_scalar_i64_vector_i64_get_vector(c, next, &payload) == 0);
  CHECK(payload.shape[0] == 5 && payload.data[4] == 5);
  t_scalar_i64_vector_i64_free(c, next);
  CHECK(t_one_more(c, 3, vector, 0, &next) == 505 && t_one_more(c, 5, scalar, 0, &next) == 505);
  t_scalar_i64_vector_i64_free(c, scalar);
  t_scalar_i64_vector_i64_free(c, vector);
  t_scalar_i64_vector_i64_free(c, longer);
}

static void failures(t_context *c) {
  int64_t some[3] = {1, 2, 3}, x = 0;
  t_f64_1d made;
  t_i64_1d out;
  CHECK(t_pick(c, 3, some, 2, &x) == 0 && x == 3 && !strcmp(t_error(c), ""));
  CHECK(t_pick(c, 3, some, 3, &x) == 501);
  CHECK(strstr(t_error(c), "library.rem:5:") && strstr(t_error(c), "error[E0501]: index 3 is out of bounds for an array of size 3"));
  CHECK(t_pick(c, 3, some, INT64_MIN, &x) == 501);
  CHECK(t_pick(c, 3, some, 0, &x) == 0 && x == 1 && !strcmp(t_error(c), ""));
  CHECK(t_pick(c, -3, some, 0, &x) == 504 && strstr(t_error(c), "-3"));
  CHECK(t_make(c, -1, &made) == 504);
  CHECK(t_make(c, INT64_MAX, &made) == 504);
  CHECK(t_make(c, INT64_C(1) << 47, &made) == 507 && strstr(t_error(c), "bytes"));
  CHECK(t_make(c, INT64_C(1) << 42, &made) == 507 && strstr(t_error(c), "35184372088832 bytes"));
  for (int k = 0; k < 20; k++) {
    CHECK(t_divide(c, N, is, N / 10 * 7 + k, &out) == 505);
    CHECK(strstr(t_error(c), "100i64 and 0i64"));
  }
}

static void once(t_context *c) {
  double norm = 0;
  t_f64_2d scaled;
  t_i64_1d kept;
  int64_t count = 0;
  CHECK(t_norm(c, N, xs, &norm) == 0 && norm > 0);
  CHECK(t_scale(c, 100, N / 100, xs, 2, &scaled, &count) == 0 && scaled.data[N - 1] == 2 * xs[N - 1]);
  CHECK(t_kept(c, N, is, &count, &kept) == 0 && count == N - 1 && kept.data[0] == 1);
  t_release(c, scaled.owner);
  t_release(c, kept.owner);
}

static size_t in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

struct worker {
  t_context *context;
  int number;
};

static void *work(void *data) {
  struct worker *own = data;
  for (int k = 0; k < EACH; k++) {
    int64_t x = 0;
    once(own->context);
    /* The message is that of this thread's failure, whatever others do. */
    CHECK(t_pick(own->context, N, is, N + own->number, &x) == 501);
    char want[64];
    snprintf(want, sizeof want, "index %d is out of bounds", N + own->number);
    CHECK(strstr(t_error(own->context), want));
  }
  return NULL;
}

int main(int argc, char **argv) {
  for (int k = 0; k < N; k++) {
    xs[k] = k % 17;
    is[k] = k;
  }
  t_context *c = t_new(argc > 1 ? atoi(argv[1]) : 0);
  CHECK(c);
  results(c);
  complex_numbers(c);
  for (int k = 0; k < 3; k++) {
    sums(c);
  }
  failures(c);
  for (int k = 0; k < 20; k++) {
    once(c);
  }
  size_t before = in_use();
  for (int k = 0; k < 1000; k++) {
    once(c);
  }
  size_t after = in_use();
  /* The sanitizer's memory is not the C library's. */
  CHECK(after <= before + 4096);
  pthread_t threads[4];
  struct worker workers[4];
  for (int k = 0; k < 4; k++) {
    workers[k] = (struct worker){c, k};
    CHECK(!pthread_create(&threads[k], NULL, work, &workers[k]));
  }
  for (int k = 0; k < 4; k++) {
    pthread_join(threads[k], NULL);
  }
  t_free(c);
  puts("good");
  return 0;
}
