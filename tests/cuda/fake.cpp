/* CUDA's driver and NVRTC as far as remora uses them, played by the stand-in device: what NVRTC "compiles" is the text itself, which the
   driver gives to the stand-in. FAKE_CUDA names what is wrong: `stub`, `old`, `none`, `old-device`, `no-pools`, `refuse`, `memory`, `launch`,
   `image`. FAKE_CUDA_LOG is a file that gets a line for each thing that was done. */
#include "../shim/device.cpp"
#include <map>
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

enum { GOOD = 0, OUT_OF_MEMORY = 2, STUB = 34, NO_DEVICE = 100, INVALID_IMAGE = 200, NOT_FOUND = 500, LAUNCH_FAILED = 719 };

static const remora_device *device;
static std::map<Address, int64_t> memory;
static int done(int failed) {
  if (failed) {
    fprintf(stderr, "%s\n", device->message(device->self));
  }
  return failed ? LAUNCH_FAILED : GOOD;
}

EXPORT int cuGetErrorName(int error, const char **text) {
  *text = error == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : error == LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_OTHER";
  return GOOD;
}
EXPORT int cuGetErrorString(int error, const char **text) {
  *text = error == OUT_OF_MEMORY ? "out of memory" : error == LAUNCH_FAILED ? "unspecified launch failure" : "something else";
  return GOOD;
}
EXPORT int cuDriverGetVersion(int *version) { return *version = wrong("old") ? 11040 : 12040, GOOD; }
EXPORT int cuInit(unsigned) { return wrong("stub") ? STUB : wrong("none") ? NO_DEVICE : GOOD; }
EXPORT int cuDeviceGetCount(int *count) { return *count = 1, GOOD; }
EXPORT int cuDeviceGet(int *found, int) { return *found = 0, GOOD; }
EXPORT int cuDeviceGetName(char *name, int, int) { return strcpy(name, "Fake 9000"), GOOD; }
EXPORT int cuDeviceGetAttribute(int *value, int which, int) {
  switch (which) {
  case 16: *value = 2; break;
  case 39: *value = 2048; break;
  case 75: *value = wrong("old-device") ? 6 : 9; break;
  case 76: *value = wrong("old-device") ? 1 : 0; break;
  case 97: *value = 99 << 10; break;
  case 115: *value = !wrong("no-pools"); break;
  default: return NOT_FOUND;
  }
  return GOOD;
}
EXPORT int cuDevicePrimaryCtxRetain(void **context, int) { return *context = &memory, GOOD; }
EXPORT int cuDevicePrimaryCtxRelease_v2(int) {
  note("released, " + std::to_string(memory.size()) + " allocations left");
  return GOOD;
}
EXPORT int cuCtxSetCurrent(void *context) { return context == &memory ? GOOD : NOT_FOUND; }
EXPORT int cuStreamCreate(void **stream, unsigned) { return *stream = &memory, GOOD; }
EXPORT int cuStreamSynchronize(void *) { return GOOD; }
EXPORT int cuStreamDestroy_v2(void *) { return GOOD; }
EXPORT int cuDeviceGetDefaultMemPool(void **pool, int) { return *pool = &memory, GOOD; }
EXPORT int cuMemPoolSetAttribute(void *, int, void *) { return GOOD; }
EXPORT int cuMemPoolGetAttribute(void *, int, void *value) { return *(unsigned long long *)value = 0, GOOD; }
EXPORT int cuMemPoolTrimTo(void *, size_t) { return note("trimmed"), GOOD; }
EXPORT int cuMemGetInfo_v2(size_t *free, size_t *total) { return *free = *total = 1000, GOOD; }
EXPORT int cuMemAllocHost_v2(void **place, size_t bytes) { return *place = malloc(bytes), GOOD; }
EXPORT int cuMemFreeHost(void *place) { return free(place), GOOD; }

EXPORT int cuMemAllocAsync(Address *out, size_t bytes, void *) {
  void *place = nullptr;
  if ((wrong("memory") && bytes > 100000 && bytes != 262144) || device->alloc(device->self, (int64_t)bytes, &place)) {
    return OUT_OF_MEMORY;
  }
  *out = (Address)(uintptr_t)place;
  memory[*out] = (int64_t)bytes;
  return GOOD;
}
EXPORT int cuMemFreeAsync(Address place, void *) {
  device->release(device->self, (void *)(uintptr_t)place, memory[place]);
  memory.erase(place);
  return GOOD;
}
EXPORT int cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *) {
  note("put " + std::to_string(bytes));
  return done(device->put(device->self, (void *)(uintptr_t)to, from, (int64_t)bytes));
}
EXPORT int cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, void *) {
  return done(device->get(device->self, to, (const void *)(uintptr_t)from, (int64_t)bytes));
}
EXPORT int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void *) {
  return done(device->copy(device->self, (void *)(uintptr_t)to, (const void *)(uintptr_t)from, (int64_t)bytes));
}
template <class T> static int set(Address to, T value, size_t count) {
  for (size_t k = 0; k < count; k++) {
    if (device->put(device->self, (void *)(uintptr_t)(to + k * sizeof(T)), &value, sizeof(T))) {
      return done(1);
    }
  }
  return GOOD;
}
EXPORT int cuMemsetD8Async(Address to, unsigned char value, size_t count, void *) {
  return count == 1 ? set(to, value, 1) : done(device->fill(device->self, (void *)(uintptr_t)to, value, (int64_t)count));
}
EXPORT int cuMemsetD16Async(Address to, unsigned short value, size_t count, void *) { return set(to, value, count); }
EXPORT int cuMemsetD32Async(Address to, unsigned value, size_t count, void *) { return set(to, value, count); }

EXPORT int cuModuleLoadData(void **module, const void *image) {
  note("load");
  if (wrong("image") || strncmp((const char *)image, "\x7f" "ELF", 4) == 0) {
    return INVALID_IMAGE;
  }
  device = remora_device_open((const char *)image);
  *module = &memory;
  return device ? GOOD : INVALID_IMAGE;
}
EXPORT int cuModuleUnload(void *) { return remora_device_close(device), GOOD; }
EXPORT int cuModuleGetFunction(void **function, void *, const char *name) { return *function = strdup(name), GOOD; }
EXPORT int cuFuncSetAttribute(void *, int, int) { return GOOD; }
EXPORT int cuLaunchKernel(void *function, unsigned grid, unsigned, unsigned, unsigned block, unsigned, unsigned, unsigned shared, void *,
                          void **args, void **) {
  if (wrong("launch")) {
    return LAUNCH_FAILED;
  }
  const char *const kernel = (const char *)function;
  note(std::string("launch ") + kernel);
  return done(device->launch(device->self, kernel, grid, (int)block, shared, args, remora_shim_arguments(device->self, kernel)));
}

/* NVRTC. */
static std::string source;
EXPORT int nvrtcVersion(int *major, int *minor) { return *major = 12, *minor = 0, 0; }
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
EXPORT int nvrtcGetPTXSize(void *, size_t *size) { return *size = source.size(), 0; }
EXPORT int nvrtcGetPTX(void *, char *code) { return memcpy(code, source.data(), source.size()), 0; }
