/* A stand-in for a CUDA device: kernels that a C++ compiler has compiled behind shim.h run here, one fiber for each thread.

   A block's fibers run one at a time, in an order that the schedule says, until each has met the others at a barrier or in a warp, waits
   for memory to change, or has ended. Several blocks take turns. Found are: threads that meet at different places or not at all
   (barrier divergence), waiting for ever, and reads and writes outside of an allocation, of device or shared memory: allocations end
   where a page ends that nobody may touch, and what is left of their first page must stay as it is. Fresh memory is filled with 0xa5.

   Kernels that are compiled with `-fsanitize=thread` say of each access to memory that it comes (to the functions at the end, not to the
   sanitizer's library). Threads may then change before each of them, and what blocks read that a thread of another one has written and not
   fenced is found too. */
#define REMORA_SHIM_INSIDE
#include "shim.h"
#include TABLE /* src/back/cuda/table.h */
#include <dlfcn.h>
#include <errno.h>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>
#if !defined(__x86_64__) || defined(REMORA_SHIM_PORTABLE)
#include <ucontext.h>
#endif

__thread const remora_shim_place *remora_shim_here;
__thread remora_shim_index remora_shim_grid, remora_shim_block;

namespace {

/* Below a stack nothing can be touched for `GUARD` bytes: a frame that is too large is not to reach what happens to lie there. */
constexpr size_t PAGE = 4096, STACK = 64 << 10, GUARD = 1 << 20;
constexpr unsigned char FILL = 0xa5;
constexpr int MOST_THREADS = 1024;
/* Rounds in which nothing happened that threads wait for: none ended, met the others at a barrier or changed memory atomically. */
constexpr int PATIENCE = 3000;

size_t pages(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

/* ---- Guarded memory ---- */

/* Memory that ends where a page ends that cannot be touched; the page before it cannot be touched either. What begins at a multiple of
   `alignment` may end some bytes earlier. */
struct Guarded {
  unsigned char *map = nullptr, *start = nullptr;
  size_t length = 0, bytes = 0;

  bool make(size_t wanted, size_t alignment = 1) {
    bytes = wanted;
    length = pages(wanted) + 2 * PAGE;
    void *got = mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) {
      return false;
    }
    map = (unsigned char *)got;
    if (pages(wanted) > 0 && mprotect(map + PAGE, pages(wanted), PROT_READ | PROT_WRITE) != 0) {
      munmap(map, length);
      map = nullptr;
      return false;
    }
    start = map + length - PAGE - (wanted + alignment - 1) / alignment * alignment;
    fill();
    return true;
  }
  void fill() { memset(map + PAGE, FILL, pages(bytes)); }
  static bool filled(const unsigned char *from, const unsigned char *to) {
    for (const unsigned char *at = from; at < to; at++) {
      if (*at != FILL) {
        return false;
      }
    }
    return true;
  }
  unsigned char *behind() const { return map + length - PAGE; }
  /* Whether what is before the memory in its first page, and behind it in its last, is as it was. */
  bool intact() const { return filled(map + PAGE, start) && filled(start + bytes, behind()); }
  void mend() {
    memset(map + PAGE, FILL, (size_t)(start - (map + PAGE)));
    memset(start + bytes, FILL, (size_t)(behind() - (start + bytes)));
  }
  void free() {
    if (map) {
      munmap(map, length);
      map = nullptr;
    }
  }
  bool around(const void *address) const { return map <= address && address < map + length; }
};

/* ---- Fibers ---- */

#if defined(__x86_64__) && !defined(REMORA_SHIM_PORTABLE)
extern "C" void remora_shim_switch(void **save, void *load);
asm(R"(
.text
.globl remora_shim_switch
.hidden remora_shim_switch
.type remora_shim_switch, @function
remora_shim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size remora_shim_switch, .-remora_shim_switch
.section .note.GNU-stack,"",@progbits
.text
)");
struct Switch {
  void *stack = nullptr;
  void start(unsigned char *low, size_t bytes, void (*entry)()) {
    void **top = (void **)(low + bytes);
    *--top = nullptr; /* where the entry would return to; the stack is now as behind a call */
    *--top = (void *)entry;
    for (int k = 0; k < 6; k++) {
      *--top = nullptr;
    }
    stack = top;
  }
  static void go(Switch &from, Switch &to) { remora_shim_switch(&from.stack, to.stack); }
};
#else
struct Switch {
  ucontext_t context;
  void start(unsigned char *low, size_t bytes, void (*entry)()) {
    getcontext(&context);
    context.uc_stack.ss_sp = low;
    context.uc_stack.ss_size = bytes;
    context.uc_link = nullptr;
    makecontext(&context, entry, 0);
  }
  static void go(Switch &from, Switch &to) { swapcontext(&from.context, &to.context); }
};
#endif

/* Who wrote to memory of the device; whether it changed memory atomically since, which others may take for a sign that all is there, and
   whether it fenced after that: too late for those. */
struct Unfenced {
  remora_shim_place writer;
  bool said, fenced;
};

enum class State : uint8_t { Ready, Barrier, Warp, Done };

struct Fiber {
  Switch at;
  remora_shim_place place;
  State state;
  bool started, waits;
  int line, kind, predicate, lane, width;
  unsigned mask;
  uint64_t value, result;
  unsigned char *stack;
  std::vector<uintptr_t> unfenced;
};

struct Shared {
  const void *site;
  Guarded memory;
  bool used;
};

struct Block {
  std::vector<Fiber> fibers;
  std::vector<Shared> shared;
  int alive = 0, at_barrier = 0;
};

/* Small and fast (splitmix64). */
struct Random {
  uint64_t state = 1;
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  uint64_t below(uint64_t n) { return next() % n; }
};

enum { FORWARDS, BACKWARDS, RANDOM };

/* A launch on this thread of the process. */
struct Launch {
  const char *kernel;
  const remora_shim_entry *entry;
  void **args;
  int64_t grid;
  int block;
  size_t dynamic;
  int schedule;
  Random random;
  /* In this round: whether something happened that others may wait for, and whether somebody waited for it. */
  bool progress, waited;
  Block *current;
  Fiber *fiber;
  /* What no fence stands behind; watched accesses only. */
  std::unordered_map<uintptr_t, Unfenced> unfenced;
  Switch main;
  sigjmp_buf escape;
  std::string problem;
};
thread_local Launch *launching;

/* What a thread of the process keeps from launch to launch. */
struct Kept {
  std::vector<unsigned char *> stacks;
  std::vector<std::unique_ptr<Block>> blocks;
  unsigned char *signals = nullptr;
  ~Kept() {
    for (unsigned char *stack : stacks) {
      munmap(stack - GUARD, STACK + GUARD);
    }
    for (auto &block : blocks) {
      for (Shared &shared : block->shared) {
        shared.memory.free();
      }
    }
    if (signals) {
      stack_t none = {};
      none.ss_flags = SS_DISABLE;
      sigaltstack(&none, nullptr);
      munmap(signals, STACK);
    }
  }
};
thread_local Kept kept;

std::string text(const char *format, ...) __attribute__((format(printf, 1, 2)));
std::string text(const char *format, ...) {
  char buffer[700];
  va_list list;
  va_start(list, format);
  vsnprintf(buffer, sizeof buffer, format, list);
  va_end(list);
  return buffer;
}

std::string name_of(const Fiber &fiber) { return text("thread %u of block %u", fiber.place.thread.x, fiber.place.block.x); }

/* Ends the launch, wherever it is. */
[[noreturn]] void stop(std::string problem) {
  launching->problem = text("kernel `%s`: ", launching->kernel) + problem;
  siglongjmp(launching->escape, 1);
}

void to_scheduler() {
  Fiber *fiber = launching->fiber;
  Switch::go(fiber->at, launching->main);
}

void finish_barrier(Block &block) {
  Fiber &first = block.fibers[0];
  int any = 0, all = 1, count = 0;
  for (Fiber &fiber : block.fibers) {
    if (fiber.line != first.line || fiber.kind != first.kind) {
      stop(text("barrier divergence: %s waits at line %d, %s at line %d", name_of(first).c_str(), first.line, name_of(fiber).c_str(),
                fiber.line));
    }
    any |= fiber.predicate;
    all &= fiber.predicate;
    count += fiber.predicate;
  }
  const int result = first.kind == REMORA_SHIM_OR ? any : first.kind == REMORA_SHIM_AND ? all : count;
  for (Fiber &fiber : block.fibers) {
    fiber.result = (uint64_t)result;
    fiber.state = State::Ready;
  }
  block.at_barrier = 0;
  launching->progress = true;
}

/* Whether all lanes that the mask names have come; then their results. */
bool finish_warp(Block &block, Fiber &last) {
  const unsigned base = last.place.thread.x / 32 * 32;
  Fiber *const warp = &block.fibers[base];
  for (int lane = 0; lane < 32; lane++) {
    if (!(last.mask >> lane & 1)) {
      continue;
    }
    if (base + lane >= block.fibers.size()) {
      stop(text("%s names lane %d at line %d, which does not exist", name_of(last).c_str(), lane, last.line));
    }
    const Fiber &other = warp[lane];
    if (other.state == State::Done) {
      stop(text("divergence in a warp: %s waits at line %d for %s, which has ended", name_of(last).c_str(), last.line, name_of(other).c_str()));
    }
    if (other.state != State::Warp) {
      return false;
    }
    if (other.line != last.line || other.kind != last.kind || other.mask != last.mask) {
      stop(text("divergence in a warp: %s waits at line %d with mask %08x, %s at line %d with mask %08x", name_of(last).c_str(), last.line,
                last.mask, name_of(other).c_str(), other.line, other.mask));
    }
  }
  uint64_t ballot = 0;
  for (int lane = 0; lane < 32; lane++) {
    ballot |= (uint64_t)((last.mask >> lane & 1) && warp[lane].value) << lane;
  }
  for (int lane = 0; lane < 32; lane++) {
    if (!(last.mask >> lane & 1)) {
      continue;
    }
    Fiber &fiber = warp[lane];
    const int low = lane / fiber.width * fiber.width, high = low + fiber.width;
    int from = lane;
    switch (fiber.kind) {
    case REMORA_SHIM_INDEX: from = low + (fiber.lane & (fiber.width - 1)); break;
    case REMORA_SHIM_UP: from = lane - fiber.lane >= low ? lane - fiber.lane : lane; break;
    case REMORA_SHIM_DOWN: from = lane + fiber.lane < high ? lane + fiber.lane : lane; break;
    case REMORA_SHIM_XOR: from = (lane ^ fiber.lane) < high ? lane ^ fiber.lane : lane; break;
    default: break;
    }
    if (fiber.kind == REMORA_SHIM_BALLOT) {
      fiber.result = ballot;
    } else if (!(last.mask >> from & 1)) {
      stop(text("%s reads lane %d at line %d, which the mask %08x does not name", name_of(fiber).c_str(), from, fiber.line, fiber.mask));
    } else {
      fiber.result = warp[from].value;
    }
    fiber.state = State::Ready;
  }
  return true;
}

void body() {
  Launch *launch = launching;
  launch->entry->run(launch->args);
  launch->fiber->state = State::Done;
  to_scheduler();
}

unsigned char *new_stack() {
  if (!kept.stacks.empty()) {
    unsigned char *stack = kept.stacks.back();
    kept.stacks.pop_back();
    return stack;
  }
  void *map = mmap(nullptr, STACK + GUARD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED || mprotect(map, GUARD, PROT_NONE) != 0) {
    stop("no memory for the stack of a thread");
  }
  return (unsigned char *)map + GUARD;
}

void resume(Launch &launch, Block &block, Fiber &fiber) {
  if (!fiber.started) {
    fiber.started = true;
    fiber.stack = new_stack();
    fiber.at.start(fiber.stack, STACK, body);
  }
  fiber.waits = false;
  launch.current = &block;
  launch.fiber = &fiber;
  remora_shim_here = &fiber.place;
  Switch::go(launch.main, fiber.at);
  if (fiber.waits) {
    launch.waited = true;
  }
  if (fiber.state == State::Done) {
    launch.progress = true;
    kept.stacks.push_back(fiber.stack);
    fiber.stack = nullptr;
    block.alive--;
    if (block.at_barrier > 0) {
      for (const Fiber &other : block.fibers) {
        if (other.state == State::Barrier) {
          stop(text("barrier divergence: %s waits at line %d, %s has ended", name_of(other).c_str(), other.line, name_of(fiber).c_str()));
        }
      }
    }
  }
}

/* Every thread of the block that can run does, once. */
void round_of(Launch &launch, Block &block) {
  const size_t count = block.fibers.size();
  size_t at = 0, step = 1;
  if (launch.schedule == BACKWARDS) {
    at = count - 1;
    step = count - 1;
  } else if (launch.schedule == RANDOM) {
    /* Threads in steps that meet each of them. */
    at = launch.random.below(count);
    do {
      step = 1 + launch.random.below(count);
    } while (std::gcd(step, count) != 1);
  }
  for (size_t k = 0; k < count; k++, at = (at + step) % count) {
    Fiber &fiber = block.fibers[at];
    if (fiber.state == State::Ready && !(launch.schedule == RANDOM && launch.random.below(8) == 0)) {
      resume(launch, block, fiber);
    }
  }
}

void begin(Launch &launch, Block &block, int64_t number) {
  block.fibers.assign((size_t)launch.block, Fiber());
  block.alive = launch.block;
  block.at_barrier = 0;
  for (int k = 0; k < launch.block; k++) {
    Fiber &fiber = block.fibers[(size_t)k];
    fiber.place = {{(unsigned)k, 0, 0}, {(unsigned)number, 0, 0}};
    fiber.state = State::Ready;
    fiber.started = false;
    fiber.stack = nullptr;
  }
  for (Shared &shared : block.shared) {
    shared.used = false;
  }
}

void end(const Block &block) {
  for (const Shared &shared : block.shared) {
    if (shared.used && !shared.memory.intact()) {
      stop(text("write before the start of an array of %zu bytes in shared memory", shared.memory.bytes));
    }
  }
}

/* Nobody could do anything: who waits where. */
void stuck(const std::vector<Block *> &resident) {
  std::map<std::string, std::pair<std::string, int>> waiting;
  for (const Block *block : resident) {
    for (const Fiber &fiber : block->fibers) {
      const char *what = fiber.state == State::Barrier ? "at the barrier" : fiber.state == State::Warp ? "in the warp" : "for memory";
      if (fiber.state != State::Done && (fiber.state != State::Ready || fiber.waits)) {
        auto &place = waiting[text("%s at line %d", what, fiber.line)];
        place.first = place.second++ == 0 ? name_of(fiber) : place.first;
      }
    }
  }
  std::string who;
  for (const auto &place : waiting) {
    who += text("; %s waits %s", place.second.first.c_str(), place.first.c_str());
    who += place.second.second > 1 ? text(" and %d more", place.second.second - 1) : "";
  }
  stop("deadlock" + who);
}

void run(Launch &launch) {
  /* Blocks that are there at the same time, and the order in which they come. */
  int64_t most = launch.schedule == FORWARDS ? 2 : launch.schedule == BACKWARDS ? 3 : 1 + (int64_t)launch.random.below(6);
  if (launch.schedule == RANDOM && launch.random.below(4) == 0) {
    most = 48;
  }
  uint64_t step = 1, next = 0, grid = (uint64_t)launch.grid;
  if (launch.schedule == BACKWARDS) {
    next = grid - 1;
    step = grid - 1;
  } else if (launch.schedule == RANDOM) {
    next = launch.random.below(grid);
    do {
      step = 1 + launch.random.below(grid);
    } while (std::gcd(step, grid) != 1);
  }
  while ((int64_t)kept.blocks.size() < most) {
    kept.blocks.push_back(std::make_unique<Block>());
  }
  std::vector<Block *> resident;
  uint64_t begun = 0;
  int idle = 0;
  for (;;) {
    for (int64_t k = 0; k < most && begun < grid && (int64_t)resident.size() < most; k++) {
      Block *block = kept.blocks[(size_t)k].get();
      if (block->alive == 0) {
        begin(launch, *block, (int64_t)next);
        resident.push_back(block);
        next = (next + step) % grid;
        begun++;
      }
    }
    if (resident.empty()) {
      return;
    }
    launch.progress = launch.waited = false;
    for (size_t k = 0; k < resident.size();) {
      Block *block = resident[k];
      round_of(launch, *block);
      if (block->alive == 0) {
        end(*block);
        resident.erase(resident.begin() + (long)k);
        continue;
      }
      /* At barriers and in warps only threads of the same block can help. */
      bool ready = false;
      for (const Fiber &fiber : block->fibers) {
        ready = ready || fiber.state == State::Ready;
      }
      if (!ready) {
        stuck({block});
      }
      k++;
    }
    idle = launch.progress || !launch.waited ? 0 : idle + 1;
    if (idle > PATIENCE) {
      stuck(resident);
    }
  }
}

/* ---- The device ---- */

/* What all devices of the process have allocated: as on one device with several programs, each may read what others have made. */
struct Everywhere {
  std::mutex one;
  std::map<const unsigned char *, size_t> memory;

