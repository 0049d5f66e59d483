/* ---- Scalar operations that C has no operator for, or whose operator has another meaning. ---- */

#ifndef REMORA_FN /* the device library has its own */
#define REMORA_FN static inline
#define REMORA_POPC(x) __builtin_popcountll(x)
#define REMORA_CLZ(x) __builtin_clzll(x)
#define REMORA_CTZ(x) __builtin_ctzll(x)
#define REMORA_CONSTANT(x) __builtin_constant_p(x)
#ifndef __FLT16_MANT_DIG__ /* older compilers have no floats of 16 bits; programs without them need none */
#define REMORA_NO_HALF
#endif
#endif

#define REMORA_INT(T, U, W, BITS, SIGNED)                                                                                    \
  REMORA_FN T remora_div_##T(T a, T b) {                                                                                     \
    if (SIGNED && b == (T)-1) {                                                                                              \
      return (T)((U)0 - (U)a);                                                                                               \
    }                                                                                                                        \
    T q = (T)(a / b);                                                                                                        \
    return SIGNED && a % b != 0 && ((a % b < 0) != (b < 0)) ? (T)(q - 1) : q;                                                \
  }                                                                                                                          \
  REMORA_FN T remora_mod_##T(T a, T b) {                                                                                     \
    if (SIGNED && b == (T)-1) {                                                                                              \
      return 0;                                                                                                              \
    }                                                                                                                        \
    T r = (T)(a % b);                                                                                                        \
    return SIGNED && r != 0 && ((r < 0) != (b < 0)) ? (T)(r + b) : r;                                                        \
  }                                                                                                                          \
  REMORA_FN T remora_quot_##T(T a, T b) { return SIGNED && b == (T)-1 ? (T)((U)0 - (U)a) : (T)(a / b); }                     \
  REMORA_FN T remora_rem_##T(T a, T b) { return SIGNED && b == (T)-1 ? (T)0 : (T)(a % b); }                                  \
  REMORA_FN T remora_pow_##T(T base, T exponent) {                                                                           \
    U x = (U)base, r = 1;                                                                                                    \
    for (U n = (U)exponent; n; n >>= 1) {                                                                                    \
      if (n & 1) {                                                                                                           \
        r = (U)((uint64_t)r * (uint64_t)x);                                                                                  \
      }                                                                                                                      \
      x = (U)((uint64_t)x * (uint64_t)x);                                                                                    \
    }                                                                                                                        \
    return (T)r;                                                                                                             \
  }                                                                                                                          \
  REMORA_FN T remora_shl_##T(T a, T b) { return (U)b < BITS ? (T)((U)a << (U)b) : (T)0; }                                    \
  REMORA_FN T remora_shr_##T(T a, T b) { return (U)b < BITS ? (T)(a >> b) : (SIGNED && a < 0 ? (T)-1 : (T)0); }              \
  REMORA_FN T remora_ushr_##T(T a, T b) { return (U)b < BITS ? (T)((U)a >> (U)b) : (T)0; }                                   \
  REMORA_FN T remora_min_##T(T a, T b) { return a < b ? a : b; }                                                             \
  REMORA_FN T remora_max_##T(T a, T b) { return a > b ? a : b; }                                                             \
  REMORA_FN T remora_mul_hi_##T(T a, T b) { return (T)(((W)a * (W)b) >> BITS); }                                             \
  REMORA_FN T remora_abs_##T(T a) { return SIGNED && a < 0 ? (T)((U)0 - (U)a) : a; }                                         \
  REMORA_FN T remora_sgn_##T(T a) { return a > 0 ? (T)1 : SIGNED && a < 0 ? (T)-1 : (T)0; }                                  \
  REMORA_FN int32_t remora_popc_##T(T a) { return REMORA_POPC((uint64_t)(U)a); }                                             \
  REMORA_FN int32_t remora_clz_##T(T a) { return a == 0 ? BITS : REMORA_CLZ((uint64_t)(U)a) - (64 - BITS); }                 \
  REMORA_FN int32_t remora_ctz_##T(T a) { return a == 0 ? BITS : REMORA_CTZ((uint64_t)(U)a); }                               \
  REMORA_FN int32_t remora_get_bit_##T(int32_t i, T a) { return (uint32_t)i < BITS ? (int32_t)(((U)a >> i) & 1) : 0; }       \
  REMORA_FN T remora_set_bit_##T(int32_t i, T a, int32_t bit) {                                                              \
    return (uint32_t)i < BITS ? (T)(((U)a & ~((U)1 << i)) | ((U)(bit & 1) << i)) : a;                                        \
  }

