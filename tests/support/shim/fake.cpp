/* CUDA's driver and NVRTC as far as remora and what it builds use them, played by the stand-in device: what NVRTC "compiles" is the text itself, which the
   driver gives to the stand-in. FAKE_CUDA names what is wrong: `stub`, `old`, `none`, `old-device`, `no-pools`, `refuse`, `memory`, `launch`,
   `image`, `ptx` (too new), `newer` (device than NVRTC, too), `lost` (the context, by the first launch), `old-nvrtc`; or `several` (devices),
   `new-device`; or `elsewhere` (arrays are on another device). FAKE_CUDA_LOG is a file that
   gets a line for each thing that was done. A stream has a stand-in device of its own, which runs the kernels of the module that its thread
   loads next. */
#include "device.cpp"
#include <map>
#include <mutex>
#include <string.h>

extern "C" int remora_shim_arguments(void *device, const char *kernel);

#define EXPORT extern "C" __attribute__((visibility("default")))
typedef unsigned long long Address;

static bool wrong(const char *what) { return variable("FAKE_CUDA") == what; }
static void note(const std::string &line) {
  const std::string log = variable("FAKE_CUDA_LOG");
  FILE *file = log.empty() ? nullptr : fopen(log.c_str(), "a");
  if (file) {
    fprintf(file, "%s\n", line.c_str());
    fclose(file);
  }
}

enum { GOOD = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, STUB = 34, NO_DEVICE = 100, INVALID_IMAGE = 200, UNSUPPORTED_PTX = 222,
       NOT_FOUND = 500, ILLEGAL_ADDRESS = 700, LAUNCH_FAILED = 719 };

struct Stream {
  const remora_device *device;
};
static thread_local Stream *latest;
static std::map<Address, int64_t> memory;
static std::recursive_mutex one; /* command at a time */
typedef std::lock_guard<std::recursive_mutex> Turn;
static bool lost;
static int context;

/* What a command returns: nothing works in a lost context. */
static int done(void *stream, int failed) {
  if (failed && stream) {
    const remora_device *device = ((Stream *)stream)->device;
    fprintf(stderr, "%s\n", device->message(device->self));
  }
  return lost ? ILLEGAL_ADDRESS : failed ? LAUNCH_FAILED : GOOD;
}
#define DEVICE(stream) const remora_device *const device = ((Stream *)(stream))->device

EXPORT int cuGetErrorName(int error, const char **text) {
  *text = error == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : error == LAUNCH_FAILED     ? "CUDA_ERROR_LAUNCH_FAILED"
          : error == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                     : "CUDA_ERROR_OTHER";
  return GOOD;
}
EXPORT int cuGetErrorString(int error, const char **text) {
  *text = error == OUT_OF_MEMORY ? "out of memory" : error == LAUNCH_FAILED     ? "unspecified launch failure"
          : error == ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
                                     : "something else";
  return GOOD;
}
EXPORT int cuDriverGetVersion(int *version) { return *version = wrong("old") ? 11040 : 12040, GOOD; }
EXPORT int cuInit(unsigned) { return wrong("stub") ? STUB : wrong("none") ? NO_DEVICE : GOOD; }
EXPORT int cuDeviceGetCount(int *count) { return *count = wrong("several") ? 3 : 1, GOOD; }
EXPORT int cuDeviceGet(int *found, int number) { return note("device " + std::to_string(number)), *found = number, GOOD; }
EXPORT int cuDeviceGetName(char *name, int, int) { return strcpy(name, "Fake 9000"), GOOD; }
EXPORT int cuDeviceGetAttribute(int *value, int which, int) {
  switch (which) {
  case 13: *value = 1000000; break;
  case 16: *value = 2; break;
  case 39: *value = 2048; break;
  case 75: *value = wrong("old-device") ? 6 : wrong("new-device") || wrong("newer") ? 10 : 9; break;
  case 76: *value = wrong("old-device") ? 1 : 0; break;
  case 97: *value = 99 << 10; break;
  case 115: *value = !wrong("no-pools"); break;
  default: return NOT_FOUND;
  }
  return GOOD;
}
EXPORT int cuDevicePrimaryCtxRetain(void **found, int) { return *found = &context, GOOD; }
EXPORT int cuDevicePrimaryCtxRelease_v2(int) {
  Turn turn(one);
  note("released, " + std::to_string(memory.size()) + " allocations left");
  return GOOD;
}
EXPORT int cuCtxSetCurrent(void *current) { return current == &context ? GOOD : NOT_FOUND; }
EXPORT int cuCtxPushCurrent_v2(void *current) { return current == &context ? GOOD : NOT_FOUND; }
EXPORT int cuCtxPopCurrent_v2(void **current) { return *current = &context, GOOD; }
EXPORT int cuStreamCreate(void **stream, unsigned) { return *stream = latest = new Stream{nullptr}, GOOD; }
EXPORT int cuStreamSynchronize(void *) { return done(nullptr, 0); }
EXPORT int cuStreamWaitEvent(void *, void *event, unsigned) { return note("wait"), event ? GOOD : INVALID_VALUE; }
EXPORT int cuStreamDestroy_v2(void *stream) { return delete (Stream *)stream, GOOD; }
EXPORT int cuEventCreate(void **event, unsigned) { return *event = malloc(1), GOOD; }
EXPORT int cuEventRecord(void *event, void *) { return event ? GOOD : INVALID_VALUE; }
EXPORT int cuEventSynchronize(void *) { return done(nullptr, 0); }
EXPORT int cuEventDestroy_v2(void *event) { return free(event), GOOD; }
EXPORT int cuDeviceGetDefaultMemPool(void **pool, int) { return *pool = &memory, GOOD; }
EXPORT int cuMemPoolSetAttribute(void *, int, void *) { return GOOD; }
EXPORT int cuMemPoolGetAttribute(void *, int, void *value) { return *(unsigned long long *)value = 0, GOOD; }
EXPORT int cuMemPoolTrimTo(void *, size_t) { return note("trimmed"), GOOD; }
EXPORT int cuMemGetInfo_v2(size_t *free, size_t *total) { return *free = *total = 1000, GOOD; }
EXPORT int cuMemAllocHost_v2(void **place, size_t bytes) { return *place = malloc(bytes), GOOD; }
EXPORT int cuMemFreeHost(void *place) { return free(place), GOOD; }