  void add(const unsigned char *start, size_t bytes) {
    std::lock_guard<std::mutex> turn(one);
    memory[start] = bytes;
  }
  void remove(const unsigned char *start) {
    std::lock_guard<std::mutex> turn(one);
    memory.erase(start);
  }
  bool holds(const void *address, int64_t bytes) {
    std::lock_guard<std::mutex> turn(one);
    auto next = memory.upper_bound((const unsigned char *)address);
    return next != memory.begin() && (const unsigned char *)address + bytes <= std::prev(next)->first + std::prev(next)->second;
  }
} everywhere;

struct Device {
  remora_device table;
  void *library = nullptr;
  std::map<unsigned char *, Guarded> memory;
  int schedule = FORWARDS;
  uint64_t seed = 1, launches = 0;
  std::string message;

  int fail(std::string why) {
    message = std::move(why);
    return 1;
  }
  /* The allocation that all of these bytes are in. */
  bool holds(const void *address, int64_t bytes) const {
    auto next = memory.upper_bound((unsigned char *)address);
    if (next == memory.begin()) {
      return false;
    }
    const Guarded &found = std::prev(next)->second;
    return (unsigned char *)address + bytes <= found.start + found.bytes;
  }
};

thread_local Device *running;

/* An access that failed: ends the launch, if it was one of its threads; else it is not ours. */
struct sigaction before_us[2];

void on_fault(int signal, siginfo_t *info, void *context) {
  if (!launching || !launching->fiber) {
    struct sigaction &other = before_us[signal == SIGBUS];
    if (other.sa_flags & SA_SIGINFO) {
      other.sa_sigaction(signal, info, context);
    } else {
      /* The instruction is tried again and fails in the way it would have. */
      sigaction(signal, &other, nullptr);
    }
    return;
  }
  const unsigned char *address = (const unsigned char *)info->si_addr;
  std::string where = text("address %p, which is in no allocation", (const void *)address);
  auto describe = [&](const Guarded &memory, const char *what) {
    if (memory.around(address)) {
      const long past = (long)(address - (memory.start + memory.bytes));
      where = past >= 0 ? text("%ld bytes behind the end of %s of %zu bytes", past, what, memory.bytes)
                        : text("%ld bytes before the start of %s of %zu bytes", (long)(memory.start - address), what, memory.bytes);
    }
  };
  for (auto &entry : running->memory) {
    describe(entry.second, "an allocation");
  }
  for (Shared &shared : launching->current->shared) {
    describe(shared.memory, "an array in shared memory");
  }
  const unsigned char *stack = launching->fiber->stack;
  if (stack && stack - GUARD <= address && address < stack) {
    where = "the stack of the thread is too small";
  }
  launching->problem = text("kernel `%s`: out of bounds: %s: %s", launching->kernel, name_of(*launching->fiber).c_str(), where.c_str());
  siglongjmp(launching->escape, 2);
}

void watch_faults() {
  static const bool once = [] {
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, &action, &before_us[0]);
    sigaction(SIGBUS, &action, &before_us[1]);
    return true;
  }();
  (void)once;
}

