/* Kernels with mistakes that the stand-in device finds. Each has one thread for each of 512 elements. */

#define FAULT(NAME) extern "C" __global__ void __launch_bounds__(256) NAME(remora_failure *failure, int64_t launch, int64_t width, const int32_t *xs, int32_t *out)

/* No mistake: the elements of each block in reverse order. */
FAULT(fault_none) {
  REMORA_KERNEL
  REMORA_SHARED(int32_t, turned, 256);
  turned[threadIdx.x] = xs[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = turned[255 - threadIdx.x];
}
REMORA_ENTRY(fault_none)

/* Without the barrier. */
FAULT(fault_dropped) {
  REMORA_KERNEL
  REMORA_SHARED(int32_t, turned, 256);
  turned[threadIdx.x] = xs[blockIdx.x * 256 + threadIdx.x];
  out[blockIdx.x * 256 + threadIdx.x] = turned[255 - threadIdx.x];
}
REMORA_ENTRY(fault_dropped)

/* Neighbours only: in order, each thread finds what the one before has written. */
FAULT(fault_dropped_below) {
  REMORA_KERNEL
  REMORA_SHARED(int32_t, kept, 257);
  kept[threadIdx.x + 1] = xs[blockIdx.x * 256 + threadIdx.x];
  if (threadIdx.x == 0) {
    kept[0] = 0;
  }
  out[blockIdx.x * 256 + threadIdx.x] = kept[threadIdx.x];
}
REMORA_ENTRY(fault_dropped_below)

FAULT(fault_store) {
  REMORA_KERNEL
  const int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
  if (i <= width) {
    out[i + 1] = xs[i];
  }
}
REMORA_ENTRY(fault_store)

FAULT(fault_load) {
  REMORA_KERNEL
  const int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
  out[i] = xs[i + 1] - xs[i];
}
REMORA_ENTRY(fault_load)

/* Before the start of an allocation whose end is at the end of a page. */
FAULT(fault_before) {
  REMORA_KERNEL
  const int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
  out[i - 1] = xs[i];
}
REMORA_ENTRY(fault_before)

FAULT(fault_shared) {
  REMORA_KERNEL
  REMORA_SHARED(int32_t, kept, 256);
  kept[threadIdx.x + 1] = xs[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = kept[threadIdx.x];
}
REMORA_ENTRY(fault_shared)

FAULT(fault_some_wait) {
  REMORA_KERNEL
  if (threadIdx.x < 100) {
    __syncthreads();
  }
  out[blockIdx.x * 256 + threadIdx.x] = 0;
}
REMORA_ENTRY(fault_some_wait)

FAULT(fault_two_barriers) {
  REMORA_KERNEL
  if (xs[threadIdx.x] % 2 == 0) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  out[blockIdx.x * 256 + threadIdx.x] = 0;
}
REMORA_ENTRY(fault_two_barriers)

FAULT(fault_warp) {
  REMORA_KERNEL
  int32_t x = xs[threadIdx.x];
  if (threadIdx.x % 32 != 5) {
    x = __shfl_down_sync(REMORA_ALL, x, 1);
  }
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = x;
}
REMORA_ENTRY(fault_warp)

/* Waits for a block that never comes. */
FAULT(fault_wait) {
  REMORA_KERNEL
  while (*(volatile int32_t *)&out[0] != 17) {
    REMORA_SPIN();
  }
}
REMORA_ENTRY(fault_wait)

FAULT(fault_uninitialised) {
  REMORA_KERNEL
  REMORA_SHARED(int32_t, kept, 256);
  if (threadIdx.x > 0) {
    kept[threadIdx.x] = xs[threadIdx.x];
  }
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = kept[threadIdx.x];
}
REMORA_ENTRY(fault_uninitialised)

FAULT(fault_stack) {
  REMORA_KERNEL
  volatile char large[100000];
  for (int k = 99999; k >= 0; k -= 100) {
    large[k] = (char)xs[0];
  }
  out[blockIdx.x * 256 + threadIdx.x] = large[0];
}
REMORA_ENTRY(fault_stack)

/* Vectors from where none may begin. */
FAULT(fault_misaligned) {
  REMORA_KERNEL
  remora_for_each_wide<4>(width - 1, true, [&](int64_t i) { out[i + 1] = xs[i + 1]; },
                          [&](int64_t i) { remora_give<4>(out + i, remora_take<4>(xs + i + 1)); });
}
REMORA_ENTRY(fault_misaligned)

/* The last block adds up what blocks have found, but nobody counts them: it may be the first that comes. */
FAULT(fault_counter) {
  REMORA_KERNEL
  REMORA_SHARED(int32_t, kept, 256);
  if (blockIdx.x == 0) {
    out[threadIdx.x] = xs[threadIdx.x];
  }
  kept[threadIdx.x] = blockIdx.x == 1 ? out[255 - threadIdx.x] : 0;
  __syncthreads();
  if (blockIdx.x == 1) {
    out[threadIdx.x] = kept[threadIdx.x];
    out[256 + threadIdx.x] = xs[511 - threadIdx.x];
  }
}
REMORA_ENTRY(fault_counter)

/* The block that comes last reads what the other one has written, which did not fence it before it said so (in the place behind). Found where
   accesses are watched. */
FAULT(fault_fence) {
  REMORA_KERNEL
  REMORA_SHARED(int32_t, last, 1);
  const int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
  if (threadIdx.x == 0) {
    out[blockIdx.x] = xs[i];
    last[0] = atomicAdd(&out[256], 1);
    __threadfence();
  }
  __syncthreads();
  if (last[0] == 1 && threadIdx.x == 1) {
    out[2] = out[0] + out[1];
  }
}
REMORA_ENTRY(fault_fence)

/* All threads of a block add to one place, without an instruction that does it at once. Found where accesses are watched. */
FAULT(fault_update) {
  REMORA_KERNEL
  REMORA_SHARED(int32_t, sum, 1);
  if (threadIdx.x == 0) {
    sum[0] = 0;
  }
  __syncthreads();
  sum[0]++;
  __syncthreads();
  out[blockIdx.x] = sum[0];
}
REMORA_ENTRY(fault_update)
