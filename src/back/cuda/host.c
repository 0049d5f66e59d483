#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
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
#define REMORA_MOST_PLACES 1

/* What the host looks at: whether a kernel failed, and an element. */
typedef struct remora_seen {
  remora_failure failure;
  char value[8];
} remora_seen;

typedef struct remora_context {
  int64_t threads; /* that can run at a time: a multiple of the size of a block */
  int64_t processors;
  int64_t shared; /* bytes that a block can have of it */
  int64_t launches; /* until now */
  int64_t room;     /* bytes for the buffers that a thread makes */
  int64_t wanted;   /* if that was too little: at least so many */
  remora_thread thread[1];
  const remora_device *device;
  int running; /* whether kernels of this call may have been launched */
  int looking; /* whether it is being looked for a failure of a kernel */
  remora_failure *failure; /* with room for an element behind it: a `remora_seen` */
  void *counters; /* zeros for reductions in parts; kernels leave them zero */
  void *table[REMORA_MOST_TABLES]; /* constant arrays */
  int64_t table_bytes[REMORA_MOST_TABLES];
  int failed;
  char code[8];
  int32_t places, place[REMORA_MOST_PLACES]; /* where it failed, and the calls that it left */
  char message[1024];
  pthread_mutex_t in_use; /* by a thread of who uses a library */
} remora_context;

#define REMORA_LIKELY(x) __builtin_expect(!!(x), 1)
#define REMORA_BLOCK 256
#define REMORA_COUNTERS 65536

static int remora_look(remora_thread *th);

/* Forgets the failure of the call before. What is wrong before `remora_begin` is no matter of a kernel. */
static inline void remora_fresh(remora_context *c) {
  c->failed = 0;
  c->running = 0;
}