EXPORT int cuMemAllocAsync(Address *out, size_t bytes, void *stream) {
  Turn turn(one);
  DEVICE(stream);
  void *place = nullptr;
  if (lost) {
    return ILLEGAL_ADDRESS;
  }
  if ((wrong("memory") && bytes > 100000 && bytes != 262144) || device->alloc(device->self, (int64_t)bytes, &place)) {
    return OUT_OF_MEMORY;
  }
  *out = (Address)(uintptr_t)place;
  memory[*out] = (int64_t)bytes;
  return GOOD;
}
EXPORT int cuMemFreeAsync(Address place, void *stream) {
  Turn turn(one);
  DEVICE(stream);
  device->release(device->self, (void *)(uintptr_t)place, memory[place]);
  memory.erase(place);
  return GOOD;
}
EXPORT int cuCtxSynchronize(void) { return note("finish"), done(nullptr, 0); }
EXPORT int cuPointerGetAttribute(void *value, int which, Address place) {
  Turn turn(one);
  /* The type of device memory, and the number of the device. */
  *(int *)value = which == 2 ? 2 : wrong("elsewhere") ? 1 : 0;
  auto after = memory.upper_bound(place);
  if (after == memory.begin()) {
    return INVALID_VALUE;
  }
  const auto &[start, bytes] = *--after;
  return place < start + (Address)bytes ? GOOD : INVALID_VALUE;
}
EXPORT int cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *stream) {
  Turn turn(one);
  DEVICE(stream);
  note("put " + std::to_string(bytes));
  return done(stream, device->put(device->self, (void *)(uintptr_t)to, from, (int64_t)bytes));
}
EXPORT int cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, void *stream) {
  Turn turn(one);
  DEVICE(stream);
  note("get " + std::to_string(bytes));
  return done(stream, device->get(device->self, to, (const void *)(uintptr_t)from, (int64_t)bytes));
}
EXPORT int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void *stream) {
  Turn turn(one);
  if (!stream) {
    return memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes), GOOD;
  }
  DEVICE(stream);
  return done(stream, device->copy(device->self, (void *)(uintptr_t)to, (const void *)(uintptr_t)from, (int64_t)bytes));
}
template <class T> static int set(Address to, T value, size_t count, void *stream) {
  Turn turn(one);
  DEVICE(stream);
  for (size_t k = 0; k < count; k++) {
    if (device->put(device->self, (void *)(uintptr_t)(to + k * sizeof(T)), &value, sizeof(T))) {
      return done(stream, 1);
    }
  }
  return done(stream, 0);
}
EXPORT int cuMemsetD8Async(Address to, unsigned char value, size_t count, void *stream) {
  Turn turn(one);
  DEVICE(stream);
  return count == 1 ? set(to, value, 1, stream) : done(stream, device->fill(device->self, (void *)(uintptr_t)to, value, (int64_t)count));
}
EXPORT int cuMemsetD16Async(Address to, unsigned short value, size_t count, void *stream) { return set(to, value, count, stream); }
EXPORT int cuMemsetD32Async(Address to, unsigned value, size_t count, void *stream) { return set(to, value, count, stream); }

