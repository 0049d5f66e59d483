
/* ---- What a library needs besides driver.c: kernels from itself or from NVRTC, arrays and streams of who calls it ---- */

/* Those of NVRTC (nvrtc.h). */
#define REMORA_NVRTC(X)                                                                                                      \
  X(nvrtcVersion, (int *, int *))                                                                                            \
  X(nvrtcGetNumSupportedArchs, (int *))                                                                                      \
  X(nvrtcGetSupportedArchs, (int *))                                                                                         \
  X(nvrtcCreateProgram, (void **, const char *, const char *, int, const char *const *, const char *const *))                \
  X(nvrtcCompileProgram, (void *, int, const char *const *))                                                                 \
  X(nvrtcDestroyProgram, (void **))                                                                                          \
  X(nvrtcGetProgramLogSize, (void *, size_t *))                                                                              \
  X(nvrtcGetProgramLog, (void *, char *))                                                                                    \
  X(nvrtcGetCUBINSize, (void *, size_t *))                                                                                   \
  X(nvrtcGetCUBIN, (void *, char *))                                                                                         \
  X(nvrtcGetPTXSize, (void *, size_t *))                                                                                     \
  X(nvrtcGetPTX, (void *, char *))

static struct {
  REMORA_NVRTC(REMORA_DECLARE)
} remora_nvrtc;

/* NVRTC; REMORA_NVRTC names it where it is not found. */
static int remora_load_nvrtc(void) {
  static const char *const names[] = {REMORA_NVRTC(REMORA_NAME) NULL};
  static int loaded = 0;
  const char *own = getenv("REMORA_NVRTC");
  const char *const libraries[] = {own ? own : "",   "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so",
                                   NULL};
  char why[100] = "";
  int failed = 0, major = 0, minor = 0;
  if (!loaded) {
    void *places[sizeof names / sizeof *names];
    failed = remora_find(libraries, names, places, why, sizeof why);
    if (!failed) {
      memcpy(&remora_nvrtc, places, sizeof remora_nvrtc);
      loaded = 1;
    }
  }
  if (!failed && (remora_nvrtc.nvrtcVersion(&major, &minor) || major < 12)) {
    snprintf(why, sizeof why, "version %d.%d is too old, needed is 12.0", major, minor);
    failed = 2;
  }
  if (failed) {
    remora_refused("E0806", "no NVRTC: %s", failed == 1 ? "`libnvrtc.so.12` or newer is not found; REMORA_NVRTC may name it" : why);
  }
  return failed;
}

/* What NVRTC has made, for contexts to come. */
static struct remora_made {
  struct remora_made *next;
  int architecture;
  char *code;
} *remora_made;

/* Machine code, or PTX for a device that is newer than NVRTC. */
static char *remora_nvrtc_code(int architecture) {
  int count = 0, known = 0, older = 0;
  int *list = remora_nvrtc.nvrtcGetNumSupportedArchs(&count) ? NULL : calloc((size_t)count + 1, sizeof *list);
  if (list && !remora_nvrtc.nvrtcGetSupportedArchs(list)) {
    for (int k = 0; k < count; k++) {
      known |= list[k] == architecture;
      older = list[k] < architecture && list[k] > older ? list[k] : older;
    }
  }
  free(list);
  const int machine = known || !older;
  char target[64];
  snprintf(target, sizeof target, "--gpu-architecture=%s_%d", machine ? "sm" : "compute", machine ? architecture : older);
  const char *const options[] = {target, "--std=c++17", "--device-int128", "--disable-warnings"};
  void *program = NULL;
  char *code = NULL;
  size_t size = 0;
  if (remora_nvrtc.nvrtcCreateProgram(&program, remora_kernels, "kernels.cu", 0, NULL, NULL)) {
    remora_refused("E0807", "NVRTC takes no program");
    return NULL;
  }
  if (remora_nvrtc.nvrtcCompileProgram(program, 4, options)) {
    if (!remora_nvrtc.nvrtcGetProgramLogSize(program, &size) && (code = calloc(size + 1, 1))) {
      remora_nvrtc.nvrtcGetProgramLog(program, code);
    }
    remora_refused("E0807", "NVRTC refuses the kernels: %.900s", code ? code : "");
    free(code);
    code = NULL;
  } else if (!(machine ? remora_nvrtc.nvrtcGetCUBINSize(program, &size) : remora_nvrtc.nvrtcGetPTXSize(program, &size)) &&
             (code = calloc(size + 1, 1)) &&
             (machine ? remora_nvrtc.nvrtcGetCUBIN(program, code) : remora_nvrtc.nvrtcGetPTX(program, code))) {
    remora_refused("E0807", "NVRTC gives no code");
    free(code);
    code = NULL;
  }
  remora_nvrtc.nvrtcDestroyProgram(&program);
  return code;
}

static const char *remora_code(int architecture) {
  pthread_mutex_lock(&remora_loading);
  struct remora_made *made = remora_made;
  while (made && made->architecture != architecture) {
    made = made->next;
  }
  if (!made && !remora_load_nvrtc()) {
    char *code = remora_nvrtc_code(architecture);
    made = code ? calloc(1, sizeof *made) : NULL;
    if (made) {
      *made = (struct remora_made){remora_made, architecture, code};
      remora_made = made;
    } else {
      free(code);
    }
  }
  pthread_mutex_unlock(&remora_loading);
  return made ? made->code : NULL;
}

/* Loads the kernels: those that are given, or those that were made with this library, or what NVRTC makes of their text. */
static int remora_gpu_load_kernels(remora_gpu *g, const void *given) {
  const void *first = given ? given : sizeof remora_image > 1 ? remora_image : NULL;
  const int failed = first ? remora_gpu_load(g, first) : REMORA_UNFIT;
  if (failed != REMORA_UNFIT || given) {
    return failed;
  }
  remora_text[0] = 0;
  const char *code = remora_code(g->architecture);
  return !code || remora_gpu_load(g, code);
}

/* A device with kernels, with its context current, or NULL: what is wrong is in remora_text. */
static remora_gpu *remora_gpu_ready(int number, const void *kernels) {
  remora_gpu *g = remora_gpu_open(number);
  if (g && remora_gpu_load_kernels(g, kernels)) {
    remora_gpu_abandon(g);
    return NULL;
  }
  return g;
}

/* Whether there is memory of no device where an array should be. */
static int remora_gpu_foreign(remora_gpu *g, const void *place) {
  unsigned kind = 0;
  return remora_gpu_kind(g, place, &kind);
}
