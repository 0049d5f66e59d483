//! Libraries that bring everything with them: the host plan, the text of the kernels, and what the plan asks of a device, by way of CUDA's
//! driver (`driver.c`), which is looked for when a context is made. `remora` itself loads the same text as a library of its own.

use super::Cuda;
use crate::back::text::{Device, Interface, Shown, Wrappers, sanitized, wrapper_names};
use crate::base::{Code, Span, Symbol};
use crate::ir::soac::Program;
use std::fmt::Write;

/// What reaches the device in a library.
const DRIVER: &str = concat!(include_str!("driver.c"), include_str!("library.c"));

/// What reaches the device in `remora` itself, as a library of its own, which is the same for all programs.
pub const LOADED_DRIVER: &str = concat!(include_str!("table.h"), "\n", include_str!("driver.c"), include_str!("loaded.c"));

/// A library as text.
#[derive(Debug, Clone)]
pub struct LibraryText {
    /// The C program but for the kernels.
    host: String,
    /// The kernels, in CUDA C++.
    pub kernels: String,
    /// The header.
    pub header: String,
    name: String,
}

impl LibraryText {
    /// The kernels as a file that NVRTC takes and nvcc too.
    pub fn kernel_file(&self) -> String {
        let name = &self.name;
        let how = format!("nvcc -fatbin -std=c++17 -gencode arch=compute_90,code=sm_90 {name}.cu");
        format!(
            "/* Made by remora: the kernels of {name}.c. The library compiles them by itself, or takes what this makes:\n\n     {how} */\n{NVCC}{}",
            self.kernels
        )
    }
    /// The C program with the text of the kernels, and their machine code or PTX if there is some.
    pub fn source(&self, image: Option<&[u8]>) -> String {
        let mut out = format!(
            "/* Made by remora: a library that runs on a CUDA device, described in {name}.h. To compile it, nothing of CUDA is needed:

     cc -O2 -shared -fPIC -fvisibility=hidden -o lib{name}.so {name}.c -lm -ldl -pthread

   The driver is looked for when a context is made. If there is machine code or PTX in remora_image, that is loaded; else NVRTC, which has
   to be there then, compiles remora_kernels, the text of {name}.cu. */
#define REMORA_LIBRARY

",
            name = self.name
        );
        let _ = writeln!(
            out,
            "/* Machine code or PTX of the kernels. */\nstatic const char remora_image[] = {};\n",
            literal(image.unwrap_or(&[]))
        );
        let _ =
            writeln!(out, "/* The kernels, for NVRTC. */\nstatic const char remora_kernels[] = {};\n", literal(self.kernels.as_bytes()));
        out.push_str(&self.host);
        out
    }
}

/// What stands in front of the kernels for nvcc, whose headers have names that they define for themselves.
const NVCC: &str = "#ifdef __NVCC__
#define int8_t remora_int8
#define int16_t remora_int16
#define int32_t remora_int32
#define int64_t remora_int64
#define uint8_t remora_uint8
#define uint16_t remora_uint16
#define uint32_t remora_uint32
#define uint64_t remora_uint64
#define _Float16 remora_half
#undef INT8_MIN
#undef INT8_MAX
#undef INT16_MIN
#undef INT16_MAX
#undef INT32_MIN
#undef INT32_MAX
#undef INT64_MIN
#undef INT64_MAX
#undef UINT8_MAX
#undef UINT16_MAX
#undef UINT32_MAX
#undef UINT64_MAX
#undef INT64_C
#undef UINT64_C
#undef INFINITY
#endif

";

/// Bytes as a constant of C, a line of text in each of its own.
fn literal(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    let (mut column, mut before) = (0, 0);
    for byte in bytes {
        column += 1;
        match byte {
            b'\n' => out.push_str("\\n"),
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            // Three characters might mean something together.
            b'?' if before == b'?' => out.push_str("\\?"),
            b' '..=b'~' => out.push(char::from(*byte)),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
                column += 3;
            }
        }
        before = *byte;
        if *byte == b'\n' || column >= 160 {
            out.push_str("\"\n  \"");
            column = 0;
        }
    }
    out.push('"');
    out
}

