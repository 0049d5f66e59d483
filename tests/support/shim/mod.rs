//! CUDA kernels on the processor: `shim.h` stands in front of their text, a C++ compiler makes a library of it, and `shim.cpp` plays the
//! device that launches them (see there for what it finds). What was made is kept in the folder for temporary files of the tests.

#![allow(unsafe_code, reason = "calls of the stand-in device")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// What stands in front of generated kernels: the device library and the scalar operations.
pub fn library() -> String {
    read("src/back/cuda/device.cu") + &read("src/back/cuda/products.cu") + &read("src/back/text/scalars.c")
}

/// A file of the repository.
pub fn read(name: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The texts as one that the C++ compiler takes; lines are counted from the first of them.
fn playing(texts: &[&str]) -> String {
    format!("{}\n#line 1 \"kernels.cu\"\n{}", read("tests/support/shim/shim.h"), texts.concat())
}

/// The library of the stand-in device.
pub fn runtime() -> Result<PathBuf, String> {
    // Tests that begin together wait for the first of them.
    static MADE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        // The header is part of what the library depends on, though it is not in its text.
        let text = format!("// {:016x}\n{}", sum(&read("tests/support/shim/shim.h")), read("tests/support/shim/shim.cpp"));
        make("shim", &text, ".so", &["-O2", "-g1", "-shared", "-fPIC", "-Wall"], &["-ldl"])
    });
    made.clone()
}

/// The device as a library that `REMORA_DEVICE` may name.
pub fn device() -> Result<PathBuf, String> {
    static MADE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let library = runtime()?.display().to_string();
        make("device", &read("tests/support/shim/device.cpp"), ".so", &["-O1", "-shared", "-fPIC", "-fvisibility=hidden"], &[&library])
    });
    made.clone()
}

/// A library of kernels; `text` is all that NVRTC would get.
pub fn kernels(text: &str) -> Result<PathBuf, String> {
    let device = runtime()?;
    make("kernels", &playing(&[text]), ".so", &["-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-w"], &[&device.display().to_string()])
}

/// A program of kernels and what launches them, which stands behind them in the same text.
pub fn program(kernels: &str, driver: &str) -> Result<PathBuf, String> {
    let device = runtime()?;
    make("program", &whole(kernels, driver), "", &["-O1", "-rdynamic", "-w"], &[&device.display().to_string(), "-ldl"])
}
fn whole(kernels: &str, driver: &str) -> String {
    playing(&[&library(), kernels, &read("tests/support/shim/driver.h"), driver])
}

/// The same where the device watches accesses to memory; the library of the sanitizer is not linked.
pub fn watched_program(kernels: &str, driver: &str) -> Result<PathBuf, String> {
    let device = runtime()?.display().to_string();
    let flags = ["-O1", "-rdynamic", "-w", "-fsanitize=thread", "--param=tsan-distinguish-volatile=1", "-nodefaultlibs"];
    make("watched", &whole(kernels, driver), "", &flags, &[&device, "-lstdc++", "-lm", "-lgcc_s", "-lgcc", "-lc", "-ldl"])
}

/// A library that plays CUDA's driver and NVRTC (`tests/support/shim/fake.cpp`), as a folder for `LD_LIBRARY_PATH` and what else has to be in the
/// environment. NVRTC is left out if `nvrtc` is false.
pub fn fake(nvrtc: bool) -> Result<Vec<(&'static str, PathBuf)>, String> {
    static MAKING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let device = runtime()?;
    // What is included is part of what the library depends on, though it is not in its text.
    let text = format!(
        "// {:016x}\n#include \"{ROOT}/tests/support/shim/fake.cpp\"\n",
        sum(&(read("tests/support/shim/fake.cpp") + &read("tests/support/shim/device.cpp")))
    );
    let made = make("fake", &text, ".so", &["-O1", "-shared", "-fPIC", "-Wall"], &[&device.display().to_string()])?;
    let folder = made.with_extension(if nvrtc { "all" } else { "driver" });
    let io = |error: std::io::Error| format!("{}: {error}", folder.display());
    if !folder.is_dir() {
        let own = folder.with_extension(format!("{}.{nvrtc}", std::process::id()));
        std::fs::create_dir_all(&own).map_err(io)?;
        for name in ["libcuda.so", "libcuda.so.1", "libnvrtc.so"].iter().take(if nvrtc { 3 } else { 2 }) {
            std::fs::copy(&made, own.join(name)).map_err(io)?;
        }
        // Another process may have been faster.
        std::fs::rename(&own, &folder).ok();
    }
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shim");
    let header = Path::new(ROOT).join("tests/support/shim/shim.h");
    let library = ("LD_LIBRARY_PATH", folder.clone());
    Ok(vec![library, ("REMORA_SHIM_HEADER", header), ("REMORA_SHIM_LIBRARY", device), ("REMORA_SHIM_FOLDER", kept)])
}