/* A stack for signals of this thread while kernels run; the one before comes back. */
struct SignalStack {
  stack_t before;
  SignalStack() {
    if (!kept.signals) {
      kept.signals = (unsigned char *)mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    stack_t own = {};
    own.ss_sp = kept.signals;
    own.ss_size = STACK;
    sigaltstack(&own, &before);
  }
  ~SignalStack() { sigaltstack(&before, nullptr); }
};

int alloc(void *self, int64_t bytes, void **out) {
  Device &device = *(Device *)self;
  Guarded memory;
  /* Memory of CUDA is aligned, so that vectors have a rest; where nothing is, the end is guarded to the byte. */
  const size_t alignment = device.schedule == RANDOM ? 16 : 1;
  /* A byte at least, so that each allocation has an address of its own. */
  if (bytes < 0 || bytes > (int64_t)1 << 40 || !memory.make(bytes == 0 ? 1 : (size_t)bytes, alignment)) {
    device.fail(text("out of memory: %lld bytes were requested", (long long)bytes));
    return REMORA_NO_MEMORY;
  }
  device.memory[memory.start] = memory;
  everywhere.add(memory.start, memory.bytes);
  *out = memory.start;
  return 0;
}

void release(void *self, void *memory, int64_t bytes) {
  Device &device = *(Device *)self;
  auto found = device.memory.find((unsigned char *)memory);
  if (found == device.memory.end() || (int64_t)found->second.bytes != (bytes == 0 ? 1 : bytes)) {
    fprintf(stderr, "shim: %lld bytes at %p are released, which were not allocated so\n", (long long)bytes, memory);
    abort();
  }
  if (!found->second.intact()) {
    fprintf(stderr, "shim: write around an allocation of %lld bytes\n", (long long)bytes);
    abort();
  }
  everywhere.remove(found->first);
  found->second.free();
  device.memory.erase(found);
}

int put(void *self, void *to, const void *host, int64_t bytes) {
  Device &device = *(Device *)self;
  if (bytes > 0 && !device.holds(to, bytes)) {
    return device.fail(text("put of %lld bytes outside of the device's memory", (long long)bytes));
  }
  memcpy(to, host, (size_t)bytes);
  return 0;
}

int get(void *self, void *host, const void *from, int64_t bytes) {
  Device &device = *(Device *)self;
  if (bytes > 0 && !everywhere.holds(from, bytes)) {
    return device.fail(text("get of %lld bytes outside of the device's memory", (long long)bytes));
  }
  memcpy(host, from, (size_t)bytes);
  return 0;
}

int copy(void *self, void *to, const void *from, int64_t bytes) {
  Device &device = *(Device *)self;
  if (bytes > 0 && (!device.holds(to, bytes) || !everywhere.holds(from, bytes))) {
    return device.fail(text("copy of %lld bytes outside of the device's memory", (long long)bytes));
  }
  memmove(to, from, (size_t)bytes);
  return 0;
}

int fill(void *self, void *to, int byte, int64_t bytes) {
  Device &device = *(Device *)self;
  if (bytes > 0 && !device.holds(to, bytes)) {
    return device.fail(text("fill of %lld bytes outside of the device's memory", (long long)bytes));
  }
  memset(to, byte, (size_t)bytes);
  return 0;
}

int start(void *self, const char *kernel, int64_t grid, int32_t block, int64_t shared, void **args, int32_t count) {
  Device &device = *(Device *)self;
  const remora_shim_entry *entry = (const remora_shim_entry *)dlsym(device.library, (std::string("remora_shim_") + kernel).c_str());
  if (!entry) {
    return device.fail(text("there is no kernel `%s`", kernel));
  }
  if (entry->count != count) {
    return device.fail(text("kernel `%s` has %d parameters and got %d arguments", kernel, entry->count, count));
  }
  if (grid < 1 || block < 1 || block > MOST_THREADS || shared < 0 || shared > 227 << 10) {
    return device.fail(text("kernel `%s` cannot be launched with %lld blocks of %d threads and %lld bytes", kernel, (long long)grid, block,
                            (long long)shared));
  }
  watch_faults();
  SignalStack signals;
  Launch launch = {};
  launch.kernel = kernel;
  launch.entry = entry;
  launch.args = args;
  launch.grid = grid < INT_MAX ? grid : INT_MAX;
  launch.block = block;
  launch.dynamic = (size_t)shared;
  launch.schedule = device.schedule;
  launch.random.state = device.seed * 1000003 + device.launches++;
  remora_shim_grid = {(unsigned)launch.grid, 1, 1};
  remora_shim_block = {(unsigned)block, 1, 1};
  launching = &launch;
  running = &device;
  if (sigsetjmp(launch.escape, 1) == 0) {
    run(launch);
    for (auto &memory : device.memory) {
      if (!memory.second.intact()) {
        launch.problem = text("kernel `%s`: out of bounds: write around an allocation of %zu bytes", kernel, memory.second.bytes);
        memory.second.mend();
      }
    }
  } else {
    /* What was running is forgotten, with its stacks. */
    for (auto &left : kept.blocks) {
      for (Fiber &fiber : left->fibers) {
        if (fiber.stack) {
          kept.stacks.push_back(fiber.stack);
          fiber.stack = nullptr;
        }
      }
      left->alive = 0;
    }
  }
  launching = nullptr;
  running = nullptr;
  return launch.problem.empty() ? 0 : device.fail(launch.problem);
}

int64_t ask(void *, int32_t what) {
  switch (what) {
  case REMORA_ASK_MULTIPROCESSORS: return 2;
  case REMORA_ASK_THREADS: return 2 * 2048;
  /* Little, so that programs that use it must take turns with small data too. */
  case REMORA_ASK_SHARED: return 4 << 10;
  default: return (int64_t)4 << 30;
  }
}

const char *message(void *self) { return ((Device *)self)->message.c_str(); }

} // namespace

