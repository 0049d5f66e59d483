
/* ---- driver.c as a library that `remora` loads, to run the plans of programs that it compiles ----
   A device is its table; its context is current on the thread that opened it until it is closed there. */

#define REMORA_EXPORT __attribute__((visibility("default")))

/* A device without kernels; -1 asks for the one that REMORA_CUDA_DEVICE names. NULL if there is none to work with. */
REMORA_EXPORT remora_device *remora_driver_open(int64_t number) {
  remora_gpu *g = remora_gpu_open(number);
  return g ? &g->table : NULL;
}
/* Returns what remora_gpu_load returns. */
REMORA_EXPORT int remora_driver_load(remora_device *device, const void *code) { return remora_gpu_load(device->self, code); }
REMORA_EXPORT void remora_driver_close(remora_device *device) { remora_gpu_abandon(device->self); }

/* What kernels must be made for: 90 for sm_90. */
REMORA_EXPORT int remora_driver_architecture(const remora_device *device) { return ((remora_gpu *)device->self)->architecture; }
REMORA_EXPORT const char *remora_driver_name(const remora_device *device) { return ((remora_gpu *)device->self)->name; }

/* Why `open` or `load` failed last on this thread: the code of the error and its message. */
REMORA_EXPORT const char *remora_driver_code(void) { return remora_refusal_code; }
REMORA_EXPORT const char *remora_driver_message(void) { return remora_refusal_message; }
