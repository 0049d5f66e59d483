/* Launches each kernel of faults.cu under each schedule and prints what became of it: the message, or whether the result is that of
   `fault_none`. Stands behind the kernels and driver.h in the same text. */

int main() {
  const char *kernels[] = {"fault_none",         "fault_dropped",   "fault_dropped_below", "fault_store", "fault_load",
                           "fault_before",       "fault_shared",    "fault_some_wait",     "fault_two_barriers",
                           "fault_warp",         "fault_wait",      "fault_uninitialised", "fault_stack", "fault_misaligned",
                           "fault_counter",      "fault_unknown"};
  void *shim = remora_shim_open(nullptr);
  device = remora_shim_table(shim);
  for (const char *kernel : kernels) {
    for (int schedule = 0; schedule < 3; schedule++) {
      remora_shim_schedule(shim, schedule, 7);
      std::vector<int32_t> xs;
      for (uint32_t x : numbers(512)) {
        xs.push_back((int32_t)(x >> 1));
      }
      std::vector<int32_t> turned, below, first;
      for (int k = 0; k < 512; k++) {
        turned.push_back(xs[(size_t)(k / 256 * 256 + 255 - k % 256)]);
        below.push_back(k % 256 == 0 ? 0 : xs[(size_t)k - 1]);
        first.push_back(xs[(size_t)k % 256]);
      }
      Array<remora_failure> failure(1, 0);
      Array<int32_t> input(xs), out(512, 0);
      int64_t width = 512, launch = 1;
      void *args[] = {&failure.at, &launch, &width, &input.at, &out.at};
      printf("%s %d: ", kernel, schedule);
      if (device->launch(device->self, kernel, 2, REMORA_BLOCK, 0, args, 5)) {
        printf("%s\n", device->message(device->self));
      } else {
        const auto found = out.get();
        printf("%s\n", found == turned ? "turned" : found == below ? "below" : found == first ? "first" : "wrong");
      }
    }
  }
  auto refused = [](const char *what, int failed) { printf("%s: %s\n", what, failed ? device->message(device->self) : "accepted"); };
  void *args[] = {nullptr}, *memory = nullptr;
  refused("arguments", device->launch(device->self, "fault_none", 1, 256, 0, args, 1));
  refused("memory", device->alloc(device->self, INT64_MAX, &memory));
  must(device->alloc(device->self, 100, &memory));
  char host[101];
  refused("get", device->get(device->self, host, memory, 101));
  printf("live: %lld\n", (long long)remora_shim_live(shim));
  return 0;
}
