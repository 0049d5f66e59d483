//! Programs for CUDA: the kernels as CUDA C++, and the host plan as C.
//!
//! The host plan (`host.c` and what is made of the program) has the entry wrappers that programs in C have. It reaches the device through the
//! functions in `table.h`, which whoever loads it passes to `remora_context_new_device`.
//!
//! The text of the kernels needs no header. It begins with the device library (`device.cu`), which has the loops over work: a kernel
//! states what is done for a cell, how values are combined and what is done with the results.

mod hist;
mod host;
mod kernel;
mod library;
mod product;
mod thread;
mod vectors;

pub use library::{LOADED_DRIVER, LibraryText, library};

use crate::back::text::{Emitter, Places, c_type, expr};
use crate::base::Scalar;
use crate::base::mutation::mutated_text;
use crate::ir::imp::Program;
use crate::ir::tuning::On;
use std::fmt::Write;

const DEVICE: &str = concat!(
    include_str!("device.cu"),
    "\n",
    include_str!("products.cu"),
    "\n",
    include_str!("../text/scalars.c"),
    "\n",
    include_str!("kernels.cu")
);
const HOST: &str = concat!(
    include_str!("table.h"),
    "\n",
    include_str!("../text/sizes.c"),
    include_str!("host.c"),
    include_str!("../text/scalars.c"),
    "\n",
    include_str!("../text/errors.c")
);

/// A program for CUDA.
#[derive(Debug, Clone)]
pub struct Cuda {
    /// The host plan, in C.
    pub host: String,
    /// The kernels, in CUDA C++.
    pub kernels: String,
    /// Places in the source that failures name.
    pub places: Places,
}

/// The text for the host of a device that has the arrays, and what has been written for the device.
#[derive(Debug, Default)]
struct Host {
    /// The kernels.
    text: String,
    /// Types of what is combined, which the host needs too.
    types: String,
    /// How many they are.
    count: usize,
    /// What the host does about failures: number `k + 1` is at `k`.
    failures: Vec<String>,
    /// Whether threads of the kernel that is written make buffers.
    heap: bool,
}

/// The texts of a program.
pub fn emit(program: &Program) -> Cuda {
    let (mut host, mut plan) = (program.tuning.constants(On::Devices) + mutated_text!(HOST).as_ref(), String::new());
    let mut kernels = Host::default();
    let mut places = Places::default();
    let mut device = mutated_text!(DEVICE).to_string();
    for (k, table) in program.tables.iter().enumerate() {
        let list = |items: Vec<String>| if items.is_empty() { "0".to_string() } else { items.join(", ") };
        let items = list(table.items.iter().map(|item| expr::constant(*item)).collect());
        let _ = writeln!(host, "static const {} remora_table_{k}[] = {{{items}}};", c_type(table.elem));
        if table.elem.is_float() {
            // Not every number can be written, and halves have no constants.
            let bits = list(table.items.iter().map(|item| bits(*item)).collect());
            let word = table.elem.bytes() * 8;
            let _ = writeln!(device, "static __device__ const uint{word}_t remora_bits_{k}[] = {{{bits}}};");
            let _ = writeln!(device, "#define remora_table_{k} ((const {} *)remora_bits_{k})", c_type(table.elem));
        } else {
            let _ = writeln!(device, "static __device__ const {} remora_table_{k}[] = {{{items}}};", c_type(table.elem));
        }
    }
    for (id, fun) in program.funs.iter() {
        let mut emitter = Emitter { program, fun, id: id.raw(), places: &mut places, dialect: kernels };
        plan.push_str(&emitter.function());
        if fun.entry {
            plan.push_str(&emitter.device_wrapper(false));
            plan.push_str(&emitter.device_wrapper(true));
        }
        kernels = emitter.dialect;
    }
    host.push_str(&kernels.types);
    host.push_str("\nstatic int remora_kernel_failed(remora_thread *th, const remora_failure *failure) {\n  switch (failure->code) {\n");
    for (k, failure) in kernels.failures.iter().enumerate() {
        let _ = writeln!(host, "  case {}:\n    {failure}\n    break;", k + 1);
    }
    host.push_str("  }\n  return 1;\n}\n");
    host.push_str(&plan);
    device.push_str(&kernels.types);
    device.push_str(&kernels.text);
    Cuda { host, kernels: device, places }
}

/// What of the text of a host plan is made of the program, behind the run-time system.
pub fn own_part(host: &str) -> &str {
    host.split_once(HOST).map_or(host, |(_, own)| own)
}

/// The bits of a floating-point number.
fn bits(value: Scalar) -> String {
    match value {
        Scalar::F16(x) => format!("{:#x}", x.to_bits()),
        Scalar::F32(x) => format!("{:#x}", x.to_bits()),
        Scalar::F64(x) => format!("{:#x}", x.to_bits()),
        other @ (Scalar::I8(_)
        | Scalar::I16(_)
        | Scalar::I32(_)
        | Scalar::I64(_)
        | Scalar::U8(_)
        | Scalar::U16(_)
        | Scalar::U32(_)
        | Scalar::U64(_)
        | Scalar::C64(_)
        | Scalar::C128(_)
        | Scalar::Bool(_)) => expr::scalar(other),
    }
}