/* The first failure counts: that of a kernel which was launched before, although the host has not waited for it. */
__attribute__((cold, noinline, format(printf, 4, 5))) static int remora_fail(remora_thread *th, const char *code, int place,
                                                                             const char *format, ...) {
  remora_context *c = th->context;
  if (!c->failed && c->running && !c->looking) {
    c->looking = 1;
    const int stopped = remora_look(th);
    c->looking = 0;
    if (stopped) {
      return 1;
    }
  }
  if (!c->failed) {
    c->failed = 1;
    snprintf(c->code, sizeof c->code, "%s", code);
    c->place[0] = place;
    c->places = 1;
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
  return remora_fail(th, "E0810", 0, "%s", d->message(d->self));
}

/* Makes the message of a failure in a kernel; the program has it. */
static int remora_kernel_failed(remora_thread *th, const remora_failure *failure);

/* A kernel failed, or its threads had too little room. */
static int remora_stopped(remora_thread *th, const remora_failure *failure) {
  if (failure->code > 0) {
    return remora_kernel_failed(th, failure);
  }
  th->context->wanted = failure->args[0];
  return 1;
}
/* After a failure: whether it was for want of room, and now there is more. The entry point is run again then. It finds its arguments as they
   were: what is given to it is never overwritten (updates of parameters copy them first, also of those that are given away), and what was
   on the host is fetched again. */
static int remora_more_room(remora_context *c) {
  if (!c->wanted || c->failed) {
    return 0;
  }
  const int64_t twice = 2 * c->room;
  c->room = twice < c->wanted ? (c->wanted + 15) / 16 * 16 : twice;
  c->wanted = 0;
  return 1;
}

/* Waits for the kernels, and looks whether one of them failed. */
static int remora_look(remora_thread *th) {
  remora_context *c = th->context;
  remora_failure failure;
  if (c->device->get(c->device->self, &failure, c->failure, sizeof failure)) {
    return remora_device_failed(th);
  }
  return failure.code ? remora_stopped(th, &failure) : 0;
}

static void *remora_data(remora_block *block) { return block->data; }

static remora_block *remora_alloc(remora_thread *th, int64_t count, int64_t size, int place) {
  remora_context *c = th->context;
  const int64_t bytes = remora_bytes(count, size);
  if (bytes < 0) {
    remora_fail(th, "E0507", place, "out of memory: %.0f bytes were requested", (double)count * (double)size);
    return NULL;
  }
  remora_block *block = calloc(1, sizeof *block);
  const int failed = block ? c->device->alloc(c->device->self, bytes, &block->data) : REMORA_NO_MEMORY;
  if (failed) {
    free(block);
    if (failed == REMORA_NO_MEMORY) {
      remora_fail(th, "E0507", place, "out of memory on the device: %lld bytes were requested (%lld are free)",
                  (long long)bytes, (long long)c->device->ask(c->device->self, REMORA_ASK_FREE));
    } else {
      remora_device_failed(th);
    }
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
/* An element that the host needs to know. If a kernel failed it is not known: both are fetched together, so that there is one wait. */
static int remora_get(remora_thread *th, void *to, const void *from, int64_t bytes) {
  remora_context *c = th->context;
  const remora_device *d = c->device;
  remora_seen seen;
  if (d->copy(d->self, (char *)c->failure + offsetof(remora_seen, value), from, bytes) ||
      d->get(d->self, &seen, c->failure, offsetof(remora_seen, value) + bytes)) {
    return remora_device_failed(th);
  }
  if (seen.failure.code) {
    return remora_stopped(th, &seen.failure);
  }
  memcpy(to, seen.value, (size_t)bytes);
  return 0;
}
#define REMORA_LOAD(T, address)                                                                                              \
  __extension__({                                                                                                            \
    T value_;                                                                                                                \
    if (remora_get(th, &value_, address, sizeof value_)) {                                                                   \
      goto fail;                                                                                                             \
    }                                                                                                                        \
    value_;                                                                                                                  \
  })

/* Room for the buffers that threads make, where no thread needs it for more than a cell at a time. Returns how many threads have some, or 0. */
static int64_t remora_room(remora_thread *th, int64_t cells, remora_block **room) {
  remora_context *c = th->context;
  const int64_t half = c->device->ask(c->device->self, REMORA_ASK_FREE) / 2, blocks = (cells < 1 ? 0 : cells - 1) / REMORA_BLOCK + 1;
  int64_t threads = blocks < c->threads / REMORA_BLOCK ? blocks * REMORA_BLOCK : c->threads;
  while (threads > REMORA_BLOCK && threads > half / c->room) {
    threads = (threads / REMORA_BLOCK + 1) / 2 * REMORA_BLOCK;
  }
  *room = remora_alloc(th, threads, c->room, 0);
  return *room ? threads : 0;
}

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

/* How work is divided. All numbers that could be tuned are here, and `Threads` and `FEW` of the pass that flattens; they are estimates.
   Those with names of their own in `ir::tuning` may be defined in front of this text. */

/* Blocks of a map, for each that can run at a time: beyond some rounds of all multiprocessors blocks only cost their start. */
#ifndef REMORA_ROUNDS
#define REMORA_ROUNDS 32
#endif
/* The same for segments, whose blocks have more to do. */
#ifndef REMORA_SEGMENT_ROUNDS
#define REMORA_SEGMENT_ROUNDS 8
#endif
/* Segments of up to so many cells are reduced by lanes of a warp; */
#ifndef REMORA_LANES_WIDTH
#define REMORA_LANES_WIDTH 512
#endif
/* of up to so many if they are enough to give each warp one. Else by a block each. */
#ifndef REMORA_WARP_WIDTH
#define REMORA_WARP_WIDTH 4096
#endif
/* Cells that a thread has at least where a segment is divided among blocks, or a column among the threads of one. */
#ifndef REMORA_CELLS
#define REMORA_CELLS 16
#endif
/* Rows and columns from which products are computed in tiles: where these are nearly full, and read more than once. */
#ifndef REMORA_PRODUCT_SIDE
#define REMORA_PRODUCT_SIDE 32
#endif
enum {
  /* The same for the depth of products. */
  REMORA_PRODUCT_DEPTH = 8,
  /* A histogram has bins in shared memory if each block has so many cells for each of its bins, */
  REMORA_HIST_CELLS = 4,
  /* with at most so many passes over the cells: where memory changes its value by one instruction, and where that takes a loop or a lock. */
  REMORA_HIST_PASSES = 4,
  REMORA_HIST_PASSES_SLOW = 16
};

static int64_t remora_least(int64_t a, int64_t b) { return a < b ? a : b; }

static int remora_launch_shared(remora_thread *th, const char *kernel, int64_t grid, int64_t shared, void **args, int32_t count) {
  const remora_device *d = th->context->device;
  th->context->launches++;
  return d->launch(d->self, kernel, grid < 1 ? 1 : grid, REMORA_BLOCK, shared, args, count) ? remora_device_failed(th) : 0;
}
static int remora_launch(remora_thread *th, const char *kernel, int64_t grid, void **args, int32_t count) {
  return remora_launch_shared(th, kernel, grid, 0, args, count);
}

/* How many blocks go over so many numbers, at most `threads` threads at a time if that is not 0. */
static int64_t remora_map_grid(const remora_context *c, int64_t width, int64_t threads) {
  return remora_least((width - 1) / REMORA_BLOCK + 1, threads ? threads / REMORA_BLOCK : c->threads / REMORA_BLOCK * REMORA_ROUNDS);
}
/* A thread for each number below `width`, or for each `each` of them. The last argument of the kernel is the width. */
static int remora_launch_map(remora_thread *th, const char *kernel, int64_t width, int64_t each, int64_t threads, void **args,
                             int32_t count) {
  if (width <= 0) {
    return 0;
  }
  args[count] = &width;
  return remora_launch(th, kernel, remora_map_grid(th->context, (width - 1) / each + 1, threads), args, count + 1);
}

/* Whether `width` threads that are elements of products of matrices are computed in tiles. Each product has `rows` rows; 0 says that there is
   one product. */
static int remora_product_pays(int64_t width, int64_t rows, int64_t columns, int64_t depth) {
  return columns >= REMORA_PRODUCT_SIDE && depth >= REMORA_PRODUCT_DEPTH && (rows ? rows : width / columns) >= REMORA_PRODUCT_SIDE;
}
/* Products in tiles. The last arguments are how many there are, the numbers of rows and columns and the depth. */
static int remora_launch_product(remora_thread *th, const char *kernel, int64_t width, int64_t rows, int64_t columns, int64_t depth,
                                 int64_t size, void **args, int32_t count) {
  int64_t planes = rows ? width / columns / rows : 1;
  rows = rows ? rows : width / columns;
  /* As `remora_product` of the device library cuts them. */
  const int64_t high = size <= 4 ? 128 : size <= 8 ? 64 : 32, wide = size <= 8 ? 64 : 32;
  args[count] = &planes;
  args[count + 1] = &rows;
  args[count + 2] = &columns;
  args[count + 3] = &depth;
  const int64_t tiles = remora_count((rows - 1) / high + 1, (columns - 1) / wide + 1);
  return remora_launch(th, kernel, remora_count(planes, tiles), args, count + 4);
}

/* Rows and columns of planes change places. The last arguments are how many there are of each. */
static int remora_launch_transpose(remora_thread *th, const char *kernel, int64_t planes, int64_t rows, int64_t columns, void **args,
                                   int32_t count) {
  const remora_context *c = th->context;
  if (planes <= 0 || rows <= 0 || columns <= 0) {
    return 0;
  }
  args[count] = &planes;
  args[count + 1] = &rows;
  args[count + 2] = &columns;
  const int64_t tiles = remora_count(planes, remora_count((rows - 1) / 64 + 1, (columns - 1) / 64 + 1));
  return remora_launch(th, kernel, remora_least(tiles, c->threads / REMORA_BLOCK * REMORA_ROUNDS), args, count + 3);
}

/* Of how many segments side by side a block takes cells, where neighbours in memory are cells of neighbouring segments. */
static int64_t remora_across(int64_t segments, int64_t width, int64_t resident) {
  int64_t across = REMORA_BLOCK;
  if (segments >= resident * REMORA_BLOCK) {
    return across; /* a thread for each is enough */
  }
  /* A warp reads a row; more than one only where there are fewer segments than it has lanes. */
  while (across > 1 && (across > 32 || across / 2 >= segments) && width / (REMORA_BLOCK / across * 2) >= REMORA_CELLS) {
    across /= 2;
  }
  return across;
}

/* Segments by groups of lanes if they are small, by blocks, or by several blocks each if there are few; by columns of threads with the kernel
   `columns`, if there is one: neighbours in memory are cells of neighbouring segments then. The last arguments are the number of segments,
   their width, the number of parts, room for what is found in each, and counters; of `columns` also how many a block has side by side. */
static int remora_launch_reduce(remora_thread *th, const char *kernel, const char *small, const char *columns, int64_t segments,
                                int64_t width, int64_t threads, int64_t size, void **args, int32_t count) {
  remora_context *c = th->context;
  if (segments <= 0) {
    return 0;
  }
  if (width < 0) {
    width = 0;
  }
  const int64_t resident = (threads ? threads : c->threads) / REMORA_BLOCK;
  /* Threads that have memory of their own are so many and no more. */
  const int64_t most = threads ? resident : resident * REMORA_SEGMENT_ROUNDS;
  int64_t parts = 1, across = 1, groups = segments, cells = REMORA_CELLS * REMORA_BLOCK;
  remora_block *partial = NULL;
  void *room = NULL, *counters = c->counters;
  args[count] = &segments;
  args[count + 1] = &width;
  args[count + 2] = &parts;
  args[count + 3] = &room;
  args[count + 4] = &counters;
  if (columns && segments > 1 && width > 0) {
    across = remora_across(segments, width, resident);
    groups = (segments - 1) / across + 1;
    cells = REMORA_CELLS * (REMORA_BLOCK / across);
    kernel = columns;
    args[count + 5] = &across;
    count++;
  } else if (width == 0 ||
             (segments > 1 && (width <= REMORA_LANES_WIDTH || (width <= REMORA_WARP_WIDTH && segments / (REMORA_BLOCK / 32) >= resident)))) {
    /* As many lanes for each segment as it has cells, at most a warp: `parts` says how many. Without cells it is one, which combines nothing:
       the operator might fail. */
    while (parts < width && parts < 32) {
      parts *= 2;
    }
    const int64_t side = REMORA_BLOCK / parts;
    return remora_launch(th, small, remora_least((segments - 1) / side + 1, most), args, count + 5);
  }
  if (groups < resident && groups <= REMORA_COUNTERS) {
    parts = remora_least((width - 1) / cells + 1, (2 * resident - 1) / groups + 1);
  }
  if (parts > 1) {
    partial = remora_alloc(th, remora_count(segments, parts), size, 0);
    if (!partial) {
      return 1;
    }
    room = partial->data;
  } else {
    parts = 1;
  }
  const int failed = remora_launch(th, kernel, remora_least(groups * parts, most), args, count + 5);
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
  const int64_t items = size > 32 ? 1 : size <= 4 ? 32 : 128 / size, tile = REMORA_BLOCK * items;
  const int64_t tiles = (segments * width - 1) / tile + 1, bytes = 8 * (tiles * ((size + 3) / 4) + 1);
  remora_block *state = remora_alloc(th, bytes, 1, 0);
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

/* Histograms. The bins of the result are few places that all threads change one after the other. So blocks have bins of their own in
   shared memory, which they combine with those of the result at the end; if there are more than there is room for, the cells are gone
   over several times. That pays where the cells are many more than the bins of all blocks, and where passes are few: `cheap` says that
   changing memory takes one instruction; loops and locks may be avoided with more passes. The last arguments are the number of
   cells and of bins, the first bin of a pass, how many it has, and how many of each a block has. */
static int remora_launch_hist(remora_thread *th, const char *kernel, const char *shared, int64_t width, int64_t bins, int64_t size, int locked,
                              int cheap, int64_t threads, void **args, int32_t count) {
  remora_context *c = th->context;
  if (width <= 0) {
    return 0;
  }
  args[count] = &width;
  args[count + 1] = &bins;
  if (bins <= 0) { /* What is put into no bin is computed all the same: that may fail. */
    return remora_launch(th, kernel, remora_map_grid(c, width, threads), args, count + 2);
  }
  const int64_t bytes = size + (locked ? 4 : 0), room = remora_least(c->shared, 49152) - 16, most = room / bytes;
  const int64_t passes = most > 0 ? (bins - 1) / most + 1 : INT64_MAX;
  int64_t here = passes < bins ? (bins - 1) / passes + 1 : bins, copies = 1, first = 0;
  const int64_t paying = width / (REMORA_HIST_CELLS * here);
  if (passes > (cheap ? REMORA_HIST_PASSES : REMORA_HIST_PASSES_SLOW) || paying < c->processors) {
    return remora_launch(th, kernel, remora_map_grid(c, width, threads), args, count + 2);
  }
  while (copies < 32 && here * 2 * copies * bytes <= room / 8) {
    copies *= 2;
  }
  const int64_t own = bytes * here * copies + 16;
  int64_t grid = remora_least((width - 1) / REMORA_BLOCK + 1, paying);
  grid = remora_least(grid, remora_least((threads ? threads : c->threads) / REMORA_BLOCK, c->processors * (c->shared / own + 1)));
  args[count + 2] = &first;
  args[count + 3] = &here;
  args[count + 4] = &copies;
  for (; first < bins; first += here) {
    here = remora_least(here, bins - first);
    if (remora_launch_shared(th, shared, grid, own, args, count + 5)) {
      return 1;
    }
  }
  return 0;
}

/* ---- Contexts ---- */

REMORA_EXPORT void remora_context_free(remora_context *c) {
  if (c) {
    const remora_device *d = c->device;
    if (c->failure) {
      d->release(d->self, c->failure, sizeof(remora_seen));
    }
    if (c->counters) {
      d->release(d->self, c->counters, 4 * REMORA_COUNTERS);
    }
    for (int k = 0; k < REMORA_MOST_TABLES; k++) {
      if (c->table[k]) {
        d->release(d->self, c->table[k], c->table_bytes[k]);
      }
    }
    pthread_mutex_destroy(&c->in_use);
    free(c);
  }
}

REMORA_EXPORT remora_context *remora_context_new_device(const remora_device *device) {
  remora_context *c = calloc(1, sizeof *c);
  if (!c) {
    return NULL;
  }
  pthread_mutex_init(&c->in_use, NULL);
  c->device = device;
  c->room = 512;
  c->thread[0].context = c;
  const int64_t threads = device->ask(device->self, REMORA_ASK_THREADS);
  c->threads = threads < REMORA_BLOCK ? REMORA_BLOCK : threads / REMORA_BLOCK * REMORA_BLOCK;
  c->processors = device->ask(device->self, REMORA_ASK_MULTIPROCESSORS);
  c->shared = device->ask(device->self, REMORA_ASK_SHARED);
  void *failure = NULL, *counters = NULL;
  int bad = device->alloc(device->self, sizeof(remora_seen), &failure);
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
  remora_fresh(c);
  c->wanted = 0;
  if (c->device->fill(c->device->self, c->failure, 0, sizeof *c->failure)) {
    return remora_device_failed(&c->thread[0]);
  }
  c->running = 1;
  return 0;
}
/* After a failure the counters of reductions may not be zero. */
static void remora_recover(remora_context *c) { c->device->fill(c->device->self, c->counters, 0, 4 * REMORA_COUNTERS); }

/* The elements of an argument, on the device. */
static remora_block *remora_argument(remora_thread *th, const void *items, int64_t count, int64_t size) {
  remora_block *block = remora_alloc(th, count, size, 0);
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
    return remora_fail(th, "E0507", 0, "out of memory: %lld bytes were requested", (long long)block->bytes);
  }
  if (block->bytes > 0 && d->get(d->self, block->host, block->data, block->bytes)) {
    return remora_device_failed(th);
  }
  th->live -= block->bytes;
  d->release(d->self, block->data, block->bytes);
  block->data = NULL;
  return 0;
}

/* The most bytes that arrays have taken on the device at a time since the last call. */
REMORA_EXPORT int64_t remora_peak_bytes(remora_context *c) {
  const int64_t peak = c->thread[0].peak;
  c->thread[0].peak = c->thread[0].live;
  return peak;
}

REMORA_EXPORT void *remora_array_data(remora_block *block) { return block->host; }
/* Where the elements of a result are that stays on the device. */
REMORA_EXPORT void *remora_array_place(remora_block *block) { return block->data; }

