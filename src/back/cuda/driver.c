/* ---- CUDA's driver as what the host plan asks of a device ----
   Compiling this needs nothing of CUDA. The driver is looked for when a context is made, and so is NVRTC where there is no machine code. */

#include <dlfcn.h>
#include <pthread.h>

typedef unsigned long long remora_address;

/* The functions of the driver (cuda.h) that are used. */
#define REMORA_DRIVER(X)                                                                                                     \
  X(cuGetErrorName, (int, const char **))                                                                                    \
  X(cuGetErrorString, (int, const char **))                                                                                  \
  X(cuDriverGetVersion, (int *))                                                                                             \
  X(cuInit, (unsigned))                                                                                                      \
  X(cuDeviceGetCount, (int *))                                                                                               \
  X(cuDeviceGet, (int *, int))                                                                                               \
  X(cuDeviceGetName, (char *, int, int))                                                                                     \
  X(cuDeviceGetAttribute, (int *, int, int))                                                                                 \
  X(cuDevicePrimaryCtxRetain, (void **, int))                                                                                \
  X(cuDevicePrimaryCtxRelease_v2, (int))                                                                                     \
  X(cuCtxPushCurrent_v2, (void *))                                                                                           \
  X(cuCtxPopCurrent_v2, (void **))                                                                                           \
  X(cuStreamCreate, (void **, unsigned))                                                                                     \
  X(cuStreamSynchronize, (void *))                                                                                           \
  X(cuStreamWaitEvent, (void *, void *, unsigned))                                                                           \
  X(cuStreamDestroy_v2, (void *))                                                                                            \
  X(cuEventCreate, (void **, unsigned))                                                                                      \
  X(cuEventRecord, (void *, void *))                                                                                         \
  X(cuEventSynchronize, (void *))                                                                                            \
  X(cuEventDestroy_v2, (void *))                                                                                             \
  X(cuDeviceGetDefaultMemPool, (void **, int))                                                                               \
  X(cuMemPoolSetAttribute, (void *, int, void *))                                                                            \
  X(cuMemPoolGetAttribute, (void *, int, void *))                                                                            \
  X(cuMemPoolTrimTo, (void *, size_t))                                                                                       \
  X(cuMemGetInfo_v2, (size_t *, size_t *))                                                                                   \
  X(cuMemAllocHost_v2, (void **, size_t))                                                                                    \
  X(cuMemFreeHost, (void *))                                                                                                 \
  X(cuMemAllocAsync, (remora_address *, size_t, void *))                                                                     \
  X(cuMemFreeAsync, (remora_address, void *))                                                                                \
  X(cuMemcpyHtoDAsync_v2, (remora_address, const void *, size_t, void *))                                                    \
  X(cuMemcpyDtoHAsync_v2, (void *, remora_address, size_t, void *))                                                          \
  X(cuMemcpyDtoDAsync_v2, (remora_address, remora_address, size_t, void *))                                                  \
  X(cuMemsetD8Async, (remora_address, unsigned char, size_t, void *))                                                        \
  X(cuMemsetD16Async, (remora_address, unsigned short, size_t, void *))                                                      \
  X(cuMemsetD32Async, (remora_address, unsigned, size_t, void *))                                                            \
  X(cuPointerGetAttribute, (void *, int, remora_address))                                                                    \
  X(cuModuleLoadData, (void **, const void *))                                                                               \
  X(cuModuleUnload, (void *))                                                                                                \
  X(cuModuleGetFunction, (void **, void *, const char *))                                                                    \
  X(cuFuncSetAttribute, (void *, int, int))                                                                                  \
  X(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))