/* ---- What threads say to each other ---- */

int remora_shim_barrier(int line, int kind, int predicate) {
  Block &block = *launching->current;
  Fiber &fiber = *launching->fiber;
  fiber.line = line;
  fiber.kind = kind;
  fiber.predicate = predicate;
  if (block.alive < (int)block.fibers.size()) {
    for (const Fiber &other : block.fibers) {
      if (other.state == State::Done) {
        stop(text("barrier divergence: %s waits at line %d, %s has ended", name_of(fiber).c_str(), line, name_of(other).c_str()));
      }
    }
  }
  fiber.state = State::Barrier;
  if (++block.at_barrier == block.alive) {
    finish_barrier(block);
  }
  to_scheduler();
  return (int)fiber.result;
}

uint64_t remora_shim_warp(int line, int kind, unsigned mask, uint64_t value, int lane, int width) {
  Fiber &fiber = *launching->fiber;
  if (!(mask >> fiber.place.thread.x % 32 & 1)) {
    stop(text("%s is not in the mask %08x at line %d", name_of(fiber).c_str(), mask, line));
  }
  fiber.line = line;
  fiber.kind = kind;
  fiber.mask = mask;
  fiber.value = value;
  fiber.lane = lane;
  fiber.width = width;
  fiber.state = State::Warp;
  finish_warp(*launching->current, fiber);
  /* In other schedules than the plain one others run first even if the warp is complete. */
  if (fiber.state != State::Ready || launching->schedule != FORWARDS) {
    to_scheduler();
  }
  return fiber.result;
}

