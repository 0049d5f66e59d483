#if !defined(REMORA_STRICT) && defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
/* The C library has vector versions of these (libmvec, at most 4 units in the last place off). Clang knows them by an option. */
#define REMORA_VECTOR(T, NAME) extern __attribute__((simd("notinbranch"), const)) T NAME(T);
REMORA_VECTOR(double, exp)
REMORA_VECTOR(double, log)
REMORA_VECTOR(float, expf)
REMORA_VECTOR(float, logf)
/* A compiler that knows sine and cosine of the same number by their names makes one call of them, which has no vector version. */
#define REMORA_UNKNOWN(T, NAME) extern __attribute__((simd("notinbranch"), const)) T remora_##NAME(T) __asm__(#NAME);
REMORA_UNKNOWN(double, sin)
REMORA_UNKNOWN(double, cos)
REMORA_UNKNOWN(float, sinf)
REMORA_UNKNOWN(float, cosf)
#define sin(x) remora_sin(x)
#define cos(x) remora_cos(x)
#define sinf(x) remora_sinf(x)
#define cosf(x) remora_cosf(x)
extern __attribute__((simd("notinbranch"), const)) double pow(double, double);
extern __attribute__((simd("notinbranch"), const)) float powf(float, float);
#if __GLIBC_PREREQ(2, 35)
REMORA_VECTOR(double, tan)
REMORA_VECTOR(double, tanh)
REMORA_VECTOR(double, sinh)
REMORA_VECTOR(double, cosh)
REMORA_VECTOR(double, atan)
REMORA_VECTOR(double, asin)
REMORA_VECTOR(double, acos)
REMORA_VECTOR(double, exp2)
REMORA_VECTOR(double, expm1)
REMORA_VECTOR(double, log2)
REMORA_VECTOR(double, log10)
REMORA_VECTOR(double, log1p)
REMORA_VECTOR(double, cbrt)
REMORA_VECTOR(double, erf)
REMORA_VECTOR(float, tanf)
REMORA_VECTOR(float, tanhf)
REMORA_VECTOR(float, sinhf)
REMORA_VECTOR(float, coshf)
REMORA_VECTOR(float, atanf)
REMORA_VECTOR(float, asinf)
REMORA_VECTOR(float, acosf)
REMORA_VECTOR(float, exp2f)
REMORA_VECTOR(float, expm1f)
REMORA_VECTOR(float, log2f)
REMORA_VECTOR(float, log10f)
REMORA_VECTOR(float, log1pf)
REMORA_VECTOR(float, cbrtf)
REMORA_VECTOR(float, erff)
#endif
#endif

/* ---- Contexts ---- */

/* More threads than this are of no use, and the system may not have them. */
#define REMORA_MOST_THREADS 512

/* The processors that this process may use. */
static int remora_processors(void) {
#ifdef CPU_COUNT
  cpu_set_t set;
  if (!sched_getaffinity(0, sizeof set, &set)) {
    return CPU_COUNT(&set);
  }
#endif
  long there = sysconf(_SC_NPROCESSORS_ONLN);
  return there > 0 && there < REMORA_MOST_THREADS ? (int)there : 1;
}

/* What is looked at where nobody wants calls to end early. */
static const int remora_never;

REMORA_EXPORT remora_context *remora_context_new(int threads) {
  remora_context *c = calloc(1, sizeof *c);
  if (!c) {
    return NULL;
  }
  int processors = remora_processors();
  c->threads = threads > 0 ? threads : processors;
  if (c->threads > REMORA_MOST_THREADS) {
    c->threads = REMORA_MOST_THREADS;
  }
  c->thread = calloc((size_t)c->threads, sizeof *c->thread);
  if (!c->thread) {
    free(c);
    return NULL;
  }
  c->stop = &remora_never;
  pthread_mutex_init(&c->in_use, NULL);
  pthread_mutex_init(&c->crew.lock, NULL);
  pthread_cond_init(&c->crew.begun, NULL);
  pthread_cond_init(&c->crew.done, NULL);
  /* A thread that is awake would be in the way of others where there are more of them than processors. */
  c->crew.patience = c->threads <= processors ? 50000 : 0;
  for (int k = 0; k < c->threads; k++) {
    c->thread[k].context = c;
    c->thread[k].order = -1;
#ifdef REMORA_PROFILE
    c->thread[k].row = -1;
    c->thread[k].rows = calloc(REMORA_PROFILE + 1, sizeof(remora_row));
    if (!c->thread[k].rows) {
      c->threads = k;
      remora_context_free(c);
      return NULL;
    }
#endif
  }
  return c;
}

REMORA_EXPORT void remora_context_free(remora_context *c) {
  if (c) {
    remora_dismiss(c);
    for (int k = 0; k < c->threads; k++) {
      remora_flush(&c->thread[k]);
#ifdef REMORA_PROFILE
      free(c->thread[k].rows);
#endif
    }
    pthread_mutex_destroy(&c->in_use);
    pthread_mutex_destroy(&c->crew.lock);
    pthread_cond_destroy(&c->crew.begun);
    pthread_cond_destroy(&c->crew.done);
    free(c->thread);
    free(c);
  }
}

/* The most bytes that arrays have taken at a time since the last call. */
REMORA_EXPORT int64_t remora_peak_bytes(remora_context *c) {
  int64_t peak = c->thread[0].peak > c->peak ? c->thread[0].peak : c->peak;
  c->peak = 0;
  for (int k = 0; k < c->threads; k++) {
    c->thread[k].peak = c->thread[k].live;
  }
  return peak;
}

/* Names what is looked at; nothing for nothing. */
REMORA_EXPORT void remora_context_stop(remora_context *c, const int *stop) { c->stop = stop ? stop : &remora_never; }

REMORA_EXPORT void *remora_array_data(remora_block *block) { return remora_data(block); }

