/* What programs have in common that launch kernels on the stand-in device. Stands behind the kernels in the same text. */
#undef __noinline__
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <vector>
#include TABLE

extern "C" {
void *remora_shim_open(const char *library);
const remora_device *remora_shim_table(void *device);
void remora_shim_schedule(void *device, int schedule, uint64_t seed);
int64_t remora_shim_live(void *device);
void remora_shim_close(void *device);
}

static const remora_device *device;
static int problems = 0, checks = 0;

static void must(int failed) {
  if (failed) {
    printf("%s\n", device->message(device->self));
    exit(1);
  }
}

/* An array on the device. */
template <class T> struct Array {
  void *at = nullptr;
  int64_t count;
  explicit Array(const std::vector<T> &host) : count((int64_t)host.size()) {
    must(device->alloc(device->self, bytes(), &at));
    must(device->put(device->self, at, host.data(), bytes()));
  }
  Array(int64_t count, int byte) : count(count) {
    must(device->alloc(device->self, bytes(), &at));
    must(device->fill(device->self, at, byte, bytes()));
  }
  Array(const Array &) = delete;
  ~Array() { device->release(device->self, at, bytes()); }
  int64_t bytes() const { return count * (int64_t)sizeof(T); }
  std::vector<T> get() const {
    std::vector<T> host((size_t)count);
    must(device->get(device->self, host.data(), at, bytes()));
    return host;
  }
};

/* Kernels have a place for failures and the number of the launch in front of their own parameters. */
template <class... Args>
static void launch(const std::string &kernel, int64_t grid, int64_t shared, void *failure, Args... args) {
  static int64_t launches = 0;
  launches++;
  void *list[] = {&failure, &launches, &args...};
  must(device->launch(device->self, kernel.c_str(), grid, REMORA_BLOCK, shared, list, sizeof...(Args) + 2));
}

/* Numbers without order. */
static std::vector<uint32_t> numbers(int64_t count) {
  std::vector<uint32_t> out((size_t)count);
  uint32_t x = 2463534242u + (uint32_t)count;
  for (auto &value : out) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    value = x;
  }
  return out;
}

/* Counts what differs; classes need a function `same`. */
template <class T> static void compare(const std::string &what, const std::vector<T> &found, const std::vector<T> &expected) {
  checks++;
  bool equal = found.size() == expected.size();
  for (size_t k = 0; equal && k < found.size(); k++) {
    if constexpr (std::is_class_v<T>) {
      equal = same(found[k], expected[k]);
    } else {
      equal = found[k] == expected[k];
    }
    if (!equal) {
      printf("%s: element %zu of %zu is wrong\n", what.c_str(), k, found.size());
    }
  }
  problems += !equal;
}