/// The library of a program, whose entry points take and return what `interface` says; the names of its functions are `prefix` and those in
/// `names`, one for each function of the program. `cuda` was made from `program`; `shown` names a place in the source.
pub fn library(
    program: &Program,
    interface: &Interface,
    cuda: &Cuda,
    prefix: &str,
    names: &[Symbol],
    shown: &dyn Fn(Span) -> Shown,
) -> LibraryText {
    let name = prefix.to_string();
    let prefix = sanitized(prefix);
    let wrappers = Wrappers {
        program,
        interface,
        prefix: &prefix,
        names: wrapper_names(program, interface, names, &["new_on_device", "wait_for"]),
        device: Some(device(&prefix)),
    };
    let host = format!("{}\n{DRIVER}{}", cuda.host, wrappers.text(&cuda.places, shown));
    LibraryText { host, kernels: cuda.kernels.clone(), header: wrappers.header(), name }
}

fn device(prefix: &str) -> Device {
    let memory = Code::OutOfMemory;
    let contexts = format!(
        "REMORA_DOOR {prefix}_context *{prefix}_new_on_device(int device, const void *kernels) {{
  remora_text[0] = 0;
  remora_gpu *gpu = remora_gpu_ready(device, kernels);
  if (!gpu) {{
    return NULL;
  }}
  remora_context *context = remora_context_new_device(&gpu->table);
  remora_gpu_leave();
  if (!context) {{
    remora_refused(\"{memory}\", \"out of memory: %s\", gpu->message);
    remora_gpu_close(gpu);
  }}
  return context;
}}
REMORA_DOOR {prefix}_context *{prefix}_new(int threads) {{
  (void)threads;
  return {prefix}_new_on_device(-1, NULL);
}}
REMORA_DOOR void {prefix}_free({prefix}_context *context) {{
  if (context) {{
    remora_gpu *gpu = context->device->self;
    remora_gpu_enter(gpu);
    remora_context_free(context);
    remora_gpu_leave();
    remora_gpu_close(gpu);
  }}
}}
static int remora_refuse(remora_context *context);
REMORA_DOOR int {prefix}_wait_for({prefix}_context *context, void *stream) {{
  int code = 0;
  remora_text[0] = 0;
  pthread_mutex_lock(&context->in_use);
  remora_gpu_enter(context->device->self);
  remora_fresh(context);
  if (remora_gpu_wait_for(context->device->self, stream)) {{
    remora_device_failed(&context->thread[0]);
    code = remora_refuse(context);
  }}
  remora_gpu_leave();
  pthread_mutex_unlock(&context->in_use);
  return code;
}}
"
    );
    let header = format!(
        "
/* ---- On the device ----
   The functions above take arrays from the memory of the processor, bring them to the device, and leave results in the memory of the
   processor. Those below take and leave arrays on the device: nothing is copied.

   Pointers to arguments are addresses that the device of the context reaches (CUdeviceptr, what cudaMalloc or cudaMallocAsync gives, what
   `data_ptr()` of PyTorch or `data.ptr` of CuPy is); the library reads them and never writes them. Its context is the primary one of the
   device, which CUDA's run-time library uses too.
   What works on an argument in a stream must be done before the call, or the stream be named to {prefix}_wait_for before. When a call
   returns, its results are complete for all streams, and nothing reads its arguments any more.
   `data` of a result is memory of the device that belongs to the caller until {prefix}_release; whatever reads it must be done by then. */

/* A context on the device with this number, or on that which the variable REMORA_CUDA_DEVICE names (0 without it) if the number is -1.
   `kernels` are machine code (cubin, fatbin) or PTX that ends with a zero, made from the .cu file of the library; if it is NULL, those in
   the library are taken, or NVRTC makes them. NULL if that cannot be done: {prefix}_error(NULL) says why. */
{prefix}_context *{prefix}_new_on_device(int device, const void *kernels);
/* What is called on the context from now on runs behind what is in a stream (CUstream or cudaStream_t) at the moment. */
int {prefix}_wait_for({prefix}_context *context, void *stream);

"
    );
    let threads = "A context on the first CUDA device, or on that whose number is in the variable REMORA_CUDA_DEVICE. The number of threads is that of
   libraries for processors and has no meaning here. NULL if the device cannot be used: the error function says why, for the context NULL.";
    Device { contexts, header, threads }
}

#[cfg(test)]
mod tests {
    use super::literal;

    #[test]
    fn constants_of_c() {
        assert_eq!(literal(b""), "\"\"");
        assert_eq!(literal(b"a\"\\??=\n\x001"), "\"a\\\"\\\\?\\?=\\n\"\n  \"\\0001\"");
        assert!(literal(&[b'x'; 1000]).lines().all(|line| line.len() < 170));
    }
}
