/* ---- The program ---- */

#define REMORA_LIKELY(x) __builtin_expect(!!(x), 1)

/* Nothing is done after a launch in which something failed. All threads of the block agree on it. */
#define REMORA_LAUNCH                                                                                                        \
  if (__syncthreads_or(*(volatile int32_t *)&failure->code != 0 && *(volatile int64_t *)&failure->launch != launch)) {       \
    return;                                                                                                                  \
  }

/* Records the failure of a check in the cell with this number. Of several failures in a launch the first in order counts, so that it does
   not matter which thread comes first. */
template <class... Args>
REMORA_DEVICE void remora_fail_in_order(remora_failure *failure, int64_t launch, int64_t order, int32_t number, Args... args) {
  static_assert(sizeof...(Args) <= 8, "a failure has at most eight values");
  remora_locked(&failure->lock, 0, [&] {
    volatile remora_failure *record = failure;
    if (record->code == 0 || order < record->order) {
      const int64_t values[sizeof...(Args) + 1] = {(int64_t)args..., 0};
      for (int k = 0; k < (int)sizeof...(Args); k++) {
        record->args[k] = values[k];
      }
      record->order = order;
      record->launch = launch;
      record->code = number + 1;
    }
  });
}

/* a / b for numbers that are not negative. Division in 64 bits is a call on a GPU, around which registers are saved; indices hardly ever
   need it. */
REMORA_DEVICE int64_t remora_quotient(int64_t a, int64_t b) {
  if ((((uint64_t)a | (uint64_t)b) >> 32) == 0) {
    return (int64_t)((uint32_t)a / (uint32_t)b);
  }
  uint64_t quotient = 0, rest = 0;
  for (int bit = 63; bit >= 0; bit--) {
    rest = rest << 1 | ((uint64_t)a >> bit & 1);
    quotient <<= 1;
    if (rest >= (uint64_t)b) {
      rest -= (uint64_t)b;
      quotient |= 1;
    }
  }
  return (int64_t)quotient;
}

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