REMORA_INT(int8_t, uint8_t, int32_t, 8, 1)
REMORA_INT(int16_t, uint16_t, int32_t, 16, 1)
REMORA_INT(int32_t, uint32_t, int64_t, 32, 1)
REMORA_INT(int64_t, uint64_t, __int128, 64, 1)
REMORA_INT(uint8_t, uint8_t, uint32_t, 8, 0)
REMORA_INT(uint16_t, uint16_t, uint32_t, 16, 0)
REMORA_INT(uint32_t, uint32_t, uint64_t, 32, 0)
REMORA_INT(uint64_t, uint64_t, unsigned __int128, 64, 0)

#define REMORA_BITS(NAME, FROM, TO)                                                                                          \
  REMORA_FN TO NAME(FROM x) {                                                                                                \
    TO y;                                                                                                                    \
    memcpy(&y, &x, sizeof y);                                                                                                \
    return y;                                                                                                                \
  }
REMORA_BITS(remora_bits_float, float, uint32_t)
REMORA_BITS(remora_bits_double, double, uint64_t)
REMORA_BITS(remora_from_bits_float, uint32_t, float)
REMORA_BITS(remora_from_bits_double, uint64_t, double)
#ifndef REMORA_NO_HALF
REMORA_BITS(remora_bits__Float16, _Float16, uint16_t)
REMORA_BITS(remora_from_bits__Float16, uint16_t, _Float16)
#endif

/* The minimum of a NaN and a number is the number; -0 is less than 0, whichever comes first: where both are equal, the bits of their signs
   are the only ones that may differ. Beside a constant that the comparison alone decides rightly, nothing more is computed. */
#define REMORA_FLOAT(T, S, PI)                                                                                               \
  REMORA_FN T remora_min_##T(T a, T b) {                                                                                     \
    T least = a < b ? a : b;                                                                                                 \
    T both = remora_from_bits_##T(remora_bits_##T(a) | remora_bits_##T(b));                                                  \
    return b != b ? a : a == b && !(REMORA_CONSTANT(b) && (b != 0 || signbit(b))) ? both : least;                            \
  }                                                                                                                          \
  REMORA_FN T remora_max_##T(T a, T b) {                                                                                     \
    T most = a > b ? a : b;                                                                                                  \
    T both = remora_from_bits_##T(remora_bits_##T(a) & remora_bits_##T(b));                                                  \
    return b != b ? a : a == b && !(REMORA_CONSTANT(b) && (b != 0 || !signbit(b))) ? both : most;                            \
  }                                                                                                                          \
  REMORA_FN T remora_sgn_##T(T a) { return a > 0 ? (T)1 : a < 0 ? (T)-1 : a; }                                               \
  REMORA_FN T remora_zero_or_##T(T a, T b) { return a == 0 ? (T)0 : b; }                                                     \
  REMORA_FN T remora_turn_##T(T x) { return x - 2 * rint##S(x / 2); }                                                        \
  REMORA_FN T remora_sinpi_##T(T x) {                                                                                        \
    T r = remora_turn_##T(x);                                                                                                \
    T folded = fabs##S(r) > (T)0.5 ? copysign##S((T)1, r) - r : r;                                                              \
    return sin##S(folded * PI);                                                                                              \
  }                                                                                                                          \
  REMORA_FN T remora_cospi_##T(T x) { return sin##S(((T)0.5 - fabs##S(remora_turn_##T(x))) * PI); }                          \
  REMORA_FN T remora_exp10_##T(T x) { return pow##S(10, x); }

#define REMORA_PI 3.14159265358979323846264338327950288
REMORA_FLOAT(float, f, (float)REMORA_PI)
REMORA_FLOAT(double, , REMORA_PI)

/* Conversions of floats to integers stop at the ends of the type; NaN becomes 0. */
#define REMORA_TO(T, LOW, HIGH)                                                                                              \
  REMORA_FN T remora_to_##T(double x) { return x != x ? 0 : x <= (double)LOW ? LOW : x >= (double)HIGH ? HIGH : (T)x; }
REMORA_TO(int8_t, INT8_MIN, INT8_MAX)
REMORA_TO(int16_t, INT16_MIN, INT16_MAX)
REMORA_TO(int32_t, INT32_MIN, INT32_MAX)
REMORA_TO(int64_t, INT64_MIN, INT64_MAX)
REMORA_TO(uint8_t, 0, UINT8_MAX)
REMORA_TO(uint16_t, 0, UINT16_MAX)
REMORA_TO(uint32_t, 0, UINT32_MAX)
REMORA_TO(uint64_t, 0, UINT64_MAX)