/* Those of NVRTC (nvrtc.h). */
#define REMORA_NVRTC(X)                                                                                                      \
  X(nvrtcVersion, (int *, int *))                                                                                            \
  X(nvrtcGetNumSupportedArchs, (int *))                                                                                      \
  X(nvrtcGetSupportedArchs, (int *))                                                                                         \
  X(nvrtcCreateProgram, (void **, const char *, const char *, int, const char *const *, const char *const *))                \
  X(nvrtcCompileProgram, (void *, int, const char *const *))                                                                 \
  X(nvrtcDestroyProgram, (void **))                                                                                          \
  X(nvrtcGetProgramLogSize, (void *, size_t *))                                                                              \
  X(nvrtcGetProgramLog, (void *, char *))                                                                                    \
  X(nvrtcGetCUBINSize, (void *, size_t *))                                                                                   \
  X(nvrtcGetCUBIN, (void *, char *))                                                                                         \
  X(nvrtcGetPTXSize, (void *, size_t *))                                                                                     \
  X(nvrtcGetPTX, (void *, char *))

#define REMORA_DECLARE(name, types) int (*name) types;
static struct {
  REMORA_DRIVER(REMORA_DECLARE)
} remora_cuda;
static struct {
  REMORA_NVRTC(REMORA_DECLARE)
} remora_nvrtc;

/* Errors and properties as cuda.h numbers them. */
enum {
  REMORA_OUT_OF_MEMORY = 2,
  REMORA_STUB = 34,
  REMORA_NO_DEVICE = 100,
  REMORA_INVALID_DEVICE = 101,
  REMORA_NO_BINARY = 209,
  REMORA_UNSUPPORTED_PTX = 222,
  REMORA_MISMATCH = 803,
  REMORA_NOT_SUPPORTED = 804,
  REMORA_MULTIPROCESSORS = 16,
  REMORA_THREADS_EACH = 39,
  REMORA_MAJOR = 75,
  REMORA_MINOR = 76,
  REMORA_MOST_SHARED = 97,
  REMORA_POOLS = 115
};

/* What went wrong on this thread, for the error function of the library. */
static __thread char remora_text[1400];

/* Memory that the device reaches by itself. Arrays pass through two pieces of this size: the processor fills or empties one while the
   device works with the other, and nobody waits for what goes to the device. */
#define REMORA_PIECE (4 << 20)
#define REMORA_KERNELS 512 /* that are kept; others are looked for again */

typedef struct remora_gpu {
  remora_device table;
  int device, architecture, retained;
  int64_t multiprocessors, threads, shared;
  void *context, *stream, *pool, *module, *event;
  struct {
    void *memory, *used;
  } piece[2];
  int next; /* piece */
  struct {
    const char *name;
    void *function;
    int64_t shared;
  } kernel[REMORA_KERNELS];
  char message[600];
} remora_gpu;

/* ---- Failures ---- */

/* What the driver calls an error, and what it means for the process. */
static void remora_describe(char *text, size_t size, int result) {
  const char *name = NULL, *meaning = NULL;
  remora_cuda.cuGetErrorName(result, &name);
  remora_cuda.cuGetErrorString(result, &meaning);
  const int lost = result == 214 || result == 700 || result == 702 || result == 710 || (result >= 714 && result <= 719) || result == 911;
  snprintf(text, size, "%s (%s %d)%s", meaning ? meaning : "it gives no reason", name ? name : "error", result,
           lost ? "; this process cannot use the device any more" : "");
}

/* Records a failure; returns whether it is one. */
static int remora_bad(remora_gpu *g, const char *what, int result) {
  if (result) {
    const int n = snprintf(g->message, sizeof g->message, "%s: ", what);
    remora_describe(g->message + n, sizeof g->message - (size_t)n, result);
  }
  return result != 0;
}

__attribute__((cold, format(printf, 2, 3))) static void remora_refused(const char *code, const char *format, ...) {
  const int n = snprintf(remora_text, sizeof remora_text, "error[%s]: ", code);
  va_list list;
  va_start(list, format);
  vsnprintf(remora_text + n, sizeof remora_text - (size_t)n, format, list);
  va_end(list);
}

/* ---- Memory and launches: the table ---- */