void *remora_shim_shared(const void *site, size_t bytes) {
  Block &block = *launching->current;
  for (Shared &shared : block.shared) {
    if (shared.site == site && shared.memory.bytes == bytes) {
      if (!shared.used) {
        shared.used = true;
        shared.memory.fill();
      }
      return shared.memory.start;
    }
  }
  Shared shared = {site, Guarded(), true};
  if (!shared.memory.make(bytes)) {
    stop("no memory");
  }
  block.shared.push_back(shared);
  return shared.memory.start;
}

void *remora_shim_dynamic() {
  static const char site = 0;
  return remora_shim_shared(&site, launching->dynamic);
}

void remora_shim_spin(int line) {
  Fiber &fiber = *launching->fiber;
  fiber.waits = true;
  fiber.line = line;
  to_scheduler();
}

void remora_shim_aligned(const void *address, size_t bytes) {
  if ((uintptr_t)address % bytes != 0) {
    stop(text("misaligned: %s accesses %zu bytes at once at %p", name_of(*launching->fiber).c_str(), bytes, address));
  }
}

static bool same(const remora_shim_place &a, const remora_shim_place &b) { return a.thread.x == b.thread.x && a.block.x == b.block.x; }

/* The writes of this thread that are in `unfenced`: `there` says of each whether others have it now. */
template <class There> static void settle(There there) {
  Launch &launch = *launching;
  std::vector<uintptr_t> left;
  for (const uintptr_t address : launch.fiber->unfenced) {
    const auto found = launch.unfenced.find(address);
    if (found == launch.unfenced.end() || !same(found->second.writer, launch.fiber->place)) {
      continue;
    }
    if (there(found->second)) {
      launch.unfenced.erase(found);
    } else {
      left.push_back(address);
    }
  }
  launch.fiber->unfenced = std::move(left);
}

