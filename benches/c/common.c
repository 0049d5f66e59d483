/* The harness of the hand-written C programs: reads arguments from .npy files, measures, writes results.

     PROGRAM ARG.npy...                       one JSON object with the times on standard output
       -o PREFIX      run once, write PREFIX0.npy, PREFIX1.npy, .. and measure nothing
       --runs N       at least N measured runs (10)
       --seconds S    at least S seconds of measured runs (2)
       --limit S      end after S seconds even if that makes fewer runs, but at least one (60)
       --threads N    threads (what OpenMP takes by itself)
       --fresh        give freed memory back to the system at once, so that every run pays for fresh pages

   A run allocates its results, computes them, and frees them. Freed memory is used again unless --fresh is given, as in any
   program that computes more than once and cares: pages that the system has to clear first cost more than most of these
   programs. */
#include "bench.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static void fail(const char *what, const char *detail) {
  fprintf(stderr, "%s: %s: %s\n", bench_name, what, detail);
  exit(1);
}

/* ---- memory ---- */

/* In front of every block. Blocks that were given back wait in a list for the next array of about their size. */
typedef struct block {
  size_t bytes, room;
  struct block *next;
} block;

enum { HEADER = 64, PAGE = 4096 };

static size_t bytes_now, bytes_peak;
static block *spare;
static int keep = 1;

void *take(size_t bytes) {
  size_t room = (HEADER + bytes + PAGE - 1) / PAGE * PAGE;
  block **from = &spare;
  while (*from && ((*from)->room < room || (*from)->room / 2 > room)) from = &(*from)->next;
  block *found = *from;
  if (found) *from = found->next;
  else if ((found = aligned_alloc(HEADER, room))) found->room = room;
  else fail("out of memory", "an array does not fit");
  found->bytes = bytes;
  bytes_now += bytes;
  if (bytes_now > bytes_peak) bytes_peak = bytes_now;
  return (char *)found + HEADER;
}

void give(void *memory) {
  if (!memory) return;
  block *done = (block *)((char *)memory - HEADER);
  bytes_now -= done->bytes;
  if (!keep) {
    free(done);
    return;
  }
  done->next = spare;
  spare = done;
}

static const size_t type_size[] = {4, 8, 4, 8};
static const char *const type_name[] = {"f32", "f64", "i32", "i64"};
static const char *const npy_name[] = {"<f4", "<f8", "<i4", "<i8"};

static size_t array_bytes(const array *a) {
  size_t bytes = type_size[a->type];
  for (int i = 0; i < a->rank; i++) bytes *= (size_t)a->shape[i];
  return bytes;
}

array new_array(enum bench_type type, int rank, ...) {
  array a = {.type = type, .rank = rank};
  va_list shape;
  va_start(shape, rank);
  for (int i = 0; i < rank; i++) a.shape[i] = va_arg(shape, int64_t);
  va_end(shape);
  a.data = take(array_bytes(&a));
  return a;
}

array scalar_f64(double value) {
  array a = new_array(TYPE_F64, 0);
  F64(a)[0] = value;
  return a;
}

/* ---- .npy files: what NumPy writes for these programs, C order and little endian only ---- */

static array read_npy(const char *path, const char *type, int rank) {
  FILE *file = fopen(path, "rb");
  unsigned char head[12];
  if (!file || fread(head, 1, 10, file) != 10 || memcmp(head, "\x93NUMPY", 6) != 0) fail(path, "no .npy file");
  size_t length = head[8] | head[9] << 8;
  if (head[6] > 1) {
    if (fread(head + 10, 1, 2, file) != 2) fail(path, "truncated");
    length |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
  }
  char header[1024];
  if (length >= sizeof header || fread(header, 1, length, file) != length) fail(path, "bad header");
  header[length] = 0;

  array a = {.rank = 0};
  const char *descr = strstr(header, "'descr': '"), *shape = strstr(header, "'shape': (");
  if (!descr || !shape || !strstr(header, "'fortran_order': False")) fail(path, "not in C order");
  while (a.type <= TYPE_I64 && strncmp(descr + 10, npy_name[a.type], 3) != 0) a.type++;
  if (a.type > TYPE_I64 || strncmp(type, type_name[a.type], 3) != 0) fail(path, "wrong element type");
  for (const char *p = shape + 10; *p && *p != ')';) {
    char *end;
    long long n = strtoll(p, &end, 10);
    if (end == p || n < 0 || a.rank == MAX_RANK) fail(path, "bad shape");
    a.shape[a.rank++] = n;
    for (p = end; *p == ',' || *p == ' '; p++) {}
  }
  if (a.rank != rank) fail(path, "wrong rank");
  size_t bytes = array_bytes(&a);
  a.data = take(bytes);
  if (fread(a.data, 1, bytes, file) != bytes) fail(path, "truncated");
  fclose(file);
  return a;
}

