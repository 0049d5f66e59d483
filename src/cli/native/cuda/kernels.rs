//! Kernels as machine code, by NVRTC or from the cache.

use super::super::build::{self, Files, Problem};
use super::nvrtc::{self, Nvrtc, nvrtc};
use crate::base::Code;
use crate::diag::Diagnostic;
use std::path::Path;

/// CUDA C++, and machine code (or PTX, for devices that are newer than NVRTC).
const CUDA: Files = Files { text: "program.cu", made: "program.cubin" };
/// The oldest architecture that kernels are made for.
const OLDEST: i32 = 70;

/// What the driver loads.
pub(super) struct Image {
    /// The bytes; they end with a zero.
    pub bytes: Vec<u8>,
    file: build::CompiledLibrary,
}

impl Image {
    /// Removes it from the cache.
    pub fn discard(&self) {
        self.file.discard();
    }
}

/// The kernels of a text for devices of an architecture (90 for `sm_90`).
pub(super) fn compile(text: &str, architecture: i32) -> Result<Image, Box<Diagnostic>> {
    let nvrtc = nvrtc().map_err(missing)?;
    let options = options(&target(nvrtc, architecture));
    let how = format!("NVRTC {} {}", nvrtc.version(), options.join(" "));
    let file = build::obtain(CUDA, text, &how, &|folder| make(nvrtc, text, &options, folder))?;
    let unreadable =
        |error: std::io::Error| Box::new(Diagnostic::bare(Code::CompiledProgram, format!("`{}`: {error}", file.path().display())));
    let mut bytes = std::fs::read(file.path()).map_err(unreadable)?;
    bytes.push(0);
    Ok(Image { bytes, file })
}

/// The kernels of a text for other machines: machine code for an architecture that is named (`sm_90`), or PTX for what is named
/// (`compute_80`) and newer; PTX for all devices that NVRTC knows if nothing is named.
///
/// # Errors
/// E0806: no NVRTC, E0807: it refuses the text or the name.
pub fn image(text: &str, named: Option<&str>) -> Result<Vec<u8>, Box<Diagnostic>> {
    let nvrtc = nvrtc().map_err(missing)?;
    let oldest = nvrtc.architectures().into_iter().filter(|known| *known >= OLDEST).min().unwrap_or(OLDEST);
    let target = named.map_or_else(|| format!("compute_{oldest}"), str::to_string);
    let mut bytes = nvrtc.compile(text, &options(&target), target.starts_with("sm_")).map_err(|why| match named {
        Some(name) if why.contains("gpu-architecture") => {
            let known: Vec<String> = nvrtc.architectures().iter().map(|known| format!("sm_{known}")).collect();
            let message = format!("NVRTC {} makes no code for `{name}`", nvrtc.version());
            Box::new(Diagnostic::bare(Code::KernelRefused, message).help(format!("it knows {}, and `compute_` for PTX", known.join(", "))))
        }
        _ => refused(&why),
    })?;
    if bytes.last() != Some(&0) {
        bytes.push(0);
    }
    Ok(bytes)
}

fn missing(why: &str) -> Box<Diagnostic> {
    let found = format!("or name the library in {}", nvrtc::VARIABLE);
    Box::new(
        Diagnostic::bare(Code::NoNvrtc, format!("no NVRTC: {why}"))
            .help(format!("install NVIDIA's CUDA toolkit, or `pip install nvidia-cuda-nvrtc-cu12` and name its folder `nvidia/cuda_nvrtc/lib` in LD_LIBRARY_PATH, {found}"))
            .help("use `--backend cpu`"),
    )
}

/// What NVRTC makes code for. A device that is newer than it gets PTX, which the driver translates.
fn target(nvrtc: &Nvrtc, architecture: i32) -> String {
    let known = nvrtc.architectures();
    let older = known.iter().copied().filter(|known| *known < architecture).max();
    match older {
        Some(older) if !known.contains(&architecture) => format!("compute_{older}"),
        _ => format!("sm_{architecture}"),
    }
}

/// The options of NVRTC. Those in `REMORA_CUDA_FLAGS` come last.
fn options(target: &str) -> Vec<String> {
    let mut options = vec![format!("--gpu-architecture={target}")];
    options.extend(["--std=c++17", "--device-int128", "--disable-warnings"].map(str::to_string));
    let own = std::env::var("REMORA_CUDA_FLAGS").unwrap_or_default();
    options.extend(own.split_whitespace().map(str::to_string));
    options
}

fn refused(why: &str) -> Box<Diagnostic> {
    let message = "NVRTC refuses the kernels of the program: this is a mistake in remora";
    let first: Vec<&str> = why.lines().take(20).collect();
    let place = "`remora dump --stage cuda` shows them; `--backend cpu` runs the program without them";
    Box::new(Diagnostic::bare(Code::KernelRefused, message).note(first.join("\n")).help(place))
}

fn make(nvrtc: &Nvrtc, text: &str, options: &[String], folder: &Path) -> Result<(), Problem> {
    let machine = options.iter().any(|option| option.contains("=sm_"));
    let made = nvrtc.compile(text, options, machine).map_err(|why| Problem::Compiler(refused(&why)))?;
    Ok(std::fs::write(folder.join(CUDA.made), made)?)
}