void remora_shim_atomic(bool changed) {
  Launch &launch = *launching;
  launch.progress = launch.progress || changed;
  if (changed && !launch.fiber->unfenced.empty()) {
    settle([](Unfenced &write) {
      write.said = true;
      return write.fenced;
    });
  }
  if (launch.schedule == RANDOM && launch.random.below(4) == 0) {
    to_scheduler();
  }
}

void remora_shim_fence() {
  settle([](Unfenced &write) {
    write.fenced = true;
    return !write.said;
  });
  remora_shim_atomic(false);
}

/* ---- Watched accesses ---- */

/* A thread is about to access memory. Plain writes wait for a fence, unless blocks talk through words that say themselves whether they are
   complete, which are volatile. */
static void watched(const void *address, bool writes, bool plain) {
  Launch *launch = launching;
  if (!launch || launch->schedule != RANDOM) {
    return;
  }
  Fiber &fiber = *launch->fiber;
  const unsigned char *at = (const unsigned char *)address;
  if (fiber.stack <= at && at < fiber.stack + STACK) {
    return;
  }
  /* Others may wait for what is written. */
  launch->progress = launch->progress || writes;
  if (launch->random.below(16) == 0) {
    to_scheduler();
  }
  const uintptr_t key = (uintptr_t)address;
  if (!writes) {
    const auto found = launch->unfenced.find(key);
    if (found != launch->unfenced.end() && found->second.writer.block.x != fiber.place.block.x) {
      const remora_shim_place &writer = found->second.writer;
      stop(text("missing fence: %s reads what thread %u of block %u has written", name_of(fiber).c_str(), writer.thread.x, writer.block.x));
    }
  } else if (plain && running->holds(address, 1)) {
    launch->unfenced[key] = {fiber.place, false, false};
    fiber.unfenced.push_back(key);
  }
}

