/* What the host plan of a program for a device asks of whoever runs it. The same text stands in front of the plan and of the machines
   that it may be given: CUDA's driver, and the stand-in that runs kernels on the processor in tests. */
#ifndef REMORA_TABLE
#define REMORA_TABLE
#include <stdint.h>

#ifndef REMORA_KERNEL /* kernels have it already */
/* The first failure of a kernel: 0, or the number of the check that failed and 1; and the values in its message. Lives on the device,
   is zeroed before an entry point runs. */
typedef struct remora_failure {
  int32_t code;
  uint32_t lock;   /* held by the thread that writes this */
  int64_t args[8];
  int64_t order;   /* of the cell that failed: the first counts */
  int64_t launch;  /* the number of the launch in which it failed */
} remora_failure;
#endif

/* What can be asked of a device. */
enum {
  REMORA_ASK_MULTIPROCESSORS = 0,
  REMORA_ASK_THREADS = 1, /* threads that can be resident at a time, on all multiprocessors */
  REMORA_ASK_SHARED = 2,  /* bytes of shared memory that a block can have, if it asks for them */
  REMORA_ASK_FREE = 3     /* bytes of memory that are free */
};

/* What `alloc` returns where there is no memory for so many bytes. */
#define REMORA_NO_MEMORY 2

/* All functions that return an int return 0, or something else after a failure that `message` tells. Sizes in bytes are not negative; an allocation of 0
   bytes gives a pointer that may be released. Everything happens in the order in which it was asked for. */
typedef struct remora_device {
  void *self;
  int (*alloc)(void *self, int64_t bytes, void **out);
  void (*release)(void *self, void *memory, int64_t bytes);
  int (*put)(void *self, void *device, const void *host, int64_t bytes);
  int (*get)(void *self, void *host, const void *device, int64_t bytes); /* waits for all that was launched before */
  int (*copy)(void *self, void *to, const void *from, int64_t bytes);    /* the places may overlap */
  int (*fill)(void *self, void *to, int byte, int64_t bytes);
  /* `args` are pointers to the arguments, `shared` the bytes of dynamic shared memory. A grid has at least one block; it may be cut to
     what a launch can have, kernels go over their work in strides of the grid. */
  int (*launch)(void *self, const char *kernel, int64_t grid, int32_t block, int64_t shared, void **args, int32_t count);
  int64_t (*ask)(void *self, int32_t what);
  const char *(*message)(void *self);
} remora_device;
#endif
