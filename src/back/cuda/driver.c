/* ---- CUDA's driver as what the host plan asks of a device ----
   Compiling this needs nothing of CUDA: the driver is looked for when a device is opened. Libraries that `remora build` makes contain
   this file, with library.c behind it; `remora` itself loads it as a library of its own, with loaded.c behind it. */

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  X(cuCtxSynchronize, (void))                                                                                                \
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

#define REMORA_DECLARE(name, types) int (*name) types;
static struct {
  REMORA_DRIVER(REMORA_DECLARE)
} remora_cuda;

/* Errors and properties as cuda.h numbers them; a test compares them with it. */
enum {
  REMORA_OUT_OF_MEMORY = 2,
  REMORA_STUB_LIBRARY = 34,
  REMORA_NO_DEVICE = 100,
  REMORA_INVALID_DEVICE = 101,
  REMORA_NO_BINARY_FOR_GPU = 209,
  REMORA_ECC_UNCORRECTABLE = 214,
  REMORA_UNSUPPORTED_PTX_VERSION = 222,
  REMORA_ILLEGAL_ADDRESS = 700,
  REMORA_LAUNCH_TIMEOUT = 702,
  REMORA_ASSERT = 710,
  REMORA_HARDWARE_STACK_ERROR = 714,
  REMORA_ILLEGAL_INSTRUCTION = 715,
  REMORA_MISALIGNED_ADDRESS = 716,
  REMORA_INVALID_ADDRESS_SPACE = 717,
  REMORA_INVALID_PC = 718,
  REMORA_LAUNCH_FAILED = 719,
  REMORA_SYSTEM_DRIVER_MISMATCH = 803,
  REMORA_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
  REMORA_EXTERNAL_DEVICE = 911
};
enum {
  REMORA_MULTIPROCESSOR_COUNT = 16,
  REMORA_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  REMORA_COMPUTE_CAPABILITY_MAJOR = 75,
  REMORA_COMPUTE_CAPABILITY_MINOR = 76,
  REMORA_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  REMORA_MEMORY_POOLS_SUPPORTED = 115
};
enum { REMORA_STREAM_NON_BLOCKING = 1 };
enum { REMORA_EVENT_DISABLE_TIMING = 2 };
enum { REMORA_POOL_RELEASE_THRESHOLD = 4, REMORA_POOL_RESERVED_MEM_CURRENT = 5, REMORA_POOL_USED_MEM_CURRENT = 7 };
enum { REMORA_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8 };
enum { REMORA_POINTER_MEMORY_TYPE = 2, REMORA_POINTER_DEVICE_ORDINAL = 9 };
enum { REMORA_MEMORY_DEVICE = 2 };

/* Why a device could not be opened or used on this thread: "error[CODE]: MESSAGE", for the error function of a library, and its parts. */
static __thread char remora_text[1400];
static __thread const char *remora_refusal_code, *remora_refusal_message;

/* Arrays pass through two staging buffers of this size in pinned memory: the processor fills or empties one while the device copies the
   other, and nobody waits for what goes to the device. REMORA_CUDA_STAGING=0 leaves that to the driver. */
#define REMORA_STAGING (4 << 20)
#define REMORA_KERNELS 512 /* that are kept; others are looked for again */

typedef struct remora_gpu {
  remora_device table;
  int device, architecture, retained;
  char name[256];
  int64_t multiprocessors, threads, shared;
  void *context, *stream, *pool, *module, *event;
  int staging; /* whether arrays pass through the buffers */
  struct {
    void *memory, *used; /* and the event behind its last use */
  } buffer[2];
  int next; /* buffer */
  struct {
    const char *name;
    void *function;
    int64_t shared;
  } kernel[REMORA_KERNELS];
  char message[600];
} remora_gpu;

/* ---- Failures ---- */

