/* What the hand-written C programs beside this file share: arrays, memory, and the declaration of an entry point.

   A program NAME.c defines its entry point as

     BENCH(NAME, "f32[] f32[] f32") { ... F32(in[0]) ... out[0] = new_array(TYPE_F32, 1, n); ... }

   with the types of the arguments in order, `[]` for every dimension. It allocates its results, which the harness in common.c
   frees; both are inside the time that is measured. Shapes that belong together are not compared: the programs run on the
   inputs of the examples only. */
#ifndef BENCH_H
#define BENCH_H

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum bench_type { TYPE_F32, TYPE_F64, TYPE_I32, TYPE_I64 };

enum { MAX_RANK = 3, MAX_ARGUMENTS = 8, MAX_RESULTS = 2 };

typedef struct {
  enum bench_type type;
  int rank;
  int64_t shape[MAX_RANK];
  void *data; /* row by row, aligned to 64 bytes */
} array;

#define F32(a) ((float *restrict)(a).data)
#define F64(a) ((double *restrict)(a).data)
#define I32(a) ((int32_t *restrict)(a).data)
#define I64(a) ((int64_t *restrict)(a).data)

extern const char bench_name[];
extern const char bench_signature[];

/* Fills out[0], out[1], .. and leaves the others untouched. */
void bench_run(const array *in, array *out);

#define BENCH(name, signature)                                                                                                   \
  const char bench_name[] = #name;                                                                                               \
  const char bench_signature[] = signature;                                                                                      \
  void bench_run(const array *in, array *out)

/* A result of the given type and shape (rank numbers of type int64_t), not initialised. */
array new_array(enum bench_type type, int rank, ...);

/* A result of rank 0. */
array scalar_f64(double value);

/* Memory aligned to 64 bytes, not initialised, counted in `peak_bytes`; ends the program when there is none. Only for the thread
   that starts the others. */
void *take(size_t bytes);
void give(void *memory);

/* Below this many elementary steps a loop is not worth the start of a team of threads (some microseconds). */
enum { GRAIN = 1 << 15 };

#endif
