/* ---- The program ---- */

#define REMORA_LIKELY(x) __builtin_expect(!!(x), 1)

/* The product of sizes of what exists. */
REMORA_DEVICE int64_t remora_count(int64_t a, int64_t b) { return a * b; }

/* Elements in a row; the places may overlap. */
template <class T> REMORA_DEVICE void remora_move(T *to, const T *from, int64_t count) {
  if (to <= from) {
    for (int64_t k = 0; k < count; k++) {
      to[k] = from[k];
    }
  } else {
    for (int64_t k = count; k-- > 0;) {
      to[k] = from[k];
    }
  }
}
