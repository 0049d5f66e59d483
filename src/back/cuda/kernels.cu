/* ---- The program ---- */

#define REMORA_LIKELY(x) __builtin_expect(!!(x), 1)

/* The product of sizes; what does not fit is more than there is memory. */
REMORA_DEVICE int64_t remora_count(int64_t a, int64_t b) { return a > 0 && b > INT64_MAX / a ? INT64_MAX : a * b; }

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

/* ---- Buffers that threads make for themselves ---- */

/* In front of the elements. */
struct remora_block {
  int64_t bytes; /* behind this */
  int64_t used;
};

/* The room of a thread: blocks one behind the other, up to `top`. */
struct remora_heap {
  char *base;
  int64_t bytes, top;
  remora_failure *failure;
  int64_t launch;
};

/* Each thread has `bytes` of `room`; there is nothing in it yet. */
REMORA_DEVICE remora_heap remora_heap_of(char *room, int64_t bytes, remora_failure *failure, int64_t launch) {
  return {room + ((int64_t)blockIdx.x * REMORA_BLOCK + threadIdx.x) * bytes, bytes, 0, failure, launch};
}

REMORA_DEVICE remora_block *remora_block_at(const remora_heap *heap, int64_t at) { return (remora_block *)(heap->base + at); }
REMORA_DEVICE void *remora_data(remora_block *block) { return block + 1; }

/* Too little room, which comes before all other failures: the host runs the program again with more, at least what was needed here. */
REMORA_DEVICE void remora_more(remora_heap *heap, int64_t needed) {
  remora_locked(&heap->failure->lock, 0, [&] {
    volatile remora_failure *record = heap->failure;
    if (record->code != -1 || record->args[0] < needed) {
      record->args[0] = needed;
      record->launch = heap->launch;
      record->code = -1;
    }
  });
}

/* The first block that is free and large enough, free neighbours taken together, or a new one. */
static __device__ __noinline__ remora_block *remora_alloc(remora_heap *heap, int64_t count, int64_t size, int) {
  const int64_t head = sizeof(remora_block), most = (int64_t)1 << 46;
  const int64_t bytes = count <= 0 ? 0 : count >= most / size ? most : (count * size + 15) / 16 * 16;
  int64_t at = 0;
  while (at < heap->top) {
    remora_block *block = remora_block_at(heap, at);
    int64_t next = at + head + block->bytes;
    if (!block->used) {
      while (next < heap->top && !remora_block_at(heap, next)->used) {
        next += head + remora_block_at(heap, next)->bytes;
      }
      if (next == heap->top) {
        heap->top = at;
        break;
      }
      block->bytes = next - at - head;
      if (block->bytes >= bytes) {
        if (block->bytes >= bytes + 2 * head) {
          *remora_block_at(heap, at + head + bytes) = {block->bytes - bytes - head, 0};
          block->bytes = bytes;
        }
        block->used = 1;
        return block;
      }
    }
    at = next;
  }
  if (heap->top + head + bytes > heap->bytes) {
    remora_more(heap, heap->top + head + bytes);
    return nullptr;
  }
  remora_block *block = remora_block_at(heap, heap->top);
  *block = {bytes, 1};
  heap->top += head + bytes;
  return block;
}

REMORA_DEVICE void remora_release(remora_heap *, remora_block **owner) {
  if (*owner) {
    (*owner)->used = 0;
    *owner = nullptr;
  }
}

/* ---- What is made of the program ---- */