/* One value or the other, without a jump that keeps loops from being vectorised. */
#define REMORA_BLEND(T, U, BITS, FROM_BITS)                                                                                  \
  REMORA_FN T remora_blend_##T(int64_t mask, T a, T b) { return FROM_BITS((U)(((BITS(a) ^ BITS(b)) & (U)mask) ^ BITS(b))); }
REMORA_BLEND(int8_t, uint8_t, (uint8_t), (int8_t))
REMORA_BLEND(int16_t, uint16_t, (uint16_t), (int16_t))
REMORA_BLEND(int32_t, uint32_t, (uint32_t), (int32_t))
REMORA_BLEND(int64_t, uint64_t, (uint64_t), (int64_t))
REMORA_BLEND(uint8_t, uint8_t, (uint8_t), (uint8_t))
REMORA_BLEND(uint16_t, uint16_t, (uint16_t), (uint16_t))
REMORA_BLEND(uint32_t, uint32_t, (uint32_t), (uint32_t))
REMORA_BLEND(uint64_t, uint64_t, (uint64_t), (uint64_t))
REMORA_BLEND(float, uint32_t, remora_bits_float, remora_from_bits_float)
REMORA_BLEND(double, uint64_t, remora_bits_double, remora_from_bits_double)
#ifndef REMORA_NO_HALF
REMORA_BLEND(_Float16, uint16_t, remora_bits__Float16, remora_from_bits__Float16)
#endif
REMORA_FN bool remora_blend_bool(int64_t mask, bool a, bool b) { return ((uint8_t)mask & (uint8_t)a) | ((uint8_t)~mask & (uint8_t)b); }

/* `x` to the power of `twice / 2`, a constant: by multiplication, but to the last bit as `pow` has it where that counts. The square root
   of minus infinity would be no number, and that of -0 would be -0: half powers are not square roots there, although GCC takes a constant
   exponent of 0.5 for one where it vectorises a loop. */
#ifdef REMORA_STRICT
#define REMORA_POWER(T, S)                                                                                                   \
  REMORA_FN T remora_power_##T(T x, int twice) {                                                                             \
    T exponent = (T)twice / 2;                                                                                               \
    if (twice % 2) {                                                                                                         \
      __asm__("" : "+m"(exponent));                                                                                          \
    }                                                                                                                        \
    return pow##S(x, exponent);                                                                                              \
  }
#else
#define REMORA_POWER(T, S)                                                                                                   \
  REMORA_FN T remora_power_##T(T x, int twice) {                                                                         \
    int n = twice < 0 ? -twice : twice;                                                                                      \
    if (n % 2) {                                                                                                             \
      x = x == -(T)INFINITY ? (T)INFINITY : x == 0 ? (T)0 : x;                                                               \
    }                                                                                                                        \
    T product = 1;                                                                                                           \
    for (int k = 0; k < n / 2; k++) {                                                                                        \
      product *= x;                                                                                                          \
    }                                                                                                                        \
    if (n % 2) {                                                                                                             \
      product *= sqrt##S(x);                                                                                                 \
    }                                                                                                                        \
    return twice < 0 ? 1 / product : product;                                                                                \
  }
#endif
REMORA_POWER(float, f)
REMORA_POWER(double, )

/* A quotient by what has the reciprocal `r`: two steps that are exact but for the last rounding (Markstein, "Computation of elementary
   functions on the IBM RISC System/6000 processor", 1990). They take a fifth of a division's time in vector registers. */
#if defined(REMORA_STRICT) || !(defined(__FMA__) || defined(__aarch64__))
#define REMORA_QUOTIENT(T, S) REMORA_FN T remora_quotient_##T(T x, T y, T r) { return x / y; }
#else
#define REMORA_QUOTIENT(T, S)                                                                                                \
  REMORA_FN T remora_quotient_##T(T x, T y, T r) {                                                                           \
    T near = x * r, rest = fma##S(-near, y, x), quotient = fma##S(rest, r, near);                                            \
    return rest == rest ? quotient : near;                                                                                   \
  }
#endif
REMORA_QUOTIENT(float, f)
REMORA_QUOTIENT(double, )

#ifndef REMORA_NO_HALF
REMORA_FN _Float16 remora_next_after_half(_Float16 a, _Float16 b) {
  if (a != a || b != b) {
    return remora_from_bits__Float16(0x7e00);
  }
  if (a == b) {
    return b;
  }
  uint16_t bits = remora_bits__Float16(a);
  if (!(bits & 0x7fff)) {
    return remora_from_bits__Float16(1 | (remora_bits__Float16(b) & 0x8000));
  }
  int away = (a < b) == !(bits & 0x8000);
  return remora_from_bits__Float16(away ? bits + 1 : bits - 1);
}
#endif