static void write_npy(const char *prefix, int number, const array *a) {
  char path[4096], header[256], shape[128] = "";
  int used = 0;
  for (int i = 0; i < a->rank; i++) used += sprintf(shape + used, "%lld, ", (long long)a->shape[i]);
  int length =
      snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", npy_name[a->type], shape);
  int padded = (10 + length + 1 + 63) / 64 * 64 - 10;
  snprintf(path, sizeof path, "%s%d.npy", prefix, number);
  FILE *file = fopen(path, "wb");
  if (!file) fail(path, "cannot be written");
  fprintf(file, "\x93NUMPY%c%c%c%c%s%*s", 1, 0, padded & 255, padded >> 8, header, padded - length, "\n");
  fwrite(a->data, 1, array_bytes(a), file);
  if (ferror(file) || fclose(file) != 0) fail(path, "cannot be written");
}

/* Reads the arguments that the signature asks for, and says how many there are. */
static int read_arguments(char **paths, int given, array *in) {
  int count = 0;
  for (const char *p = bench_signature; *p;) {
    const char *type = p;
    int rank = 0;
    for (p += 3; *p == '['; p += 2) rank++;
    while (*p == ' ') p++;
    if (count == given) fail("arguments", bench_signature);
    in[count] = read_npy(paths[count], type, rank);
    count++;
  }
  if (count != given) fail("arguments", bench_signature);
  return count;
}

/* ---- measuring ---- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void free_results(array *out) {
  for (int i = 0; i < MAX_RESULTS; i++) give(out[i].data), out[i].data = NULL;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(const array *in, int arguments, long min_runs, double seconds, double limit) {
  array out[MAX_RESULTS] = {{0}};
  size_t moved = 0;
  for (int i = 0; i < arguments; i++) moved += array_bytes(&in[i]);
  bench_run(in, out); /* the first of the runs that only warm up; it says how large the results are */
  for (int i = 0; i < MAX_RESULTS; i++) moved += out[i].data ? array_bytes(&out[i]) : 0;
  free_results(out);
  for (double begin = now(); now() - begin < seconds / 10;) bench_run(in, out), free_results(out);

  size_t room = 1024, runs = 0;
  double *times = malloc(room * sizeof *times);
  for (double begin = now(), spent = 0; runs == 0 || (((long)runs < min_runs || spent < seconds) && spent < limit);) {
    if (runs == room) times = realloc(times, (room *= 2) * sizeof *times);
    if (!times) fail("out of memory", "times");
    double start = now();
    bench_run(in, out);
    free_results(out);
    times[runs++] = now() - start;
    spent = now() - begin;
  }
  qsort(times, runs, sizeof *times, compare_doubles);
  double median = runs % 2 ? times[runs / 2] : (times[runs / 2 - 1] + times[runs / 2]) / 2;
  printf("{\"entry\": \"%s\", \"backend\": \"c\", \"threads\": %d, \"runs\": %zu, \"median_seconds\": %.9g, "
         "\"min_seconds\": %.9g, \"max_seconds\": %.9g, \"bytes_per_second\": %.6g, \"peak_bytes\": %zu}\n",
         bench_name, omp_get_max_threads(), runs, median, times[0], times[runs - 1], (double)moved / median, bytes_peak);
  free(times);
}

int main(int argc, char **argv) {
  char *paths[MAX_ARGUMENTS + 1];
  const char *prefix = NULL;
  int given = 0;
  long runs = 10;
  double seconds = 2, limit = 60;
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(argv[i], "--fresh") == 0) keep = 0;
    else if (argv[i][0] != '-') {
      if (given == MAX_ARGUMENTS) fail("arguments", bench_signature);
      paths[given++] = argv[i];
    } else {
      if (!value) fail(argv[i], "a value or an option is missing");
      if (strcmp(argv[i], "-o") == 0) prefix = value;
      else if (strcmp(argv[i], "--runs") == 0) runs = atol(value);
      else if (strcmp(argv[i], "--seconds") == 0) seconds = atof(value);
      else if (strcmp(argv[i], "--limit") == 0) limit = atof(value);
      else if (strcmp(argv[i], "--threads") == 0 && atoi(value) > 0) omp_set_num_threads(atoi(value));
      else fail(argv[i], "unknown option or value");
      i++;
    }
  }
  if (!keep) mallopt(M_MMAP_THRESHOLD, 128 << 10); /* said explicitly, it does not grow with the blocks that are freed */
  array in[MAX_ARGUMENTS];
  int arguments = read_arguments(paths, given, in);
  if (prefix) {
    array out[MAX_RESULTS] = {{0}};
    bench_run(in, out);
    for (int i = 0; i < MAX_RESULTS; i++) {
      if (out[i].data) write_npy(prefix, i, &out[i]);
    }
    free_results(out);
  } else {
    measure(in, arguments, runs, seconds, limit);
  }
  for (int i = 0; i < arguments; i++) give(in[i].data);
  while (spare) {
    block *next = spare->next;
    free(spare);
    spare = next;
  }
  return 0;
}
