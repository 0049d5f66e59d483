/* ---- What SIMD lanes begin with and how they are combined, for floats. Other than those of OpenMP's own `max`, `min` and `+`, these neutral
   elements are neutral for all values: NaN gives way to every number, -0 plus 0 is 0. ---- */

#pragma omp declare reduction(remora_min : float : omp_out = remora_min_float(omp_out, omp_in)) initializer(omp_priv = (float)NAN)
#pragma omp declare reduction(remora_min : double : omp_out = remora_min_double(omp_out, omp_in)) initializer(omp_priv = (double)NAN)
#pragma omp declare reduction(remora_max : float : omp_out = remora_max_float(omp_out, omp_in)) initializer(omp_priv = (float)NAN)
#pragma omp declare reduction(remora_max : double : omp_out = remora_max_double(omp_out, omp_in)) initializer(omp_priv = (double)NAN)
#pragma omp declare reduction(remora_add : float, double : omp_out += omp_in) initializer(omp_priv = -0.0f)

/* Integers in the order of floats, -0 before 0, for prefix minima and maxima. NaN, which gives way to every number, is at the far end: the
   neutral element of OpenMP's `min` or `max`. */
#define REMORA_RANK(T, I, LOW, HIGH)                                                                                         \
  typedef I remora_rank_##T;                                                                                                 \
  REMORA_FN I remora_rank_min_##T(T x) {                                                                                     \
    I bits = (I)remora_bits_##T(x);                                                                                          \
    return x != x ? HIGH : bits < 0 ? bits ^ HIGH : bits;                                                                    \
  }                                                                                                                          \
  REMORA_FN I remora_rank_max_##T(T x) {                                                                                     \
    I bits = (I)remora_bits_##T(x);                                                                                          \
    return x != x ? LOW : bits < 0 ? bits ^ HIGH : bits;                                                                     \
  }                                                                                                                          \
  REMORA_FN T remora_of_rank_##T(I rank) { return remora_from_bits_##T((u##I)(rank < 0 ? rank ^ HIGH : rank)); }
REMORA_RANK(float, int32_t, INT32_MIN, INT32_MAX)
REMORA_RANK(double, int64_t, INT64_MIN, INT64_MAX)
