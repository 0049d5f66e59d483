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
  CHECK(t_make(c, INT64_MAX, &made) == 507 && strstr(t_error(c), "bytes"));
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
