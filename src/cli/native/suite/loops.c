/* Small loops of the kinds that programs consist of, compiled with the options of programs and run once, behind the scalar operations of
   programs. Each case prints its name and a sum over all that it computes; what that has to be is computed elsewhere, not by C. */

#define N 203 /* no multiple of what fits into a register */
#define CALL __attribute__((noinline, hot)) /* else who is called by the cold only would be cold too, and optimised less */
#define COLD __attribute__((noinline, cold)) /* what is measured here is not its speed */

static volatile int64_t count_ = N, few_ = 9;
static uint64_t state_, sum_;

static COLD uint64_t next_(void) {
  state_ = state_ * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return state_ ^ (state_ >> 29);
}
static COLD void see_(uint64_t value) { sum_ = (sum_ ^ value) * UINT64_C(1099511628211); }
static CALL void begin_(void) {
  state_ = 1;
  sum_ = UINT64_C(14695981039346656037);
}
static CALL void end_(const char *name, const char *of) { printf("%s_%s %016llx\n", name, of, (unsigned long long)sum_); }
#define SEE(ARRAY, COUNT) for (volatile int64_t k_ = 0; k_ < (COUNT); k_++) see_((uint64_t)(ARRAY)[k_])

/* Integers: T, and the unsigned type U in which it is computed. */
#define ITSELF(T, U)                                                                                                         \
  static T a_##T[N], b_##T[N], o_##T[2 * N];                                                                                 \
  static CALL void fill_##T(void) {                                                                                          \
    begin_();                                                                                                                \
    for (int k = 0; k < N; k++) a_##T[k] = (T)next_();                                                                       \
    for (int k = 0; k < N; k++) b_##T[k] = (T)(next_() % 7);                                                                 \
  }                                                                                                                          \
  static CALL T power_##T(T s, int64_t n) {                                                                                  \
    for (int64_t i = 0; i < n; i++) s = (T)((U)s * (U)s);                                                                    \
    return s;                                                                                                                \
  }                                                                                                                          \
  static CALL T power3_##T(T s, int64_t n) {                                                                                 \
    for (int64_t i = 0; i < n; i++) s = (T)((U)((U)s * 3u) * (U)s);                                                          \
    return s;                                                                                                                \
  }                                                                                                                          \
  static CALL T double_##T(T s, int64_t n) {                                                                                 \
    for (int64_t i = 0; i < n; i++) s = (T)((U)s + (U)s);                                                                    \
    return s;                                                                                                                \
  }                                                                                                                          \
  static CALL T fixed_##T(T s) {                                                                                             \
    for (int64_t i = 0; i < 64; i++) s = (T)((U)s * (U)s);                                                                   \
    return s;                                                                                                                \
  }                                                                                                                          \
  static CALL T until_##T(T s, T most) {                                                                                     \
    T c = 0;                                                                                                                 \
    for (;;) {                                                                                                               \
      if (!(c < most)) break;                                                                                                \
      s = (T)((U)s * (U)s);                                                                                                  \
      c = (T)((U)c + 1);                                                                                                     \
    }                                                                                                                        \
    return s;                                                                                                                \
  }                                                                                                                          \
  static CALL T other_##T(const T *b, T s, int64_t n) {                                                                      \
    T t = 1;                                                                                                                 \
    for (int64_t i = 0; i < n; i++) {                                                                                        \
      T u = (T)((U)s + (U)t);                                                                                                \
      s = t;                                                                                                                 \
      t = (T)((U)b[i] - (U)u);                                                                                               \
    }                                                                                                                        \
    return t;                                                                                                                \
  }                                                                                                                          \
  static CALL void squares_##T(const T *a, T *o, int64_t n) {                                                                \
    REMORA_ANY_ORDER                                                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                                                        \
      T s = a[i];                                                                                                            \
      for (int64_t k = 0; k < 5; k++) s = (T)((U)s * (U)s);                                                                  \
      o[i] = s;                                                                                                              \
    }                                                                                                                        \
  }                                                                                                                          \
  static CALL void carried_##T(T *a, const T *b, int64_t n) {                                                                \
    for (int64_t i = 1; i < n; i++) a[i] = (T)((U)((U)a[i - 1] * 3u) + (U)b[i]);                                             \
    for (int64_t i = 0; i + 1 < n; i++) a[i] = (T)((U)a[i + 1] ^ (U)b[i]);                                                   \
    for (int64_t i = 0; i + 4 < n; i++) a[i + 4] = (T)((U)a[i] + (U)b[i]);                                                   \
  }                                                                                                                          \
  static COLD void test_itself_##T(const char *of) {                                                                         \
    const int64_t n = count_, few = few_;                                                                                    \
    T *a = a_##T, *b = b_##T, *o = o_##T;                                                                                    \
    fill_##T();                                                                                                              \
    for (volatile int64_t k = 0; k < 16; k++) see_((uint64_t)power_##T(a[k], few - k % 2));                                  \
    end_("power", of);                                                                                                       \
    fill_##T();                                                                                                              \
    for (volatile int64_t k = 0; k < 16; k++) see_((uint64_t)power3_##T(a[k], few)), see_((uint64_t)double_##T(a[k], 3));    \
    end_("product_of_itself", of);                                                                                           \
    fill_##T();                                                                                                              \
    for (volatile int64_t k = 0; k < 16; k++) see_((uint64_t)fixed_##T(a[k])), see_((uint64_t)until_##T((T)(k + 2), b[k]));  \
    end_("square_until", of);                                                                                                \
    fill_##T();                                                                                                              \
    see_((uint64_t)other_##T(b, a[0], n));                                                                                   \
    carried_##T(a, b, n);                                                                                                    \
    SEE(a, n);                                                                                                               \
    end_("carried", of);                                                                                                     \
    fill_##T();                                                                                                              \
    squares_##T(a, o, n);                                                                                                    \
    SEE(o, n);                                                                                                               \
    end_("squares", of);                                                                                                     \
  }

#define LOOPS(T, U)                                                                                                          \
  static CALL T sum_##T(const T *a, int64_t n) {                                                                             \
    T s = 1;                                                                                                                 \
    REMORA_ANY_ORDER                                                                                                         \
    for (int64_t i = 0; i < n; i++) s = (T)((U)s + (U)a[i]);                                                                 \
    return s;                                                                                                                \
  }                                                                                                                          \
  static CALL T product_##T(const T *a, int64_t n) {                                                                         \
    T s = 1;                                                                                                                 \
    REMORA_ANY_ORDER                                                                                                         \
    for (int64_t i = 0; i < n; i++) s = (T)((U)s * ((U)a[i] | 1u));                                                          \
    return s;                                                                                                                \
  }                                                                                                                          \
  static CALL T some_##T(const T *a, const T *b, int64_t n) {                                                                \
    T s = 0;                                                                                                                 \
    REMORA_ANY_ORDER                                                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                                                        \
      if (b[i] > 2) s = (T)((U)s + (U)a[i]);                                                                                 \
    }                                                                                                                        \
    return s;                                                                                                                \
  }                                                                                                                          \
  static CALL void most_##T(const T *a, int64_t n, T *o) {                                                                   \
    T least = a[0], most = a[0], all = a[0], any = a[0], odd = a[0];                                                         \
    REMORA_ANY_ORDER                                                                                                         \
    for (int64_t i = 1; i < n; i++) {                                                                                        \
      least = remora_min_##T(least, a[i]);                                                                                   \
      most = remora_max_##T(most, a[i]);                                                                                     \
      all = all & a[i];                                                                                                      \
      any = any | a[i];                                                                                                      \
      odd = odd ^ a[i];                                                                                                      \
    }                                                                                                                        \
    o[0] = least, o[1] = most, o[2] = all, o[3] = any, o[4] = odd;                                                           \
  }                                                                                                                          \
  static CALL void lanes_##T(const T *a, const T *b, T *o, int64_t n) {                                                      \
    T s[64];                                                                                                                 \
    for (int64_t block = 0; block < n / 64; block++) {                                                                       \
      REMORA_ANY_ORDER                                                                                                       \
      for (int64_t lane = 0; lane < 64; lane++) s[lane] = a[block * 64 + lane];                                              \
      for (int64_t i = 0; i < n; i++) {                                                                                      \
        T x = b[i];                                                                                                          \
        REMORA_ANY_ORDER                                                                                                     \
        for (int64_t lane = 0; lane < 64; lane++) s[lane] = s[lane] > x ? (T)((U)s[lane] - (U)x) : (T)((U)s[lane] * 5u);     \
      }                                                                                                                      \
      REMORA_ANY_ORDER                                                                                                       \
      for (int64_t lane = 0; lane < 64; lane++) o[block * 64 + lane] = s[lane];                                              \
    }                                                                                                                        \
  }                                                                                                                          \
  static CALL void moved_##T(const T *a, const T *b, T *o, int64_t n) {                                                      \
    REMORA_ANY_ORDER                                                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                                                        \
      o[2 * i] = a[n - 1 - i];                                                                                               \
      o[2 * i + 1] = a[(int64_t)b[i] * 29];                                                                                  \
    }                                                                                                                        \
  }                                                                                                                          \
  static CALL void shifts_##T(const T *a, const T *b, T *o, int64_t n) {                                                     \
    REMORA_ANY_ORDER                                                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                                                        \
      T by = (T)((U)b[i] * 11u - 1u);                                                                                        \
      o[i] = remora_shl_##T(a[i], by) ^ remora_shr_##T(a[i], by) ^ remora_ushr_##T(a[i], b[i]);                              \
    }                                                                                                                        \
  }                                                                                                                          \
  static CALL void parts_##T(const T *a, const T *b, T *o, int64_t n) {                                                      \
    REMORA_ANY_ORDER                                                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                                                        \
      T by = (T)((U)b[i] + 2u);                                                                                              \
      o[i] = (T)((U)remora_div_##T(a[i], by) + (U)remora_rem_##T(a[i], by) * 3u);                                            \
    }                                                                                                                        \
  }                                                                                                                          \
  static CALL void bits_##T(const T *a, T *o, int64_t n) {                                                                   \
    REMORA_ANY_ORDER                                                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                                                        \
      o[i] = (T)((U)remora_mul_hi_##T(a[i], a[n - 1 - i]) + (U)remora_popc_##T(a[i]) + (U)remora_abs_##T(a[i]) * 2u);        \
    }                                                                                                                        \
  }                                                                                                                          \
  static CALL int64_t first_##T(const T *a, int64_t n) {                                                                     \
    T best = a[0];                                                                                                           \
    int64_t at = 0;                                                                                                          \
    for (int64_t i = 1; i < n; i++) {                                                                                        \
      if (a[i] > best) {                                                                                                     \
        best = a[i];                                                                                                         \
        at = i;                                                                                                              \
      }                                                                                                                      \
    }                                                                                                                        \
    return at;                                                                                                               \
  }                                                                                                                          \
  static CALL void kinds_##T(const T *a, int64_t n, int8_t *x, int16_t *y, int32_t *z, int64_t *w) {                         \
    REMORA_ANY_ORDER                                                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                                                        \
      x[i] = (int8_t)a[i], y[i] = (int16_t)a[i], z[i] = (int32_t)a[i], w[i] = (int64_t)a[i];                                 \
    }                                                                                                                        \
  }                                                                                                                          \
  static CALL int64_t true_##T(const T *a, const T *b, int64_t n) {                                                          \
    int64_t s = 0;                                                                                                           \
    bool every = true, any = false;                                                                                          \
    _Pragma("omp simd reduction(&& : every) reduction(|| : any)")                                                            \
    for (int64_t i = 0; i < n; i++) {                                                                                        \
      every = every && b[i] < 6;                                                                                             \
      any = any || b[i] == 3;                                                                                                \
    }                                                                                                                        \
    REMORA_ANY_ORDER                                                                                                         \
    for (int64_t i = 0; i < n; i++) s = (int64_t)((uint64_t)s + (uint64_t)(a[i] < b[i] || (a[i] & 1)));                      \
    return s * 4 + every * 2 + any;                                                                                          \
  }                                                                                                                          \
  static COLD void test_##T(const char *of) {                                                                                \
    const int64_t n = count_;                                                                                                \
    T *a = a_##T, *b = b_##T, *o = o_##T;                                                                                    \
    fill_##T();                                                                                                              \
    see_((uint64_t)sum_##T(a, n)), see_((uint64_t)product_##T(a, n)), see_((uint64_t)some_##T(a, b, n));                     \
    most_##T(a, n, o);                                                                                                       \
    SEE(o, 5);                                                                                                               \
    see_((uint64_t)first_##T(a, n)), see_((uint64_t)true_##T(a, b, n));                                                      \
    end_("reduce", of);                                                                                                      \
    fill_##T();                                                                                                              \
    lanes_##T(a, b, o, n);                                                                                                   \
    SEE(o, 192);                                                                                                             \
    end_("lanes", of);                                                                                                       \
    fill_##T();                                                                                                              \
    moved_##T(a, b, o, n);                                                                                                   \
    SEE(o, 2 * n);                                                                                                           \
    end_("moved", of);                                                                                                       \
    fill_##T();                                                                                                              \
    shifts_##T(a, b, o, n);                                                                                                  \
    SEE(o, n);                                                                                                               \
    end_("shifts", of);                                                                                                      \
    fill_##T();                                                                                                              \
    parts_##T(a, b, o, n);                                                                                                   \
    SEE(o, n);                                                                                                               \
    bits_##T(a, o, n);                                                                                                       \
    SEE(o, n);                                                                                                               \
    end_("arithmetic", of);                                                                                                  \
    fill_##T();                                                                                                              \
    static int8_t x[N];                                                                                                      \
    static int16_t y[N];                                                                                                     \
    static int32_t z[N];                                                                                                     \
    static int64_t w[N];                                                                                                     \
    kinds_##T(a, n, x, y, z, w);                                                                                             \
    SEE(x, n);                                                                                                               \
    SEE(y, n);                                                                                                               \
    SEE(z, n);                                                                                                               \
    SEE(w, n);                                                                                                               \
    end_("converted", of);                                                                                                   \
  }

/* Small integers under guards: GCC 12.2 takes one guard for another in its propagation of value ranges. */
#define GUARDS(T, U)                                                                                                         \
  static T a_##T[N], o_##T[2 * N];                                                                                           \
  static float y_##T[N];                                                                                                     \
  static CALL void fill_##T(void) {                                                                                          \
    begin_();                                                                                                                \
    for (int k = 0; k < N; k++) a_##T[k] = (T)(next_() % 8 == 0 ? 0 : next_() % 23);                                         \
    for (int k = 0; k < N; k++) y_##T[k] = (float)((int64_t)(next_() % 512) - 256);                                          \
  }                                                                                                                          \
  /* The guards of counts and of divisors are other ones than those asked before. */                                         \
  static CALL int count_##T(const T *a, const float *y, T *t, T *o, int64_t n) {                                             \
    for (int64_t i = 0; i < n; i++) {                                                                                        \
      T x = a[i], by = x == 0 ? 3 : x, r;                                                                                    \
      if (!__builtin_expect(by != 0, 1)) return 1;                                                                           \
      t[i] = remora_div_##T(7, by) > 0;                                                                                      \
      if (0.5f * y[i] * y[i] < 0.1f - y[i]) {                                                                                \
        r = 0;                                                                                                               \
      } else {                                                                                                               \
        T d = (T)((U)10 * (U)x), first = remora_ushr_##T((T)65535, x);                                                       \
        r = remora_ushr_##T(first, d == 0 ? 3 : d);                                                                          \
      }                                                                                                                      \
      o[i] = r;                                                                                                              \
    }                                                                                                                        \
    return 0;                                                                                                                \
  }                                                                                                                          \
  static CALL int divisor_##T(const T *a, const float *y, T *t, T *o, int64_t n) {                                           \
    for (int64_t i = 0; i < n; i++) {                                                                                        \
      T x = a[i], by = x == 0 ? 3 : x, r;                                                                                    \
      if (!__builtin_expect(by != 0, 1)) return 1;                                                                           \
      t[i] = remora_div_##T(7, by) > 0;                                                                                      \
      if (0.5f * y[i] * y[i] < 0.1f - y[i]) {                                                                                \
        r = 0;                                                                                                               \
      } else {                                                                                                               \
        T d = (T)((U)10 * (U)x), first = remora_ushr_##T((T)65535, x), e = d == 0 ? 3 : d;                                   \
        if (!__builtin_expect(e != 0, 1)) return 2;                                                                          \
        r = remora_ushr_##T(first, remora_div_##T(x, e));                                                                    \
      }                                                                                                                      \
      o[i] = r;                                                                                                              \
    }                                                                                                                        \
    return 0;                                                                                                                \
  }                                                                                                                          \
  static COLD void test_guards_##T(const char *of) {                                                                         \
    const int64_t n = count_;                                                                                                \
    T *a = a_##T, *o = o_##T;                                                                                                \
    fill_##T();                                                                                                              \
    see_((uint64_t)count_##T(a, y_##T, o, o + n, n));                                                                        \
    SEE(o, 2 * n);                                                                                                           \
    see_((uint64_t)divisor_##T(a, y_##T, o, o + n, n));                                                                      \
    SEE(o, 2 * n);                                                                                                           \
    end_("guards", of);                                                                                                      \
  }

/* Floats: small whole numbers, so that every order gives the same sums. I is an integer of the size. */
#define FLOATS(T, I, S)                                                                                                      \
  static T a_##T[N], b_##T[N], o_##T[N];                                                                                     \
  static I c_##T[N];                                                                                                         \
  static CALL void fill_##T(void) {                                                                                          \
    begin_();                                                                                                                \
    for (int k = 0; k < N; k++) a_##T[k] = (T)((int64_t)(next_() % 512) - 256);                                              \
    for (int k = 0; k < N; k++) b_##T[k] = (T)(next_() % 7);                                                                 \
  }                                                                                                                          \
  static COLD void show_##T(const T *o, int64_t n) {                                                                         \
    for (volatile int64_t k = 0; k < n; k++) {                                                                               \
      I bits;                                                                                                                \
      T x = o[k];                                                                                                            \
      memcpy(&bits, &x, sizeof bits);                                                                                        \
      see_(x != x ? 1 : (uint64_t)bits);                                                                                     \
    }                                                                                                                        \
  }                                                                                                                          \
  static CALL T power_##T(T s, int64_t n) {                                                                                  \
    for (int64_t i = 0; i < n; i++) s = s * s;                                                                               \
    return s;                                                                                                                \
  }                                                                                                                          \
  static CALL void sums_##T(const T *a, const T *b, int64_t n, T *o) {                                                       \
    T s = 0, most = a[0], least = a[0];                                                                                      \
    _Pragma("omp simd reduction(remora_add : s) reduction(remora_max : most) reduction(remora_min : least)")                 \
    for (int64_t i = 0; i < n; i++) {                                                                                        \
      s = s + a[i] * b[i];                                                                                                   \
      most = remora_max_##T(most, a[i]);                                                                                     \
      least = remora_min_##T(least, a[i]);                                                                                   \
    }                                                                                                                        \
    o[0] = s, o[1] = most, o[2] = least;                                                                                     \
  }                                                                                                                          \
  static CALL void scan_##T(const T *a, T *o, int64_t n) {                                                                   \
    T s = 0;                                                                                                                 \
    REMORA_PREFIX("omp simd reduction(inscan, remora_add : s)")                                                              \
    for (int64_t i = 0; i < n; i++) {                                                                                        \
      { s = s + a[i]; }                                                                                                      \
      REMORA_PREFIX("omp scan inclusive(s)")                                                                                 \
      { o[i] = s; }                                                                                                          \
    }                                                                                                                        \
  }                                                                                                                          \
  static CALL void prefixes_##T(const T *a, T *o, int64_t n) {                                                               \
    remora_rank_##T most = remora_rank_max_##T((T)NAN);                                                                      \
    REMORA_PREFIX("omp simd reduction(inscan, max : most)")                                                                  \
    for (int64_t i = 0; i < n; i++) {                                                                                        \
      { most = remora_rank_max_##T(remora_max_##T(remora_of_rank_##T(most), a[i])); }                                        \
      REMORA_PREFIX("omp scan inclusive(most)")                                                                              \
      { o[i] = remora_of_rank_##T(most); }                                                                                   \
    }                                                                                                                        \
  }                                                                                                                          \
  static CALL T inorder_##T(const T *a, int64_t n) {                                                                         \
    T s = 0;                                                                                                                 \
    for (int64_t i = 0; i < n; i++) s = (s + a[i]) / 3;                                                                      \
    return s;                                                                                                                \
  }                                                                                                                          \
  static CALL void maps_##T(const T *a, const T *b, T *o, I *c, int64_t n) {                                                 \
    REMORA_ANY_ORDER                                                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                                                        \
      T x = a[i] / b[i], y = b[i] < 5 ? sqrt##S(fabs##S(a[i])) : floor##S(a[i] / 8) + copysign##S((T)0.5, a[i]);             \
      o[i] = remora_max_##T(x, y) - remora_min_##T(y, b[i]);                                                                 \
      c[i] = (I)(a[i] / 4) + (I)(x < y || x != x);                                                                           \
    }                                                                                                                        \
  }                                                                                                                          \
  static CALL int64_t near_##T(const T *b, T *o, int64_t n) {                                                                \
    int64_t wrong = 0;                                                                                                       \
    REMORA_ANY_ORDER                                                                                                         \
    for (int64_t i = 0; i < n; i++) o[i] = exp##S(b[i]) + sin##S(b[i]) + log##S(b[i] + 1);                                   \
    for (volatile int64_t k = 0; k < n; k++) {                                                                               \
      volatile T x = b[k], one = 1;                                                                                          \
      T e = exp##S(x) + sin##S(x) + log##S(x + one);                                                                         \
      wrong += !(fabs##S(o[k] - e) <= (T)1e-5 * fabs##S(e) + (T)1e-5);                                                       \
    }                                                                                                                        \
    return wrong;                                                                                                            \
  }                                                                                                                          \
  static COLD void test_##T(const char *of) {                                                                                \
    const int64_t n = count_;                                                                                                \
    T *a = a_##T, *b = b_##T, *o = o_##T;                                                                                    \
    fill_##T();                                                                                                              \
    for (int k = 0; k < 8; k++) o[k] = power_##T(1 + a[k] / 1024, few_ - 3);                                                 \
    o[8] = inorder_##T(a, n);                                                                                                \
    show_##T(o, 9);                                                                                                          \
    end_("power", of);                                                                                                       \
    fill_##T();                                                                                                              \
    sums_##T(a, b, n, o);                                                                                                    \
    show_##T(o, 3);                                                                                                          \
    end_("reduce", of);                                                                                                      \
    fill_##T();                                                                                                              \
    scan_##T(a, o, n);                                                                                                       \
    show_##T(o, n);                                                                                                          \
    prefixes_##T(a, o, n);                                                                                                   \
    show_##T(o, n);                                                                                                          \
    for (volatile int64_t i = 0; i < n; i++) b[i] = -(T)INFINITY;                                                            \
    scan_##T(b, o, n);                                                                                                       \
    show_##T(o, n);                                                                                                          \
    end_("scan", of);                                                                                                        \
    fill_##T();                                                                                                              \
    maps_##T(a, b, o, c_##T, n);                                                                                             \
    show_##T(o, n);                                                                                                          \
    SEE(c_##T, n);                                                                                                           \
    end_("map", of);                                                                                                         \
    fill_##T();                                                                                                              \
    see_((uint64_t)near_##T(b, o, n));                                                                                       \
    end_("functions", of);                                                                                                   \
  }

ITSELF(int8_t, uint32_t)
ITSELF(int16_t, uint32_t)
ITSELF(int32_t, uint32_t)
ITSELF(int64_t, uint64_t)
ITSELF(uint8_t, uint32_t)
LOOPS(int32_t, uint32_t)
LOOPS(int64_t, uint64_t)
LOOPS(uint8_t, uint32_t)
GUARDS(uint16_t, uint32_t)
FLOATS(float, int32_t, f)
FLOATS(double, int64_t, )

int main(void) {
  alarm(10);
  test_itself_int8_t("i8");
  test_itself_int16_t("i16");
  test_itself_int32_t("i32");
  test_itself_int64_t("i64");
  test_itself_uint8_t("u8");
  test_int32_t("i32");
  test_int64_t("i64");
  test_uint8_t("u8");
  test_guards_uint16_t("u16");
  test_float("f32");
  test_double("f64");
  return 0;
}