/* What the driver calls an error. */
static void remora_describe(char *text, size_t size, int result) {
  const char *name = NULL, *meaning = NULL;
  char number[24];
  snprintf(number, sizeof number, "error %d", result);
  remora_cuda.cuGetErrorName(result, &name);
  remora_cuda.cuGetErrorString(result, &meaning);
  name = name ? name : number;
  snprintf(text, size, meaning ? "%s (%s)" : "%s%s", meaning ? meaning : "", name);
}

/* Whether every call fails from now on: "the process must be terminated and relaunched" (CUDA Driver API, CUresult). */
static int remora_is_lost(int result) {
  switch (result) {
  case REMORA_ECC_UNCORRECTABLE:
  case REMORA_ILLEGAL_ADDRESS:
  case REMORA_LAUNCH_TIMEOUT:
  case REMORA_ASSERT:
  case REMORA_HARDWARE_STACK_ERROR:
  case REMORA_ILLEGAL_INSTRUCTION:
  case REMORA_MISALIGNED_ADDRESS:
  case REMORA_INVALID_ADDRESS_SPACE:
  case REMORA_INVALID_PC:
  case REMORA_LAUNCH_FAILED:
  case REMORA_EXTERNAL_DEVICE: return 1;
  default: return 0;
  }
}

/* Keeps the message about a failure; returns whether it is one. `what` was tried. */
__attribute__((format(printf, 3, 4))) static int remora_bad(remora_gpu *g, int result, const char *what, ...) {
  if (result) {
    char reason[300];
    va_list list;
    va_start(list, what);
    vsnprintf(g->message, sizeof g->message - sizeof reason - 64, what, list);
    va_end(list);
    remora_describe(reason, sizeof reason, result);
    const size_t n = strlen(g->message);
    snprintf(g->message + n, sizeof g->message - n, ": %s%s", reason,
             remora_is_lost(result) ? "; this process cannot use the device any more" : "");
  }
  return result != 0;
}

__attribute__((cold, format(printf, 2, 3))) static void remora_refused(const char *code, const char *format, ...) {
  const int n = snprintf(remora_text, sizeof remora_text, "error[%s]: ", code);
  va_list list;
  va_start(list, format);
  vsnprintf(remora_text + n, sizeof remora_text - (size_t)n, format, list);
  va_end(list);
  remora_refusal_code = code;
  remora_refusal_message = remora_text + n;
}

/* ---- Memory and launches: the table ---- */

static remora_address remora_at(const void *place, int64_t offset) { return (remora_address)(uintptr_t)place + (uint64_t)offset; }

static int64_t remora_gpu_free_bytes(remora_gpu *g) {
  size_t left = 0, total = 0;
  uint64_t reserved = 0, used = 0;
  remora_cuda.cuMemGetInfo_v2(&left, &total);
  remora_cuda.cuMemPoolGetAttribute(g->pool, REMORA_POOL_RESERVED_MEM_CURRENT, &reserved);
  remora_cuda.cuMemPoolGetAttribute(g->pool, REMORA_POOL_USED_MEM_CURRENT, &used);
  return (int64_t)(left + (reserved > used ? reserved - used : 0));
}

static int remora_gpu_wait(remora_gpu *g) { return remora_bad(g, remora_cuda.cuStreamSynchronize(g->stream), "the device failed"); }

static int remora_gpu_alloc(void *self, int64_t bytes, void **out) {
  remora_gpu *g = self;
  /* Updates of single bytes go through the words around them. */
  const size_t room = ((size_t)(bytes > 0 ? bytes : 1) + 3) / 4 * 4;
  remora_address found = 0;
  int result = remora_cuda.cuMemAllocAsync(&found, room, g->stream);
  if (result == REMORA_OUT_OF_MEMORY) {
    /* What lies in the pool may be in the way. */
    if (remora_gpu_wait(g)) {
      return 1;
    }
    remora_cuda.cuMemPoolTrimTo(g->pool, 0);
    result = remora_cuda.cuMemAllocAsync(&found, room, g->stream);
  }
  *out = (void *)(uintptr_t)found;
  if (!result) {
    return 0;
  }
  remora_bad(g, result, "no memory for %lld bytes, %lld are free", (long long)bytes, (long long)remora_gpu_free_bytes(g));
  return result == REMORA_OUT_OF_MEMORY ? REMORA_NO_MEMORY : 1;
}