extern "C" {
#define REMORA_SHIM_WATCHED __attribute__((visibility("default"))) void
#define REMORA_SHIM_ACCESS(BYTES)                                                                                            \
  REMORA_SHIM_WATCHED __tsan_read##BYTES(void *address) { watched(address, false, true); }                                   \
  REMORA_SHIM_WATCHED __tsan_write##BYTES(void *address) { watched(address, true, true); }                                   \
  REMORA_SHIM_WATCHED __tsan_unaligned_read##BYTES(void *address) { watched(address, false, true); }                         \
  REMORA_SHIM_WATCHED __tsan_unaligned_write##BYTES(void *address) { watched(address, true, true); }                         \
  REMORA_SHIM_WATCHED __tsan_volatile_read##BYTES(void *address) { watched(address, false, false); }                         \
  REMORA_SHIM_WATCHED __tsan_volatile_write##BYTES(void *address) { watched(address, true, false); }                         \
  REMORA_SHIM_WATCHED __tsan_unaligned_volatile_read##BYTES(void *address) { watched(address, false, false); }               \
  REMORA_SHIM_WATCHED __tsan_unaligned_volatile_write##BYTES(void *address) { watched(address, true, false); }
REMORA_SHIM_ACCESS(1)
REMORA_SHIM_ACCESS(2)
REMORA_SHIM_ACCESS(4)
REMORA_SHIM_ACCESS(8)
REMORA_SHIM_ACCESS(16)
REMORA_SHIM_WATCHED __tsan_read_range(void *address, unsigned long) { watched(address, false, true); }
REMORA_SHIM_WATCHED __tsan_write_range(void *address, unsigned long) { watched(address, true, true); }
REMORA_SHIM_WATCHED __tsan_vptr_update(void *, void *) {}
REMORA_SHIM_WATCHED __tsan_vptr_read(void *) {}
REMORA_SHIM_WATCHED __tsan_func_entry(void *) {}
REMORA_SHIM_WATCHED __tsan_func_exit() {}
REMORA_SHIM_WATCHED __tsan_init() {}
}

