/* Calls the library made from library.rem for CUDA with arrays on the device, which are looked at by way of the driver. With an argument it only makes a context on the device with that number, and says what is wrong. */
#include "t.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(cond)                                                      \
  do {                                                                   \
    if (!(cond)) {                                                       \
      fprintf(stderr, "line %d: %s: %s\n", __LINE__, #cond, t_error(0)); \
      exit(1);                                                           \
    }                                                                    \
  } while (0)

/* What is in the memory of the device. */
static double *fetched(const double *there, int64_t count) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context = NULL;
  driver = driver ? driver : dlopen("libcuda.so", RTLD_NOW);
  CHECK(driver);
  int (*retain)(void **, int), (*current)(void *), (*get)(void *, unsigned long long, size_t), (*release)(int);
  *(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
  *(void **)&current = dlsym(driver, "cuCtxSetCurrent");
  *(void **)&get = dlsym(driver, "cuMemcpyDtoH_v2");
  *(void **)&release = dlsym(driver, "cuDevicePrimaryCtxRelease_v2");
  double *here = malloc((size_t)count * sizeof *here + 1);
  CHECK(!retain(&context, 0) && !current(context));
  CHECK(count == 0 || !get(here, (unsigned long long)(uintptr_t)there, (size_t)count * sizeof *here));
  release(0);
  return here;
}

/* Results of one call are arguments of the next; nothing leaves the device. */
static void chain(t_context *c, int64_t n) {
  t_f64_1d xs;
  t_f64_2d scaled;
  double norm = 0, host = 0;
  int64_t count = 0;
  CHECK(t_make_on_device(c, n, &xs) == 0 && xs.shape[0] == n);
  CHECK(t_norm_on_device(c, n, xs.data, &norm) == 0);
  double *here = fetched(xs.data, n), *tripled;
  CHECK(t_norm(c, n, here, &host) == 0 && host == norm);
  CHECK(n == 0 || norm > 0 || n == 1);
  CHECK(t_wait_for(c, NULL) == 0);
  CHECK(t_scale_on_device(c, n, 1, xs.data, 3, &scaled, &count) == 0 && count == n && scaled.shape[1] == n);
  tripled = fetched(scaled.data, n);
  for (int64_t k = 0; k < n; k++) {
    CHECK(here[k] == (double)k && tripled[k] == 3 * (double)k);
  }
  free(here);
  free(tripled);
  t_release(c, scaled.owner);
  t_release(c, xs.owner);
}

/* More than fits into what passes between processor and device at a time. */
static void large(t_context *c) {
  enum { N = 1200000 };
  t_f64_1d made;
  t_f64_2d scaled;
  int64_t count = 0;
  CHECK(t_make(c, N, &made) == 0);
  CHECK(t_scale(c, N, 1, made.data, 2, &scaled, &count) == 0);
  for (int64_t k = 0; k < N; k++) {
    CHECK(made.data[k] == (double)k && scaled.data[k] == 2 * (double)k);
  }
  t_release(c, made.owner);
  t_release(c, scaled.owner);
}

static void failures(t_context *c) {
  int64_t some[3] = {1, 2, 3}, x = 0;
  double norm = 0;
  t_i64_1d kept;
  CHECK(t_pick_on_device(c, 3, some, 1, &x) == 810);
  CHECK(strstr(t_error(c), "error[E0810]: an argument is not in memory that the device reaches"));
  CHECK(t_kept(c, 3, some, &x, &kept) == 0 && x == 3);
  t_i64_1d there;
  CHECK(t_kept_on_device(c, 0, NULL, &x, &there) == 0 && x == 0);
  t_release(c, there.owner);
  t_f64_1d made;
  CHECK(t_make_on_device(c, -1, &made) == 504);
  CHECK(t_make_on_device(c, 1000, &made) == 0);
  CHECK(t_divide_on_device(c, 1000, (const int64_t *)made.data, 0, &there) == 505 && strstr(t_error(c), "library.rem:12:"));
  CHECK(t_norm_on_device(c, -1, made.data, &norm) == 504);
  t_release(c, made.owner);
  t_release(c, kept.owner);
}

/* Threads that have too little room make the program run again: with the arguments as they were, though it updates them. */
static void again(t_context *c) {
  t_f64_1d made;
  t_i64_1d xs, there, here;
  int64_t count = 0, sum = 0, other = 0;
  CHECK(t_make_on_device(c, 300, &made) == 0);
  CHECK(t_kept_on_device(c, 300, (const int64_t *)made.data, &count, &xs) == 0 && count == 299);
  int64_t *before = (int64_t *)fetched((double *)xs.data, count);
  CHECK(t_grown_on_device(c, count, xs.data, 5, &there, &sum) == 0);
  int64_t *after = (int64_t *)fetched((double *)xs.data, count), *made_there = (int64_t *)fetched((double *)there.data, count);
  CHECK(t_grown(c, count, before, 5, &here, &other) == 0 && sum == other);
  for (int64_t k = 0; k < count; k++) {
    CHECK(before[k] == after[k] && made_there[k] == here.data[k] && here.data[k] == before[k] + (k < 3 ? 5 : 0));
  }
  free(before);
  free(after);
  free(made_there);
  t_release(c, here.owner);
  t_release(c, there.owner);
  t_release(c, xs.owner);
  t_release(c, made.owner);
}

static void *work(void *number) {
  t_context *own = t_new(0);
  CHECK(own);
  for (int64_t k = 0; k < 20; k++) {
    chain(own, 100 + k + (int64_t)(intptr_t)number);
  }
  t_free(own);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc > 1) {
    t_context *c = t_new_on_device(atoi(argv[1]), NULL);
    double one = 1, norm = 0;
    int code = c ? t_norm(c, 1, &one, &norm) : -1;
    printf("%d %s\n", code, t_error(c));
    if (c && code) {
      /* Nothing works any more, and nothing breaks. */
      printf("%d %s\n", t_norm(c, 1, &one, &norm), t_error(c));
    }
    t_free(c);
    return 0;
  }
  t_context *c = t_new(0);
  CHECK(c);
  for (int64_t n = 0; n < 3; n++) {
    chain(c, n);
  }
  chain(c, 5000);
  again(c);
  failures(c);
  large(c);
  for (int k = 0; k < 1000; k++) {
    chain(c, 10);
  }
  pthread_t threads[3];
  for (intptr_t k = 0; k < 3; k++) {
    CHECK(!pthread_create(&threads[k], NULL, work, (void *)k));
  }
  for (int k = 0; k < 3; k++) {
    pthread_join(threads[k], NULL);
  }
  t_free(c);
  t_free(NULL);
  puts("good");
  return 0;
}