static void remora_gpu_release(void *self, void *memory, int64_t bytes) {
  (void)bytes;
  remora_cuda.cuMemFreeAsync(remora_at(memory, 0), ((remora_gpu *)self)->stream);
}

/* Waits until the device is done with a staging buffer, which is made when it is first needed. */
static int remora_gpu_buffer(remora_gpu *g, int k) {
  if (!g->buffer[k].memory && remora_bad(g, remora_cuda.cuMemAllocHost_v2(&g->buffer[k].memory, REMORA_STAGING), "no pinned memory")) {
    return 1;
  }
  if (!g->buffer[k].used) {
    return remora_bad(g, remora_cuda.cuEventCreate(&g->buffer[k].used, REMORA_EVENT_DISABLE_TIMING), "no event");
  }
  return remora_bad(g, remora_cuda.cuEventSynchronize(g->buffer[k].used), "the device failed");
}

/* Numbers go with the command itself, where the address suits it; elements of arrays are where it does. */
static int remora_gpu_put_scalar(remora_gpu *g, remora_address to, const void *from, int64_t bytes) {
  uint8_t byte;
  uint16_t half;
  uint32_t word[2];
  int result;
  switch (bytes) {
  case 1:
    memcpy(&byte, from, 1);
    result = remora_cuda.cuMemsetD8Async(to, byte, 1, g->stream);
    break;
  case 2:
    memcpy(&half, from, 2);
    result = remora_cuda.cuMemsetD16Async(to, half, 1, g->stream);
    break;
  default:
    memcpy(word, from, (size_t)bytes);
    result = remora_cuda.cuMemsetD32Async(to, word[0], 1, g->stream);
    result = result || bytes == 4 ? result : remora_cuda.cuMemsetD32Async(to + 4, word[1], 1, g->stream);
  }
  return remora_bad(g, result, "copying to the device");
}

