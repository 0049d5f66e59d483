/* The stand-in device as what REMORA_DEVICE names: makes a library of the text of kernels and opens it. The test that uses it says where
   everything is: REMORA_SHIM_HEADER is shim.h, REMORA_SHIM_LIBRARY the library of shim.cpp, REMORA_SHIM_FOLDER where libraries are kept;
   REMORA_SHIM_SEED, if there is one, makes schedules random; with REMORA_SHIM_WATCH the accesses to memory are watched then.
   REMORA_SHIM_CFLAGS are options for the compiler, -O1 if there are none. Once all is done the device says what was not released. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <unistd.h>
#include TABLE

extern "C" {
void *remora_shim_open(const char *library);
const remora_device *remora_shim_table(void *device);
void remora_shim_schedule(void *device, int schedule, uint64_t seed);
int64_t remora_shim_live(void *device);
void remora_shim_close(void *device);
}

static std::string variable(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

/* The start of what is made of the program: what is before it is the same for all programs. */
static const char *const MADE = "/* ---- What is made of the program ---- */";

static const std::string FLAGS = " -std=gnu++17 -fno-strict-aliasing -ffp-contract=off -fno-gnu-unique -w -fPIC -fvisibility=hidden ";

/* How far kernels are optimised, and whether each access to memory calls a function of the stand-in device; the library of the sanitizer is
   not linked. */
static std::string options() {
  const std::string optimised = variable("REMORA_SHIM_CFLAGS").empty() ? "-O1" : variable("REMORA_SHIM_CFLAGS");
  return optimised + (variable("REMORA_SHIM_WATCH").empty() ? " " : " -fsanitize=thread --param=tsan-distinguish-volatile=1 --param=tsan-instrument-func-entry-exit=0 ");
}

static bool exists(const std::string &path) { return access(path.c_str(), R_OK) == 0; }

static std::string file_of(const std::string &text) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : text) {
    hash = (hash ^ (unsigned char)c) * 1099511628211u;
  }
  char name[32];
  snprintf(name, sizeof name, "/%016llx", (unsigned long long)hash);
  return variable("REMORA_SHIM_FOLDER") + name;
}

static bool write_file(const std::string &path, const std::string &text) {
  FILE *file = fopen(path.c_str(), "w");
  if (!file) {
    perror(path.c_str());
    return false;
  }
  fputs(text.c_str(), file);
  return fclose(file) == 0;
}

/* What stands in front of all programs as a header that the compiler has read before, if it can do that. */
static std::string header(const std::string &compiler, const std::string &device, const std::string &library) {
  const std::string text = "#include \"" + variable("REMORA_SHIM_HEADER") + "\"\n" + library, base = file_of(text + device + compiler + options());
  const std::string path = base + ".h", own = base + "." + std::to_string(getpid());
  if (!exists(path + ".gch")) {
    /* Tests that run at the same time may do this too. */
    if (!write_file(own + ".h", text) || rename((own + ".h").c_str(), path.c_str()) != 0) {
      return "";
    }
    if (system((compiler + FLAGS + options() + "-x c++-header -o '" + own + ".gch' '" + path + "'").c_str()) == 0) {
      rename((own + ".gch").c_str(), (path + ".gch").c_str());
    }
  }
  return path;
}

extern "C" __attribute__((visibility("default"))) const remora_device *remora_device_open(const char *kernels) {
  const std::string text = kernels, device = variable("REMORA_SHIM_LIBRARY");
  const std::string compiler = variable("CXX").empty() ? "c++" : variable("CXX");
  const std::string base = file_of(text + device + options()), library = base + ".so";
  if (!exists(library)) {
    const std::string own = base + "." + std::to_string(getpid()), source = own + ".cpp";
    const size_t made = text.find(MADE);
    const std::string front = header(compiler, device, text.substr(0, made == std::string::npos ? 0 : made));
    if (front.empty() || !write_file(source, made == std::string::npos ? text : text.substr(made))) {
      return nullptr;
    }
    const std::string object = own + ".o", compile = compiler + FLAGS + options() + "-c -include '" + front + "' -o '" + object + "' '" + source + "'";
    const std::string link = compiler + " -shared -o '" + own + "' '" + object + "' '" + device + "'";
    if (system(compile.c_str()) != 0 || system(link.c_str()) != 0 || rename(own.c_str(), library.c_str()) != 0) {
      return nullptr;
    }
    unlink(source.c_str());
    unlink(object.c_str());
  }
  void *machine = remora_shim_open(library.c_str());
  if (!machine) {
    return nullptr;
  }
  const std::string seed = variable("REMORA_SHIM_SEED");
  if (!seed.empty()) {
    remora_shim_schedule(machine, 2, strtoull(seed.c_str(), nullptr, 10));
  }
  return remora_shim_table(machine);
}

extern "C" __attribute__((visibility("default"))) void remora_device_close(const remora_device *table) {
  const int64_t live = remora_shim_live(table->self);
  if (live != 0) {
    fprintf(stderr, "the device still has %lld arrays\n", (long long)live);
    abort();
  }
  remora_shim_close(table->self);
}