fn sum(text: &str) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}

/// What the C++ compiler makes of a text, from the last time if nothing has changed.
fn make(name: &str, text: &str, extension: &str, flags: &[&str], libraries: &[&str]) -> Result<PathBuf, String> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let table = Path::new(ROOT).join("src/back/cuda/table.h");
    let places = [format!("-DTABLE=\"{}\"", table.display()), format!("-I{ROOT}/tests/support/shim")];
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shim");
    let key = format!("{text}{flags:?}{libraries:?}{}", read("src/back/cuda/table.h"));
    let made = folder.join(format!("{name}-{:016x}{extension}", sum(&key)));
    if made.is_file() {
        return Ok(made);
    }
    let unique = format!("{}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let (source, target) = (folder.join(format!("{name}-{unique}.cpp")), folder.join(format!("{name}-{unique}")));
    let io = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(io)?;
    std::fs::write(&source, text).map_err(io)?;
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    let mut command = Command::new(&compiler);
    command.args(["-std=gnu++17", "-fno-strict-aliasing", "-ffp-contract=off", "-fno-gnu-unique"]).args(flags).args(places);
    let output = command.arg("-o").arg(&target).arg(&source).args(libraries).output();
    let output = output.map_err(|error| format!("the C++ compiler `{compiler}` cannot be started: {error} (Debian: g++)"))?;
    if !output.status.success() {
        let lines: Vec<String> = String::from_utf8_lossy(&output.stderr).lines().take(30).map(str::to_string).collect();
        return Err(format!("{name}: the C++ compiler refuses {}:\n{}", source.display(), lines.join("\n")));
    }
    std::fs::remove_file(&source).map_err(io)?;
    std::fs::rename(&target, &made).map_err(io)?;
    Ok(made)
}

/// In which order the stand-in device runs threads and blocks.
#[derive(Debug, Clone, Copy)]
pub enum Schedule {
    /// First to last.
    Forwards,
    /// Last to first.
    Backwards,
    /// In an order that depends on the number, changing all the time.
    Random(u64),
}

/// A stand-in device with the kernels of a library.
pub struct Machine {
    handle: *mut c_void,
    runtime: libloading::Library,
}

impl Machine {
    /// A device for the kernels in a file that `kernels` made.
    pub fn open(kernels: &Path) -> Result<Machine, String> {
        // SAFETY: the library was made from shim.cpp.
        let runtime = unsafe { libloading::Library::new(runtime()?) }.map_err(|error| error.to_string())?;
        let path = CString::new(kernels.display().to_string()).map_err(|error| error.to_string())?;
        // SAFETY: shim.cpp declares the function so.
        let open: libloading::Symbol<unsafe extern "C" fn(*const c_char) -> *mut c_void> =
            unsafe { runtime.get(b"remora_shim_open\0") }.map_err(|error| error.to_string())?;
        let handle = unsafe { open(path.as_ptr()) };
        if handle.is_null() { Err(format!("{} cannot be loaded", kernels.display())) } else { Ok(Machine { handle, runtime }) }
    }
    /// Its `remora_device`, which lives as long as the machine.
    pub fn table(&self) -> *const c_void {
        // SAFETY: shim.cpp declares the function so.
        unsafe { self.function::<unsafe extern "C" fn(*mut c_void) -> *const c_void>(b"remora_shim_table\0")(self.handle) }
    }
    /// Threads and blocks run in this order from now on.
    pub fn schedule(&self, schedule: Schedule) {
        let (kind, seed): (c_int, u64) = match schedule {
            Schedule::Forwards => (0, 0),
            Schedule::Backwards => (1, 0),
            Schedule::Random(seed) => (2, seed),
        };
        // SAFETY: shim.cpp declares the function so.
        unsafe { self.function::<unsafe extern "C" fn(*mut c_void, c_int, u64)>(b"remora_shim_schedule\0")(self.handle, kind, seed) }
    }
    /// How many allocations were not released.
    pub fn live(&self) -> i64 {
        self.count(b"remora_shim_live\0")
    }
    /// How many kernels were launched since the schedule was set.
    pub fn launches(&self) -> i64 {
        self.count(b"remora_shim_launches\0")
    }
    fn count(&self, name: &[u8]) -> i64 {
        // SAFETY: shim.cpp declares the functions so.
        unsafe { self.function::<unsafe extern "C" fn(*mut c_void) -> i64>(name)(self.handle) }
    }
    /// # Safety
    /// The function has this type.
    unsafe fn function<F: Copy>(&self, name: &[u8]) -> F {
        *unsafe { self.runtime.get(name) }.unwrap_or_else(|error| panic!("shim.cpp: {error}"))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: nobody uses the device after this.
        unsafe { self.function::<unsafe extern "C" fn(*mut c_void)>(b"remora_shim_close\0")(self.handle) }
    }
}