static remora_address remora_at(const void *place, int64_t offset) { return (remora_address)(uintptr_t)place + (uint64_t)offset; }

static int64_t remora_gpu_free_bytes(remora_gpu *g) {
  size_t left = 0, total = 0;
  uint64_t reserved = 0, used = 0;
  remora_cuda.cuMemGetInfo_v2(&left, &total);
  remora_cuda.cuMemPoolGetAttribute(g->pool, 5 /* CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT */, &reserved);
  remora_cuda.cuMemPoolGetAttribute(g->pool, 7 /* CU_MEMPOOL_ATTR_USED_MEM_CURRENT */, &used);
  return (int64_t)(left + (reserved > used ? reserved - used : 0));
}

static int remora_gpu_alloc(void *self, int64_t bytes, void **out) {
  remora_gpu *g = self;
  /* Updates of single bytes go through the words around them. */
  const size_t room = ((size_t)(bytes > 0 ? bytes : 1) + 3) / 4 * 4;
  remora_address found = 0;
  int result = remora_cuda.cuMemAllocAsync(&found, room, g->stream);
  if (result == REMORA_OUT_OF_MEMORY) {
    /* What lies in the pool may be in the way. */
    if (remora_bad(g, "the device failed", remora_cuda.cuStreamSynchronize(g->stream))) {
      return 1;
    }
    remora_cuda.cuMemPoolTrimTo(g->pool, 0);
    result = remora_cuda.cuMemAllocAsync(&found, room, g->stream);
  }
  *out = (void *)(uintptr_t)found;
  return !remora_bad(g, "no memory", result) ? 0 : result == REMORA_OUT_OF_MEMORY ? REMORA_NO_MEMORY : 1;
}

static void remora_gpu_release(void *self, void *memory, int64_t bytes) {
  (void)bytes;
  remora_cuda.cuMemFreeAsync(remora_at(memory, 0), ((remora_gpu *)self)->stream);
}

/* Waits until the device is done with a piece, which is made when it is first needed. */
static int remora_gpu_piece(remora_gpu *g, int k) {
  if (!g->piece[k].memory && remora_bad(g, "no pinned memory", remora_cuda.cuMemAllocHost_v2(&g->piece[k].memory, REMORA_PIECE))) {
    return 1;
  }
  if (!g->piece[k].used) {
    return remora_bad(g, "no event", remora_cuda.cuEventCreate(&g->piece[k].used, 2 /* CU_EVENT_DISABLE_TIMING */));
  }
  return remora_bad(g, "the device failed", remora_cuda.cuEventSynchronize(g->piece[k].used));
}

/* Numbers go with the command itself, where the address suits it; elements of arrays are where it does. */
static int remora_gpu_put_scalar(remora_gpu *g, remora_address to, const void *from, int64_t bytes) {
  uint8_t byte;
  uint16_t half;
  uint32_t word[2];
  switch (bytes) {
  case 1: memcpy(&byte, from, 1); return remora_bad(g, "copying to the device", remora_cuda.cuMemsetD8Async(to, byte, 1, g->stream));
  case 2: memcpy(&half, from, 2); return remora_bad(g, "copying to the device", remora_cuda.cuMemsetD16Async(to, half, 1, g->stream));
  default:
    memcpy(word, from, (size_t)bytes);
    return remora_bad(g, "copying to the device", remora_cuda.cuMemsetD32Async(to, word[0], 1, g->stream)) ||
           (bytes == 8 && remora_bad(g, "copying to the device", remora_cuda.cuMemsetD32Async(to + 4, word[1], 1, g->stream)));
  }
}