/* ---- Devices ---- */

extern "C" {
#define REMORA_SHIM_EXPORT __attribute__((visibility("default")))

/* A device for the kernels of a library, or of this program if `library` is NULL. NULL if it cannot be loaded; `dlerror` says why. */
REMORA_SHIM_EXPORT void *remora_shim_open(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    return nullptr;
  }
  Device *device = new Device();
  device->library = handle;
  device->table = {device, alloc, release, put, get, copy, fill, start, ask, message};
  return device;
}
REMORA_SHIM_EXPORT const remora_device *remora_shim_table(void *device) { return &((Device *)device)->table; }
/* 0: threads and blocks in order; 1: backwards; 2: in an order that depends on the seed. */
REMORA_SHIM_EXPORT void remora_shim_schedule(void *device, int schedule, uint64_t seed) {
  ((Device *)device)->schedule = schedule;
  ((Device *)device)->seed = seed;
  ((Device *)device)->launches = 0;
}
/* Allocations that were not released. */
REMORA_SHIM_EXPORT int64_t remora_shim_live(void *device) { return (int64_t)((Device *)device)->memory.size(); }
/* How many parameters a kernel has; -1 if there is none of this name. */
REMORA_SHIM_EXPORT int remora_shim_arguments(void *device, const char *kernel) {
  const auto *entry = (const remora_shim_entry *)dlsym(((Device *)device)->library, (std::string("remora_shim_") + kernel).c_str());
  return entry ? entry->count : -1;
}
/* Kernels that were launched since the schedule was set. */
REMORA_SHIM_EXPORT int64_t remora_shim_launches(void *device) { return (int64_t)((Device *)device)->launches; }
REMORA_SHIM_EXPORT void remora_shim_close(void *handle) {
  Device *device = (Device *)handle;
  for (auto &entry : device->memory) {
    everywhere.remove(entry.first);
    entry.second.free();
  }
  dlclose(device->library);
  delete device;
}
}