/* For who looks at the device from outside. */
EXPORT int cuMemcpyDtoH_v2(void *to, Address from, size_t bytes) { return memcpy(to, (const void *)(uintptr_t)from, bytes), GOOD; }
EXPORT int cuMemAlloc_v2(Address *out, size_t bytes) { return *out = (Address)(uintptr_t)malloc(bytes), GOOD; }
EXPORT int cuMemFree_v2(Address place) { return free((void *)(uintptr_t)place), GOOD; }
EXPORT int cuEventElapsedTime(float *time, void *, void *) { return *time = 1, GOOD; }

static const char PTX[] = "// PTX\n";
EXPORT int cuModuleLoadData(void **module, const void *image) {
  Turn turn(one);
  note("load");
  if (wrong("image") || strncmp((const char *)image, "\x7f" "ELF", 4) == 0) {
    return INVALID_IMAGE;
  }
  if ((wrong("ptx") || wrong("newer")) && strncmp((const char *)image, PTX, sizeof PTX - 1) == 0) {
    return UNSUPPORTED_PTX;
  }
  latest->device = remora_device_open((const char *)image);
  *module = latest;
  return latest->device ? GOOD : INVALID_IMAGE;
}
EXPORT int cuModuleUnload(void *module) {
  Turn turn(one);
  /* What a lost context had is lost. */
  lost ? (void)0 : remora_device_close(((Stream *)module)->device);
  return GOOD;
}
EXPORT int cuModuleGetFunction(void **function, void *, const char *name) {
  static std::map<std::string, char> names;
  Turn turn(one);
  return *function = (void *)names.emplace(name, 0).first->first.c_str(), GOOD;
}
EXPORT int cuFuncSetAttribute(void *, int, int) { return GOOD; }
EXPORT int cuLaunchKernel(void *function, unsigned grid, unsigned, unsigned, unsigned block, unsigned, unsigned, unsigned shared,
                          void *stream, void **args, void **) {
  Turn turn(one);
  DEVICE(stream);
  if (wrong("launch")) {
    return LAUNCH_FAILED;
  }
  if (wrong("lost")) {
    /* Nobody knows before somebody waits. */
    return lost = true, GOOD;
  }
  const char *const kernel = (const char *)function;
  note(std::string("launch ") + kernel);
  return done(stream, device->launch(device->self, kernel, grid, (int)block, shared, args, remora_shim_arguments(device->self, kernel)));
}

/* NVRTC. */
static std::string source;
EXPORT int nvrtcVersion(int *major, int *minor) { return *major = wrong("old-nvrtc") ? 11 : 12, *minor = 0, 0; }
EXPORT int nvrtcGetNumSupportedArchs(int *count) { return *count = 2, 0; }
EXPORT int nvrtcGetSupportedArchs(int *list) { return list[0] = 80, list[1] = 90, 0; }
EXPORT const char *nvrtcGetErrorString(int) { return "NVRTC_ERROR"; }
EXPORT int nvrtcCreateProgram(void **program, const char *text, const char *, int, const void *, const void *) {
  source = text;
  *program = &source;
  return 0;
}
EXPORT int nvrtcCompileProgram(void *, int count, const char **options) {
  std::string line = "compile";
  for (int k = 0; k < count; k++) {
    line += std::string(" ") + options[k];
  }
  note(line);
  return wrong("refuse") ? 6 : 0;
}
EXPORT int nvrtcDestroyProgram(void **) { return 0; }
static const char LOG[] = "program.cu(3): error: identifier \"x\" is undefined";
EXPORT int nvrtcGetProgramLogSize(void *, size_t *size) { return *size = sizeof LOG, 0; }
EXPORT int nvrtcGetProgramLog(void *, char *text) { return memcpy(text, LOG, sizeof LOG), 0; }
EXPORT int nvrtcGetCUBINSize(void *, size_t *size) { return *size = source.size(), 0; }
EXPORT int nvrtcGetCUBIN(void *, char *code) { return memcpy(code, source.data(), source.size()), 0; }
EXPORT int nvrtcGetPTXSize(void *, size_t *size) { return *size = sizeof PTX - 1 + source.size(), 0; }
EXPORT int nvrtcGetPTX(void *, char *code) { return memcpy(code, (PTX + source).data(), sizeof PTX - 1 + source.size()), 0; }
