//! Kernels as machine code, by NVRTC or from the cache.

#![allow(unsafe_code, reason = "calls of NVRTC")]

use super::super::build::{self, Files, Problem};
use crate::diag::Diagnostic;
use cudarc::nvrtc::{result, sys};
use std::ffi::CString;
use std::path::Path;

/// CUDA C++, and machine code (or PTX, for devices that are newer than NVRTC).
const CUDA: Files = Files { text: "program.cu", made: "program.cubin" };

/// What the driver loads.
pub(super) struct Code {
    /// The bytes; they end with a zero.
    pub bytes: Vec<u8>,
    file: build::Library,
}

impl Code {
    /// Removes it from the cache.
    pub fn discard(&self) {
        self.file.discard();
    }
}

/// The kernels of a text for devices of an architecture (90 for `sm_90`).
pub(super) fn compile(text: &str, architecture: i32) -> Result<Code, Box<Diagnostic>> {
    // SAFETY: looks whether a library can be loaded.
    if !unsafe { sys::is_culib_present() } {
        return Err(Box::new(missing()));
    }
    let options = options(architecture);
    let how = format!("NVRTC {} {}", version(), options.join(" "));
    let file = build::obtain(CUDA, text, &how, &|folder| make(text, &options, folder))?;
    let unreadable = |error: std::io::Error| Box::new(Diagnostic::bare("E0616", format!("`{}`: {error}", file.path().display())));
    let mut bytes = std::fs::read(file.path()).map_err(unreadable)?;
    bytes.push(0);
    Ok(Code { bytes, file })
}

fn missing() -> Diagnostic {
    Diagnostic::bare("E0806", "no NVRTC: the library that compiles kernels (`libnvrtc.so.12`) is not found")
        .help("install NVIDIA's CUDA toolkit 12, or `pip install nvidia-cuda-nvrtc-cu12` and name its folder `nvidia/cuda_nvrtc/lib` in LD_LIBRARY_PATH")
        .help("use `--backend cpu`")
}

/// The version of NVRTC, as text.
fn version() -> String {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: writes two numbers.
    unsafe { sys::nvrtcVersion(&mut major, &mut minor) };
    format!("{major}.{minor}")
}

/// The architectures that NVRTC makes machine code for.
fn architectures() -> Vec<i32> {
    let mut count = 0;
    // SAFETY: writes a number.
    if unsafe { sys::nvrtcGetNumSupportedArchs(&mut count) } != sys::nvrtcResult::NVRTC_SUCCESS {
        return Vec::new();
    }
    let mut found = vec![0; usize::try_from(count).unwrap_or(0)];
    // SAFETY: there is room for as many numbers as it said.
    if unsafe { sys::nvrtcGetSupportedArchs(found.as_mut_ptr()) } == sys::nvrtcResult::NVRTC_SUCCESS { found } else { Vec::new() }
}

/// The options of NVRTC. A device that is newer than it gets PTX, which the driver translates. Those in `REMORA_CUDA_FLAGS` come last.
fn options(architecture: i32) -> Vec<String> {
    let known = architectures();
    let older = known.iter().copied().filter(|known| *known < architecture).max();
    let target = match older {
        Some(older) if !known.contains(&architecture) => format!("compute_{older}"),
        _ => format!("sm_{architecture}"),
    };
    let mut options = vec![format!("--gpu-architecture={target}")];
    options.extend(["--std=c++17", "--device-int128", "--disable-warnings"].map(str::to_string));
    let own = std::env::var("REMORA_CUDA_FLAGS").unwrap_or_default();
    options.extend(own.split_whitespace().map(str::to_string));
    options
}

fn make(text: &str, options: &[String], folder: &Path) -> Result<(), Problem> {
    let refuse = |why: String| {
        let message = "NVRTC refuses the kernels of the program: this is a mistake in remora";
        let first: Vec<&str> = why.lines().take(20).collect();
        let place = "`remora dump --stage cuda` shows them; `--backend cpu` runs the program without them";
        Problem::Compiler(Box::new(Diagnostic::bare("E0807", message).note(first.join("\n")).help(place)))
    };
    let source = CString::new(text).map_err(|error| refuse(error.to_string()))?;
    let name = |error: result::NvrtcError| format!("{:?}", error.0);
    let program = result::create_program(&source, Some(c"program.cu")).map_err(|error| refuse(name(error)))?;
    // SAFETY: the program was just made, and is destroyed at the end.
    let made = unsafe {
        let compiled = result::compile_program(program, options).map_err(|error| {
            let log = result::get_program_log(program).unwrap_or_default();
            let bytes: Vec<u8> = log.iter().take_while(|c| **c != 0).map(|c| *c as u8).collect();
            format!("{}\n{}", name(error), String::from_utf8_lossy(&bytes))
        });
        let machine = options.iter().any(|option| option.contains("=sm_"));
        let made = compiled.and_then(|()| read(program, machine));
        result::destroy_program(program).ok();
        made
    };
    Ok(std::fs::write(folder.join(CUDA.made), made.map_err(refuse)?)?)
}

/// The machine code of a compiled program, or its PTX.
///
/// # Safety
/// The program is one of NVRTC.
unsafe fn read(program: sys::nvrtcProgram, machine: bool) -> Result<Vec<u8>, String> {
    let check = |result: sys::nvrtcResult| match result {
        sys::nvrtcResult::NVRTC_SUCCESS => Ok(()),
        error => Err(format!("{error:?}")),
    };
    let mut size = 0;
    // SAFETY: there is room for what it said.
    unsafe {
        check(if machine { sys::nvrtcGetCUBINSize(program, &mut size) } else { sys::nvrtcGetPTXSize(program, &mut size) })?;
        let mut bytes = vec![0u8; size];
        let to = bytes.as_mut_ptr().cast();
        check(if machine { sys::nvrtcGetCUBIN(program, to) } else { sys::nvrtcGetPTX(program, to) })?;
        Ok(bytes)
    }
}
