/* Launches kernels of faults.cu that are compiled so that their accesses are watched, and prints what became of it. Stands behind the kernels and
   driver.h in the same text. */
int main() {
  void *shim = remora_shim_open(nullptr);
  device = remora_shim_table(shim);
  for (const char *kernel : {"fault_none", "fault_fence", "fault_update"}) {
    remora_shim_schedule(shim, 2, 7);
    Array<remora_failure> failure(1, 0);
    Array<int32_t> input(512, 1), out(512, 0);
    int64_t width = 512, launch = 1;
    void *args[] = {&failure.at, &launch, &width, &input.at, &out.at};
    if (device->launch(device->self, kernel, 2, REMORA_BLOCK, 0, args, 5)) {
      printf("%s: %s\n", kernel, device->message(device->self));
    } else {
      printf("%s: %d\n", kernel, out.get()[0]);
    }
  }
  return 0;
}
