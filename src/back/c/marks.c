/* In front of a loop whose iterations do not depend on each other. C compilers are told to vectorise no loops but those that are marked:
   GCC takes `s = s * s` for a sum of products. `omp simd` marks a loop, `ivdep` only says something about one. */
#ifdef REMORA_PLAIN
#define REMORA_ANY_ORDER
#elif defined __clang__
#define REMORA_ANY_ORDER _Pragma("clang loop vectorize(assume_safety)")
#else
#define REMORA_ANY_ORDER _Pragma("omp simd")
#endif

/* In front of such a loop whose branches read several elements of one row. GCC 12 reads them under a mask, and the wrong ones where they are
   combined crosswise, as in products of complex numbers. */
#ifdef __clang__
#define REMORA_TORN REMORA_ANY_ORDER
#else
#define REMORA_TORN
#endif

/* In front of a short loop with a jump out of it: four iterations at a time spare jumps. */
#ifdef __clang__
#define REMORA_SEVERAL
#else
#define REMORA_SEVERAL _Pragma("GCC unroll 4")
#endif


/* At a loop that collects and uses what it has collected. Clang makes NaN of prefix sums of infinities, at each first lane. */
#if defined REMORA_PLAIN || defined __clang__
#define REMORA_PREFIX(text)
#else
#define REMORA_PREFIX(text) _Pragma(text)
#endif
