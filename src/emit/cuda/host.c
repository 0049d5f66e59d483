#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The host plan: scalars are here, arrays are on a device that is reached through a table of functions. ---- */

typedef struct remora_block {
  void *data;    /* on the device */
  void *host;    /* of a result: the elements, fetched */
  int64_t bytes; /* of the elements */
} remora_block;

typedef struct remora_thread {
  struct remora_context *context;
  int64_t live, peak;
} remora_thread;

#define REMORA_MOST_TABLES 256

typedef struct remora_context {
  int64_t threads; /* that can run at a time: a multiple of the size of a block */
  int64_t processors;
  int64_t launches; /* until now */
  remora_thread thread[1];
  const remora_device *device;
  remora_failure *failure;
  void *counters; /* zeros for reductions in parts; kernels leave them zero */
  void *table[REMORA_MOST_TABLES]; /* constant arrays */
  int64_t table_bytes[REMORA_MOST_TABLES];
  int failed;
  char code[8];
  int32_t file, start, end;
  char message[1024];
} remora_context;

#define REMORA_LIKELY(x) __builtin_expect(!!(x), 1)
#define REMORA_BLOCK 256
#define REMORA_COUNTERS 65536

/* The first failure counts. */
__attribute__((cold, noinline, format(printf, 6, 7))) static int remora_fail(remora_thread *th, const char *code, int file, int start,
                                                                             int end, const char *format, ...) {
  remora_context *c = th->context;
  if (!c->failed) {
    c->failed = 1;
    snprintf(c->code, sizeof c->code, "%s", code);
    c->file = file;
    c->start = start;
    c->end = end;
    va_list list;
    va_start(list, format);
    vsnprintf(c->message, sizeof c->message, format, list);
    va_end(list);
  }
  return 1;
}

/* The device says no. */
static int remora_device_failed(remora_thread *th) {
  const remora_device *d = th->context->device;
  return remora_fail(th, "E0810", 0, 0, 0, "%s", d->message(d->self));
}

/* Makes the message of a failure in a kernel; the program has it. */
static int remora_kernel_failed(remora_thread *th, const remora_failure *failure);

/* Waits for the kernels, and looks whether one of them failed. */
static int remora_look(remora_thread *th) {
  remora_context *c = th->context;
  remora_failure failure;
  if (c->device->get(c->device->self, &failure, c->failure, sizeof failure)) {
    return remora_device_failed(th);
  }
  return failure.code ? remora_kernel_failed(th, &failure) : 0;
}

static void *remora_data(remora_block *block) { return block->data; }