static int remora_gpu_put(void *self, void *to, const void *from, int64_t bytes) {
  remora_gpu *g = self;
  if ((bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && (uintptr_t)to % (bytes < 4 ? (size_t)bytes : 4) == 0) {
    return remora_gpu_put_scalar(g, remora_at(to, 0), from, bytes);
  }
  for (int64_t at = 0; at < bytes; at += REMORA_PIECE) {
    const size_t count = (size_t)(bytes - at < REMORA_PIECE ? bytes - at : REMORA_PIECE);
    const int k = g->next ^= 1;
    if (remora_gpu_piece(g, k)) {
      return 1;
    }
    memcpy(g->piece[k].memory, (const char *)from + at, count);
    int result = remora_cuda.cuMemcpyHtoDAsync_v2(remora_at(to, at), g->piece[k].memory, count, g->stream);
    result = result ? result : remora_cuda.cuEventRecord(g->piece[k].used, g->stream);
    if (remora_bad(g, "copying to the device", result)) {
      return 1;
    }
  }
  return 0;
}

static int remora_gpu_get(void *self, void *to, const void *from, int64_t bytes) {
  remora_gpu *g = self;
  /* A piece is emptied when the next one is under way. */
  for (int64_t at = 0, k = 0; at < bytes + REMORA_PIECE; at += REMORA_PIECE, k ^= 1) {
    const int64_t before = at - REMORA_PIECE;
    if (at < bytes) {
      const size_t count = (size_t)(bytes - at < REMORA_PIECE ? bytes - at : REMORA_PIECE);
      if (remora_gpu_piece(g, (int)k)) {
        return 1;
      }
      int result = remora_cuda.cuMemcpyDtoHAsync_v2(g->piece[k].memory, remora_at(from, at), count, g->stream);
      result = result ? result : remora_cuda.cuEventRecord(g->piece[k].used, g->stream);
      if (remora_bad(g, "copying from the device", result)) {
        return 1;
      }
    }
    if (before >= 0) {
      if (remora_gpu_piece(g, (int)k ^ 1)) {
        return 1;
      }
      memcpy((char *)to + before, g->piece[k ^ 1].memory, (size_t)(bytes - before < REMORA_PIECE ? bytes - before : REMORA_PIECE));
    }
  }
  return 0;
}

static int remora_gpu_copy(void *self, void *to, const void *from, int64_t bytes) {
  remora_gpu *g = self;
  const remora_address a = remora_at(to, 0), b = remora_at(from, 0);
  if ((a > b ? a - b : b - a) >= (uint64_t)bytes) {
    return remora_bad(g, "copying on the device", remora_cuda.cuMemcpyDtoDAsync_v2(a, b, (size_t)bytes, g->stream));
  }
  /* The places overlap. */
  void *between = NULL;
  if (remora_gpu_alloc(self, bytes, &between)) {
    return 1;
  }
  const remora_address c = remora_at(between, 0);
  const int failed = remora_bad(g, "copying on the device", remora_cuda.cuMemcpyDtoDAsync_v2(c, b, (size_t)bytes, g->stream)) ||
                     remora_bad(g, "copying on the device", remora_cuda.cuMemcpyDtoDAsync_v2(a, c, (size_t)bytes, g->stream));
  remora_gpu_release(self, between, bytes);
  return failed;
}

static int remora_gpu_fill(void *self, void *to, int byte, int64_t bytes) {
  remora_gpu *g = self;
  return remora_bad(g, "filling memory", remora_cuda.cuMemsetD8Async(remora_at(to, 0), (unsigned char)byte, (size_t)bytes, g->stream));
}

static int remora_gpu_launch(void *self, const char *kernel, int64_t grid, int32_t block, int64_t shared, void **args, int32_t count) {
  (void)count;
  remora_gpu *g = self;
  /* Names are constants of the plan: their addresses tell them apart. */
  int k = (int)(((uintptr_t)kernel >> 3) * 2654435761u % REMORA_KERNELS), tries = 0;
  while (g->kernel[k].name && g->kernel[k].name != kernel && tries++ < 16) {
    k = (k + 1) % REMORA_KERNELS;
  }
  if (g->kernel[k].name != kernel) {
    void *function = NULL;
    if (remora_bad(g, kernel, remora_cuda.cuModuleGetFunction(&function, g->module, kernel))) {
      return 1;
    }
    g->kernel[k].name = kernel;
    g->kernel[k].function = function;
    g->kernel[k].shared = 48 << 10; /* without asking */
  }
  if (shared > g->kernel[k].shared) {
    if (remora_bad(g, kernel, remora_cuda.cuFuncSetAttribute(g->kernel[k].function, 8 /* MAX_DYNAMIC_SHARED_SIZE_BYTES */, (int)shared))) {
      return 1;
    }
    g->kernel[k].shared = shared;
  }
  /* Kernels go over their work in strides. */
  const unsigned blocks = (unsigned)(grid < 1 ? 1 : grid > INT32_MAX ? INT32_MAX : grid);
  return remora_bad(g, kernel, remora_cuda.cuLaunchKernel(g->kernel[k].function, blocks, 1, 1, (unsigned)block, 1, 1, (unsigned)shared,
                                                          g->stream, args, NULL));
}

static int64_t remora_gpu_ask(void *self, int32_t what) {
  remora_gpu *g = self;
  switch (what) {
  case REMORA_ASK_MULTIPROCESSORS: return g->multiprocessors;
  case REMORA_ASK_THREADS: return g->threads;
  case REMORA_ASK_SHARED: return g->shared;
  case REMORA_ASK_FREE: return remora_gpu_free_bytes(g);
  default: return 0;
  }
}

static const char *remora_gpu_message(void *self) { return ((remora_gpu *)self)->message; }

/* ---- The libraries ---- */

/* Opens the first library of a list and finds functions in it; 0 if that is done. The list of names ends with NULL. */
static int remora_find(const char *const *libraries, const char *const *names, void **places, char *why, size_t size) {
  void *library = NULL;
  for (; *libraries && !library; libraries++) {
    library = **libraries ? dlopen(*libraries, RTLD_NOW | RTLD_LOCAL) : NULL;
  }
  if (!library) {
    return 1;
  }
  for (; *names; names++, places++) {
    *places = dlsym(library, *names);
    if (!*places) {
      snprintf(why, size, "it has no function %s", *names);
      return 2;
    }
  }
  return 0;
}

#define REMORA_NAME(name, types) #name,
static pthread_mutex_t remora_loading = PTHREAD_MUTEX_INITIALIZER;

/* The driver; what is wrong with it is in remora_text. */
static int remora_load_driver(void) {
  static const char *const names[] = {REMORA_DRIVER(REMORA_NAME) NULL}, *const libraries[] = {"libcuda.so.1", "libcuda.so", NULL};
  static int loaded = 0;
  char why[100] = "";
  int failed = 0, version = 0;
  pthread_mutex_lock(&remora_loading);
  if (!loaded) {
    void *places[sizeof names / sizeof *names];
    failed = remora_find(libraries, names, places, why, sizeof why);
    if (!failed) {
      memcpy(&remora_cuda, places, sizeof remora_cuda);
      loaded = 1;
    }
  }
  pthread_mutex_unlock(&remora_loading);
  if (failed) {
    const char *found = failed == 1 ? "no CUDA driver: `libcuda.so.1` is not found" : "the CUDA driver is too old: ";
    remora_refused(failed == 1 ? "E0803" : "E0804", "%s%s", found, why);
    return 1;
  }
  if (remora_cuda.cuDriverGetVersion(&version) || version < 12000) {
    remora_refused("E0804", "the CUDA driver is too old: it has CUDA %d.%d, needed is 12.0", version / 1000, version % 1000 / 10);
    return 1;
  }
  return 0;
}

/* NVRTC; REMORA_NVRTC names it where it is not found. */
static int remora_load_nvrtc(void) {
  static const char *const names[] = {REMORA_NVRTC(REMORA_NAME) NULL};
  static int loaded = 0;
  const char *own = getenv("REMORA_NVRTC");
  const char *const libraries[] = {own ? own : "",   "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so",
                                   NULL};
  char why[100] = "";
  int failed = 0, major = 0, minor = 0;
  if (!loaded) {
    void *places[sizeof names / sizeof *names];
    failed = remora_find(libraries, names, places, why, sizeof why);
    if (!failed) {
      memcpy(&remora_nvrtc, places, sizeof remora_nvrtc);
      loaded = 1;
    }
  }
  if (!failed && (remora_nvrtc.nvrtcVersion(&major, &minor) || major < 12)) {
    snprintf(why, sizeof why, "version %d.%d is too old, needed is 12.0", major, minor);
    failed = 2;
  }
  if (failed) {
    remora_refused("E0806", "no NVRTC: %s", failed == 1 ? "`libnvrtc.so.12` or newer is not found; REMORA_NVRTC may name it" : why);
  }
  return failed;
}

/* ---- Kernels ---- */

/* What NVRTC has made, for contexts to come. */
static struct remora_made {
  struct remora_made *next;
  int architecture;
  char *code;
} *remora_made;

/* Machine code, or PTX for a device that is newer than NVRTC. */
static char *remora_nvrtc_code(int architecture) {
  int count = 0, known = 0, older = 0;
  int *list = remora_nvrtc.nvrtcGetNumSupportedArchs(&count) ? NULL : calloc((size_t)count + 1, sizeof *list);
  if (list && !remora_nvrtc.nvrtcGetSupportedArchs(list)) {
    for (int k = 0; k < count; k++) {
      known |= list[k] == architecture;
      older = list[k] < architecture && list[k] > older ? list[k] : older;
    }
  }
  free(list);
  const int machine = known || !older;
  char target[64];
  snprintf(target, sizeof target, "--gpu-architecture=%s_%d", machine ? "sm" : "compute", machine ? architecture : older);
  const char *const options[] = {target, "--std=c++17", "--device-int128", "--disable-warnings"};
  void *program = NULL;
  char *code = NULL;
  size_t size = 0;
  if (remora_nvrtc.nvrtcCreateProgram(&program, remora_kernels, "kernels.cu", 0, NULL, NULL)) {
    remora_refused("E0807", "NVRTC takes no program");
    return NULL;
  }
  if (remora_nvrtc.nvrtcCompileProgram(program, 4, options)) {
    if (!remora_nvrtc.nvrtcGetProgramLogSize(program, &size) && (code = calloc(size + 1, 1))) {
      remora_nvrtc.nvrtcGetProgramLog(program, code);
    }
    remora_refused("E0807", "NVRTC refuses the kernels: %.900s", code ? code : "");
    free(code);
    code = NULL;
  } else if (!(machine ? remora_nvrtc.nvrtcGetCUBINSize(program, &size) : remora_nvrtc.nvrtcGetPTXSize(program, &size)) &&
             (code = calloc(size + 1, 1)) &&
             (machine ? remora_nvrtc.nvrtcGetCUBIN(program, code) : remora_nvrtc.nvrtcGetPTX(program, code))) {
    remora_refused("E0807", "NVRTC gives no code");
    free(code);
    code = NULL;
  }
  remora_nvrtc.nvrtcDestroyProgram(&program);
  return code;
}

static const char *remora_code(int architecture) {
  pthread_mutex_lock(&remora_loading);
  struct remora_made *made = remora_made;
  while (made && made->architecture != architecture) {
    made = made->next;
  }
  if (!made && !remora_load_nvrtc()) {
    char *code = remora_nvrtc_code(architecture);
    made = code ? calloc(1, sizeof *made) : NULL;
    if (made) {
      *made = (struct remora_made){remora_made, architecture, code};
      remora_made = made;
    } else {
      free(code);
    }
  }
  pthread_mutex_unlock(&remora_loading);
  return made ? made->code : NULL;
}

/* Loads the kernels: those that are given, or those that were made with this library, or what NVRTC makes of their text. */
static int remora_gpu_load(remora_gpu *g, const void *given) {
  const void *first = given ? given : sizeof remora_image > 1 ? remora_image : NULL;
  int result = first ? remora_cuda.cuModuleLoadData(&g->module, first) : REMORA_NO_BINARY;
  const int old = result == REMORA_NO_BINARY || result == REMORA_UNSUPPORTED_PTX;
  if (old && !given) {
    const char *code = remora_code(g->architecture);
    if (!code) {
      return 1;
    }
    result = remora_cuda.cuModuleLoadData(&g->module, code);
  }
  if (remora_bad(g, "the kernels cannot be loaded", result)) {
    remora_refused(result == REMORA_NO_BINARY || result == REMORA_UNSUPPORTED_PTX ? "E0804" : "E0810", "%s", g->message);
  }
  return result != 0;
}

/* ---- Devices ---- */

static void remora_gpu_enter(remora_gpu *g) { remora_cuda.cuCtxPushCurrent_v2(g->context); }
/* The thread gets back the context of CUDA that it had. */
static void remora_gpu_leave(void) {
  void *own = NULL;
  remora_cuda.cuCtxPopCurrent_v2(&own);
}

static void remora_gpu_close(remora_gpu *g) {
  if (!g) {
    return;
  }
  if (g->retained) {
    remora_gpu_enter(g);
    if (g->stream) {
      remora_cuda.cuStreamSynchronize(g->stream);
    }
    if (g->module) {
      remora_cuda.cuModuleUnload(g->module);
    }
    for (int k = 0; k < 2; k++) {
      if (g->piece[k].memory) {
        remora_cuda.cuMemFreeHost(g->piece[k].memory);
      }
      if (g->piece[k].used) {
        remora_cuda.cuEventDestroy_v2(g->piece[k].used);
      }
    }
    if (g->event) {
      remora_cuda.cuEventDestroy_v2(g->event);
    }
    if (g->stream) {
      remora_cuda.cuStreamDestroy_v2(g->stream);
    }
    remora_gpu_leave();
    remora_cuda.cuDevicePrimaryCtxRelease_v2(g->device);
  }
  free(g);
}

/* The number that is asked for: the one given, or that in REMORA_CUDA_DEVICE, or 0. -1 if that is no number. */
static long remora_gpu_number(int given) {
  const char *text = getenv("REMORA_CUDA_DEVICE");
  if (given >= 0 || !text || !*text) {
    return given >= 0 ? given : 0;
  }
  char *end = NULL;
  const long number = strtol(text, &end, 10);
  if (*end || number < 0) {
    remora_refused("E0805", "no CUDA device `%.40s`: REMORA_CUDA_DEVICE is to be a number", text);
    return -1;
  }
  return number;
}

/* Finds the device and asks what it is. What is wrong is in remora_text. */
static int remora_gpu_find(remora_gpu *g, int given) {
  int count = 0, major = 0, minor = 0, each = 0, processors = 0, shared = 0, pools = 0;
  char reason[400], name[256] = "without a name";
  const long number = remora_gpu_number(given);
  if (number < 0 || remora_load_driver()) {
    return 1;
  }
  int result = remora_cuda.cuInit(0);
  result = result ? result : remora_cuda.cuDeviceGetCount(&count);
  if (!result && count > 0 && number >= count) {
    remora_refused("E0805", "no CUDA device %ld: the driver has %d, counted from 0", number, count);
    return 1;
  }
  result = result ? result : count ? remora_cuda.cuDeviceGet(&g->device, (int)number) : REMORA_NO_DEVICE;
  const struct {
    int which, *to;
  } asked[] = {{REMORA_MAJOR, &major},           {REMORA_MINOR, &minor},        {REMORA_MULTIPROCESSORS, &processors},
               {REMORA_THREADS_EACH, &each}, {REMORA_MOST_SHARED, &shared}, {REMORA_POOLS, &pools}};
  for (size_t k = 0; k < sizeof asked / sizeof *asked && !result; k++) {
    result = remora_cuda.cuDeviceGetAttribute(asked[k].to, asked[k].which, g->device);
  }
  if (result) {
    remora_describe(reason, sizeof reason, result);
    const int none = result == REMORA_NO_DEVICE || result == REMORA_INVALID_DEVICE;
    const int old = result == REMORA_MISMATCH || result == REMORA_NOT_SUPPORTED;
    remora_refused(none ? "E0805" : old ? "E0804" : "E0803", "%s%s",
                   none                    ? "no CUDA device: "
                   : result == REMORA_STUB ? "no CUDA driver: the library found is a stub for linking: "
                                           : "the CUDA driver cannot be used: ",
                   reason);
    return 1;
  }
  g->architecture = major * 10 + minor;
  g->multiprocessors = processors;
  g->threads = (int64_t)processors * each;
  g->shared = shared;
  if (g->architecture < 70 || !pools) {
    remora_cuda.cuDeviceGetName(name, sizeof name - 1, g->device);
    remora_refused("E0805", "the CUDA device %s is too old: needed are architecture 7.0 and pools of memory", name);
    return 1;
  }
  return 0;
}

/* A device that is ready to work, with its context current, or NULL: what is wrong is in remora_text. */
static remora_gpu *remora_gpu_open(int number, const void *kernels) {
  remora_gpu *g = calloc(1, sizeof *g);
  if (!g) {
    remora_refused("E0507", "out of memory");
    return NULL;
  }
  g->table = (remora_device){g,
                             remora_gpu_alloc,
                             remora_gpu_release,
                             remora_gpu_put,
                             remora_gpu_get,
                             remora_gpu_copy,
                             remora_gpu_fill,
                             remora_gpu_launch,
                             remora_gpu_ask,
                             remora_gpu_message};
  if (remora_gpu_find(g, number)) {
    free(g);
    return NULL;
  }
  uint64_t all = UINT64_MAX;
  int failed = remora_bad(g, "no context", remora_cuda.cuDevicePrimaryCtxRetain(&g->context, g->device));
  g->retained = !failed;
  if (!failed) {
    remora_gpu_enter(g);
    /* What is released stays in the pool for the next allocation. */
    failed = remora_bad(g, "no stream", remora_cuda.cuStreamCreate(&g->stream, 1 /* CU_STREAM_NON_BLOCKING */)) ||
             remora_bad(g, "no event", remora_cuda.cuEventCreate(&g->event, 2 /* CU_EVENT_DISABLE_TIMING */)) ||
             remora_bad(g, "no pool", remora_cuda.cuDeviceGetDefaultMemPool(&g->pool, g->device)) ||
             remora_bad(g, "no pool", remora_cuda.cuMemPoolSetAttribute(g->pool, 4 /* CU_MEMPOOL_ATTR_RELEASE_THRESHOLD */, &all));
  }
  if (failed) {
    remora_refused("E0810", "%s", g->message);
  } else {
    failed = remora_gpu_load(g, kernels);
  }
  if (!failed) {
    return g;
  }
  if (g->retained) {
    remora_gpu_leave();
  }
  remora_gpu_close(g);
  return NULL;
}

/* Whether there is memory of no device where an array should be. */
static int remora_gpu_foreign(remora_gpu *g, const void *place) {
  unsigned kind = 0;
  return remora_bad(g, "an argument is not in memory that the device reaches",
                    remora_cuda.cuPointerGetAttribute(&kind, 2 /* CU_POINTER_ATTRIBUTE_MEMORY_TYPE */, remora_at(place, 0)));
}

/* What is launched from now on runs behind what is in a stream. */
static int remora_gpu_wait_for(remora_gpu *g, void *stream) {
  return remora_bad(g, "wait", remora_cuda.cuEventRecord(g->event, stream)) ||
         remora_bad(g, "wait", remora_cuda.cuStreamWaitEvent(g->stream, g->event, 0));
}
