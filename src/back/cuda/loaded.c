
/* ---- driver.c as a library that `remora` loads, to run the plans of programs that it compiles ----
   A device is its table; its context is current on the thread that opened it until it is closed there, or left with remora_driver_leave:
   other threads enter it before they use the table, and leave it then. */

#define REMORA_EXPORT __attribute__((visibility("default")))

/* A device without kernels; -1 asks for the one that REMORA_CUDA_DEVICE names. NULL if there is none to work with. */
REMORA_EXPORT remora_device *remora_driver_open(int64_t number) {
  remora_gpu *g = remora_gpu_open(number);
  return g ? &g->table : NULL;
}
/* Returns what remora_gpu_load returns. */
REMORA_EXPORT int remora_driver_load(remora_device *device, const void *code) { return remora_gpu_load(device->self, code); }
REMORA_EXPORT void remora_driver_close(remora_device *device) { remora_gpu_abandon(device->self); }

REMORA_EXPORT void remora_driver_enter(remora_device *device) { remora_gpu_enter(device->self); }
REMORA_EXPORT void remora_driver_leave(void) { remora_gpu_leave(); }

/* The functions below return 0, or 1 after a failure that `message` of the table tells; the context is current. */

/* Sees to it that an array of the caller's is in memory that the device reaches, and not in that of another device. */
REMORA_EXPORT int remora_driver_reach(remora_device *device, const void *place) {
  remora_gpu *g = device->self;
  unsigned kind = 0;
  int number = g->device;
  if (remora_gpu_kind(g, place, &kind)) {
    return 1;
  }
  if (kind != REMORA_MEMORY_DEVICE) {
    return 0;
  }
  if (remora_bad(g, remora_cuda.cuPointerGetAttribute(&number, REMORA_POINTER_DEVICE_ORDINAL, remora_at(place, 0)), "looking at an argument")) {
    return 1;
  }
  if (number != g->device) {
    snprintf(g->message, sizeof g->message, "an argument is in the memory of device %d, the program runs on device %d", number, g->device);
  }
  return number != g->device;
}
/* What is launched from now on runs behind what is in a stream at the moment. */
REMORA_EXPORT int remora_driver_wait_for(remora_device *device, void *stream) { return remora_gpu_wait_for(device->self, stream); }
/* Waits for all that anybody has launched in the context of the device. */
REMORA_EXPORT int remora_driver_finish(remora_device *device) {
  return remora_bad(device->self, remora_cuda.cuCtxSynchronize(), "the device failed");
}
REMORA_EXPORT int remora_driver_number(const remora_device *device) { return ((remora_gpu *)device->self)->device; }

/* What kernels must be made for: 90 for sm_90. */
REMORA_EXPORT int remora_driver_architecture(const remora_device *device) { return ((remora_gpu *)device->self)->architecture; }
REMORA_EXPORT const char *remora_driver_name(const remora_device *device) { return ((remora_gpu *)device->self)->name; }

/* Why `open` or `load` failed last on this thread: the code of the error and its message. */
REMORA_EXPORT const char *remora_driver_code(void) { return remora_refusal_code; }
REMORA_EXPORT const char *remora_driver_message(void) { return remora_refusal_message; }