/* The product of sizes; what does not fit is more than there is memory. */
static inline int64_t remora_count(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static remora_block *remora_alloc(remora_thread *th, int64_t count, int64_t size, int file, int start, int end) {
  remora_context *c = th->context;
  int64_t bytes;
  if (count < 0 || __builtin_mul_overflow(count, size, &bytes) || bytes > ((int64_t)1 << 46)) {
    /* The size may come from a kernel that failed. */
    if (!remora_look(th)) {
      remora_fail(th, "E0507", file, start, end, "out of memory: %.0f bytes were requested", (double)count * (double)size);
    }
    return NULL;
  }
  remora_block *block = calloc(1, sizeof *block);
  if (!block || c->device->alloc(c->device->self, bytes, &block->data)) {
    free(block);
    remora_fail(th, "E0507", file, start, end, "out of memory on the device: %lld bytes were requested", (long long)bytes);
    return NULL;
  }
  block->bytes = bytes;
  th->live += bytes;
  if (th->live > th->peak) {
    th->peak = th->live;
  }
  return block;
}

static void remora_release(remora_thread *th, remora_block **owner) {
  remora_block *block = *owner;
  if (block) {
    *owner = NULL;
    if (block->data) {
      th->live -= block->bytes;
      th->context->device->release(th->context->device->self, block->data, block->bytes);
    }
    free(block->host);
    free(block);
  }
}

static int remora_put(remora_thread *th, void *to, const void *from, int64_t bytes) {
  const remora_device *d = th->context->device;
  return bytes > 0 && d->put(d->self, to, from, bytes) ? remora_device_failed(th) : 0;
}
static int remora_copy(remora_thread *th, void *to, const void *from, int64_t bytes) {
  const remora_device *d = th->context->device;
  return bytes > 0 && d->copy(d->self, to, from, bytes) ? remora_device_failed(th) : 0;
}
/* An element that the host needs to know. If a kernel failed it is not known. */
static int remora_get(remora_thread *th, void *to, const void *from, int64_t bytes) {
  const remora_device *d = th->context->device;
  if (remora_look(th)) {
    return 1;
  }
  return d->get(d->self, to, from, bytes) ? remora_device_failed(th) : 0;
}
#define REMORA_LOAD(T, address)                                                                                              \
  __extension__({                                                                                                            \
    T value_;                                                                                                                \
    if (remora_get(th, &value_, address, sizeof value_)) {                                                                   \
      goto fail;                                                                                                             \
    }                                                                                                                        \
    value_;                                                                                                                  \
  })

/* A constant array, on the device from its first use on. */
static void *remora_table(remora_thread *th, int number, const void *items, int64_t bytes) {
  remora_context *c = th->context;
  if (!c->table[number]) {
    void *place = NULL;
    if (c->device->alloc(c->device->self, bytes, &place) || c->device->put(c->device->self, place, items, bytes)) {
      remora_device_failed(th);
      return NULL;
    }
    c->table[number] = place;
    c->table_bytes[number] = bytes;
  }
  return c->table[number];
}

/* ---- Launches ---- */

static int64_t remora_least(int64_t a, int64_t b) { return a < b ? a : b; }

static int remora_launch(remora_thread *th, const char *kernel, int64_t grid, void **args, int32_t count) {
  const remora_device *d = th->context->device;
  th->context->launches++;
  return d->launch(d->self, kernel, grid < 1 ? 1 : grid, REMORA_BLOCK, 0, args, count) ? remora_device_failed(th) : 0;
}

/* A thread for each number below `width`, at most `threads` at a time if that is not 0. The last argument of the kernel is the width. */
static int remora_launch_map(remora_thread *th, const char *kernel, int64_t width, int64_t threads, void **args, int32_t count) {
  if (width <= 0) {
    return 0;
  }
  int64_t grid = (width - 1) / REMORA_BLOCK + 1;
  /* Beyond some rounds of all multiprocessors blocks only cost their start. */
  const int64_t most = threads ? threads / REMORA_BLOCK : th->context->threads / REMORA_BLOCK * 32;
  args[count] = &width;
  return remora_launch(th, kernel, remora_least(grid, most), args, count + 1);
}

/* Whether threads that are products of rows and columns are computed in tiles: where these are nearly full, and read more than once. */
static int remora_product_pays(int64_t width, int64_t columns, int64_t depth) {
  return columns >= 32 && width / columns >= 32 && depth >= 8;
}
/* Products in tiles. The last arguments are the numbers of rows and columns and the depth. */
static int remora_launch_product(remora_thread *th, const char *kernel, int64_t width, int64_t columns, int64_t depth, int64_t size,
                                 void **args, int32_t count) {
  int64_t rows = width / columns;
  /* As `remora_product` of the device library cuts them. */
  const int64_t high = size <= 4 ? 128 : size <= 8 ? 64 : 32, wide = size <= 8 ? 64 : 32;
  args[count] = &rows;
  args[count + 1] = &columns;
  args[count + 2] = &depth;
  return remora_launch(th, kernel, remora_count((rows - 1) / high + 1, (columns - 1) / wide + 1), args, count + 3);
}

/* Segments by groups of lanes if they are small, by blocks, or by several blocks each if there are few. The last arguments are the number
   of segments, their width, the number of parts, room for what is found in each, and counters. */
static int remora_launch_reduce(remora_thread *th, const char *kernel, const char *small, int64_t segments, int64_t width, int64_t threads,
                                int64_t size, void **args, int32_t count) {
  remora_context *c = th->context;
  if (segments <= 0) {
    return 0;
  }
  if (width < 0) {
    width = 0;
  }
  const int64_t resident = (threads ? threads : c->threads) / REMORA_BLOCK;
  int64_t parts = 1;
  remora_block *partial = NULL;
  void *room = NULL, *counters = c->counters;
  args[count] = &segments;
  args[count + 1] = &width;
  args[count + 2] = &parts;
  args[count + 3] = &room;
  args[count + 4] = &counters;
  if (width <= 512 && segments > 1) {
    const int64_t groups = REMORA_BLOCK / 32;
    return remora_launch(th, small, remora_least((segments - 1) / groups + 1, resident * 8), args, count + 5);
  }
  if (segments < resident && segments <= REMORA_COUNTERS) {
    /* At least 16 cells for each thread. */
    parts = remora_least((width - 1) / (16 * REMORA_BLOCK) + 1, (2 * resident - 1) / segments + 1);
  }
  if (parts > 1) {
    partial = remora_alloc(th, remora_count(segments, parts), size, 0, 0, 0);
    if (!partial) {
      return 1;
    }
    room = partial->data;
  } else {
    parts = 1;
  }
  const int failed = remora_launch(th, kernel, remora_least(segments * parts, resident * 8), args, count + 5);
  remora_release(th, &partial);
  return failed;
}

/* One pass over all cells. The last arguments are the number of segments, their width, the state of the tiles, and the ticket. */
static int remora_launch_scan(remora_thread *th, const char *kernel, int64_t segments, int64_t width, int64_t threads, int64_t size,
                              void **args, int32_t count) {
  remora_context *c = th->context;
  if (segments <= 0 || width <= 0) {
    return 0;
  }
  /* As `remora_layout` and `remora_tile` of the device library have it. */
  const int64_t items = size >= 64 ? 1 : size <= 4 ? 16 : 64 / size, tile = REMORA_BLOCK * items;
  const int64_t tiles = (segments * width - 1) / tile + 1, bytes = 8 * (tiles * ((size + 3) / 4) + 1);
  remora_block *state = remora_alloc(th, bytes, 1, 0, 0, 0);
  if (!state) {
    return 1;
  }
  int failed = c->device->fill(c->device->self, state->data, 0, bytes) ? remora_device_failed(th) : 0;
  void *tiles_at = (char *)state->data + 8, *ticket = state->data;
  args[count] = &segments;
  args[count + 1] = &width;
  args[count + 2] = &tiles_at;
  args[count + 3] = &ticket;
  const int64_t resident = (threads ? threads : c->threads) / REMORA_BLOCK;
  failed = failed || remora_launch(th, kernel, remora_least(tiles, resident), args, count + 4);
  remora_release(th, &state);
  return failed;
}

/* ---- Contexts ---- */

#define REMORA_EXPORT __attribute__((visibility("default")))

REMORA_EXPORT void remora_context_free(remora_context *c) {
  if (c) {
    const remora_device *d = c->device;
    if (c->failure) {
      d->release(d->self, c->failure, sizeof *c->failure);
    }
    if (c->counters) {
      d->release(d->self, c->counters, 4 * REMORA_COUNTERS);
    }
    for (int k = 0; k < REMORA_MOST_TABLES; k++) {
      if (c->table[k]) {
        d->release(d->self, c->table[k], c->table_bytes[k]);
      }
    }
    free(c);
  }
}

REMORA_EXPORT remora_context *remora_context_new_device(const remora_device *device) {
  remora_context *c = calloc(1, sizeof *c);
  if (!c) {
    return NULL;
  }
  c->device = device;
  c->thread[0].context = c;
  const int64_t threads = device->ask(device->self, REMORA_ASK_THREADS);
  c->threads = threads < REMORA_BLOCK ? REMORA_BLOCK : threads / REMORA_BLOCK * REMORA_BLOCK;
  c->processors = device->ask(device->self, REMORA_ASK_MULTIPROCESSORS);
  void *failure = NULL, *counters = NULL;
  int bad = device->alloc(device->self, sizeof *c->failure, &failure);
  c->failure = failure;
  bad = bad || device->alloc(device->self, 4 * REMORA_COUNTERS, &counters);
  c->counters = counters;
  bad = bad || device->fill(device->self, counters, 0, 4 * REMORA_COUNTERS);
  if (bad) {
    remora_context_free(c);
    return NULL;
  }
  return c;
}

/* Begins a call of an entry point. */
static int remora_begin(remora_context *c) {
  c->failed = 0;
  return c->device->fill(c->device->self, c->failure, 0, sizeof *c->failure) ? remora_device_failed(&c->thread[0]) : 0;
}
/* After a failure the counters of reductions may not be zero. */
static void remora_recover(remora_context *c) { c->device->fill(c->device->self, c->counters, 0, 4 * REMORA_COUNTERS); }

/* The elements of an argument, on the device. */
static remora_block *remora_argument(remora_thread *th, const void *items, int64_t count, int64_t size) {
  remora_block *block = remora_alloc(th, count, size, 0, 0, 0);
  if (block && remora_put(th, block->data, items, block->bytes)) {
    remora_release(th, &block);
  }
  return block;
}
/* Fetches the elements of a result. */
static int remora_result(remora_thread *th, remora_block *block) {
  const remora_device *d = th->context->device;
  block->host = malloc(block->bytes > 0 ? (size_t)block->bytes : 1);
  if (!block->host) {
    return remora_fail(th, "E0507", 0, 0, 0, "out of memory: %lld bytes were requested", (long long)block->bytes);
  }
  if (block->bytes > 0 && d->get(d->self, block->host, block->data, block->bytes)) {
    return remora_device_failed(th);
  }
  th->live -= block->bytes;
  d->release(d->self, block->data, block->bytes);
  block->data = NULL;
  return 0;
}

/* The last failure: its code, its message and the place in the source (file number, first and last byte). */
REMORA_EXPORT const char *remora_error_code(const remora_context *c) { return c->failed ? c->code : ""; }
REMORA_EXPORT const char *remora_error_message(const remora_context *c) { return c->failed ? c->message : ""; }
REMORA_EXPORT void remora_error_place(const remora_context *c, int32_t *file, int32_t *start, int32_t *end) {
  *file = c->file;
  *start = c->start;
  *end = c->end;
}

/* The most bytes that arrays have taken on the device at a time since the last call. */
REMORA_EXPORT int64_t remora_peak_bytes(remora_context *c) {
  const int64_t peak = c->thread[0].peak;
  c->thread[0].peak = c->thread[0].live;
  return peak;
}

REMORA_EXPORT void *remora_array_data(remora_block *block) { return block->host; }
REMORA_EXPORT void remora_array_free(remora_context *c, remora_block *block) { remora_release(&c->thread[0], &block); }

/* ---- The program ---- */

#define REMORA_FN static inline
#define REMORA_POPC(x) __builtin_popcountll(x)
#define REMORA_CLZ(x) __builtin_clzll(x)
#define REMORA_CTZ(x) __builtin_ctzll(x)