static int remora_gpu_put(void *self, void *to, const void *from, int64_t bytes) {
  remora_gpu *g = self;
  if ((bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && (uintptr_t)to % (bytes < 4 ? (size_t)bytes : 4) == 0) {
    return remora_gpu_put_scalar(g, remora_at(to, 0), from, bytes);
  }
  if (!g->staging) {
    const int result = remora_cuda.cuMemcpyHtoDAsync_v2(remora_at(to, 0), from, (size_t)bytes, g->stream);
    return remora_bad(g, result, "copying to the device") || remora_gpu_wait(g);
  }
  for (int64_t at = 0; at < bytes; at += REMORA_STAGING) {
    const size_t count = (size_t)(bytes - at < REMORA_STAGING ? bytes - at : REMORA_STAGING);
    const int k = g->next ^= 1;
    if (remora_gpu_buffer(g, k)) {
      return 1;
    }
    memcpy(g->buffer[k].memory, (const char *)from + at, count);
    int result = remora_cuda.cuMemcpyHtoDAsync_v2(remora_at(to, at), g->buffer[k].memory, count, g->stream);
    result = result ? result : remora_cuda.cuEventRecord(g->buffer[k].used, g->stream);
    if (remora_bad(g, result, "copying to the device")) {
      return 1;
    }
  }
  return 0;
}

static int remora_gpu_get(void *self, void *to, const void *from, int64_t bytes) {
  remora_gpu *g = self;
  if (!g->staging && bytes > REMORA_STAGING) {
    const int result = remora_cuda.cuMemcpyDtoHAsync_v2(to, remora_at(from, 0), (size_t)bytes, g->stream);
    return remora_bad(g, result, "copying from the device") || remora_gpu_wait(g);
  }
  /* A buffer is emptied when the next copy is under way. */
  for (int64_t at = 0, k = 0; at < bytes + REMORA_STAGING; at += REMORA_STAGING, k ^= 1) {
    const int64_t before = at - REMORA_STAGING;
    if (at < bytes) {
      const size_t count = (size_t)(bytes - at < REMORA_STAGING ? bytes - at : REMORA_STAGING);
      if (remora_gpu_buffer(g, (int)k)) {
        return 1;
      }
      int result = remora_cuda.cuMemcpyDtoHAsync_v2(g->buffer[k].memory, remora_at(from, at), count, g->stream);
      result = result ? result : remora_cuda.cuEventRecord(g->buffer[k].used, g->stream);
      if (remora_bad(g, result, "copying from the device")) {
        return 1;
      }
    }
    if (before >= 0) {
      if (remora_gpu_buffer(g, (int)k ^ 1)) {
        return 1;
      }
      memcpy((char *)to + before, g->buffer[k ^ 1].memory, (size_t)(bytes - before < REMORA_STAGING ? bytes - before : REMORA_STAGING));
    }
  }
  return 0;
}

static int remora_gpu_copy(void *self, void *to, const void *from, int64_t bytes) {
  remora_gpu *g = self;
  const remora_address a = remora_at(to, 0), b = remora_at(from, 0);
  if ((a > b ? a - b : b - a) >= (uint64_t)bytes) {
    return remora_bad(g, remora_cuda.cuMemcpyDtoDAsync_v2(a, b, (size_t)bytes, g->stream), "copying on the device");
  }
  /* The places overlap. */
  void *between = NULL;
  if (remora_gpu_alloc(self, bytes, &between)) {
    return 1;
  }
  const remora_address c = remora_at(between, 0);
  int result = remora_cuda.cuMemcpyDtoDAsync_v2(c, b, (size_t)bytes, g->stream);
  result = result ? result : remora_cuda.cuMemcpyDtoDAsync_v2(a, c, (size_t)bytes, g->stream);
  remora_gpu_release(self, between, bytes);
  return remora_bad(g, result, "copying on the device");
}

static int remora_gpu_fill(void *self, void *to, int byte, int64_t bytes) {
  remora_gpu *g = self;
  return remora_bad(g, remora_cuda.cuMemsetD8Async(remora_at(to, 0), (unsigned char)byte, (size_t)bytes, g->stream), "filling memory");
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
    if (remora_bad(g, remora_cuda.cuModuleGetFunction(&function, g->module, kernel), "no kernel `%s`", kernel)) {
      return 1;
    }
    g->kernel[k].name = kernel;
    g->kernel[k].function = function;
    g->kernel[k].shared = 48 << 10; /* without asking */
  }
  void *function = g->kernel[k].function;
  if (shared > g->kernel[k].shared) {
    const int result = remora_cuda.cuFuncSetAttribute(function, REMORA_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared);
    if (remora_bad(g, result, "%lld bytes of shared memory for kernel `%s`", (long long)shared, kernel)) {
      return 1;
    }
    g->kernel[k].shared = shared;
  }
  /* Kernels go over their work in strides. */
  const unsigned blocks = (unsigned)(grid < 1 ? 1 : grid > INT32_MAX ? INT32_MAX : grid);
  const int result = remora_cuda.cuLaunchKernel(function, blocks, 1, 1, (unsigned)block, 1, 1, (unsigned)shared, g->stream, args, NULL);
  return remora_bad(g, result, "kernel `%s` with %u blocks of %d threads", kernel, blocks, block);
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

/* ---- The driver ---- */

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
    if (failed == 1) {
      remora_refused("E0803", "no CUDA driver: `libcuda.so.1` is not found");
    } else {
      remora_refused("E0804", "the CUDA driver is too old: %s", why);
    }
    return 1;
  }
  if (remora_cuda.cuDriverGetVersion(&version) || version < 12000) {
    remora_refused("E0804", "the CUDA driver is too old: it has CUDA %d.%d, needed is 12.0", version / 1000, version % 1000 / 10);
    return 1;
  }
  return 0;
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
      if (g->buffer[k].memory) {
        remora_cuda.cuMemFreeHost(g->buffer[k].memory);
      }
      if (g->buffer[k].used) {
        remora_cuda.cuEventDestroy_v2(g->buffer[k].used);
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

/* Closes a device whose context is current, or was never made. */
static void remora_gpu_abandon(remora_gpu *g) {
  if (g->retained) {
    remora_gpu_leave();
  }
  remora_gpu_close(g);
}

/* The number that is asked for: the one given, or that in REMORA_CUDA_DEVICE, or 0. -1 if that is no number. */
static int64_t remora_gpu_number(int64_t given) {
  const char *text = getenv("REMORA_CUDA_DEVICE");
  if (given >= 0 || !text || !*text) {
    return given >= 0 ? given : 0;
  }
  char *end = NULL;
  const long long number = strtoll(text, &end, 10);
  if (*end || number < 0) {
    remora_refused("E0805", "no CUDA device `%.40s`: REMORA_CUDA_DEVICE has to be a number", text);
    return -1;
  }
  return number;
}

/* Says why the driver or the device cannot be used. */
static void remora_gpu_unusable(int result) {
  char reason[300];
  remora_describe(reason, sizeof reason, result);
  switch (result) {
  case REMORA_NO_DEVICE:
  case REMORA_INVALID_DEVICE: remora_refused("E0805", "no CUDA device: the driver finds none"); break;
  case REMORA_SYSTEM_DRIVER_MISMATCH:
  case REMORA_COMPAT_NOT_SUPPORTED_ON_DEVICE: remora_refused("E0804", "the CUDA driver does not fit this machine: %s", reason); break;
  case REMORA_STUB_LIBRARY: remora_refused("E0803", "no CUDA driver: the library found is a stub for linking"); break;
  default: remora_refused("E0803", "the CUDA driver cannot be used: %s", reason);
  }
}

/* Asks the device what it is. */
static int remora_gpu_properties(remora_gpu *g) {
  int major = 0, minor = 0, each = 0, processors = 0, shared = 0, pools = 0, result = 0;
  const struct {
    int which, *to;
  } asked[] = {{REMORA_COMPUTE_CAPABILITY_MAJOR, &major},
               {REMORA_COMPUTE_CAPABILITY_MINOR, &minor},
               {REMORA_MULTIPROCESSOR_COUNT, &processors},
               {REMORA_MAX_THREADS_PER_MULTIPROCESSOR, &each},
               {REMORA_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &shared},
               {REMORA_MEMORY_POOLS_SUPPORTED, &pools}};
  for (size_t k = 0; k < sizeof asked / sizeof *asked && !result; k++) {
    result = remora_cuda.cuDeviceGetAttribute(asked[k].to, asked[k].which, g->device);
  }
  if (result) {
    remora_gpu_unusable(result);
    return 1;
  }
  if (remora_cuda.cuDeviceGetName(g->name, sizeof g->name - 1, g->device)) {
    snprintf(g->name, sizeof g->name, "without a name");
  }
  g->architecture = major * 10 + minor;
  g->multiprocessors = processors;
  g->threads = (int64_t)processors * each;
  g->shared = shared;
  if (g->architecture < 70) {
    remora_refused("E0805", "the CUDA device %s is too old: it is of architecture %d.%d, needed is 7.0", g->name, major, minor);
  } else if (!pools) {
    remora_refused("E0805", "the CUDA device %s has no memory pools, which remora needs", g->name);
  }
  return g->architecture < 70 || !pools;
}

/* Finds the device. What is wrong is in remora_text. */
static int remora_gpu_find(remora_gpu *g, int64_t given) {
  int count = 0;
  const int64_t number = remora_gpu_number(given);
  if (number < 0 || remora_load_driver()) {
    return 1;
  }
  int result = remora_cuda.cuInit(0);
  result = result ? result : remora_cuda.cuDeviceGetCount(&count);
  if (!result && count > 0 && number >= count) {
    char known[40] = "number 0";
    if (count > 1) {
      snprintf(known, sizeof known, "numbers 0 to %d", count - 1);
    }
    remora_refused("E0805", "no CUDA device %lld: the driver has %d (%s)", (long long)number, count, known);
    return 1;
  }
  result = result ? result : count ? remora_cuda.cuDeviceGet(&g->device, (int)number) : REMORA_NO_DEVICE;
  if (result) {
    remora_gpu_unusable(result);
    return 1;
  }
  return remora_gpu_properties(g);
}

/* Makes the context, which becomes current, the stream and what else is needed to work. */
static int remora_gpu_begin(remora_gpu *g) {
  uint64_t all = UINT64_MAX;
  if (remora_bad(g, remora_cuda.cuDevicePrimaryCtxRetain(&g->context, g->device), "no context")) {
    return 1;
  }
  g->retained = 1;
  remora_gpu_enter(g);
  /* What is released stays in the pool for the next allocation. */
  return remora_bad(g, remora_cuda.cuStreamCreate(&g->stream, REMORA_STREAM_NON_BLOCKING), "no stream") ||
         remora_bad(g, remora_cuda.cuEventCreate(&g->event, REMORA_EVENT_DISABLE_TIMING), "no event") ||
         remora_bad(g, remora_cuda.cuDeviceGetDefaultMemPool(&g->pool, g->device), "no memory pool") ||
         remora_bad(g, remora_cuda.cuMemPoolSetAttribute(g->pool, REMORA_POOL_RELEASE_THRESHOLD, &all), "no memory pool");
}

/* A device that is ready to work, with its context current, or NULL: what is wrong is in remora_text. It has no kernels yet. */
static remora_gpu *remora_gpu_open(int64_t number) {
  const char *staging = getenv("REMORA_CUDA_STAGING");
  remora_gpu *g = calloc(1, sizeof *g);
  if (!g) {
    remora_refused("E0507", "out of memory");
    return NULL;
  }
  g->staging = !staging || strcmp(staging, "0") != 0;
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
  if (!remora_gpu_begin(g)) {
    return g;
  }
  remora_refused("E0810", "%s", g->message);
  remora_gpu_abandon(g);
  return NULL;
}

/* Loads kernels: machine code, or PTX that ends with a zero. Returns 0, or REMORA_UNFIT if this device and driver take other code, or 1;
   what is wrong is in remora_text. */
#define REMORA_UNFIT 2
static int remora_gpu_load(remora_gpu *g, const void *code) {
  const int result = remora_cuda.cuModuleLoadData(&g->module, code);
  char reason[300];
  remora_describe(reason, sizeof reason, result);
  switch (result) {
  case 0: return 0;
  case REMORA_NO_BINARY_FOR_GPU: remora_refused("E0804", "the kernels are for other devices: %s", reason); return REMORA_UNFIT;
  case REMORA_UNSUPPORTED_PTX_VERSION: remora_refused("E0804", "the CUDA driver is older than NVRTC: %s", reason); return REMORA_UNFIT;
  default:
    remora_bad(g, result, "the kernels cannot be loaded");
    remora_refused("E0810", "%s", g->message);
    return 1;
  }
}

/* ---- Arrays and streams of who calls ---- */

/* What kind of memory an array is in; fails where that is of no device. */
static int remora_gpu_kind(remora_gpu *g, const void *place, unsigned *kind) {
  return remora_bad(g, remora_cuda.cuPointerGetAttribute(kind, REMORA_POINTER_MEMORY_TYPE, remora_at(place, 0)),
                    "an argument is not in memory that the device reaches");
}

/* What is launched from now on runs behind what is in a stream. */
static int remora_gpu_wait_for(remora_gpu *g, void *stream) {
  return remora_bad(g, remora_cuda.cuEventRecord(g->event, stream), "waiting for the stream") ||
         remora_bad(g, remora_cuda.cuStreamWaitEvent(g->stream, g->event, 0), "waiting for the stream");
}
